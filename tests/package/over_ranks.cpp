// A program of another project on heddle::distributed: alone, or under mpirun.
#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>

#include <cstdio>
#include <numeric>

int main() {
  namespace hd = heddle;
  const hd::ranks all = hd::ranks::world();
  all.run([&] {
    hd::distributed_array<long> x(all, {1'000});
    hd::for_each_index(all, x, [](long& e, std::size_t i) { e = static_cast<long>(i); });
    const long total = hd::reduce(all, hd::inclusive_scan(all, x));
    const hd::any_value largest =
        hd::reduce(all, hd::any_distributed_array(std::move(x)), hd::runtime_op::maximum);
    if (all.rank() == 0) std::printf("%d ranks: %ld %ld\n", all.size(), total, largest.as<long>());
  });
}
