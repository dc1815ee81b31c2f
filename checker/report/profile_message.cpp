#include "checker/report/profile_message.hpp"

#include "checker/report/finding_message.hpp"

namespace heddle::checker {
namespace {

using nlohmann::json;

json to_json(const traffic& t) {
  return {t.requests, t.bytes, t.transfers, t.fewest, t.worst};
}
traffic traffic_from(const json& j) {
  return {j.at(0), j.at(1), j.at(2), j.at(3), j.at(4)};
}

}  // namespace

json to_message(const launch_profile& p, std::uintptr_t base) {
  json instructions = json::array();
  for (const instruction_profile& one : p.instructions) {
    instructions.push_back({{"pc", one.pc - base},
                            {"global", to_json(one.global)},
                            {"shared", to_json(one.shared)},
                            {"begins_code", one.begins_code},
                            {"executions", one.executions},
                            {"lanes", one.lanes},
                            {"idle", one.idle}});
  }
  return {
      {"by", to_message(p.by, base)}, {"launches", p.launches}, {"instructions", std::move(instructions)}};
}

launch_profile profile_from_message(const json& m) {
  launch_profile p;
  p.by = place_from_message(m.at("by"));
  p.launches = m.at("launches");
  for (const json& j : m.at("instructions")) {
    instruction_profile one;
    one.pc = j.at("pc");
    one.global = traffic_from(j.at("global"));
    one.shared = traffic_from(j.at("shared"));
    one.begins_code = j.at("begins_code");
    one.executions = j.at("executions");
    one.lanes = j.at("lanes");
    one.idle = j.at("idle");
    p.instructions.push_back(one);
  }
  return p;
}

}  // namespace heddle::checker
