// Values of the interpreter: what a variable holds is known only while running.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

namespace executors::interpreter {

enum class place : int { cpu };
enum class data_type : int { float32, int64 };
enum class data_layout : int { any };

template <class T>
inline constexpr data_type type_of = data_type::float32;
template <>
inline constexpr data_type type_of<std::int64_t> = data_type::int64;

// A shape of up to 4 dimensions.
struct dimensions {
  std::array<std::int64_t, 4> extent{};
  int rank = 0;

  dimensions() = default;
  explicit dimensions(std::int64_t n) : rank(1) { extent[0] = n; }
  std::int64_t count() const {
    std::int64_t n = 1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) n *= extent[i];
    return n;
  }
  friend bool operator==(const dimensions&, const dimensions&) = default;
};

struct allocation {
  std::size_t size;
  std::unique_ptr<std::byte[]> bytes;
  explicit allocation(std::size_t n) : size(n), bytes(new std::byte[n]) {}
};

// Memory is allocated at the first write and may be taken away between two uses.
class tensor {
 public:
  const dimensions& dims() const { return dims_; }
  void resize(const dimensions& d) { dims_ = d; }
  bool holds_memory() const { return memory_ != nullptr; }
  data_type type() const { return type_; }
  place where() const { return place_; }
  data_layout layout() const { return layout_; }

  template <class T>
  const T& value() const {
    if (!memory_) throw std::logic_error("a tensor is read that holds no memory");
    return *reinterpret_cast<const T*>(memory_->bytes.get());
  }
  // As many elements of type Element as the shape says, seen as one T.
  template <class Element, class T = Element>
  T& mutable_value(place where) {
    const std::size_t size = static_cast<std::size_t>(dims_.count()) * sizeof(Element);
    if (size < sizeof(T)) throw std::logic_error("a tensor is too small for its kernel");
    if (!memory_ || memory_->size < size || place_ != where) {
      memory_ = std::make_shared<allocation>(size);
      place_ = where;
    }
    type_ = type_of<Element>;
    return *reinterpret_cast<T*>(memory_->bytes.get());
  }
  std::shared_ptr<allocation> take_memory() { return std::move(memory_); }

 private:
  std::shared_ptr<allocation> memory_;
  dimensions dims_;
  data_type type_ = data_type::float32;
  place place_ = place::cpu;
  data_layout layout_ = data_layout::any;
};

class variable {
 public:
  bool is_tensor() const { return std::holds_alternative<tensor>(held_); }
  const tensor& get() const { return std::get<tensor>(held_); }
  tensor& get_mutable() {
    if (!is_tensor()) held_.emplace<tensor>();
    return std::get<tensor>(held_);
  }

 private:
  std::variant<std::monostate, tensor> held_;
};

}  // namespace executors::interpreter
