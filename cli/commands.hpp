#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

/// The subcommands. Each adds itself and its options to the command line; what it does runs when it was
/// named.
namespace heddle::cli {

/// Thrown where a subcommand has said all there is to say and ends with this status.
struct ended {
  int status;
};

void add_bench(CLI::App& app);
void add_cache(CLI::App& app);
void add_check(CLI::App& app);
void add_completion(CLI::App& app);
void add_fft(CLI::App& app);
void add_histogram(CLI::App& app);
void add_info(CLI::App& app);
void add_laplace(CLI::App& app);
void add_lbm(CLI::App& app);
void add_life(CLI::App& app);
void add_mandelbrot(CLI::App& app);
void add_manual(CLI::App& app);
void add_matmul(CLI::App& app);
void add_pi(CLI::App& app);
void add_random(CLI::App& app);
void add_reduce(CLI::App& app);
void add_run(CLI::App& app);
void add_scan(CLI::App& app);
void add_sort(CLI::App& app);
void add_transform(CLI::App& app);
void add_view(CLI::App& app);

/// Of `transform -a**2 …` the expression is none of the options: puts a blank before it, where it is the
/// first word that belongs to none.
void keep_expression_from_options(const CLI::App& app, std::vector<std::string>& words);

/// Runs heddle-nvcc, this command by another name, with the words of a command line of nvcc; returns its
/// status.
int run_as_nvcc(std::vector<std::string> words);

/// Of a program that heddle-nvcc has built makes a `check` of it, with options of HEDDLE_CHECK_OPTIONS. Of
/// `check PROGRAM.cu -- ARGUMENTS...` what follows the mark is the program's own: takes it out. Of -std=S, as
/// compilers have it, makes --std=S.
void take_program_arguments(std::vector<std::string>& words);

}  // namespace heddle::cli
