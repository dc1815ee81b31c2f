#include "checker/build/built_program.hpp"

#include "cuda_on_cpu/compile/source_names.hpp"
#include <heddle/error.hpp>
#include <heddle/support/atomic_file.hpp>
#include <heddle/support/named_stream.hpp>

#include <cstring>
#include <filesystem>
#include <string_view>

#include <elf.h>
#include <fmt/format.h>

namespace heddle::checker {
namespace {

namespace fs = std::filesystem;

template <class T>
bool read_at(std::string_view bytes, std::size_t at, T& into) {
  if (at > bytes.size() || bytes.size() - at < sizeof into) return false;
  std::memcpy(&into, bytes.data() + at, sizeof into);
  return true;
}

/// The bytes of a section by its name; empty when there is none.
std::string_view section_of(std::string_view library, std::string_view name) {
  Elf64_Ehdr header{};
  Elf64_Shdr of_names{};
  if (!read_at(library, 0, header) ||
      !read_at(library, header.e_shoff + header.e_shstrndx * sizeof of_names, of_names))
    return {};
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    if (!read_at(library, header.e_shoff + i * sizeof section, section)) return {};
    const std::size_t at = of_names.sh_offset + section.sh_name;
    if (at >= library.size() || library.substr(at, name.size()) != name || library[at + name.size()] != '\0')
      continue;
    if (section.sh_offset > library.size()) return {};
    return library.substr(section.sh_offset, section.sh_size);
  }
  return {};
}

}  // namespace

void write_built_program(const std::string& path, const std::string& module) {
  // What the system reads of a script's first line.
  constexpr std::size_t longest_line = 255;
  const std::string command = fs::read_symlink("/proc/self/exe").string();
  const std::string line = fmt::format("#!{} {}\n", command, runs_built_program);
  if (line.size() > longest_line || command.find(' ') != std::string::npos)
    throw error(
        fmt::format("{}: programs that are started by a command with blanks or more than {} letters in "
                    "its path cannot be made: install it elsewhere",
                    command, longest_line));
  {
    atomic_file out(path);
    out.write(line.data(), line.size());
    out.write(module.data(), module.size());
    out.commit();
  }
  using fs::perms;
  fs::permissions(path, perms::owner_exec | perms::group_exec | perms::others_exec, fs::perm_options::add);
}

compilation read_built_program(const std::string& path) {
  const std::string all = cuda_on_cpu::read_source(path);
  const std::size_t end = all.find('\n');
  const std::string module = end == std::string::npos ? "" : all.substr(end + 1);
  if (!all.starts_with("#!") || !module.starts_with(ELFMAG))
    throw error(fmt::format("{}: not a program that heddle-nvcc has built", shown_path(path)));
  return cuda_on_cpu::linked_compilation(module, section_of(module, "heddle_about"));
}

}  // namespace heddle::checker
