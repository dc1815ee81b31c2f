#include "checker/build/compiler_command.hpp"

#include "cuda_on_cpu/compile/source_names.hpp"
#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace heddle::checker {
namespace {

namespace fs = std::filesystem;
using cuda_on_cpu::source_language;

/// Options that take a value, which may be joined to the first spelling, follow it as a word, or stand behind
/// "=".
enum class meaning : std::uint8_t {
  nothing,
  output,
  folder,
  system_folder,
  definition,
  no_definition,
  header,
  library,
  library_folder,
  language,
  standard,
  for_compiler,
  for_linker,
  relocatable,
  file_of_options,
  dependencies,
  dependencies_target,
};
struct valued {
  std::string_view spelling;
  meaning means;
  bool is_joined;  // a value may follow at once, as in -Iinclude
};
constexpr valued with_value[] = {
    {"-o", meaning::output, false},
    {"--output-file", meaning::output, false},
    {"-I", meaning::folder, true},
    {"--include-path", meaning::folder, false},
    {"-isystem", meaning::system_folder, false},
    {"-idirafter", meaning::system_folder, false},
    {"--system-include", meaning::system_folder, false},
    {"-iquote", meaning::folder, false},
    {"-D", meaning::definition, true},
    {"--define-macro", meaning::definition, false},
    {"-U", meaning::no_definition, true},
    {"--undefine-macro", meaning::no_definition, false},
    {"-include", meaning::header, false},
    {"--pre-include", meaning::header, false},
    {"-l", meaning::library, true},
    {"--library", meaning::library, false},
    {"-L", meaning::library_folder, true},
    {"--library-path", meaning::library_folder, false},
    {"-x", meaning::language, false},
    {"--x", meaning::language, false},
    {"-std", meaning::standard, false},
    {"--std", meaning::standard, false},
    {"-Xcompiler", meaning::for_compiler, false},
    {"--compiler-options", meaning::for_compiler, false},
    {"-Xlinker", meaning::for_linker, false},
    {"--linker-options", meaning::for_linker, false},
    {"-rdc", meaning::relocatable, false},
    {"--relocatable-device-code", meaning::relocatable, false},
    {"--options-file", meaning::file_of_options, false},
    {"-optf", meaning::file_of_options, false},
    {"-MF", meaning::dependencies, false},
    {"--dependency-output", meaning::dependencies, false},
    {"-MT", meaning::dependencies_target, false},
    {"-MQ", meaning::dependencies_target, false},
    {"--dependency-target-name", meaning::dependencies_target, false},
    // What a check does not depend on.
    {"-arch", meaning::nothing, false},
    {"--gpu-architecture", meaning::nothing, false},
    {"-code", meaning::nothing, false},
    {"--gpu-code", meaning::nothing, false},
    {"-gencode", meaning::nothing, false},
    {"--generate-code", meaning::nothing, false},
    {"-ccbin", meaning::nothing, false},
    {"--compiler-bindir", meaning::nothing, false},
    {"-Xptxas", meaning::nothing, false},
    {"--ptxas-options", meaning::nothing, false},
    {"-Xcudafe", meaning::nothing, false},
    {"-Xnvlink", meaning::nothing, false},
    {"-Xfatbin", meaning::nothing, false},
    {"-Xarchive", meaning::nothing, false},
    {"-maxrregcount", meaning::nothing, false},
    {"--maxrregcount", meaning::nothing, false},
    {"-diag-suppress", meaning::nothing, false},
    {"--diag-suppress", meaning::nothing, false},
    {"-default-stream", meaning::nothing, false},
    {"--default-stream", meaning::nothing, false},
    {"-cudart", meaning::nothing, false},
    {"--cudart", meaning::nothing, false},
    {"-odir", meaning::nothing, false},
    {"-keep-dir", meaning::nothing, false},
    {"--keep-dir", meaning::nothing, false},
    {"-t", meaning::nothing, true},
    {"--threads", meaning::nothing, false},
    {"-m", meaning::nothing, true},
    {"--machine", meaning::nothing, false},
    {"-fmad", meaning::nothing, false},
    {"--fmad", meaning::nothing, false},
    {"-ftz", meaning::nothing, false},
    {"-prec-div", meaning::nothing, false},
    {"-prec-sqrt", meaning::nothing, false},
    {"--ftz", meaning::nothing, false},
    {"--prec-div", meaning::nothing, false},
    {"--prec-sqrt", meaning::nothing, false},
    {"-Werror", meaning::nothing, false},
    {"--Werror", meaning::nothing, false},
    {"--optimize", meaning::nothing, false},
};

/// And those that take none, by how they begin where a star ends them.
constexpr std::string_view without_value[] = {
    "-w",
    "-g*",
    "-G",
    "-O*",
    "-W*",
    "-lineinfo",
    "-v",
    "-use_fast_math",
    "--use_fast_math",
    "--expt-*",
    "-expt-*",
    "--extended-lambda",
    "-extended-lambda",
    "--forward-unknown-*",
    "-forward-unknown-*",
    "--generate-line-info",
    "--device-debug",
    "--debug",
    "--keep",
    "-keep",
    "--verbose",
    "--restrict",
    "-restrict",
    "--source-in-ptx",
    "-src-in-ptx",
    "-dlto",
    "--resource-usage",
    "-res-usage",
    "-pipe",
    "-pg",
    "-MP",
    "--disable-warnings",
    "-extra-device-vectorization",
    "--ptxas-*",
    "-f*",
    "-static",
    "-ansi",
    "-pedantic",
    "-s",
    "-no-*",
    "--no-*",
    "-rdynamic",
    "-display-error-number",
    "--display-error-number",
    "--allow-unsupported-compiler",
    "-allow-unsupported-compiler",
    "-nocudalib",
    "-shared-libgcc",
};

constexpr std::string_view of_gpus[] = {"-ptx",    "--ptx",    "-cubin",   "--cubin",
                                        "-fatbin", "--fatbin", "-optix-ir"};

/// They are Heddle's own, or stand for what is.
constexpr std::string_view libraries_of_cuda[] = {
    "cuda",   "cudart", "cudart_static", "cudadevrt", "cublas", "cublasLt",   "cublas_static", "cufft",
    "cufftw", "curand", "cusolver",      "cusparse",  "nvrtc",  "nvToolsExt", "nvidia-ml",     "cupti",
    "nvjpeg", "nccl",   "cudnn",         "nppc",      "nppial", "nppicc",     "nppidei",       "nppif",
    "nppig",  "nppim",  "nppist",        "nppisu",    "nppitc", "npps",       "cutensor",      "nvJitLink"};

bool begins_so(std::string_view pattern, std::string_view word) {
  return pattern.ends_with('*') ? word.starts_with(pattern.substr(0, pattern.size() - 1)) : word == pattern;
}
template <class Names>
bool is_one_of(std::string_view word, const Names& names) {
  return std::any_of(std::begin(names), std::end(names),
                     [&](std::string_view name) { return begins_so(name, word); });
}

/// libcublas.so.12 and libcublas_static.a, wherever they lie.
bool is_file_of_cuda(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with("lib") && is_library_of_cuda(std::string_view(name).substr(3, name.find('.') - 3));
}

class reader {
 public:
  explicit reader(std::vector<std::string> words) : words_(std::move(words)) {
    command_.options.standard = "c++17";
    command_.options.is_watched = command_.options.is_program = true;
    while (at_ < words_.size()) read(std::string(words_[at_++]));
    // Code of the device may be linked so, which makes nothing.
    if (!shared_.empty() && command_.does == action::link)
      throw error(
          fmt::format("{}: shared libraries are not made: link their objects into the program", shared_));
    for (auto& [path, language] : paths_) {
      const auto of = language ? language : cuda_on_cpu::language_of(path);
      if (of) {
        command_.sources.push_back({path, *of, {}});
      } else if (!is_file_of_cuda(path)) {
        command_.linked.push_back(path);
      }
    }
    command_.options.link_words = command_.linked;
    command_.options.link_words.insert(command_.options.link_words.end(), libraries_.begin(),
                                       libraries_.end());
  }
  compiler_command result() && { return std::move(command_); }

 private:
  using action = compiler_command::action;

  void read(const std::string& word) {
    if (word.starts_with('@')) {
      take(meaning::file_of_options, word.substr(1), word);
      return;
    }
    if (word.size() < 2 || word[0] != '-') {
      paths_.emplace_back(word, language_);
      return;
    }
    if (is_one_of(word, of_gpus))
      throw error(fmt::format("{}: code of a GPU is not made: a checked program runs on the CPU", word));
    if (const auto a = action_of(word)) {
      command_.does = *a;
      return;
    }
    if (word == "-MD" || word == "-MMD" || word == "--generate-dependencies-with-compile") {
      command_.writes_dependencies = true;
      return;
    }
    if (word == "-fopenmp" || word == "-pthread" || word == "-fexceptions" || word.starts_with("-march=") ||
        word.starts_with("-msse") || word.starts_with("-mavx") || word == "-mfma" || word == "-fpermissive") {
      command_.options.flags.push_back(word);
      if (word == "-fopenmp" || word == "-pthread") libraries_.push_back(word);
      return;
    }
    if (word.starts_with("-Wl,")) {
      libraries_.push_back(word);
      return;
    }
    if (word == "-shared" || word == "--shared") {
      shared_ = word;
      return;
    }
    for (const valued& v : with_value) {
      if (word == v.spelling) {
        if (at_ == words_.size()) throw error(fmt::format("{} has no value", word));
        take(v.means, words_[at_++], word);
        return;
      }
      const std::string_view rest = std::string_view(word).substr(std::min(v.spelling.size(), word.size()));
      if (!word.starts_with(v.spelling)) continue;
      if (rest.starts_with('=')) {
        take(v.means, std::string(rest.substr(1)), word);
        return;
      }
      if (v.is_joined && word[1] != '-') {
        take(v.means, std::string(rest), word);
        return;
      }
    }
    if (!is_one_of(word, without_value)) throw error(fmt::format("the option {} is not known", word));
  }

  std::optional<action> action_of(std::string_view word) {
    if (word == "-c" || word == "--compile" || word == "-compile") return action::compile;
    if (word == "-dc" || word == "--device-c") {
      command_.options.is_relocatable = true;
      return action::compile;
    }
    if (word == "-dw" || word == "--device-w") return action::compile;
    if (word == "-dlink" || word == "--device-link") return action::link_device;
    if (word == "-lib" || word == "--lib") return action::archive;
    if (word == "-E" || word == "--preprocess") return action::preprocess;
    if (word == "-M" || word == "-MM" || word == "--generate-dependencies") return action::dependencies;
    if (word == "--version" || word == "-V") return action::version;
    return std::nullopt;
  }

  void take(meaning means, const std::string& value, const std::string& word) {
    compile_options& o = command_.options;
    switch (means) {
      case meaning::nothing:
        break;
      case meaning::output:
        command_.output = value;
        break;
      case meaning::folder:
        for (std::string& folder : split_at_commas(value)) o.include_folders.push_back(std::move(folder));
        break;
      case meaning::system_folder:
        o.include_folders.push_back(value);
        break;
      case meaning::definition:
        o.definitions.push_back(value);
        break;
      case meaning::no_definition:
        std::erase_if(o.definitions, [&](const std::string& d) { return d.substr(0, d.find('=')) == value; });
        break;
      case meaning::header:
        o.forced_includes.push_back(value);
        break;
      case meaning::library:
        for (const std::string& library : split_at_commas(value)) {
          if (!is_library_of_cuda(library)) libraries_.push_back("-l" + library);
        }
        break;
      case meaning::library_folder:
        for (const std::string& folder : split_at_commas(value)) libraries_.push_back("-L" + folder);
        break;
      case meaning::language:
        language_ = value == "cu"    ? std::optional(source_language::cuda)
                    : value == "c"   ? std::optional(source_language::c)
                    : value == "c++" ? std::optional(source_language::cpp)
                                     : std::nullopt;
        if (!language_ && value != "none")
          throw error(fmt::format("{} {}: the languages are cu, c and c++", word, value));
        break;
      case meaning::standard:
        o.standard = newer_standard(value);
        break;
      case meaning::for_compiler:
        for (std::string& own : split_at_commas(value)) {
          own.erase(std::remove(own.begin(), own.end(), '"'), own.end());
          read_for_compiler(own);
        }
        break;
      case meaning::for_linker:
        for (const std::string& own : split_at_commas(value)) libraries_.push_back("-Wl," + own);
        break;
      case meaning::relocatable:
        o.is_relocatable = value == "true";
        break;
      case meaning::file_of_options: {
        std::vector<std::string> more = split_as_shell(cuda_on_cpu::read_source(value));
        words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(at_), more.begin(), more.end());
        break;
      }
      case meaning::dependencies:
        command_.dependencies = value;
        break;
      case meaning::dependencies_target:
        command_.dependencies_target = value;
        break;
    }
  }

  /// What the host compiler alone does with code makes no difference.
  void read_for_compiler(const std::string& word) {
    if (word.starts_with("-D") || word.starts_with("-I") || word == "-fopenmp" || word == "-pthread" ||
        word.starts_with("-march=") || word.starts_with("-mavx") || word.starts_with("-msse"))
      read(word);
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  compiler_command command_;
  std::optional<source_language> language_;
  std::vector<std::pair<std::string, std::optional<source_language>>> paths_;
  std::vector<std::string> libraries_;
  std::string shared_;
};

}  // namespace

bool is_library_of_cuda(std::string_view library) {
  return is_one_of(library, libraries_of_cuda) ||
         (library.ends_with("_static") &&
          is_one_of(library.substr(0, library.size() - 7), libraries_of_cuda));
}

std::span<const std::string_view> libraries_of_toolkit() {
  return libraries_of_cuda;
}

std::string newer_standard(const std::string& text) {
  for (const std::string_view older : {"03", "11", "14"}) {
    if (text == fmt::format("c++{}", older) || text == fmt::format("gnu++{}", older))
      return text.substr(0, text.size() - 2) + "17";
  }
  if (text == "c++0x" || text == "gnu++0x" || text == "c++1y") return "c++17";
  return text;
}

compiler_command read_compiler_command(std::vector<std::string> words) {
  return reader(std::move(words)).result();
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  for (const char c : text) {
    if (c == ',' || c == ' ') {
      if (!part.empty()) parts.push_back(std::exchange(part, {}));
    } else {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(part);
  return parts;
}

std::vector<std::string> split_as_shell(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool has_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else if (c == '\\' && quote == '"' && i + 1 < text.size() &&
                 (text[i + 1] == '"' || text[i + 1] == '\\')) {
        word += text[++i];
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      has_word = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      has_word = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (has_word) words.push_back(std::exchange(word, {}));
      has_word = false;
    } else {
      word += c;
      has_word = true;
    }
  }
  if (has_word) words.push_back(word);
  return words;
}

}  // namespace heddle::checker
