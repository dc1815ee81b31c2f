#pragma once

#include <string>
#include <string_view>

namespace heddle::cli {

/// Keeps the numbers of closed standard streams from being given to files that are opened later. Called
/// first.
void reserve_standard_streams();

/// Writes `text` to standard output and returns once it has been taken; throws heddle::error when it has not.
/// Writes to standard error once standard output is kept for data.
void print(std::string_view text);

/// From here on only data go to standard output, which who has them writes.
void keep_standard_output_for_data() noexcept;

/// Whether it is.
bool is_kept_for_data() noexcept;

/// From here on nothing is printed, on neither stream: of ranks the first speaks for all. `print_everything`
/// takes it back, for one that has to say why it ends.
void print_nothing() noexcept;
void print_everything() noexcept;
/// Whether that is so.
bool prints_nothing() noexcept;

/// While one of these lives, what others print to standard output goes to standard error, if standard output
/// is kept for data.
class printing_beside_data {
 public:
  printing_beside_data();
  ~printing_beside_data();
  printing_beside_data(const printing_beside_data&) = delete;
  printing_beside_data& operator=(const printing_beside_data&) = delete;

 private:
  int data_ = -1;  // a duplicate of standard output
};

/// Whether the file of this name is what standard output goes to; the null device never is.
bool is_standard_output(const std::string& path) noexcept;

/// Writes `text` to standard error, or nothing where that cannot be written to.
void print_error(std::string_view text) noexcept;

}  // namespace heddle::cli
