// What the attribute of an optimizer says is what it was made from.
#include "ir/optimizer_attribute.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace planc::ir {

using sema::Optimizer;
using sema::Schedule;

namespace {

Schedule schedule_of(Schedule::Shape shape) {
    Schedule schedule;
    schedule.shape = shape;
    schedule.peak = 0.5;
    return schedule;
}

Optimizer there_and_back(const Optimizer &optimizer) {
    mlir::MLIRContext context;
    mlir::Builder builder(&context);
    return optimizer_of(optimizer_attribute(optimizer, builder));
}

void expect_same(const Schedule &a, const Schedule &b) {
    EXPECT_EQ(a.shape, b.shape);
    EXPECT_EQ(a.peak, b.peak);
    EXPECT_EQ(a.warmup, b.warmup);
    EXPECT_EQ(a.start, b.start);
    if (a.shape == Schedule::Shape::step) {
        EXPECT_EQ(a.factor, b.factor);
        EXPECT_EQ(a.milestones, b.milestones);
        EXPECT_EQ(a.every, b.every);
    } else if (a.shape != Schedule::Shape::constant) {
        EXPECT_EQ(a.floor, b.floor);
        EXPECT_EQ(a.steps, b.steps);
    }
    if (a.shape == Schedule::Shape::polynomial) {
        EXPECT_EQ(a.power, b.power);
    }
}

} // namespace

TEST(OptimizerAttribute, schedules) {
    Schedule step = schedule_of(Schedule::Shape::step);
    step.every = 7;
    Schedule milestones = schedule_of(Schedule::Shape::step);
    milestones.milestones = {3, 9};
    Schedule cosine = schedule_of(Schedule::Shape::cosine);
    cosine.floor = 0.1;
    cosine.steps = 20;
    Schedule polynomial = cosine;
    polynomial.shape = Schedule::Shape::polynomial;
    polynomial.power = 2;
    for (Schedule schedule : {Schedule{}, step, milestones, cosine, polynomial})
        for (const std::int64_t warmup : {0, 5}) {
            schedule.warmup = warmup;
            schedule.start = warmup > 0 ? 0.01 : 0;
            Optimizer optimizer;
            optimizer.rate = schedule;
            expect_same(schedule, there_and_back(optimizer).rate);
        }
}

TEST(OptimizerAttribute, kinds) {
    Optimizer optimizer;
    optimizer.momentum = 0.9;
    optimizer.nesterov = true;
    optimizer.weight_decay = 0.01;
    EXPECT_TRUE(there_and_back(optimizer).nesterov);
    EXPECT_EQ(there_and_back(optimizer).momentum, 0.9);
    EXPECT_EQ(there_and_back(optimizer).weight_decay, 0.01);
    EXPECT_EQ(there_and_back(optimizer).clip_norm, 0);
    optimizer.kind = Optimizer::Kind::lars;
    optimizer.trust = 0.02;
    optimizer.clip_norm = 1;
    EXPECT_EQ(there_and_back(optimizer).kind, Optimizer::Kind::lars);
    EXPECT_EQ(there_and_back(optimizer).trust, 0.02);
    EXPECT_EQ(there_and_back(optimizer).clip_norm, 1);
    for (const auto kind : {Optimizer::Kind::adam, Optimizer::Kind::lamb}) {
        Optimizer moments;
        moments.kind = kind;
        moments.beta1 = 0.8;
        moments.beta2 = 0.95;
        moments.epsilon = 1e-3;
        moments.decoupled = true;
        const Optimizer back = there_and_back(moments);
        EXPECT_EQ(back.kind, kind);
        EXPECT_EQ(back.beta1, 0.8);
        EXPECT_EQ(back.beta2, 0.95);
        EXPECT_EQ(back.epsilon, 1e-3);
        EXPECT_TRUE(back.decoupled);
    }
}

} // namespace planc::ir
