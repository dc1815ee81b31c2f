#include "checker/program/program_modules.hpp"

#include "checker/program/program_runtime.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include <cxxabi.h>
#include <fmt/format.h>

namespace heddle::checker {

namespace errors = heddle_device::cuda_error;
namespace fs = std::filesystem;
using heddle_device::u64;

namespace {

constexpr int file_not_found = 301, not_found = 500, invalid_image = 200;

std::vector<std::string> words_of(const char* const* words, u64 count) {
  std::vector<std::string> result;
  for (u64 i = 0; i < count; ++i) result.emplace_back(words[i]);
  return result;
}

/// A name of a kernel without blanks, the types of its parameters, and what C++ makes of it for a linker.
std::string plain_name(std::string_view name) {
  std::string text(name);
  if (name.starts_with("_Z")) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> all(
        abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), std::free);
    if (all != nullptr) text = all.get();
    // Of an instance the type of its result is there, too.
    if (text.starts_with("void ")) text.erase(0, 5);
  }
  std::string result;
  int depth = 0;
  for (const char c : text) {
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (c == '(' && depth == 0) break;
    if (std::isspace(static_cast<unsigned char>(c)) == 0 && c != '&') result += c;
  }
  return result.starts_with("::") ? result.substr(2) : result;
}

/// The source that a compiled file of the usual names is made of, where it lies beside it.
std::optional<fs::path> source_beside(const fs::path& compiled) {
  std::string stem = compiled.stem().string();
  std::vector<std::string> stems{stem};
  const std::size_t of_architecture = std::min(stem.find(".sm_"), stem.find(".compute_"));
  if (of_architecture != std::string::npos) stems.push_back(stem.substr(0, of_architecture));
  for (const std::string_view bits : {"64", "32"}) {
    if (stem.ends_with(bits)) stems.push_back(stem.substr(0, stem.size() - bits.size()));
  }
  for (const std::string& s : stems) {
    fs::path source = compiled.parent_path() / (s + ".cu");
    std::error_code ignored;
    if (fs::is_regular_file(source, ignored)) return source;
  }
  return std::nullopt;
}

std::string contents_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

}  // namespace

void program_modules::know(const heddle_device::kernel_entry* table) {
  for (const heddle_device::kernel_entry* k = table; k->name != nullptr; ++k) {
    const std::string_view name = k->name;
    if (!name.starts_with(run_time_source::begin_of_marks)) continue;
    tables_of_texts_[std::string(name.substr(run_time_source::begin_of_marks.size()))] = table;
    return;
  }
  own_tables_.push_back(table);
}

const run_time_source& program_modules::compiled(const run_time_source& wanted) {
  const std::string id = wanted.id();
  const auto known =
      std::find_if(sources_.begin(), sources_.end(), [&](const run_time_source& s) { return s.id() == id; });
  if (known != sources_.end()) return *known;
  program_.begin_anew_with(wanted);
}

const char* program_modules::compile(const heddle_device::text_request& q, const char** log) {
  const std::lock_guard lock(program_.mutex_);
  run_time_source wanted;
  wanted.name = q.name == nullptr || *q.name == 0 ? "default_program" : q.name;
  wanted.text = q.text;
  wanted.options = words_of(q.options, q.option_count);
  wanted.header_names = words_of(q.header_names, q.header_count);
  wanted.headers = words_of(q.headers, q.header_count);
  wanted.expressions = words_of(q.expressions, q.expression_count);
  const run_time_source& made = compiled(wanted);
  *log = made.log.c_str();
  if (made.is_refused) return nullptr;
  return handles_.try_emplace(made.id(), made.handle()).first->second.c_str();
}

int program_modules::load(void** made, const char* path, const void* image) {
  const std::lock_guard lock(program_.mutex_);
  if (made == nullptr || (path == nullptr && image == nullptr)) return errors::invalid_value;
  auto loaded = std::make_unique<loaded_module>();
  loaded->name = path != nullptr ? path : "an image in memory";
  std::string text;
  if (path != nullptr) {
    std::error_code ignored;
    const bool is_there = fs::is_regular_file(path, ignored);
    if (is_there) text = contents_of(path);
    const bool is_own_text = text.starts_with(run_time_source::begin_of_handles);
    if (const auto source = is_own_text ? std::nullopt : source_beside(path)) {
      run_time_source wanted;
      wanted.name = source->string();
      wanted.text = contents_of(*source);
      wanted.options = {"-I", fs::absolute(*source).parent_path().string()};
      const run_time_source& compiled_source = compiled(wanted);
      if (compiled_source.is_refused) program_.refuse(compiled_source.log);
      loaded->table = tables_of_texts_.at(compiled_source.id());
    } else if (!is_there) {
      return file_not_found;
    }
  } else {
    const auto* const bytes = static_cast<const char*>(image);
    for (std::size_t i = 0; i < run_time_source::begin_of_handles.size() + 32 && bytes[i] != 0; ++i)
      text += bytes[i];
  }
  if (text.starts_with(run_time_source::begin_of_handles)) {
    const std::string id = text.substr(run_time_source::begin_of_handles.size(), 32);
    const auto table = tables_of_texts_.find(id);
    if (table == tables_of_texts_.end()) return invalid_image;
    loaded->table = table->second;
  }
  *made = loaded.get();
  modules_[loaded.get()] = std::move(loaded);
  return 0;
}

program_modules::loaded_module* program_modules::find(void* handle) {
  const auto found = modules_.find(handle);
  return found == modules_.end() ? nullptr : found->second.get();
}

int program_modules::unload(void* handle) {
  const std::lock_guard lock(program_.mutex_);
  return modules_.erase(handle) != 0 ? 0 : errors::invalid_resource_handle;
}

template <class F>
void program_modules::each_kernel(const loaded_module& m, F f) const {
  std::vector<const heddle_device::kernel_entry*> tables{m.table};
  if (m.table == nullptr) tables = own_tables_;
  for (const heddle_device::kernel_entry* k : tables) {
    for (; k->name != nullptr; ++k) {
      const bool is_mark = std::string_view(k->name).starts_with(run_time_source::begin_of_marks);
      if (!is_mark && f(*k)) return;
    }
  }
}

int program_modules::find_kernel(void* handle, const char* name, const void** function) {
  const std::lock_guard lock(program_.mutex_);
  const loaded_module* const m = find(handle);
  if (m == nullptr) return errors::invalid_resource_handle;
  *function = nullptr;
  const std::string wanted = plain_name(name);
  each_kernel(*m, [&](const heddle_device::kernel_entry& k) {
    if (plain_name(k.name) == wanted) *function = k.function;
    return *function != nullptr;
  });
  if (*function != nullptr) return 0;
  if (m->table != nullptr) return not_found;
  program_.refuse(fmt::format(
      "{}: compiled code for a GPU cannot be run, and no file of the program has a kernel '{}': give the .cu "
      "file that the code is made of beside the program's own files",
      m->name, name));
}

int program_modules::find_variable(void* handle, const char* name, void** where, u64* bytes) {
  const std::lock_guard lock(program_.mutex_);
  if (find(handle) == nullptr) return errors::invalid_resource_handle;
  const std::vector<const allocation*> found =
      program_.memory_->variables_named(plain_name(name), present_device());
  if (found.empty()) return not_found;
  if (found.size() > 1)
    program_.refuse(
        fmt::format("{}: {} variables of the program's files and texts have this name, and which of them "
                    "a module means is not known: give them names of their own",
                    name, found.size()));
  if (where != nullptr) *where = reinterpret_cast<void*>(found.front()->memory.begin);
  if (bytes != nullptr) *bytes = found.front()->memory.bytes;
  return 0;
}

int program_modules::list_kernels(void* handle, const void** functions, u64* count) {
  const std::lock_guard lock(program_.mutex_);
  const loaded_module* const m = find(handle);
  if (m == nullptr) return errors::invalid_resource_handle;
  const u64 room = functions == nullptr ? 0 : *count;
  u64 all = 0;
  each_kernel(*m, [&](const heddle_device::kernel_entry& k) {
    if (all < room) functions[all] = k.function;
    ++all;
    return false;
  });
  *count = functions == nullptr ? all : std::min(room, all);
  return 0;
}

int program_modules::describe(const void* function, heddle_device::function_facts* facts) {
  const std::lock_guard lock(program_.mutex_);
  const auto known = program_.kernels_.find(function);
  if (known == program_.kernels_.end()) return errors::invalid_resource_handle;
  heddle_device::kernel_facts limits{};
  program_.describe_kernel(function, &limits);
  const heddle_device::known_kernel& how = known->second.how;
  *facts = {known->second.name.c_str(), how.parameters, how.parameter_count, limits.most_threads,
            limits.shared_limit};
  return 0;
}

}  // namespace heddle::checker
