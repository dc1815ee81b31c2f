#include "modules/compilation.hpp"

#include "io/named_stream.hpp"
#include "modules/cache.hpp"
#include "modules/diagnostics.hpp"
#include "modules/process.hpp"
#include "modules/source_folder.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include <dlfcn.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace heddle::modules {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct compiler {
  fs::path program;
  bool is_clang = false;
  std::string identity;  // changes when another compiler is at its place
};

compiler find_compiler() {
  compiler found;
  const char* const chosen = std::getenv("CXX");
  if (chosen != nullptr && *chosen != '\0') {
    found.program = find_program(chosen);
    if (found.program.empty()) throw error(fmt::format("CXX names '{}', which is no program", chosen));
  } else {
    for (const char* name : {"g++", "clang++", "c++"}) {
      if (found.program.empty()) found.program = find_program(name);
    }
  }
  if (found.program.empty())
    throw error(
        "kernels are compiled on the CPU by the system's C++ compiler, and there is none: install g++ or "
        "clang++, or name one in CXX");
  std::error_code ignored;
  const fs::path real = fs::canonical(found.program, ignored);
  const std::string name = real.filename().string();
  found.is_clang = name.find("clang") != std::string::npos;
  struct stat about {};
  stat(real.c_str(), &about);
  found.identity =
      fmt::format("{} {} {}.{}", real.string(), about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
  return found;
}

/// What code for "the processor at hand" depends on.
std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string all;
  for (std::string line; std::getline(file, line) && !line.empty();) {
    for (const char* const begin :
         {"vendor_id", "cpu family", "model", "stepping", "flags", "Features", "CPU"}) {
      if (line.starts_with(begin)) all += line + "\n";
    }
  }
  return all;
}

/// Where the headers of the device language are: beside what is installed, or in the source that it was built
/// from.
fs::path device_headers() {
  std::error_code ignored;
  std::vector<fs::path> prefixes{fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path()};
  Dl_info self{};
  if (dladdr(reinterpret_cast<void*>(&run_program), &self) != 0 && self.dli_fname != nullptr) {
    const fs::path library = fs::canonical(self.dli_fname, ignored);
    // lib, or lib/x86_64-linux-gnu.
    prefixes.push_back(library.parent_path().parent_path());
    prefixes.push_back(library.parent_path().parent_path().parent_path());
  }
  prefixes.emplace_back(HEDDLE_PREFIX);
  std::vector<fs::path> folders;
  for (const fs::path& prefix : prefixes) folders.push_back(prefix / HEDDLE_DEVICE_FOLDER);
  folders.emplace_back(device_source_folder);
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / "heddle_device" / "language.hpp", ignored)) return folder;
  }
  throw error(fmt::format("the headers of the device language are neither in {} nor in {}: install them anew",
                          folders.front().string(), device_source_folder));
}

std::vector<std::string> common_options(const compiler& with, const compile_options& options) {
  std::vector<std::string> words{with.program.string(), "-std=" + options.standard, "-fPIC", "-w"};
  if (options.is_watched) {
    // Lines and the names of functions are all that reports need.
    words.insert(words.end(), {"-O1", "-g1"});
  } else {
    words.insert(words.end(), {"-O3", "-march=native", "-fno-trapping-math"});
  }
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  return words;
}

std::vector<std::string> preprocess_command(const compiler& with, const fs::path& source,
                                            const compile_options& options, const fs::path& headers,
                                            const fs::path& dependencies) {
  std::vector<std::string> words = common_options(with, options);
  for (const std::string& d : options.definitions) words.push_back("-D" + d);
  for (const std::string& i : options.include_folders) {
    // A toolkit's own headers are for its compiler.
    std::error_code ignored;
    if (!fs::exists(fs::path(i) / "cuda_runtime_api.h", ignored)) words.push_back("-I" + i);
  }
  if (options.is_watched) words.emplace_back("-DHEDDLE_WATCHED");
  if (options.is_program) words.emplace_back("-DHEDDLE_PROGRAM");
  words.insert(words.end(), {"-isystem", headers.string(), "-include", "heddle_device/language.hpp", "-x",
                             "c++", "-E", "-MD", "-MF", dependencies.string(), source.string()});
  return words;
}

std::vector<std::string> compile_command(const compiler& with, const compile_options& options,
                                         bool instruments, const fs::path& text, const fs::path& object) {
  std::vector<std::string> words = common_options(with, options);
  words.insert(words.end(), {"-fvisibility=hidden", "-fno-math-errno", "-ffp-contract=off",
                             "-fno-strict-aliasing", "-fno-builtin-printf", "-c"});
  // Excerpts are made of the source itself.
  words.emplace_back(with.is_clang ? "-fno-caret-diagnostics" : "-fno-diagnostics-show-caret");
  if (!with.is_clang) words.emplace_back("-fdiagnostics-column-unit=byte");
  // What they write is watched where they are called.
  if (options.is_watched)
    words.insert(words.end(), {"-fno-optimize-sibling-calls", "-fno-builtin-memcpy", "-fno-builtin-memmove",
                               "-fno-builtin-memset"});
  if (!with.is_clang) words.emplace_back("-fno-gnu-unique");
  if (instruments) {
    words.emplace_back(options.is_watched ? (with.is_clang ? "-fsanitize=thread,array-bounds,alignment"
                                                           : "-fsanitize=thread,bounds-strict,alignment")
                                          : "-fsanitize=thread");
    for (const char* w : {"tsan-distinguish-volatile=1", "tsan-instrument-func-entry-exit=0"}) {
      words.emplace_back(with.is_clang ? "-mllvm" : "--param");
      words.emplace_back(with.is_clang ? std::string("-") + w : std::string(w));
    }
    words.emplace_back("-fsanitize-recover=undefined");
    if (options.is_profiled) {
      // Vectors are accessed as a whole, and code stays in the order in which it was written.
      words.emplace_back(with.is_clang ? "-fsanitize-coverage=bb,trace-pc" : "-fsanitize-coverage=trace-pc");
      if (!with.is_clang) words.insert(words.end(), {"-fno-tree-sra", "-fno-reorder-blocks"});
    }
    // Atomics stay instructions; g++ is told so where they are written. What is read and then written counts
    // as both.
    if (with.is_clang)
      words.insert(words.end(), {"-mllvm", "-tsan-instrument-atomics=0", "-mllvm",
                                 "-tsan-instrument-read-before-write=1"});
  }
  words.insert(words.end(), {"-x", "c++-cpp-output", text.string(), "-o", object.string()});
  return words;
}

/// What `make` reads: "target: file file \" with spaces written as "\ ".
std::vector<std::string> dependencies_in(std::string_view text) {
  std::vector<std::string> files;
  std::string file;
  std::size_t i = text.find(": ");
  if (i == std::string_view::npos) return files;
  for (i += 2; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (c == '\\' && i + 1 < text.size() &&
        (text[i + 1] == ' ' || text[i + 1] == '#' || text[i + 1] == '\\')) {
      file += text[++i];
    } else if (c == '\\' || c == ' ' || c == '\n' || c == '\t') {
      if (!file.empty()) files.push_back(std::move(file));
      file.clear();
    } else {
      if (c == '$' && i + 1 < text.size() && text[i + 1] == '$') ++i;
      file += c;
    }
  }
  return files;
}

/// Says so when the message is of a library for GPUs.
std::string unsupported_library(std::string_view message) {
  constexpr std::string_view libraries[] = {"thrust/",    "cub/",      "cublas", "cufft",    "curand",
                                            "cusparse",   "cusolver",  "cudnn",  "cutlass/", "nvtx3/",
                                            "nvToolsExt", "cuda/std/", "nccl"};
  for (const std::string_view library : libraries) {
    const std::size_t at = message.find(library);
    if (at == std::string_view::npos || at == 0 ||
        std::string_view(" /'\"<").find(message[at - 1]) == std::string_view::npos)
      continue;
    return fmt::format("\n{} is not supported: kernels and the CUDA runtime are",
                       library.ends_with('/') ? library.substr(0, library.size() - 1) : library);
  }
  return "";
}

/// The lines of a compiler's message that say what is wrong where, and no more than a screen of them.
[[noreturn]] void fail_compilation(const std::string& name, const std::string& messages) {
  std::stringstream text(messages);
  std::string message;
  std::size_t lines = 0;
  for (std::string line; std::getline(text, line);) {
    if (++lines > 40) {
      message += "\n...";
      break;
    }
    message += "\n" + line;
  }
  throw error(fmt::format("{} cannot be compiled:{}{}", name, message, unsupported_library(message)));
}

json to_json(const kernel_declaration& k) {
  return {{"name", k.name},
          {"qualified", k.qualified},
          {"parameters", k.parameters},
          {"types", k.types},
          {"is_template", k.is_template},
          {"is_overloaded", k.is_overloaded},
          {"blocks_are_independent", k.blocks_are_independent},
          {"threads_are_independent", k.threads_are_independent}};
}
kernel_declaration declaration_from(const json& j) {
  kernel_declaration k;
  k.name = j.at("name");
  k.qualified = j.at("qualified");
  k.parameters = j.at("parameters").get<std::vector<std::string>>();
  k.types = j.at("types").get<std::vector<std::string>>();
  k.is_template = j.at("is_template");
  k.is_overloaded = j.at("is_overloaded");
  k.blocks_are_independent = j.at("blocks_are_independent");
  k.threads_are_independent = j.at("threads_are_independent");
  return k;
}

json to_json(const subscript& s) {
  return {s.file, s.of, s.first.line, s.first.column, s.last.line, s.last.column, s.brackets};
}
subscript subscript_from(const json& j) {
  return {j.at(0), j.at(1), {j.at(2), j.at(3)}, {j.at(4), j.at(5)}, j.at(6)};
}

compilation from_kept(const kept_file& kept, bool was_cached) {
  compilation result{kept.path, {}, {}, was_cached};
  const json about = json::parse(kept.about);
  for (const json& k : about.at("kernels")) result.kernels.push_back(declaration_from(k));
  for (const json& s : about.at("subscripts")) result.subscripts.push_back(subscript_from(s));
  return result;
}

/// Where a header would be read from in place of one that was: it is not there, in a folder searched earlier.
std::vector<std::string> hidden_by(const std::vector<std::string>& files_read,
                                   const compile_options& options) {
  std::vector<fs::path> folders;
  for (std::size_t i = 0; i + 1 < options.flags.size(); ++i) {
    if (options.flags[i] == "-iquote")
      folders.push_back(fs::absolute(options.flags[i + 1]).lexically_normal());
  }
  for (const std::string& folder : options.include_folders)
    folders.push_back(fs::absolute(folder).lexically_normal());
  std::vector<std::string> result;
  for (const std::string& file : files_read) {
    const fs::path path = fs::absolute(file).lexically_normal();
    for (std::size_t i = 1; i < folders.size(); ++i) {
      const fs::path inside = path.lexically_relative(folders[i]);
      if (inside.empty() || *inside.begin() == "..") continue;
      for (std::size_t j = 0; j < i; ++j) {
        fs::path earlier = folders[j] / inside;
        if (!fs::exists(earlier)) result.push_back(earlier.string());
      }
    }
  }
  return result;
}

/// Changes with this build of the library: what translates is in it.
std::string own_identity() {
  Dl_info self{};
  struct stat about {};
  if (dladdr(reinterpret_cast<void*>(&run_program), &self) == 0 || stat(self.dli_fname, &about) != 0) {
    if (stat("/proc/self/exe", &about) != 0) return "";
  }
  return fmt::format("{} {}.{}", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

/// As a string literal of C++ holds it.
std::string literal_of(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

}  // namespace

std::string read_source(const std::string& path) {
  auto text = contents(path);
  if (!text || fs::is_directory(path))
    throw error(fmt::format("{}: cannot be read: {}", detail::shown_path(path),
                            std::strerror(text ? EISDIR : errno)));
  // Some editors begin a file with a mark of its encoding.
  if (text->starts_with("\xef\xbb\xbf")) text->erase(0, 3);
  return *std::move(text);
}

std::string folder_of_source(const std::string& path) {
  const fs::path folder = detail::descriptor_in(path) ? fs::path() : fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

compilation compile_file(const std::string& path, compile_options options) {
  const std::string source = read_source(path);
  options.flags.insert(options.flags.begin(), {"-iquote", folder_of_source(path)});
  return compile(source, detail::shown_path(path), options);
}

compilation compile(const std::string& source, const std::string& name, const compile_options& options) {
  const compiler with = find_compiler();
  const fs::path headers = device_headers();
  digest key;
  for (const std::string& w : preprocess_command(with, "", options, headers, "")) key.add(w);
  for (const std::string& w : compile_command(with, options, true, "", "")) key.add(w);
  key.add(with.identity);
  key.add(own_identity());
  if (!options.is_watched) key.add(processor());
  for (const std::string& instance : options.instances) key.add(instance);
  key.add(name);  // as messages and findings spell it
  key.add(source);
  key.add(fs::current_path().string());
  key.add("7");  // of the format of what is kept
  if (const auto kept = find_kept(key.text())) return from_kept(*kept, true);

  const auto began = std::chrono::system_clock::now();
  const temporary_folder work;
  const fs::path original = work.path() / "kernel.cu", dependencies = work.path() / "dependencies",
                 text = work.path() / "kernel.ii", object = work.path() / "kernel.o",
                 library = work.path() / "kernel.so";
  std::ofstream(original, std::ios::binary) << "#line 1 " << literal_of(name) << "\n" << source;
  const process_result preprocessed =
      run_program(preprocess_command(with, original, options, headers, dependencies));
  if (preprocessed.status == 127) throw error(fmt::format("{} cannot be started", with.program.string()));
  if (preprocessed.status != 0) fail_compilation(name, preprocessed.err);
  // g++ does not instrument what calls read and write as wholes: structures that they take by value, and
  // results.
  const bool flattens = options.is_watched && !with.is_clang;
  const translation translated =
      translate(preprocessed.out, {options.instances, options.is_program, flattens});
  std::ofstream(text, std::ios::binary) << translated.text;
  // Without watching, spins on volatile variables are still to be seen.
  const bool instruments = options.is_watched || translated.has_volatile;
  const process_result compiled = run_program(compile_command(with, options, instruments, text, object));
  if (compiled.status != 0)
    fail_compilation(name, with_columns_of_source(compiled.err, preprocessed.out, translated, source, name));
  // Without the compiler's own runtimes: what runs the module has the functions that are called.
  std::vector<std::string> link{with.program.string(), "-shared", object.string(), "-o",
                                library.string(),      "-lm"};
  // All of a program is in its file.
  if (options.is_program) {
    link.insert(link.end(), {"-Wl,-z,defs", "-pthread"});
    for (const char* freeing : {"free", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZdaPvm"})
      link.push_back(fmt::format("-Wl,--wrap={}", freeing));
  }
  const process_result linked = run_program(link);
  if (linked.status != 0) fail_compilation(name, linked.err);

  json about = {{"kernels", json::array()}, {"subscripts", json::array()}};
  for (const kernel_declaration& k : translated.kernels) about["kernels"].push_back(to_json(k));
  for (const subscript& s : translated.subscripts) {
    if (options.is_watched) about["subscripts"].push_back(to_json(s));
  }
  std::vector<std::string> files_read = dependencies_in(contents(dependencies).value_or(""));
  std::erase(files_read, original.string());
  for (std::string& file : hidden_by(files_read, options)) files_read.push_back(std::move(file));
  return from_kept(keep(key.text(), library, files_read, about.dump(), began), false);
}

}  // namespace heddle::modules
