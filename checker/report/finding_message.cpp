#include "checker/report/finding_message.hpp"

namespace heddle::checker {
namespace {

using nlohmann::json;

json to_json(const heddle_device::index3& i) {
  return {i.x, i.y, i.z};
}

heddle_device::index3 index_from(const json& j) {
  return {j.at(0), j.at(1), j.at(2)};
}

std::uintptr_t from_base(std::uintptr_t pc, std::uintptr_t base) {
  return pc == 0 ? 0 : pc - base;
}

}  // namespace

json to_message(const place& p, std::uintptr_t base) {
  json callers = json::array();
  for (const std::uintptr_t c : p.callers) callers.push_back(from_base(c, base));
  return {{"what", p.what},
          {"pc", from_base(p.pc, base)},
          {"file", p.file},
          {"line", p.line},
          {"column", p.column},
          {"thread", to_json(p.thread)},
          {"block", to_json(p.block)},
          {"grid", to_json(p.grid)},
          {"block_size", to_json(p.block_size)},
          {"has_thread", p.has_thread},
          {"callers", std::move(callers)}};
}

place place_from_message(const json& m) {
  place p;
  p.what = m.at("what");
  p.pc = m.at("pc");
  p.file = m.at("file");
  p.line = m.at("line");
  p.column = m.at("column");
  p.thread = index_from(m.at("thread"));
  p.block = index_from(m.at("block"));
  p.grid = index_from(m.at("grid"));
  p.block_size = index_from(m.at("block_size"));
  p.has_thread = m.at("has_thread");
  p.callers = m.at("callers").get<std::vector<std::uintptr_t>>();
  return p;
}

json to_message(const finding& f, std::uintptr_t base) {
  json places = json::array();
  for (const place& p : f.places) places.push_back(to_message(p, base));
  return {{"kind", static_cast<int>(f.kind)},
          {"level", static_cast<int>(f.level)},
          {"places", std::move(places)},
          {"variable", f.variable},
          {"space", f.space},
          {"member", f.member},
          {"index", f.index},
          {"extent", f.extent},
          {"type", f.type},
          {"subscripts", f.subscripts},
          {"lengths", f.lengths},
          {"race",
           {static_cast<int>(f.race.apart), f.race.reads_meet, f.race.writes_meet, f.race.is_one_atomic,
            f.race.is_volatile, f.race.is_scope_too_narrow, f.race.values_differ, f.race.is_before_exchange,
            f.race.lacks_acquire, f.race.is_told}},
          {"detail", f.detail},
          {"count", f.count},
          {"schedule", f.schedule}};
}

finding from_message(const json& m) {
  finding f{};
  f.kind = static_cast<finding_kind>(m.at("kind").get<int>());
  f.level = static_cast<severity>(m.at("level").get<int>());
  for (const json& p : m.at("places")) f.places.push_back(place_from_message(p));
  f.variable = m.at("variable");
  f.space = m.at("space");
  f.member = m.at("member");
  f.index = m.at("index");
  f.extent = m.at("extent");
  f.type = m.at("type");
  f.subscripts = m.at("subscripts").get<std::vector<std::int64_t>>();
  f.lengths = m.at("lengths").get<std::vector<std::size_t>>();
  const json& race = m.at("race");
  f.race = {static_cast<race_facts::threads>(race.at(0).get<int>()),
            race.at(1),
            race.at(2),
            race.at(3),
            race.at(4),
            race.at(5),
            race.at(6),
            race.at(7),
            race.at(8),
            race.at(9)};
  f.detail = m.at("detail");
  f.count = m.at("count");
  f.schedule = m.at("schedule");
  return f;
}

}  // namespace heddle::checker
