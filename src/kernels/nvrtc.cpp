#include "kernels/nvrtc.hpp"

#include "cuda_on_cpu/compile/compiler_commands.hpp"
#include "cuda_on_cpu/compile/source_names.hpp"
#include "cuda_on_cpu/translate/kernel_declaration.hpp"
#include "io/cache.hpp"
#include "io/contents.hpp"
#include "kernels/nvrtc_headers.hpp"
#include "target/shared_library.hpp"
#include <heddle/error.hpp>
#include <heddle/support/fork.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include <cuda_runtime_api.h>
#include <cxxabi.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <nvrtc.h>

namespace heddle::gpu {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

std::vector<std::string> nvrtc_files() {
  return impl::cuda_files({fmt::format("libnvrtc.so.{}", CUDART_VERSION / 1000), "libnvrtc.so.13",
                           "libnvrtc.so.12", "libnvrtc.so"});
}

struct nvrtc_library {
  impl::shared_library library{nvrtc_files(),
                               "kernels are compiled for GPUs by NVRTC, which is part of the CUDA toolkit: "
                               "install it or name its folder in CUDA_HOME, or run on serial or parallel"};
#define HEDDLE_NVRTC(NAME) \
  decltype(::nvrtc##NAME)* NAME = library.function<decltype(::nvrtc##NAME)>("nvrtc" #NAME);
  HEDDLE_NVRTC(Version)
  HEDDLE_NVRTC(GetErrorString)
  HEDDLE_NVRTC(CreateProgram)
  HEDDLE_NVRTC(DestroyProgram)
  HEDDLE_NVRTC(CompileProgram)
  HEDDLE_NVRTC(GetProgramLogSize)
  HEDDLE_NVRTC(GetProgramLog)
  HEDDLE_NVRTC(GetCUBINSize)
  HEDDLE_NVRTC(GetCUBIN)
  HEDDLE_NVRTC(GetPTXSize)
  HEDDLE_NVRTC(GetPTX)
  HEDDLE_NVRTC(AddNameExpression)
  HEDDLE_NVRTC(GetLoweredName)
#undef HEDDLE_NVRTC

  void check(nvrtcResult status, const char* call) const {
    if (status != NVRTC_SUCCESS) throw error(fmt::format("NVRTC: {} in {}", GetErrorString(status), call));
  }
};

const nvrtc_library& nvrtc() {
  constinit static made_once<nvrtc_library> loaded;
  return loaded.get([] { return nvrtc_library(); });
}

/// NVRTC looks for headers in a source's folder, and a source without one has the working directory: here no
/// header can be.
constexpr const char* path_of_source = "/dev/null/kernel.cu";

class program {
 public:
  explicit program(const std::string& source) {
    std::vector<const char*> names(c_headers.begin(), c_headers.end()), texts(names.size(), "");
    names.push_back(c_library_name);
    texts.push_back(c_library_text);
    nvrtc().check(nvrtc().CreateProgram(&program_, source.c_str(), path_of_source,
                                        static_cast<int>(names.size()), texts.data(), names.data()),
                  "nvrtcCreateProgram");
  }
  ~program() { nvrtc().DestroyProgram(&program_); }
  program(const program&) = delete;
  program& operator=(const program&) = delete;
  operator nvrtcProgram() const { return program_; }

 private:
  nvrtcProgram program_ = nullptr;
};

/// Headers of the toolkit, which come with NVRTC's version.
std::vector<std::string> toolkit_include_folders() {
  for (const fs::path& toolkit : impl::cuda_folders()) {
    std::error_code ignored;
    const fs::path folder = toolkit / "include";
    if (!fs::exists(folder / "cuda_fp16.h", ignored)) continue;
    std::vector<std::string> folders{folder.string()};
    if (fs::exists(folder / "cccl", ignored)) folders.push_back((folder / "cccl").string());
    return folders;
  }
  return {};
}

/// All headers that a source may read from the folders: those that its #include lines name, and so on,
/// whether conditions let them be read or not; and those that would be read in their place, but are not
/// there.
void add_headers(std::string_view text, const fs::path& beside, const std::vector<std::string>& folders,
                 std::set<std::string>& found) {
  std::size_t at = 0;
  while ((at = text.find("include", at)) != std::string_view::npos) {
    const std::size_t line = text.rfind('\n', at) + 1;  // 0 for the first
    const std::string_view before = text.substr(line, at - line);
    at += 7;
    const std::size_t hash = before.find_first_not_of(" \t");
    if (hash == std::string_view::npos || before[hash] != '#' ||
        before.find_first_not_of(" \t", hash + 1) != std::string_view::npos)
      continue;
    const std::size_t open = text.find_first_not_of(" \t", at);
    if (open == std::string_view::npos || (text[open] != '"' && text[open] != '<')) continue;
    const std::size_t close = text.find_first_of(text[open] == '"' ? "\"\n" : ">\n", open + 1);
    if (close == std::string_view::npos || text[close] == '\n') continue;
    const fs::path name(text.substr(open + 1, close - open - 1));
    std::vector<fs::path> places;
    if (text[open] == '"' && !beside.empty()) places.push_back(beside);
    places.insert(places.end(), folders.begin(), folders.end());
    for (const fs::path& place : places) {
      std::error_code ignored;
      const std::string path = fs::absolute(place / name).lexically_normal().string();
      const bool is_new = found.insert(path).second;
      if (!fs::is_regular_file(path, ignored)) continue;
      if (!is_new) break;
      if (const auto header = impl::contents(path))
        add_headers(*header, fs::path(path).parent_path(), folders, found);
      break;
    }
  }
}

/// In the order of their search; headers of the toolkit change with NVRTC's version.
std::vector<std::string> searched_folders(const module_options& options) {
  std::vector<std::string> folders = options.include_folders;
  for (std::size_t i = 0; i < options.flags.size(); ++i) {
    const std::string& flag = options.flags[i];
    const bool has_value_behind = flag == "-I" || flag == "--include-path";
    if (has_value_behind && i + 1 < options.flags.size())
      folders.push_back(options.flags[++i]);
    else if (flag.starts_with("-I"))
      folders.push_back(flag.substr(2));
    else if (flag.starts_with("--include-path="))
      folders.push_back(flag.substr(flag.find('=') + 1));
  }
  return folders;
}

std::vector<std::string> words_for(int capability, const module_options& options) {
  std::vector<std::string> words{fmt::format("--gpu-architecture=sm_{}", capability),
                                 "--std=" + options.standard,
                                 fmt::format("--pre-include={}", c_library_name)};
  for (const std::string& d : options.definitions) words.push_back("-D" + d);
  for (const std::string& i : options.include_folders) words.push_back("-I" + i);
  for (const std::string& i : toolkit_include_folders()) words.push_back("-I" + i);
  // As the patterns are compiled, so that a·b + c is the same on every target.
  const bool says_fmad = std::any_of(options.flags.begin(), options.flags.end(), [](const std::string& f) {
    return f.find("fmad") != std::string::npos || f.find("use_fast_math") != std::string::npos;
  });
  if (!says_fmad) words.emplace_back("--fmad=false");
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  return words;
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : "";
}

/// The name of a kernel for NVRTC.
struct name_expression {
  std::string text;
  std::string declaration;  ///< that the source is to end with
};

/// The types of an overload's parameters are as the kernel's own namespace names them.
name_expression name_expression_for(const std::string& asked_for, std::size_t number) {
  const cuda_on_cpu::kernel_name asked = cuda_on_cpu::parse_kernel_name(asked_for);
  if (!asked.parameters) return {asked_for, ""};
  const std::string type = fmt::format("heddle_overload_{}", number);
  std::string declaration = fmt::format("using {} = void (*){};", type, *asked.parameters), scope;
  std::string_view name = asked.name;
  for (std::size_t at = name.rfind("::"); at != std::string_view::npos; at = name.rfind("::")) {
    name = name.substr(0, at);
    const std::size_t begin = name.rfind("::") == std::string_view::npos ? 0 : name.rfind("::") + 2;
    declaration = fmt::format("namespace {} {{ {} }}", name.substr(begin), declaration);
  }
  const std::size_t own = asked.name.rfind("::");
  if (own != std::string_view::npos) scope = asked.name.substr(0, own + 2);
  return {fmt::format("static_cast<{}{}>(&{}{})", scope, type, asked.name, asked.arguments),
          "\n" + declaration};
}

/// With its parameters: "sum(float*, int)".
std::string signature(const compiled_kernel& k) {
  std::string types;
  for (const auto& p : k.parameters) types += (types.empty() ? "" : ", ") + p.text();
  return fmt::format("{}({})", k.name, types);
}

std::string signatures(const std::vector<const compiled_kernel*>& kernels) {
  std::vector<std::string> all;
  all.reserve(kernels.size());
  for (const compiled_kernel* const k : kernels) all.push_back(signature(*k));
  return fmt::format("{}", fmt::join(all, ", "));
}

/// With the namespaces that it is in or without, whatever their parameters are.
std::vector<const compiled_kernel*> kernels_called(const device_code& code,
                                                   const cuda_on_cpu::kernel_name& asked) {
  const std::string name = fmt::format("{}{}", asked.name, asked.arguments);
  std::vector<const compiled_kernel*> found;
  for (const compiled_kernel& k : code.kernels) {
    if (k.name == name || k.name.ends_with("::" + name)) found.push_back(&k);
  }
  return found;
}

json to_json(const compiled_kernel& k) {
  json sizes = json::array();
  for (const auto& p : k.parameters) sizes.push_back(p.size);
  return {{"symbol", k.symbol}, {"sizes", sizes}};
}

/// The kernel that a symbol and the sizes of its parameters describe.
compiled_kernel described(const std::string& symbol, const std::vector<std::size_t>& sizes) {
  compiled_kernel k;
  k.symbol = symbol;
  const std::string text = demangled(symbol);
  k.has_types = !text.empty();
  k.name = k.has_types ? impl::function_name(text) : symbol;
  if (k.has_types) k.parameters = impl::parameters_in(text);
  if (!k.has_types || k.parameters.size() != sizes.size()) {
    k.has_types = false;
    k.parameters.assign(sizes.size(), {});
    for (auto& p : k.parameters) p.is_known = false;
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!k.parameters[i].is_pointer) k.parameters[i].size = sizes[i];
  }
  return k;
}

device_code from_kept(const cache::kept_file& kept, bool was_cached) {
  device_code code;
  code.was_cached = was_cached;
  code.image = kept.made;
  const json about = json::parse(kept.about);
  for (const json& k : about.at("kernels")) code.kernels.push_back(described(k.at("symbol"), k.at("sizes")));
  for (const auto& [expression, symbol] : about.at("expressions").items())
    code.symbol_of[expression] = symbol;
  return code;
}

}  // namespace

bool has_nvrtc() noexcept {
  try {
    nvrtc();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::vector<compiled_kernel> kernels_in_ptx(std::string_view ptx) {
  std::vector<compiled_kernel> all;
  const std::string_view word = ".entry ";
  for (std::size_t at = ptx.find(word); at != std::string_view::npos; at = ptx.find(word, at + 1)) {
    const std::size_t begin = at + word.size();
    const std::size_t open = ptx.find_first_of("(\n", begin), close = ptx.find(')', begin);
    if (open == std::string_view::npos || close == std::string_view::npos) break;
    const std::string symbol(ptx.substr(begin, open - begin));
    std::vector<std::size_t> sizes;
    if (ptx[open] == '(') {
      // ".param .align 4 .b8 name[12]" or ".param .u64 name", one after another.
      std::string_view list = ptx.substr(open + 1, close - open - 1);
      for (std::size_t i = list.find(".param"); i != std::string_view::npos; i = list.find(".param", i + 1)) {
        const std::string_view one = list.substr(i, list.find(',', i) - i);
        const std::size_t bracket = one.rfind('[');
        std::size_t bytes = 0;
        for (const char* const kind : {".b", ".u", ".s", ".f"}) {
          for (const std::size_t bits : {8, 16, 32, 64}) {
            if (one.find(fmt::format(" {}{} ", kind, bits)) != std::string_view::npos) bytes = bits / 8;
          }
        }
        if (bracket != std::string_view::npos) bytes *= std::strtoull(one.data() + bracket + 1, nullptr, 10);
        sizes.push_back(bytes);
      }
    }
    all.push_back(described(symbol, sizes));
  }
  return all;
}

device_code compile_by_nvrtc(int capability, const std::string& source, const module_options& as_given) {
  module_options options = as_given;
  options.flags = cuda_on_cpu::with_absolute_paths(std::move(options.flags));
  for (std::string& folder : options.include_folders) folder = fs::absolute(folder).string();
  const nvrtc_library& n = nvrtc();
  int major = 0, minor = 0;
  n.check(n.Version(&major, &minor), "nvrtcVersion");
  const std::vector<std::string> words = words_for(capability, options);
  cache::digest key;
  key.add(fmt::format("nvrtc {}.{} 8", major, minor));
  for (const std::string& w : words) key.add(w);
  for (const std::string& e : options.name_expressions) key.add(e);
  key.add(options.name);
  key.add(source);
  const std::string name_of_entry = key.text();
  if (const auto kept = cache::find_kept(name_of_entry)) return from_kept(*kept, true);

  const auto began = std::chrono::system_clock::now();
  std::vector<name_expression> expressions;
  std::string text = cuda_on_cpu::line_directive(options.name) + source;
  for (const std::string& e : options.name_expressions) {
    expressions.push_back(name_expression_for(e, expressions.size()));
    text += expressions.back().declaration;
  }
  const program p(text);
  for (const name_expression& e : expressions)
    n.check(n.AddNameExpression(p, e.text.c_str()), "nvrtcAddNameExpression");
  std::vector<const char*> pointers;
  for (const std::string& w : words) pointers.push_back(w.c_str());
  const nvrtcResult status = n.CompileProgram(p, static_cast<int>(pointers.size()), pointers.data());
  if (status != NVRTC_SUCCESS) {
    std::size_t size = 0;
    n.check(n.GetProgramLogSize(p, &size), "nvrtcGetProgramLogSize");
    std::string log(size, '\0');
    n.check(n.GetProgramLog(p, log.data()), "nvrtcGetProgramLog");
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    const std::string_view path = path_of_source;
    for (std::size_t at = 0; (at = log.find(path)) != std::string::npos;)
      log.replace(at, path.size(), options.name);
    throw error(fmt::format("{} cannot be compiled:\n{}", options.name,
                            log.empty() ? n.GetErrorString(status) : cuda_on_cpu::messages_as_named(log)));
  }
  std::size_t size = 0;
  n.check(n.GetCUBINSize(p, &size), "nvrtcGetCUBINSize");
  std::string image(size, '\0');
  n.check(n.GetCUBIN(p, image.data()), "nvrtcGetCUBIN");
  n.check(n.GetPTXSize(p, &size), "nvrtcGetPTXSize");
  std::string ptx(size, '\0');
  n.check(n.GetPTX(p, ptx.data()), "nvrtcGetPTX");

  json about;
  about["kernels"] = json::array();
  for (const compiled_kernel& k : kernels_in_ptx(ptx)) about["kernels"].push_back(to_json(k));
  about["expressions"] = json::object();
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const char* symbol = nullptr;
    n.check(n.GetLoweredName(p, expressions[i].text.c_str(), &symbol), "nvrtcGetLoweredName");
    about["expressions"][options.name_expressions[i]] = symbol;
  }
  std::set<std::string> headers;
  add_headers(source, {}, searched_folders(options), headers);
  const cache::kept_file kept{std::move(image), about.dump(-1, ' ', false, json::error_handler_t::replace)};
  cache::keep(name_of_entry, kept, ".cubin", {headers.begin(), headers.end()}, began);
  return from_kept(kept, false);
}

const compiled_kernel* find_kernel(const device_code& code, std::string_view asked_for) {
  const cuda_on_cpu::kernel_name asked = cuda_on_cpu::parse_kernel_name(asked_for);
  const auto expression = code.symbol_of.find(std::string(asked_for));
  if (expression != code.symbol_of.end()) {
    const auto made = std::find_if(code.kernels.begin(), code.kernels.end(),
                                   [&](const compiled_kernel& k) { return k.symbol == expression->second; });
    return made == code.kernels.end() ? nullptr : &*made;
  }
  const std::vector<impl::parameter_description> types = impl::parameters_in(asked.parameters.value_or(""));
  std::vector<const compiled_kernel*> found = kernels_called(code, asked);
  std::erase_if(found, [&](const compiled_kernel* k) {
    return asked.parameters &&
           !std::equal(types.begin(), types.end(), k->parameters.begin(), k->parameters.end(),
                       [](const auto& a, const auto& b) { return a.text() == b.text(); });
  });
  if (found.size() > 1) {
    throw error(fmt::format("several kernels are called '{}': name one with its parameters: {}", asked_for,
                            signatures(found)));
  }
  return found.empty() ? nullptr : found.front();
}

std::string expression_for(const device_code& code, const std::string& asked_for) {
  const cuda_on_cpu::kernel_name asked = cuda_on_cpu::parse_kernel_name(asked_for);
  if (!asked.arguments.empty()) return asked_for;
  const std::vector<const compiled_kernel*> named = kernels_called(code, asked);
  if (!asked.parameters || named.empty()) return "";
  const std::string& name = named.front()->name;
  const bool is_only =
      name.find('(') == std::string::npos &&  // of an unnamed namespace
      std::all_of(named.begin(), named.end(), [&](const auto* k) { return k->name == name; });
  return fmt::format("{}{}", is_only ? name : asked.name, *asked.parameters);
}

std::string why_no_kernel(const device_code& code, std::string_view asked_for) {
  const cuda_on_cpu::kernel_name asked = cuda_on_cpu::parse_kernel_name(asked_for);
  const std::vector<const compiled_kernel*> named = kernels_called(code, asked);
  if (asked.parameters && !named.empty()) {
    return fmt::format("no kernel is '{}': there {} {}", asked_for, named.size() == 1 ? "is" : "are",
                       signatures(named));
  }
  std::vector<const compiled_kernel*> all;
  all.reserve(code.kernels.size());
  for (const compiled_kernel& k : code.kernels) all.push_back(&k);
  return fmt::format(
      "no kernel is called '{}': there {} {}; of a template an instance is named, such as '{}<float>'",
      asked.name, all.size() == 1 ? "is" : "are", all.empty() ? "none" : signatures(all), asked.name);
}

}  // namespace heddle::gpu
