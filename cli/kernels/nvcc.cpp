#include "checker/build/built_program.hpp"
#include "checker/build/compiler_command.hpp"
#include "cli/commands.hpp"
#include "cli/files/standard_output.hpp"
#include <heddle/error.hpp>
#include <heddle/kernel_cache.hpp>
#include <heddle/support/atomic_file.hpp>
#include <heddle/support/process.hpp>
#include <heddle/support/temporary_folder.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using action = checker::compiler_command::action;

void write_file(const std::string& path, const std::string& bytes) {
  atomic_file out(path);
  out.write(bytes.data(), bytes.size());
  out.commit();
}

/// As `make` reads names.
std::string escaped(const std::string& path) {
  std::string result;
  for (const char c : path) {
    if (c == ' ' || c == '#') result += '\\';
    result += c;
  }
  return result;
}

void write_dependencies(const checker::compiler_command& c, const std::string& object,
                        const std::vector<std::string>& files_read) {
  std::string text = escaped(c.dependencies_target.empty() ? object : c.dependencies_target) + ":";
  for (const std::string& file : files_read) {
    std::error_code ignored;
    if (fs::exists(file, ignored)) text += " \\\n  " + escaped(file);
  }
  write_file(c.dependencies.empty() ? fs::path(object).replace_extension(".d").string() : c.dependencies,
             text + "\n");
}

std::string compile_one(const checker::compiler_command& c, const cuda_on_cpu::source_file& source,
                        const std::string& object) {
  const cuda_on_cpu::object_file made = cuda_on_cpu::compile_object(source, c.options);
  write_file(object, made.bytes);
  if (c.writes_dependencies) write_dependencies(c, object, made.files_read);
  return object;
}

void archive(const checker::compiler_command& c, const std::vector<std::string>& objects) {
  const fs::path ar = find_program("ar");
  if (ar.empty()) throw error("ar, which puts objects into a library, is not installed");
  std::error_code ignored;
  fs::remove(c.output, ignored);
  std::vector<std::string> words{ar.string(), "rcs", fs::absolute(c.output).string()};
  for (const std::string& object : objects) words.push_back(fs::absolute(object).string());
  const process_result done = run_program(words, fs::current_path());
  if (done.status != 0) throw error(fmt::format("{} cannot be made: {}", c.output, done.err));
}

void build(checker::compiler_command c) {
  if (c.does == action::version) {
    print(
        fmt::format("nvcc: NVIDIA (R) Cuda compiler driver, in whose place heddle-nvcc makes programs that "
                    "check themselves "
                    "(Heddle {})\nCuda compilation tools, release 13.0, "
                    "V13.0.48\n",
                    HEDDLE_VERSION));
    return;
  }
  if (c.does == action::preprocess || c.does == action::dependencies)
    throw error("preprocessing alone is not supported: -c compiles, and -MD writes what is read");
  if (c.sources.empty() && c.linked.empty()) throw error("no files are named");
  if (c.does == action::compile) {
    if (c.sources.empty()) throw error("no source is named");
    if (!c.output.empty() && c.sources.size() > 1)
      throw error("-o with -c and several sources: each has an object of its own");
    for (const cuda_on_cpu::source_file& source : c.sources) {
      const std::string own = fs::path(source.path).filename().replace_extension(".o").string();
      compile_one(c, source, c.output.empty() ? own : c.output);
    }
    return;
  }
  const temporary_folder work(temporary_place(), "heddle-nvcc-");
  if (c.does == action::link_device) {
    // Code of the device is linked with that of the host.
    const std::string nothing = (work.path() / "nothing.c").string();
    write_file(nothing, "");
    c.options.is_program = false;
    compile_one(c, {nothing, cuda_on_cpu::source_language::c, {}}, c.output.empty() ? "a_dlink.o" : c.output);
    return;
  }
  std::vector<std::string> objects;
  for (const cuda_on_cpu::source_file& source : c.sources)
    objects.push_back(compile_one(c, source, (work.path() / fmt::format("{}.o", objects.size())).string()));
  if (c.does == action::archive) {
    objects.insert(objects.end(), c.linked.begin(), c.linked.end());
    if (c.output.empty()) c.output = "a.a";
    archive(c, objects);
    return;
  }
  checker::compile_options link = c.options;
  link.link_words.insert(link.link_words.begin(), objects.begin(), objects.end());
  checker::write_built_program(c.output.empty() ? "a.out" : c.output, cuda_on_cpu::link_objects(link));
}

/// A folder in which CMake finds a toolkit: its headers and libraries are empty, since this command has its
/// own and leaves out those that it is given.
fs::path stand_in_of_toolkit(const fs::path& command) {
  const fs::path folder = inspect_kernel_cache().folder.parent_path() / "toolkit-13.0";
  const auto add = [&](const fs::path& file) {
    if (std::error_code ignored; fs::exists(folder / file, ignored)) return;
    fs::create_directories((folder / file).parent_path());
    write_file((folder / file).string(), "");
  };
  for (const char* const header : {"cuda_runtime.h", "cuda_runtime_api.h", "cublas_v2.h"})
    add(fs::path("include") / header);
  for (const std::string_view library : checker::libraries_of_toolkit())
    add(fs::path("lib64") / fmt::format("lib{}.{}", library, library.ends_with("_static") ? "a" : "so"));
  std::error_code is_there;
  fs::create_directories(folder / "bin");
  fs::remove(folder / "bin" / "nvcc", is_there);
  fs::create_symlink(command, folder / "bin" / "nvcc", is_there);
  return folder;
}

/// Prints the lines that CMake reads from nvcc -v: where headers and libraries are, for which GPU code is
/// made, and what links programs, which is this command again.
void describe_steps() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  const fs::path top = stand_in_of_toolkit(here / "heddle-nvcc");
  print_error(
      fmt::format("#$ NVVMIR_LIBRARY_DIR={1}/nvvm/libdevice\n#$ TOP={1}\n#$ PATH={0}\n#$ INCLUDES=\n"
                  "#$ LIBRARIES=  \"-L{0}\"\n#$ cicc -arch compute_90\n"
                  "#$ {0}/heddle-nvcc -o \"a.out\"   \"-L{0}\"\n",
                  here.string(), top.string()));
}

}  // namespace

int run_as_nvcc(std::vector<std::string> words) {
  try {
    if (std::find(words.begin(), words.end(), "-v") != words.end()) describe_steps();
    build(checker::read_compiler_command(std::move(words)));
  } catch (const std::exception& wrong) {
    print_error(fmt::format("heddle-nvcc: {}\n", wrong.what()));
    return 1;
  }
  return 0;
}

}  // namespace heddle::cli
