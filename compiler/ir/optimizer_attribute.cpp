#include "ir/optimizer_attribute.h"

#include <array>

namespace planc::ir {

using mlir::DictionaryAttr;
using mlir::StringRef;
using sema::Optimizer;
using sema::Schedule;

namespace {

constexpr std::array<StringRef, 4> kinds{"sgd", "adam", "lars", "lamb"};
constexpr std::array<StringRef, 4> shapes{"constant", "step", "cosine", "polynomial"};

class Entries {
  public:
    explicit Entries(mlir::Builder &builder) : builder_(builder) {}

    void add(StringRef name, mlir::Attribute value) { entries_.push_back(builder_.getNamedAttr(name, value)); }
    void text(StringRef name, StringRef value) { add(name, builder_.getStringAttr(value)); }
    void number(StringRef name, double value) { add(name, builder_.getF64FloatAttr(value)); }
    void whole(StringRef name, std::int64_t value) { add(name, builder_.getI64IntegerAttr(value)); }
    void flag(StringRef name, bool value) {
        if (value)
            add(name, builder_.getUnitAttr());
    }
    DictionaryAttr take() { return builder_.getDictionaryAttr(entries_); }

  private:
    mlir::Builder &builder_;
    llvm::SmallVector<mlir::NamedAttribute> entries_;
};

mlir::Attribute schedule_attribute(const Schedule &schedule, mlir::Builder &builder) {
    Entries entries(builder);
    entries.text("shape", shapes[static_cast<size_t>(schedule.shape)]);
    entries.number("peak", schedule.peak);
    switch (schedule.shape) {
    case Schedule::Shape::constant:
        break;
    case Schedule::Shape::step:
        entries.number("factor", schedule.factor);
        if (schedule.milestones.empty())
            entries.whole("every", schedule.every);
        else
            entries.add("milestones", builder.getDenseI64ArrayAttr(schedule.milestones));
        break;
    case Schedule::Shape::cosine:
    case Schedule::Shape::polynomial:
        entries.number("floor", schedule.floor);
        entries.whole("steps", schedule.steps);
        if (schedule.shape == Schedule::Shape::polynomial)
            entries.number("power", schedule.power);
        break;
    }
    if (schedule.warmup > 0) {
        entries.whole("warmup", schedule.warmup);
        entries.number("start", schedule.start);
    } else if (schedule.shape == Schedule::Shape::constant) {
        return builder.getF64FloatAttr(schedule.peak);
    }
    return entries.take();
}

void read(DictionaryAttr from, StringRef name, double &to) {
    if (const auto value = from.getAs<mlir::FloatAttr>(name))
        to = value.getValueAsDouble();
}

void read(DictionaryAttr from, StringRef name, std::int64_t &to) {
    if (const auto value = from.getAs<mlir::IntegerAttr>(name))
        to = value.getInt();
}

template <class Kind> void read(DictionaryAttr from, StringRef name, const std::array<StringRef, 4> &names, Kind &to) {
    if (const auto value = from.getAs<mlir::StringAttr>(name))
        to = static_cast<Kind>(llvm::find(names, value.getValue()) - names.begin());
}

Schedule schedule_of(mlir::Attribute attribute) {
    Schedule schedule;
    if (const auto number = mlir::dyn_cast_if_present<mlir::FloatAttr>(attribute))
        schedule.peak = number.getValueAsDouble();
    const auto entries = mlir::dyn_cast_if_present<DictionaryAttr>(attribute);
    if (!entries)
        return schedule;
    read(entries, "shape", shapes, schedule.shape);
    read(entries, "peak", schedule.peak);
    read(entries, "floor", schedule.floor);
    read(entries, "factor", schedule.factor);
    read(entries, "power", schedule.power);
    read(entries, "every", schedule.every);
    read(entries, "steps", schedule.steps);
    read(entries, "warmup", schedule.warmup);
    read(entries, "start", schedule.start);
    if (const auto milestones = entries.getAs<mlir::DenseI64ArrayAttr>("milestones"))
        schedule.milestones = milestones.asArrayRef().vec();
    return schedule;
}

} // namespace

DictionaryAttr optimizer_attribute(const Optimizer &optimizer, mlir::Builder &builder) {
    Entries entries(builder);
    entries.text("kind", kinds[static_cast<size_t>(optimizer.kind)]);
    entries.add("rate", schedule_attribute(optimizer.rate, builder));
    entries.number("weight_decay", optimizer.weight_decay);
    if (optimizer.kind == Optimizer::Kind::adam || optimizer.kind == Optimizer::Kind::lamb) {
        entries.number("beta1", optimizer.beta1);
        entries.number("beta2", optimizer.beta2);
        entries.number("epsilon", optimizer.epsilon);
        entries.flag("decoupled", optimizer.decoupled);
    } else {
        entries.number("momentum", optimizer.momentum);
        entries.flag("nesterov", optimizer.nesterov);
    }
    if (optimizer.kind == Optimizer::Kind::lars)
        entries.number("trust", optimizer.trust);
    if (optimizer.clip_norm > 0)
        entries.number("clip_norm", optimizer.clip_norm);
    return entries.take();
}

Optimizer optimizer_of(DictionaryAttr attribute) {
    Optimizer optimizer;
    read(attribute, "kind", kinds, optimizer.kind);
    optimizer.rate = schedule_of(attribute.get("rate"));
    read(attribute, "momentum", optimizer.momentum);
    read(attribute, "weight_decay", optimizer.weight_decay);
    read(attribute, "beta1", optimizer.beta1);
    read(attribute, "beta2", optimizer.beta2);
    read(attribute, "epsilon", optimizer.epsilon);
    read(attribute, "trust", optimizer.trust);
    read(attribute, "clip_norm", optimizer.clip_norm);
    optimizer.nesterov = attribute.contains("nesterov");
    optimizer.decoupled = attribute.contains("decoupled");
    return optimizer;
}

} // namespace planc::ir
