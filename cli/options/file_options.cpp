#include "file_options.hpp"

#include "cli/files/standard_output.hpp"
#include <heddle/error.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/atomic_file.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::cli {
namespace {

/// Where a text names a file.
struct file_place {
  std::size_t begin, count;
  bool is_written;
};

/// The names of validators, by which they are found again.
constexpr std::array<std::pair<const char*, file_text>, 3> names_of_readers{
    {{"reads a file", file_text::path},
     {"reads a named file", file_text::named_path},
     {"is an argument of a kernel", file_text::kernel_argument}}};
constexpr const char* name_of_writer = "writes a file";

std::vector<file_place> places_in(const std::string& text, file_text form, bool is_written) {
  std::size_t begin = 0, end = text.size();
  std::vector<file_place> places;
  if (form == file_text::kernel_argument) {
    constexpr std::string_view before_output = ":out=";
    if (const std::size_t output = text.rfind(before_output); output != text.npos) {
      end = output;
      places.push_back({output + before_output.size(), text.npos, true});
    }
  }
  if (form != file_text::path) {
    const std::size_t equals = text.find('=');
    if (equals < end) begin = equals + 1;
    // Numbers name no file.
    if (equals >= end && form == file_text::kernel_argument) return places;
  }
  places.push_back({begin, end - begin, is_written});
  return places;
}

CLI::Validator translate_hyphen(file_text form, bool is_written, const char* name) {
  const auto translate = [form, is_written](std::string& text) {
    for (const file_place& place : places_in(text, form, is_written)) {
      if (text.substr(place.begin, place.count) != "-") continue;
      text.replace(place.begin, 1, place.is_written ? standard_output : standard_input);
    }
    return std::string();
  };
  return {translate, "FILE", name};
}

/// How a check's texts name files, and whether those are written; nothing for every other check.
std::optional<std::pair<file_text, bool>> form_of(const CLI::Validator& check) {
  if (check.get_name() == name_of_writer) return std::pair(file_text::path, true);
  for (const auto& [name, form] : names_of_readers) {
    if (check.get_name() == name) return std::pair(form, false);
  }
  return std::nullopt;
}

/// The files that an option names, and which of them it writes.
std::vector<std::pair<std::string, bool>> files_of(CLI::Option& option) {
  std::vector<std::pair<std::string, bool>> files;
  for (const CLI::Validator* const check : checks_of(option)) {
    const auto form = form_of(*check);
    if (!form) continue;
    for (const std::string& text : option.results()) {
      for (const file_place& place : places_in(text, form->first, form->second)) {
        files.emplace_back(text.substr(place.begin, place.count), place.is_written);
      }
    }
  }
  return files;
}

/// Where a path leads, links followed as far as there is something there.
std::filesystem::path place_of(const std::string& path) {
  std::error_code none;
  const std::filesystem::path place = std::filesystem::weakly_canonical(path, none);
  return none ? std::filesystem::path(path) : place;
}

std::string name_of(const CLI::Option& option) {
  return option.get_snames().empty() ? option.get_name() : "-" + option.get_snames().front();
}

[[noreturn]] void fail_to_copy(const std::string& path) {
  fail(fmt::format("{}: cannot read: {}", shown_path(path), std::generic_category().message(errno)));
}

/// A descriptor that is closed with the object.
class open_file {
 public:
  explicit open_file(int number) : number_(number) {}
  ~open_file() {
    if (number_ >= 0) ::close(number_);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  int number() const { return number_; }
  /// Who calls this closes it.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Throws where a file in memory that has `done` bytes may not have `more`.
void require_memory_of_file(std::size_t done, std::size_t more, const std::string& path) {
  // A cgroup counts what the file has; the other limits do not.
  const bool is_counted = tightest_memory_limit(more).set_by == memory_limit::kind::cgroup;
  require_memory(is_counted ? more : done + more, shown_path(path) + ": ");
}

/// Everything that is left in a stream, in a file of this process: a descriptor at its beginning, which the
/// caller closes.
int copied(int from, const std::string& path) {
  open_file copy(::memfd_create("stream", MFD_CLOEXEC));
  if (copy.number() < 0) fail_to_copy(path);
  constexpr std::size_t step = std::size_t{16} << 20;
  std::vector<char> piece(1 << 16);
  std::size_t done = 0, allowed = step;  // so few bytes are not asked for
  for (;;) {
    const ssize_t moved = ::read(from, piece.data(), piece.size());
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) fail_to_copy(path);
    if (moved == 0) break;
    const std::size_t count = static_cast<std::size_t>(moved);
    if (done + count > allowed) {
      require_memory_of_file(done, step, path);
      allowed = done + step;
    }
    if (write_bytes(copy.number(), piece.data(), count) < count) fail_to_copy(path);
    done += count;
  }
  if (::lseek(copy.number(), 0, SEEK_SET) != 0) fail_to_copy(path);
  return copy.release();
}

}  // namespace

CLI::Option* reads_file(CLI::Option* option, file_text form) {
  for (const auto& [name, of] : names_of_readers) {
    if (of == form) option->transform(translate_hyphen(form, false, name));
  }
  return option;
}

CLI::Option* writes_file(CLI::Option* option) {
  return option->transform(translate_hyphen(file_text::path, true, name_of_writer));
}

std::vector<const CLI::Validator*> checks_of(CLI::Option& option) {
  std::vector<const CLI::Validator*> checks;
  try {
    for (int i = 0;; ++i) checks.push_back(option.get_validator(i));
  } catch (const CLI::OptionNotFound&) {
    return checks;  // CLI11 does not say how many there are
  }
}

std::vector<std::pair<std::string, bool>> files_named_by(CLI::App& command) {
  std::vector<std::pair<std::string, bool>> files;
  for (CLI::Option* const option : command.get_options()) {
    for (auto& file : files_of(*option)) files.push_back(std::move(file));
  }
  return files;
}

bool names_file(CLI::Option& option) {
  const std::vector<const CLI::Validator*> checks = checks_of(option);
  return std::any_of(checks.begin(), checks.end(),
                     [](const CLI::Validator* check) { return form_of(*check).has_value(); });
}

void check_files(CLI::App& command) {
  std::string reader;
  std::vector<std::pair<std::string, std::string>> written;  // files, and the options that name them
  for (CLI::Option* const option : command.get_options()) {
    for (const auto& [path, is_written] : files_of(*option)) {
      const std::string name = name_of(*option);
      if (!is_written) {
        if (descriptor_in(path) != STDIN_FILENO) continue;
        if (!reader.empty()) {
          throw CLI::ValidationError(name, fmt::format("standard input is what {} reads already", reader));
        }
        reader = name;
        continue;
      }
      for (const auto& [other, by] : written) {
        const bool is_stream = is_standard_output(path) && is_standard_output(other);
        if (is_stream || place_of(path) == place_of(other)) {
          const std::string shown = is_stream ? "standard output" : fmt::format("'{}'", path);
          throw CLI::ValidationError(name, fmt::format("{} is the file of {} too", shown, by));
        }
      }
      written.emplace_back(path, name);
      if (is_standard_output(path)) keep_standard_output_for_data();
    }
  }
}

void require_writable(const std::string& path) {
  std::error_code ignored;
  // Who reads a pipe would take its first closing for the end.
  if (path.empty() || std::filesystem::is_fifo(path, ignored)) return;
  atomic_file{path};
}

std::string reopenable(const std::string& path) {
  struct stat status;
  const open_file from(open_for_reading(path));
  if (from.number() < 0) return path;  // who opens it says why it cannot be
  const bool is_file =
      ::fstat(from.number(), &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
  if (is_file && ::lseek(from.number(), 0, SEEK_CUR) == 0) return path;
  open_file copy(copied(from.number(), path));
  const std::optional<int> named = descriptor_in(path);
  if (!named) return fmt::format("/dev/fd/{}", copy.release());
  if (::dup2(copy.number(), *named) < 0) fail_to_copy(path);
  return path;
}

}  // namespace heddle::cli
