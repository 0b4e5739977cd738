// An ordered list of mesh axes, such as those that split a dimension: a vector of numbers that needs no heap memory for
// its first few. A search for a plan copies and compares millions of placements, and hardly any has a longer list.
//
// Example: AxisList axes{0, 2}; axes.push_back(1);
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

namespace planrt {

class AxisList {
  public:
    using value_type = int;
    using iterator = int *;
    using const_iterator = const int *;

    AxisList() = default;
    AxisList(std::initializer_list<int> axes) : AxisList(axes.begin(), axes.end()) {}
    AxisList(const std::vector<int> &axes) : AxisList(axes.begin(), axes.end()) {}
    template <class Iterator> AxisList(Iterator first, Iterator last) {
        for (; first != last; ++first)
            push_back(*first);
    }
    AxisList(const AxisList &other) {
        if (other.is_far())
            append(other);
        else
            copy_near(other);
    }
    AxisList(AxisList &&other) noexcept { swap(other); }
    AxisList &operator=(const AxisList &other) {
        if (!is_far() && !other.is_far()) {
            copy_near(other);
        } else if (this != &other) {
            size_ = 0;
            append(other);
        }
        return *this;
    }
    AxisList &operator=(AxisList &&other) noexcept {
        swap(other);
        return *this;
    }
    ~AxisList() {
        if (is_far())
            delete[] memory_.far;
    }

    [[nodiscard]] const int *data() const { return is_far() ? memory_.far : memory_.near; }
    [[nodiscard]] int *data() { return is_far() ? memory_.far : memory_.near; }
    [[nodiscard]] const int *begin() const { return data(); }
    [[nodiscard]] const int *end() const { return data() + size_; }
    [[nodiscard]] int *begin() { return data(); }
    [[nodiscard]] int *end() { return data() + size_; }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    int operator[](std::size_t place) const { return data()[place]; }
    int &operator[](std::size_t place) { return data()[place]; }
    [[nodiscard]] int back() const { return data()[size_ - 1]; }

    void push_back(int axis) {
        if (size_ == capacity_)
            grow();
        data()[size_++] = axis;
    }
    void pop_back() { --size_; }
    void clear() { size_ = 0; }
    void erase(const int *first, const int *last) {
        std::copy(last, static_cast<const int *>(end()), data() + (first - data()));
        size_ -= static_cast<unsigned>(last - first);
    }
    void swap(AxisList &other) noexcept {
        std::swap(memory_, other.memory_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    friend bool operator==(const AxisList &a, std::span<const int> b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }
    friend bool operator==(const AxisList &a, const AxisList &b) { return a == std::span<const int>(b); }

  private:
    static constexpr unsigned most_near = 4;

    [[nodiscard]] bool is_far() const { return capacity_ > most_near; }
    void append(const AxisList &other) {
        for (const int axis : other)
            push_back(axis);
    }
    /// Copies without checking how many there are.
    void copy_near(const AxisList &other) {
        memory_ = other.memory_;
        size_ = other.size_;
    }
    void grow() {
        const unsigned capacity = 2 * capacity_;
        int *const far = new int[capacity];
        std::copy(begin(), end(), far);
        if (is_far())
            delete[] memory_.far;
        memory_.far = far;
        capacity_ = capacity;
    }

    union Memory {
        int near[most_near];
        int *far;
    };
    Memory memory_{};
    unsigned size_ = 0;
    unsigned capacity_ = most_near;
};

} // namespace planrt
