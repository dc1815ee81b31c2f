#pragma once

namespace heddle::checker {

/// Calls a program's main from a frame that exceptions cannot leave: it is compiled without unwind tables, so
/// that one that the program does not catch ends it where it is thrown, with its stack as it was then. (From
/// a noexcept function code by clang unwinds the stack before it ends the program.)
int call_main(int (*main)(int, char**, char**), int count, char** words);

}  // namespace heddle::checker
