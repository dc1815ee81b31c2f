# Says that what a user compiles is not optimised, where no build type was named: the library is, their own operators are not.
if(NOT HEDDLE_ALLOW_UNOPTIMISED AND NOT heddle_FIND_QUIETLY AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES
   AND NOT CMAKE_CXX_FLAGS MATCHES "-O([1-3sz]|fast)?( |$)")
  # Text that begins with a space stays on one line.
  message(WARNING " heddle: CMAKE_BUILD_TYPE is empty, so your own operators are not optimised and run many times slower: "
    "configure with -DCMAKE_BUILD_TYPE=Release, or with -DHEDDLE_ALLOW_UNOPTIMISED=ON to silence this")
endif()
