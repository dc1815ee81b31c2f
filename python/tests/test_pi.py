"""Pi against Philox in plain Python, and against the command."""

import math

import pytest

import heddle


def philox(counter, key):
    """Philox4x32-10 (Salmon et al. 2011)."""
    x = [counter >> 32 * i & 0xFFFFFFFF for i in range(4)]
    k = [key & 0xFFFFFFFF, key >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * x[0], 0xCD9E8D57 * x[2]
        x = [b >> 32 ^ x[1] ^ k[0], b & 0xFFFFFFFF, a >> 32 ^ x[3] ^ k[1], a & 0xFFFFFFFF]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return x


def in_disc(seed, samples):
    inside = 0
    for k in range(samples):
        bits = philox(k // 2, seed)[2 * (k % 2):][:2]
        inside += sum((2 * u + 1) ** 2 for u in bits) < 4**33
    return inside


@pytest.mark.parametrize("samples", [1, 2, 7, 1001, 20000])
@pytest.mark.parametrize("seed", [0, 2**63 + 5])
def test_points(samples, seed, where):
    have = heddle.pi(samples, seed=seed, target=where)
    assert have.inside == in_disc(seed, samples) and have.samples == samples
    share = have.inside / samples
    assert have.value == 4 * share
    assert have.standard_error == pytest.approx(4 * math.sqrt(share * (1 - share) / samples), rel=1e-12)


@pytest.mark.parametrize("target", ["serial", "parallel:2"])
def test_digits_are_those_of_the_command(target, command):
    lines = command("pi", "--samples", "5000000", "--seed", 3, "--target", target).splitlines()
    have = heddle.pi(5e6, seed=3, target=target)
    assert lines[0].split()[-1] == f"{have.value:.12f}" and lines[1].split()[-1] == f"{have.standard_error:.2e}"
    assert abs(have.value - math.pi) < 5 * have.standard_error


@pytest.mark.parametrize("arguments", [{"samples": 0}, {"samples": 1.5}, {"samples": -3}, {"seed": -1}, {"seed": 2**64}, {"samples": 2**64}])
def test_what_is_wrong_is_named(arguments):
    with pytest.raises(ValueError):
        heddle.pi(**{"samples": 10, **arguments})
