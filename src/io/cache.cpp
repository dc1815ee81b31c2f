#include "io/cache.hpp"

#include "io/contents.hpp"
#include <heddle/error.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/named_stream.hpp>
#include <heddle/support/number_text.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::cache {

namespace fs = std::filesystem;
using impl::cache_folder;
using nlohmann::json;

namespace {

constexpr const char* folder_name = "kernels";
constexpr const char* limit_name = "limit";
constexpr std::uint64_t usual_limit = std::uint64_t{1} << 30;

std::string digest_of(std::string_view text) {
  digest d;
  d.add(text);
  return d.text();
}

/// Empty for a file that is not there.
std::string digest_of_file(const fs::path& path) {
  const auto text = impl::contents(path);
  return text ? digest_of(*text) : "";
}

bool has_changed_since(const std::string& file, std::chrono::system_clock::time_point began) {
  struct stat about{};
  if (stat(file.c_str(), &about) != 0) return false;
  // When it was written, or moved to its place.
  const auto since =
      std::chrono::seconds(about.st_ctim.tv_sec) + std::chrono::nanoseconds(about.st_ctim.tv_nsec);
  return since > began.time_since_epoch();
}

/// A line on standard error, once a process.
void say(const std::string& what) {
  constinit static fork_aware<std::set<std::string>> said;
  if (said.lock()->insert(what).second) fmt::print(stderr, "heddle: {}\n", what);
}

/// A cache of this process alone, which is removed when the process ends.
struct own_cache {
  std::unique_ptr<temporary_folder> folder;
  std::uint32_t process = 0;
};
constinit fork_aware<own_cache> only_own_cache;
std::atomic<bool> has_temporary_cache = false;

cache_folder temporary_cache() {
  const auto own = only_own_cache.lock();
  // A child does not use the folder of its parent, because the parent removes that folder when it ends.
  if (!own->folder || own->process != forks()) {
    own->folder = std::make_unique<temporary_folder>(temporary_place(), fmt::format("heddle-{}-", geteuid()));
    own->process = forks();
    if (!has_temporary_cache.exchange(true)) std::atexit([] { only_own_cache.lock()->folder.reset(); });
  }
  return cache_folder::at(own->folder->path());
}

/// Calls f with the user's cache, or, when that cannot be used or written, with one of this process alone.
template <class F>
auto with_cache(F f) {
  constexpr int most_tries = 5;
  for (int tries = 1;; ++tries) {
    std::optional<cache_folder> known;
    try {
      known.emplace(cache_folder::named(folder_name));
      return f(*known);
    } catch (const error& wrong) {
      // A folder that was removed meanwhile is made anew.
      if (known && known->is_removed() && tries < most_tries) continue;
      const cache_folder instead = temporary_cache();
      say(fmt::format("{}: kernels are kept in {} until this process ends", wrong.what(),
                      shown_path(instead.path())));
      return f(instead);
    }
  }
}

/// The files of an entry, or one that is of none.
struct entry {
  std::vector<std::string> names;
  std::uint64_t bytes = 0;
  timespec used{};

  bool is_older_than(const entry& other) const {
    return used.tv_sec != other.used.tv_sec ? used.tv_sec < other.used.tv_sec
                                            : used.tv_nsec < other.used.tv_nsec;
  }
};

std::vector<entry> entries_in(const cache_folder& folder) {
  std::map<std::string, entry> by_key;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(folder.path(), ignored)) {
    const std::string name = file.path().filename().string();
    struct stat about{};
    if (name == limit_name || fstatat(folder.descriptor(), name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0 ||
        S_ISDIR(about.st_mode))
      continue;
    entry& e = by_key[name.substr(0, name.find_first_of("-."))];
    e.names.push_back(name);
    e.bytes += static_cast<std::uint64_t>(about.st_size);
    const entry with_file{{}, 0, about.st_mtim};
    if (e.is_older_than(with_file)) e.used = about.st_mtim;
  }
  std::vector<entry> all;
  all.reserve(by_key.size());
  for (auto& [key, e] : by_key) all.push_back(std::move(e));
  return all;
}

void remove(const cache_folder& folder, const entry& what) {
  for (const std::string& name : what.names) unlinkat(folder.descriptor(), name.c_str(), 0);
}

/// The value of HEDDLE_CACHE_SIZE; nothing if it is not set.
std::optional<std::uint64_t> limit_of_environment() {
  const char* const set = std::getenv("HEDDLE_CACHE_SIZE");
  if (set == nullptr || *set == '\0') return std::nullopt;
  const auto bytes = parse_byte_count(set);
  if (!bytes) throw error(fmt::format("HEDDLE_CACHE_SIZE: {}", why_no_byte_count(set)));
  return bytes;
}

std::uint64_t limit_of(const cache_folder& folder) {
  if (const auto bytes = limit_of_environment()) return *bytes;
  try {
    const auto kept = folder.read(limit_name);
    if (!kept) return usual_limit;
    if (const auto bytes = parse_byte_count(*kept)) return *bytes;
    throw error(fmt::format("{}: it holds no number of bytes", shown_path(folder.path() / limit_name)));
  } catch (const error& wrong) {
    say(fmt::format("{}: the cache has {} bytes: set its limit by heddle cache --size", wrong.what(),
                    usual_limit));
    return usual_limit;
  }
}

/// Removes what was not used for longest, until the rest is within the limit.
void make_room(const cache_folder& folder) {
  std::vector<entry> all = entries_in(folder);
  std::sort(all.begin(), all.end(), [](const entry& a, const entry& b) { return a.is_older_than(b); });
  std::uint64_t bytes = 0;
  for (const entry& e : all) bytes += e.bytes;
  const std::uint64_t most = limit_of(folder);
  for (auto e = all.begin(); e != all.end() && bytes > most; ++e) {
    remove(folder, *e);
    bytes -= e->bytes;
  }
}

std::optional<kept_file> find_in(const cache_folder& folder, const std::string& key) {
  const std::string name = key + ".json", path = (folder.path() / name).string();
  const auto refuse = [&](const char* why) { throw error(fmt::format("{}: {}", path, why)); };
  try {
    const auto text = folder.read(name);
    if (!text) return std::nullopt;
    const json description = json::parse(*text);
    const json& what = description.at("entry");
    if (digest_of(what.dump()) != description.at("digest").get<std::string>())
      refuse("its digest is another");
    for (const auto& [file, of] : what.at("files").items()) {
      if (digest_of_file(file) != of.get<std::string>()) return std::nullopt;
    }
    const std::string made = what.at("made");
    if (!made.starts_with(key) || made.find('/') != std::string::npos)
      refuse("it names a file of another place");
    auto code = folder.read(made);
    if (!code) return std::nullopt;  // it went in this moment
    if (digest_of(*code) != what.at("code").get<std::string>()) refuse("the digest of its code is another");
    return kept_file{*std::move(code), what.at("about")};
  } catch (const error& wrong) {
    say(fmt::format("{}: the kernel is compiled anew", wrong.what()));
  } catch (const json::exception&) {
    say(fmt::format("{}: it describes no kernel: the kernel is compiled anew", path));
  }
  return std::nullopt;
}

}  // namespace

digest::digest() {
  nettle_sha256_init(&state_);
}

void digest::add(std::string_view text) {
  const std::uint64_t size = text.size();
  std::array<std::uint8_t, sizeof size> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(size >> (8 * i));
  nettle_sha256_update(&state_, bytes.size(), bytes.data());
  nettle_sha256_update(&state_, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
}

std::string digest::text() {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> bytes{};
  nettle_sha256_digest(&state_, bytes.size(), bytes.data());
  std::string digits;
  for (const std::uint8_t byte : bytes) digits += fmt::format("{:02x}", byte);
  return digits;
}

temporary_folder folder_for_making() {
  return with_cache(
      [](const cache_folder& in) { return temporary_folder(in.path(), cache_folder::temporary); });
}

temporary_folder private_folder_for_making() {
  try {
    return {temporary_place(), fmt::format("heddle-{}-", geteuid())};
  } catch (const error&) {
    return folder_for_making();
  }
}

std::optional<kept_file> find_kept(const std::string& key) {
  static_cast<void>(limit_of_environment());  // what is wrong with it is no failure of the folder
  try {
    if (auto found = find_in(cache_folder::named(folder_name), key)) return found;
  } catch (const error&) {
    // Making it says why.
  }
  return has_temporary_cache ? find_in(temporary_cache(), key) : std::nullopt;
}

void keep(const std::string& key, const kept_file& what, const char* ending,
          const std::vector<std::string>& files_read, std::chrono::system_clock::time_point began) {
  json files = json::object();
  for (const std::string& file : files_read) files[fs::absolute(file).string()] = digest_of_file(file);
  if (std::any_of(files_read.begin(), files_read.end(),
                  [&](const std::string& file) { return has_changed_since(file, began); }))
    return;
  const std::string code = digest_of(what.made),
                    made = fmt::format("{}-{}{}", key, code.substr(0, 16), ending);
  const json kept{{"about", what.about}, {"code", code}, {"files", files}, {"made", made}};
  try {
    const json description{{"digest", digest_of(kept.dump())}, {"entry", kept}};
    with_cache([&](const cache_folder& folder) {
      folder.write(made, what.made);
      folder.write(key + ".json", description.dump());
      // Removes the code of another state of the files.
      for (const entry& e : entries_in(folder)) {
        for (const std::string& name : e.names) {
          if (name.starts_with(key + "-") && name != made) unlinkat(folder.descriptor(), name.c_str(), 0);
        }
      }
      make_room(folder);
    });
  } catch (const error& wrong) {
    say(fmt::format("{}: the compiled kernel is not kept", wrong.what()));
  } catch (const json::exception&) {
    say("the name of a file is not UTF-8: the compiled kernel is not kept");
  }
}

}  // namespace heddle::cache

namespace heddle {

kernel_cache_contents inspect_kernel_cache() {
  const impl::cache_folder folder = impl::cache_folder::named(cache::folder_name);
  kernel_cache_contents result{folder.path(), 0, 0, cache::limit_of(folder)};
  for (const cache::entry& e : cache::entries_in(folder)) {
    ++result.entries;
    result.bytes += e.bytes;
  }
  return result;
}

void clear_kernel_cache() {
  const impl::cache_folder folder = impl::cache_folder::named(cache::folder_name);
  temporary_folder::sweep(folder.path(), impl::cache_folder::temporary);
  for (const cache::entry& e : cache::entries_in(folder)) cache::remove(folder, e);
}

void limit_kernel_cache(std::uint64_t bytes) {
  const impl::cache_folder folder = impl::cache_folder::named(cache::folder_name);
  folder.write(cache::limit_name, std::to_string(bytes));
  cache::make_room(folder);
}

}  // namespace heddle
