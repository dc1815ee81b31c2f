#pragma once

/// All of Heddle but the textbook methods (textbook.hpp). A program that uses one pattern compiles faster
/// with that pattern's header.
#include <heddle/any.hpp>
#include <heddle/any_array.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/argmin.hpp>
#include <heddle/array.hpp>
#include <heddle/copy_if.hpp>
#include <heddle/error.hpp>
#include <heddle/fft.hpp>
#include <heddle/for_each_index.hpp>
#include <heddle/gather.hpp>
#include <heddle/histogram.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/io/png.hpp>
#include <heddle/linear_algebra.hpp>
#include <heddle/lower_bound.hpp>
#include <heddle/operators.hpp>
#include <heddle/random.hpp>
#include <heddle/reduce.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/scan.hpp>
#include <heddle/segmented_reduce.hpp>
#include <heddle/segmented_scan.hpp>
#include <heddle/sort.hpp>
#include <heddle/statistics.hpp>
#include <heddle/stencil.hpp>
#include <heddle/streamed_reduce.hpp>
#include <heddle/streamed_scan.hpp>
#include <heddle/target.hpp>
#include <heddle/top_k.hpp>
#include <heddle/transform.hpp>
#include <heddle/unique.hpp>
