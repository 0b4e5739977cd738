// A value that most of its owners do not have.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace planrt {

/// Like std::optional, but only the size of a pointer when empty; a value takes an allocation.
template <class Value> class Boxed {
  public:
    Boxed() = default;
    Boxed(std::nullopt_t) {}
    Boxed(const Value &value) : value_(std::make_unique<Value>(value)) {}
    Boxed(const std::optional<Value> &value) : value_(value ? std::make_unique<Value>(*value) : nullptr) {}
    Boxed(const Boxed &other) : value_(other ? std::make_unique<Value>(*other) : nullptr) {}
    Boxed(Boxed &&other) noexcept = default;
    Boxed &operator=(const Boxed &other) {
        if (value_ || other)
            value_ = std::move(Boxed(other).value_);
        return *this;
    }
    Boxed &operator=(Boxed &&other) noexcept = default;
    ~Boxed() = default;

    explicit operator bool() const { return value_ != nullptr; }
    [[nodiscard]] bool has_value() const { return value_ != nullptr; }
    const Value &operator*() const { return *value_; }
    Value &operator*() { return *value_; }
    const Value *operator->() const { return value_.get(); }
    Value *operator->() { return value_.get(); }
    void reset() { value_.reset(); }
    friend bool operator==(const Boxed &a, const Boxed &b) { return a && b ? *a == *b : !a && !b; }
    friend bool operator==(const Boxed &a, std::nullopt_t) { return !a; }
    /// Without this, the optional would compare its value with the box, and an empty optional with nothing.
    friend bool operator==(const Boxed &a, const std::optional<Value> &b) { return a && b ? *a == *b : !a && !b; }

  private:
    std::unique_ptr<Value> value_;
};

} // namespace planrt
