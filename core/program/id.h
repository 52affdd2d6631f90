// Typed indices: an id of one table is no id of another, and a table is asked by its own ids alone.
#pragma once  // public
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace tessera {

// The index of an entry of the table that `Tag` names; -1: of none. As wide as a std::int32_t.
template <typename Tag>
struct Id {
  std::int32_t index = -1;  // from 0; for who prints, hashes or stores the id

  // Of no entry, or of the one at that index.
  constexpr Id() = default;
  constexpr explicit Id(std::int32_t i) : index(i) {}
  constexpr explicit Id(std::size_t i) : index(static_cast<std::int32_t>(i)) {}
  // Whether it is of an entry at all.
  constexpr explicit operator bool() const { return index >= 0; }
  constexpr auto operator<=>(const Id&) const = default;

  // The neighbours in a table whose order means something.
  constexpr Id& operator++() {
    ++index;
    return *this;
  }
  constexpr Id& operator--() {
    --index;
    return *this;
  }
  // The id so many entries later, or earlier; how many entries `a` is later than `b`.
  friend constexpr Id operator+(Id id, std::int32_t by) { return Id(id.index + by); }
  friend constexpr Id operator-(Id id, std::int32_t by) { return Id(id.index - by); }
  friend constexpr std::int32_t operator-(Id a, Id b) { return a.index - b.index; }
};

// The ids of a half-open range, for a loop over them.
template <typename Key>
class IdRange {
 public:
  // Gives one id after the other.
  class Iterator {
   public:
    // At that id.
    constexpr explicit Iterator(Key id) : id_(id) {}
    // The id; the next one; whether both are at the same.
    constexpr Key operator*() const { return id_; }
    constexpr Iterator& operator++() {
      ++id_;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    Key id_;
  };

  // From the first to the one before the second; how many; and what a loop asks for.
  constexpr IdRange(Key begin, Key end) : begin_(begin), end_(end) {}
  constexpr std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  constexpr Iterator begin() const { return Iterator(begin_); }
  constexpr Iterator end() const { return Iterator(end_); }

 private:
  Key begin_, end_;
};

// Entries of T by their ids, which count from 0 in the order in which entries are added. Vector: a
// std::vector<T>, of whatever allocator.
template <typename Key, typename T, typename Vector = std::vector<T>>
class Table {
 public:
  using value_type = T;  // as standard containers have it
  // T& and const T&; of a bool, which is kept in one bit, what stands for them.
  using Reference = typename Vector::reference;
  using ConstReference = typename Vector::const_reference;

  // No entries; so many, each T() or a copy of the value; or these.
  Table() = default;
  explicit Table(std::size_t size) : entries_(size) {}
  Table(std::size_t size, const T& value) : entries_(size, value) {}
  explicit Table(Vector entries) : entries_(std::move(entries)) {}

  // The entry of that id, which must be of one of these.
  Reference operator[](Key id) { return entries_[static_cast<std::size_t>(id.index)]; }
  ConstReference operator[](Key id) const { return entries_[static_cast<std::size_t>(id.index)]; }
  // The id of an entry of this table, which is named by its address.
  Key id_of(const T& entry) const { return Key(static_cast<std::size_t>(&entry - &entries_[0])); }

  // The new entry's id.
  Key add(T entry) {
    entries_.push_back(std::move(entry));
    return Key(entries_.size() - 1);
  }
  // The id that the next entry gets.
  Key next() const { return Key(entries_.size()); }
  // Whether the id is of one of these entries.
  bool has(Key id) const { return id && static_cast<std::size_t>(id.index) < entries_.size(); }

  // As of a std::vector.
  std::size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  void reserve(std::size_t size) { entries_.reserve(size); }
  void resize(std::size_t size) { entries_.resize(size); }
  void resize(std::size_t size, const T& value) { entries_.resize(size, value); }
  void assign(std::size_t size, const T& value) { entries_.assign(size, value); }
  void clear() { entries_.clear(); }
  void pop_back() { entries_.pop_back(); }
  Reference back() { return entries_.back(); }
  ConstReference back() const { return entries_.back(); }
  auto begin() { return entries_.begin(); }
  auto begin() const { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto end() const { return entries_.end(); }

  // The id of the entry that was added last; none of an empty table.
  Key last() const { return Key(static_cast<std::int32_t>(entries_.size()) - 1); }
  // The ids of the entries that there are now, in order, for `for` alone:
  // `for (const PlaceId p : program.places.ids())`.
  IdRange<Key> ids() const { return {Key(0), next()}; }
  // The entries alone, in order.
  const Vector& entries() const { return entries_; }
  Vector& entries() { return entries_; }

  bool operator==(const Table&) const = default;

 private:
  Vector entries_;
};

}  // namespace tessera

// Ids are keys of unordered containers.
template <typename Tag>
struct std::hash<tessera::Id<Tag>> {
  // The hash of the index.
  std::size_t operator()(tessera::Id<Tag> id) const noexcept {
    return std::hash<std::int32_t>()(id.index);
  }
};
