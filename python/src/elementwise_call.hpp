#pragma once

#include "expressions/numpy_expression.hpp"
#include "operand.hpp"
#include "readable.hpp"
#include <heddle/kernel.hpp>
#include <heddle/shape.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace heddle::python {

/// How far apart neighbours along each axis of the result are in an input, 0 where they are one element.
inline std::vector<std::size_t> strides_in(const shape& own, const std::vector<std::size_t>& whole) {
  std::vector<std::size_t> strides(whole.size(), 0);
  std::size_t stride = 1;
  for (std::size_t k = own.axes(); k-- > 0;) {
    if (own[k] != 1) strides[whole.size() - own.axes() + k] = stride;
    stride *= own[k];
  }
  return strides;
}

/// How inputs go along the elements of a result, with as few axes as say it.
struct broadcasting {
  std::vector<std::size_t> lengths;
  std::vector<std::vector<std::size_t>> strides;  ///< of each input that is broadcast

  /// Leaves out axes of one element, and joins those that every input goes along as along one.
  void simplify() {
    for (std::size_t k = lengths.size(); k-- > 0;) {
      const auto joins = [&](const std::vector<std::size_t>& s) { return s[k] == s[k + 1] * lengths[k + 1]; };
      if (lengths[k] == 1) {
        remove(k);
      } else if (k + 1 < lengths.size() && std::all_of(strides.begin(), strides.end(), joins)) {
        lengths[k + 1] *= lengths[k];
        remove(k);
      }
    }
  }

 private:
  void remove(std::size_t k) {
    lengths.erase(lengths.begin() + static_cast<std::ptrdiff_t>(k));
    for (std::vector<std::size_t>& s : strides) s.erase(s.begin() + static_cast<std::ptrdiff_t>(k));
  }
};

/// The kernel of a call: its source, and its arguments, which live as long as it does.
class elementwise_call {
 public:
  elementwise_call(const target& where, const shape& whole, const std::deque<operand>& inputs)
      : where_(where), size_(whole.elements()) {
    axes_.lengths.assign(whole.begin(), whole.end());
    for (const operand& x : inputs)
      if (is_broadcast(x)) axes_.strides.push_back(strides_in(x.lengths(), axes_.lengths));
    if (axes_.strides.empty()) return;
    axes_.simplify();
    const std::size_t count = axes_.lengths.size();
    preamble = "struct heddle_lengths { heddle_size along[" + std::to_string(count) + "]; };\n";
    pass("heddle_lengths heddle_of", {axes_.lengths.begin(), axes_.lengths.end()});
    operation = "heddle_size heddle_left = i; ";
    for (std::size_t k = count; k-- > 1;) {
      const std::string length = "heddle_of.along[" + std::to_string(k) + "]";
      operation += "const heddle_size " + place(k) + " = heddle_left % " + length +
                   "; heddle_left /= " + length + "; ";
    }
    operation += "const heddle_size " + place(0) + " = heddle_left; ";
  }

  /// Takes the next input, and returns what its element is called, which is in_LABEL. Numbers are passed as
  /// they are; of what is broadcast, the address and the strides.
  std::string take(const operand& x, const std::string& label) {
    const std::string number = std::to_string(count_++), name = "in_" + label;
    const std::string type = expressions::code_name(x.type());
    if (is_broadcast(x)) {
      const std::vector<std::size_t>& strides = axes_.strides[broadcast_++];
      const void* const address = elements_.emplace_back(x.view(), where_).data();
      std::vector<unsigned long long> words(1);
      std::memcpy(words.data(), &address, sizeof address);
      words.insert(words.end(), strides.begin(), strides.end());
      preamble += "struct heddle_source_" + number + " { const " + type + "* elements; heddle_size along[" +
                  std::to_string(strides.size()) + "]; };\n";
      pass("heddle_source_" + number + " all_" + number, words);
      operation += "const " + type + " " + name + " = all_" + number + ".elements[0";
      for (std::size_t k = 0; k < strides.size(); ++k)
        operation += " + " + place(k) + " * all_" + number + ".along[" + std::to_string(k) + "]";
      operation += "]; ";
      return name;
    }
    parameters += "const " + type + " " + name + ", ";
    if (is_number(x)) {
      arguments.push_back({x.view().data(), size_of(x.type()), false});
    } else {
      arguments.push_back(elements_.emplace_back(x.view(), where_).argument(false, where_));
    }
    return name;
  }

  /// Waits where an owner could free what is still being read. Copies are freed in the order of the stream.
  void wait_for_readers() const {
    for (const readable& each : elements_)
      if (each.is_of_another_stream()) return where_.wait();
  }

  std::string parameters, operation, preamble;
  std::vector<untyped_argument> arguments;

 private:
  static bool is_number(const operand& x) { return x.size() == 1 && !x.where().is_gpu(); }
  bool is_broadcast(const operand& x) const { return x.size() != size_ && !is_number(x); }
  static std::string place(std::size_t axis) { return "heddle_at_" + std::to_string(axis); }
  void pass(const std::string& parameter, const std::vector<unsigned long long>& words) {
    parameters += parameter + ", ";
    const std::vector<unsigned long long>& kept = structures_.emplace_back(words);
    arguments.push_back({kept.data(), kept.size() * sizeof(unsigned long long), false});
  }

  target where_;
  std::size_t size_, count_ = 0, broadcast_ = 0;
  broadcasting axes_;
  std::deque<readable> elements_;
  std::deque<std::vector<unsigned long long>> structures_;
};

}  // namespace heddle::python
