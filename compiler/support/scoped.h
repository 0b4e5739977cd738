// State that holds for a scope and is restored at its end, also if an exception leaves the scope.
#pragma once

#include <utility>
#include <vector>

namespace planc::support {

/// `place` has this value for the lifetime of the object.
template <class T> class ScopedValue {
  public:
    ScopedValue(T &place, T value) : place_(place), before_(std::exchange(place, std::move(value))) {}
    ~ScopedValue() { place_ = std::move(before_); }
    ScopedValue(const ScopedValue &) = delete;
    ScopedValue &operator=(const ScopedValue &) = delete;

  private:
    T &place_;
    T before_;
};

/// The list ends in this element for the lifetime of the object.
template <class T> class ScopedElement {
  public:
    ScopedElement(std::vector<T> &list, T element) : list_(list) { list_.push_back(std::move(element)); }
    ~ScopedElement() { list_.pop_back(); }
    ScopedElement(const ScopedElement &) = delete;
    ScopedElement &operator=(const ScopedElement &) = delete;

  private:
    std::vector<T> &list_;
};

} // namespace planc::support
