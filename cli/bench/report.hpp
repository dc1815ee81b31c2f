#pragma once

#include "bench/measurement.hpp"
#include "chart.hpp"
#include "contender.hpp"
#include <heddle/dtype.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace heddle::cli::bench {

/// How fast one contender was with n elements.
struct result {
  target where;
  dtype type;
  std::size_t n;
  std::string name;
  enum contender::kind kind;
  std::size_t bytes, buffers;
  timing::measurement call;
  std::optional<timing::measurement> back_to_back = {}, whole_call = {};
  std::string ceiling = {};  ///< what it is a fraction of; empty for that itself
  double fraction = 0;

  double gb_per_s() const noexcept { return static_cast<double>(bytes) / call.seconds / 1e9; }
};

/// The measured work, by its name in the options.
struct measured_work {
  std::string pattern, op;
  bool is_checked;
};

/// The head of the table, and a row of it.
std::string head_text(bool with_gpu);
std::string row_text(const result& one);

nlohmann::ordered_json json_of(const result& one, const measured_work& work);

/// A panel for each target with results, a line for each contender and type.
std::vector<chart_panel> panels_of(const std::vector<target>& targets, const std::vector<dtype>& types,
                                   const measured_work& work, const std::vector<result>& results);

}  // namespace heddle::cli::bench
