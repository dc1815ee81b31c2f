#include "modules/cache.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::modules {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::string digest_of_file(const fs::path& path) {
  const auto text = contents(path);
  if (!text) return "";
  digest d;
  d.add(*text);
  return d.text();
}

bool has_changed_since(const std::string& file, std::chrono::system_clock::time_point began) {
  struct stat about {};
  if (stat(file.c_str(), &about) != 0) return false;
  // When it was written, or moved to its place.
  const auto since =
      std::chrono::seconds(about.st_ctim.tv_sec) + std::chrono::nanoseconds(about.st_ctim.tv_nsec);
  return since > began.time_since_epoch();
}

fs::path description_of(const std::string& key) {
  return cache_folder() / (key + ".json");
}

}  // namespace

void digest::add(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, std::min(text.size() - at, sizeof word));
    a_ = (a_ ^ word) * 0x100000001b3u;
    a_ ^= a_ >> 29;
    b_ = (b_ ^ word) * 0x9E3779B97F4A7C15u;
    b_ ^= b_ >> 32;
  }
  a_ = (a_ ^ text.size()) * 0x100000001b3u;
  b_ = (b_ ^ text.size()) * 0x9E3779B97F4A7C15u;
}

std::string digest::text() const {
  return fmt::format("{:016x}{:016x}", a_ ^ (a_ >> 31), b_ ^ (b_ >> 29));
}

std::optional<std::string> contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  for (char part[65536]; file.read(part, sizeof part), file.gcount() > 0;)
    text.append(part, static_cast<std::size_t>(file.gcount()));
  return text;
}

fs::path cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "heddle" / "kernels";
  if (home != nullptr && *home == '/') return fs::path(home) / ".cache" / "heddle" / "kernels";
  return fs::temp_directory_path() / fmt::format("heddle-{}", getuid()) / "kernels";
}

temporary_folder::temporary_folder() {
  const fs::path beside = cache_folder();
  std::error_code failed;
  fs::create_directories(beside, failed);
  if (failed)
    throw error(fmt::format("the cache folder {} cannot be made: {}", beside.string(), failed.message()));
  std::string name = (beside / "new-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw error(fmt::format("no folder can be made in {}: {}", beside.string(), std::strerror(errno)));
  path_ = name;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::optional<kept_file> find_kept(const std::string& key) {
  const fs::path description = description_of(key);
  const auto text = contents(description);
  if (!text) return std::nullopt;
  const json j = json::parse(*text, nullptr, false);
  if (j.is_discarded()) return std::nullopt;
  try {
    for (const auto& [file, of] : j.at("files").items()) {
      if (digest_of_file(file) != of.get<std::string>()) return std::nullopt;
    }
    kept_file found{description.parent_path() / j.at("made").get<std::string>(), j.at("about")};
    // A machine that stopped may have left less than was written.
    std::error_code missing;
    if (fs::file_size(found.path, missing) != j.at("bytes") || missing) return std::nullopt;
    return found;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

kept_file keep(const std::string& key, const fs::path& made, const std::vector<std::string>& files_read,
               const std::string& about, std::chrono::system_clock::time_point began) {
  json j;
  j["files"] = json::object();
  digest of_all;
  of_all.add(key);
  for (const std::string& file : files_read) {
    const std::string of = digest_of_file(file);
    j["files"][fs::absolute(file).string()] = of;
    of_all.add(of);
  }
  const std::string name = of_all.text() + made.extension().string();
  j["made"] = name;
  j["about"] = about;
  j["bytes"] = fs::file_size(made);
  const fs::path description = description_of(key), place = description.parent_path() / name,
                 written = made.parent_path() / "description";
  std::ofstream out(written, std::ios::binary);
  out << j.dump();
  out.close();
  if (!out) throw error(fmt::format("{} cannot be written: {}", written.string(), std::strerror(errno)));
  fs::rename(made, place);
  if (std::none_of(files_read.begin(), files_read.end(),
                   [&](const std::string& file) { return has_changed_since(file, began); }))
    fs::rename(written, description);
  return {place, about};
}

}  // namespace heddle::modules
