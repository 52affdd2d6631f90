// Typed indices: ids of different tables are different types, and a table accepts only its own ids.
#pragma once  // public
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace tessera {

// Index of an entry in the table for `Tag`; -1: none. As wide as a std::int32_t.
template <typename Tag>
struct Id {
  std::int32_t index = -1;  // from 0; for printing, hashing or storing the id

  // The id of no entry, or of the entry at that index.
  constexpr Id() = default;
  constexpr explicit Id(std::int32_t i) : index(i) {}
  constexpr explicit Id(std::size_t i) : index(static_cast<std::int32_t>(i)) {}
  // True unless it is the id of no entry.
  constexpr explicit operator bool() const { return index >= 0; }
  constexpr auto operator<=>(const Id&) const = default;

  // Next and previous id in a table with a meaningful order.
  constexpr Id& operator++() {
    ++index;
    return *this;
  }
  constexpr Id& operator--() {
    --index;
    return *this;
  }
  // The id `by` entries later or earlier; the number of entries from `b` to `a`.
  friend constexpr Id operator+(Id id, std::int32_t by) { return Id(id.index + by); }
  friend constexpr Id operator-(Id id, std::int32_t by) { return Id(id.index - by); }
  friend constexpr std::int32_t operator-(Id a, Id b) { return a.index - b.index; }
};

// A half-open range of ids, to iterate over.
template <typename Key>
class IdRange {
 public:
  // Iterates over the ids in ascending order.
  class Iterator {
   public:
    // Starts at that id.
    constexpr explicit Iterator(Key id) : id_(id) {}
    // The current id; the next id; true if both are at the same id.
    constexpr Key operator*() const { return id_; }
    constexpr Iterator& operator++() {
      ++id_;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    Key id_;
  };

  // The range from `begin` up to, not including, `end`; its size; its iterators.
  constexpr IdRange(Key begin, Key end) : begin_(begin), end_(end) {}
  constexpr std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
  constexpr Iterator begin() const { return Iterator(begin_); }
  constexpr Iterator end() const { return Iterator(end_); }

 private:
  Key begin_, end_;
};

// Entries of T, indexed by ids that count from 0 in the order of insertion. Vector: a
// std::vector<T> with any allocator.
template <typename Key, typename T, typename Vector = std::vector<T>>
class Table {
 public:
  using value_type = T;  // as in standard containers
  // T& and const T&; proxies if T is bool, which is stored in one bit.
  using Reference = typename Vector::reference;
  using ConstReference = typename Vector::const_reference;

  // Creates no entries; `size` entries that are T() or copies of the value; or the given entries.
  Table() = default;
  explicit Table(std::size_t size) : entries_(size) {}
  Table(std::size_t size, const T& value) : entries_(size, value) {}
  explicit Table(Vector entries) : entries_(std::move(entries)) {}

  // Returns the entry of that id, which must be in the table (unchecked). Stays valid until entries
  // are added.
  Reference operator[](Key id) { return entries_[static_cast<std::size_t>(id.index)]; }
  ConstReference operator[](Key id) const { return entries_[static_cast<std::size_t>(id.index)]; }
  // Returns the id of an entry of this table, identified by its address.
  Key id_of(const T& entry) const { return Key(static_cast<std::size_t>(&entry - &entries_[0])); }

  // Appends an entry and returns its id.
  Key add(T entry) {
    entries_.push_back(std::move(entry));
    return Key(entries_.size() - 1);
  }
  // Returns the id of the next entry to be added.
  Key next() const { return Key(entries_.size()); }
  // True if the id is of an entry in the table.
  bool has(Key id) const { return id && static_cast<std::size_t>(id.index) < entries_.size(); }

  // As in std::vector.
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

  // Returns the id of the last entry; none if the table is empty.
  Key last() const { return Key(static_cast<std::int32_t>(entries_.size()) - 1); }
  // Returns the ids of the current entries, in order, for a range-based for:
  // `for (const PlaceId p : program.places.ids())`.
  IdRange<Key> ids() const { return {Key(0), next()}; }
  // The entries without their ids, in order.
  const Vector& entries() const { return entries_; }
  Vector& entries() { return entries_; }

  bool operator==(const Table&) const = default;

 private:
  Vector entries_;
};

}  // namespace tessera

// Makes ids usable as keys of unordered containers.
template <typename Tag>
struct std::hash<tessera::Id<Tag>> {
  // Returns the hash of the index.
  std::size_t operator()(tessera::Id<Tag> id) const noexcept {
    return std::hash<std::int32_t>()(id.index);
  }
};
