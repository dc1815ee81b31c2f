# cmake -D OUTPUT=FILE.cpp -D FOLDER=… -D "FILES=a.html;b.js" -P embed.cmake: the files of the page as arrays in a source.
set(arrays "")
set(entries "")
set(number 0)
foreach(file IN LISTS FILES)
  file(READ "${FOLDER}/${file}" bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND arrays "constexpr unsigned char file_${number}[] = {${bytes}};\n")
  cmake_path(GET file EXTENSION LAST_ONLY ending)
  set(path "/${file}")
  if(file STREQUAL "index.html")
    set(path "/")
  endif()
  if(ending STREQUAL ".html")
    set(type "text/html; charset=utf-8")
  elseif(ending STREQUAL ".css")
    set(type "text/css; charset=utf-8")
  elseif(ending STREQUAL ".js")
    set(type "text/javascript; charset=utf-8")
  elseif(ending STREQUAL ".svg")
    set(type "image/svg+xml")
  else()
    message(FATAL_ERROR "${file}: no media type is known for it")
  endif()
  string(APPEND entries "    {\"${path}\", \"${type}\", {reinterpret_cast<const char*>(file_${number}), sizeof file_${number}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "#include \"viewer/page_files.hpp\"

namespace heddle::viewer {
namespace {

${arrays}
}  // namespace

std::span<const page_file> page_files() noexcept {
  static const page_file all[] = {
${entries}  };
  return all;
}

}  // namespace heddle::viewer
")
