// Typed numbers of the things in a list: the number of one kind of thing is never taken for that of another. They cost
// no more than an int and a std::vector.
//
//   using LayerId = support::Id<Layer>;
//   support::Indexed<LayerId, Layer> layers;
//   const LayerId first = layers.push_back({"fc1"});
//   layers[first].name
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace planc::support {

/// The number of one `Kind`, from 0 on, or none.
template <typename Kind> class Id {
  public:
    constexpr Id() = default; ///< none
    template <std::integral Number> constexpr explicit Id(Number number) : number_(static_cast<int>(number)) {}

    /// Whether there is one.
    constexpr explicit operator bool() const { return number_ >= 0; }
    /// The place in a container.
    [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(number_); }
    /// For texts and files; -1: none.
    [[nodiscard]] constexpr int number() const { return number_; }

    constexpr Id &operator++() {
        ++number_;
        return *this;
    }
    friend constexpr Id operator+(Id id, int places) { return Id(id.number_ + places); }
    friend constexpr Id operator-(Id id, int places) { return Id(id.number_ - places); }
    friend constexpr bool operator==(Id, Id) = default;
    friend constexpr auto operator<=>(Id, Id) = default; ///< none comes first

  private:
    int number_ = -1;
};

/// Successive ids, to loop over.
template <typename Id> class IdRange {
  public:
    class iterator { // named as the standard library's
      public:
        using value_type = Id;
        using difference_type = std::ptrdiff_t;
        iterator() = default;
        constexpr explicit iterator(Id id) : id_(id) {}
        constexpr Id operator*() const { return id_; }
        constexpr iterator &operator++() {
            ++id_;
            return *this;
        }
        constexpr iterator operator++(int) {
            const iterator before = *this;
            ++id_;
            return before;
        }
        friend constexpr bool operator==(iterator, iterator) = default;

      private:
        Id id_;
    };

    /// From `first` to the one before `end`.
    constexpr IdRange(Id first, Id end) : first_(first), end_(end) {}
    [[nodiscard]] constexpr iterator begin() const { return iterator(first_); }
    [[nodiscard]] constexpr iterator end() const { return iterator(end_); }

  private:
    Id first_;
    Id end_;
};

/// A vector with a place for each id.
template <typename Id, typename T> class Indexed {
  public:
    Indexed() = default;
    explicit Indexed(std::size_t size, const T &value = T()) : values_(size, value) {}
    Indexed(std::initializer_list<T> values) : values_(values) {}
    explicit Indexed(std::vector<T> values) : values_(std::move(values)) {}

    [[nodiscard]] decltype(auto) operator[](Id id) { return values_[id.index()]; }
    [[nodiscard]] decltype(auto) operator[](Id id) const { return values_[id.index()]; }
    [[nodiscard]] bool contains(Id id) const { return id && id.index() < values_.size(); }
    /// The ids of all places, ascending.
    [[nodiscard]] IdRange<Id> ids() const { return {Id(0), end_id()}; }
    /// The id after the last.
    [[nodiscard]] Id end_id() const { return Id(values_.size()); }

    /// Returns the id of the new place.
    Id push_back(T value) {
        values_.push_back(std::move(value));
        return Id(values_.size() - 1);
    }
    template <typename... Arguments> T &emplace_back(Arguments &&...arguments) {
        return values_.emplace_back(std::forward<Arguments>(arguments)...);
    }
    void resize(std::size_t size, const T &value = T()) { values_.resize(size, value); }
    void assign(std::size_t size, const T &value) { values_.assign(size, value); }
    void clear() { values_.clear(); }
    void reserve(std::size_t size) { values_.reserve(size); }

    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] bool empty() const { return values_.empty(); }
    [[nodiscard]] auto begin() { return values_.begin(); }
    [[nodiscard]] auto begin() const { return values_.begin(); }
    [[nodiscard]] auto end() { return values_.end(); }
    [[nodiscard]] auto end() const { return values_.end(); }
    [[nodiscard]] T &back() { return values_.back(); }
    [[nodiscard]] const T &back() const { return values_.back(); }
    friend bool operator==(const Indexed &, const Indexed &) = default;

  private:
    std::vector<T> values_;
};

} // namespace planc::support

template <typename Kind> struct std::hash<planc::support::Id<Kind>> {
    std::size_t operator()(planc::support::Id<Kind> id) const noexcept { return std::hash<int>()(id.number()); }
};
