"""A launch is said in the kernel's parameters: a name that the host has for something else is not taken for one."""

import pytest

from layoutalg.errors import LaunchError
from layoutalg.judge.source import launches

KERNEL = "__global__ void k(float* x, int n) {}\n"
PARAMETERS = ("x", "n")


def test_a_host_s_variable_of_a_parameter_s_name_is_the_host_s() -> None:
    (one,) = launches(KERNEL + "void f(float* x, int m) { int n = 5; k<<<n, 256>>>(x, m); }")
    assert one.named(one.grid, PARAMETERS) == ["5"]
    (one,) = launches(KERNEL + "void f(float* x, int m) { k<<<n, 256>>>(x, m); }")
    with pytest.raises(LaunchError, match="n is no argument of k"):
        one.named(one.grid, PARAMETERS)


def test_a_parameter_of_the_host_is_not_what_another_function_defines() -> None:
    other = "void g() { const int threads = 256; }\n"
    (one,) = launches(KERNEL + other + "void f(float* x, int m, int threads) { k<<<m, threads>>>(x, m); }")
    assert one.named(one.grid, PARAMETERS) == ["n"]
    with pytest.raises(LaunchError, match="threads is no argument of k"):
        one.named(one.block, PARAMETERS)


def test_a_call_that_is_passed_is_the_parameter() -> None:
    text = (
        "void f(at::Tensor x) { const int t = 64; k<<<(x.size(0) + t - 1) / t, t>>>(x.data_ptr<float>(), x.size(0)); }"
    )
    (one,) = launches(KERNEL + text)
    assert (one.named(one.grid, PARAMETERS), one.named(one.block, PARAMETERS)) == (["(n + 64 - 1) // 64"], ["64"])
