#include "compilation.hpp"

#include <heddle/error.hpp>
#include <heddle/io/atomic_file.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::checker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// ------------------------------------------------------------------------------------------------- processes

struct process_result {
  int status = 0;
  std::string out, err;
};

/// Runs a program to its end. Its output goes through files without names, so that neither pipe can fill.
process_result run_program(const std::vector<std::string>& words) {
  std::array<int, 2> files{};
  for (int& file : files) {
    std::string name = (fs::temp_directory_path() / "heddle-XXXXXX").string();
    file = mkostemp(name.data(), O_CLOEXEC);
    if (file < 0) throw error(fmt::format("{} cannot be made: {}", name, std::strerror(errno)));
    unlink(name.c_str());
  }
  std::vector<char*> arguments;
  for (const std::string& w : words) arguments.push_back(const_cast<char*>(w.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw error(fmt::format("{} cannot be started: {}", words[0], std::strerror(errno)));
  if (child == 0) {
    const int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    dup2(files[0], 1);
    dup2(files[1], 2);
    // Messages are read for their lines.
    setenv("LC_ALL", "C", 1);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  process_result result;
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  for (const auto& [file, text] :
       {std::pair<int, std::string*>{files[0], &result.out}, {files[1], &result.err}}) {
    lseek(file, 0, SEEK_SET);
    char buffer[65536];
    for (ssize_t n = 0; (n = read(file, buffer, sizeof buffer)) > 0;)
      text->append(buffer, static_cast<std::size_t>(n));
    close(file);
  }
  return result;
}

// ----------------------------------------------------------------------------------------------------
// digests

/// 128 bits that differ for texts that differ: two 64-bit FNV-1a sums from different beginnings, each mixed
/// once more at the end.
class digest {
 public:
  void add(std::string_view text) {
    for (const char c : text) {
      a_ = (a_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
      b_ = (b_ ^ static_cast<unsigned char>(c)) * 0x9E3779B97F4A7C15u;
      b_ ^= b_ >> 32;
    }
    a_ = (a_ ^ text.size()) * 0x100000001b3u;
    b_ = (b_ ^ text.size()) * 0x9E3779B97F4A7C15u;
  }
  std::string text() const { return fmt::format("{:016x}{:016x}", a_ ^ (a_ >> 31), b_ ^ (b_ >> 29)); }

 private:
  std::uint64_t a_ = 0xcbf29ce484222325u, b_ = 0x84222325cbf29ce4u;
};

std::optional<std::string> contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::string digest_of_file(const fs::path& path) {
  const auto text = contents(path);
  if (!text) return "";
  digest d;
  d.add(*text);
  return d.text();
}

// --------------------------------------------------------------------------------------------------
// compilers

bool is_program(const fs::path& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && access(path.c_str(), X_OK) == 0;
}

fs::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? fs::path(name) : fs::path();
  const char* const folders = std::getenv("PATH");
  std::stringstream list(folders != nullptr ? folders : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(list, folder, ':');) {
    const fs::path path = fs::path(folder.empty() ? "." : folder) / name;
    if (is_program(path)) return path;
  }
  return {};
}

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

/// Where the headers of the device language are: beside an installed command, or in the source that it was
/// built from.
fs::path device_headers() {
  std::error_code ignored;
  const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = self.parent_path().parent_path() / HEDDLE_DEVICE_FOLDER;
  for (const fs::path& folder : {installed, fs::path(HEDDLE_DEVICE_SOURCE_FOLDER)}) {
    if (fs::exists(folder / "heddle_device" / "language.hpp", ignored)) return folder;
  }
  throw error(fmt::format("the headers of the device language are neither in {} nor in {}: install them anew",
                          installed.string(), HEDDLE_DEVICE_SOURCE_FOLDER));
}

std::vector<std::string> common_options(const compile_options& options) {
  std::vector<std::string> words{"-std=" + options.standard, "-O1", "-g", "-fPIC", "-w"};
  return words;
}

std::vector<std::string> preprocess_command(const compiler& with, const std::string& source,
                                            const compile_options& options, const fs::path& headers,
                                            const fs::path& dependencies) {
  std::vector<std::string> words{with.program.string()};
  for (const std::string& w : common_options(options)) words.push_back(w);
  for (const std::string& d : options.definitions) words.push_back("-D" + d);
  for (const std::string& i : options.include_folders) words.push_back("-I" + i);
  if (options.is_watched) words.emplace_back("-DHEDDLE_WATCHED");
  for (const std::string& w :
       std::vector<std::string>{"-isystem", headers.string(), "-include", "heddle_device/language.hpp", "-x",
                                "c++", "-E", "-MD", "-MF", dependencies.string(), source})
    words.push_back(w);
  return words;
}

std::vector<std::string> compile_command(const compiler& with, const compile_options& options,
                                         bool instruments, const fs::path& text, const fs::path& object) {
  std::vector<std::string> words{with.program.string()};
  for (const std::string& w : common_options(options)) words.push_back(w);
  for (const char* w : {"-fvisibility=hidden", "-fno-math-errno", "-ffp-contract=off", "-fno-strict-aliasing",
                        "-fno-builtin-printf", "-fno-optimize-sibling-calls", "-c"})
    words.emplace_back(w);
  if (!with.is_clang) words.emplace_back("-fno-gnu-unique");
  if (instruments) {
    words.emplace_back(options.is_watched ? (with.is_clang ? "-fsanitize=thread,array-bounds,alignment"
                                                           : "-fsanitize=thread,bounds,alignment")
                                          : "-fsanitize=thread");
    for (const char* w : {"tsan-distinguish-volatile=1", "tsan-instrument-func-entry-exit=0"}) {
      words.emplace_back(with.is_clang ? "-mllvm" : "--param");
      words.emplace_back(with.is_clang ? std::string("-") + w : std::string(w));
    }
    words.emplace_back("-fsanitize-recover=undefined");
  }
  for (const std::string& w :
       std::vector<std::string>{"-x", "c++-cpp-output", text.string(), "-o", object.string()})
    words.push_back(w);
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

/// The lines of a compiler's message that say what is wrong where, and no more than a screen of them.
[[noreturn]] void fail_compilation(const std::string& source, const process_result& result) {
  std::stringstream text(result.err);
  std::string message;
  std::size_t lines = 0;
  for (std::string line; std::getline(text, line);) {
    if (++lines > 40) {
      message += "\n...";
      break;
    }
    message += "\n" + line;
  }
  throw error(fmt::format("{} cannot be compiled:{}", source, message));
}

// ------------------------------------------------------------------------------------------------- the cache

json to_json(const kernel_declaration& k) {
  return {{"name", k.name},
          {"qualified", k.qualified},
          {"parameters", k.parameters},
          {"is_template", k.is_template},
          {"blocks_are_independent", k.blocks_are_independent},
          {"most_threads", k.most_threads}};
}
kernel_declaration declaration_from(const json& j) {
  kernel_declaration k;
  k.name = j.at("name");
  k.qualified = j.at("qualified");
  k.parameters = j.at("parameters").get<std::vector<std::string>>();
  k.is_template = j.at("is_template");
  k.blocks_are_independent = j.at("blocks_are_independent");
  k.most_threads = j.at("most_threads");
  return k;
}

/// A folder that is removed with what is in it.
class temporary_folder {
 public:
  explicit temporary_folder(const fs::path& beside) {
    std::string name = (beside / "new-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw error(fmt::format("no folder can be made in {}: {}", beside.string(), std::strerror(errno)));
    path_ = name;
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// What an earlier compilation left, when every file that it read is as it was.
std::optional<compilation> cached(const fs::path& description, const std::string& kernel) {
  const auto text = contents(description);
  if (!text) return std::nullopt;
  const json j = json::parse(*text, nullptr, false);
  if (j.is_discarded()) return std::nullopt;
  try {
    for (const auto& [file, of] : j.at("files").items()) {
      if (digest_of_file(file) != of.get<std::string>()) return std::nullopt;
    }
    compilation result;
    result.library = description.parent_path() / j.at("library").get<std::string>();
    result.was_cached = true;
    if (!fs::exists(result.library)) return std::nullopt;
    std::vector<kernel_declaration> kernels;
    for (const json& k : j.at("kernels")) kernels.push_back(declaration_from(k));
    result.declaration = find_kernel(kernels, kernel);
    return result;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

fs::path cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  if (cache != nullptr && *cache == '/') return fs::path(cache) / "heddle" / "kernels";
  if (home != nullptr && *home == '/') return fs::path(home) / ".cache" / "heddle" / "kernels";
  return fs::temp_directory_path() / fmt::format("heddle-{}", getuid()) / "kernels";
}

compilation compile(const std::string& source, const std::string& kernel, const compile_options& options) {
  if (!contents(source)) throw error(fmt::format("{}: cannot be read: {}", source, std::strerror(errno)));
  const compiler with = find_compiler();
  const fs::path headers = device_headers(), folder = cache_folder();
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw error(fmt::format("the cache folder {} cannot be made: {}", folder.string(), failed.message()));

  digest key;
  for (const std::string& w : preprocess_command(with, fs::absolute(source).string(), options, headers, ""))
    key.add(w);
  for (const std::string& w : compile_command(with, options, true, "", "")) key.add(w);
  key.add(with.identity);
  // All kernels of a file are compiled together, but for instances of templates.
  const std::string instance = template_arguments(kernel).empty() ? "" : kernel;
  key.add(instance);
  key.add(source);  // as findings spell it
  key.add(fs::current_path().string());
  key.add("2");  // of the format of what is kept
  const fs::path description = folder / (key.text() + ".json");
  if (auto found = cached(description, kernel)) return *found;

  const temporary_folder work(folder);
  const fs::path dependencies = work.path() / "dependencies", text = work.path() / "kernel.ii",
                 object = work.path() / "kernel.o", library = work.path() / "kernel.so";
  const process_result preprocessed =
      run_program(preprocess_command(with, source, options, headers, dependencies));
  if (preprocessed.status == 127) throw error(fmt::format("{} cannot be started", with.program.string()));
  if (preprocessed.status != 0) fail_compilation(source, preprocessed);
  const translation translated = translate(preprocessed.out, instance);
  const kernel_declaration declaration = find_kernel(translated.kernels, kernel);
  std::ofstream(text, std::ios::binary) << translated.text;
  // Without watching, spins on volatile variables are still to be seen.
  const bool instruments = options.is_watched || translated.has_volatile;
  const process_result compiled = run_program(compile_command(with, options, instruments, text, object));
  if (compiled.status != 0) fail_compilation(source, compiled);
  // Without the compiler's own runtimes: the checker has the functions that are called.
  const process_result linked =
      run_program({with.program.string(), "-shared", object.string(), "-o", library.string(), "-lm"});
  if (linked.status != 0) fail_compilation(source, linked);

  json j;
  j["files"] = json::object();
  digest of_all;
  of_all.add(key.text());
  for (const std::string& file : dependencies_in(contents(dependencies).value_or(""))) {
    const std::string of = digest_of_file(file);
    j["files"][fs::absolute(file).string()] = of;
    of_all.add(of);
  }
  const std::string name = of_all.text() + ".so";
  j["library"] = name;
  j["kernels"] = json::array();
  for (const kernel_declaration& k : translated.kernels) j["kernels"].push_back(to_json(k));
  // Whoever comes second puts the same in its place.
  fs::rename(library, folder / name);
  atomic_file out(description.string());
  const std::string written = j.dump();
  out.write(written.data(), written.size());
  out.commit();
  return {folder / name, declaration, false};
}

}  // namespace heddle::checker
