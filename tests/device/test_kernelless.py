"""A source without a kernel says why, by its text before and after the preprocessor."""

import pytest

from layoutalg.device.kernelless import why_no_kernel

GLOBAL = "__attribute__((global))"
BOUNDS = "__attribute__((launch_bounds(256, 2)))"
COMMENT = "/* __global__ void k() {} */\n// #if 0\n\n"


@pytest.mark.parametrize("text", ["", " \n\n", COMMENT])
def test_an_empty_source(text):
    assert why_no_kernel("k.hip", text, "").startswith("k.hip: the source is empty: write a kernel")


def test_no_kernel_at_all():
    assert why_no_kernel("k.hip", "int f();" + COMMENT, "") == (
        "k.hip: the source holds no kernel: no function in it is __global__"
    )


@pytest.mark.parametrize(
    ("text", "place", "by"),
    [
        ("#ifndef DEVICE\n#if 1\n#endif\n__global__ void k();\n#endif", 4, "'#ifndef DEVICE' in line 1"),
        ("#if A\n#elif B // so\n__global__ void k();\n#endif", 3, "'#elif B' in line 2"),
        ("#if A\n#  if B\n#  else\n__global__ void k();\n#  endif\n#endif", 4, "'#  else' in line 3"),
        ("#define K __global__\n/*\n*/\n#if A\n__global__ void k();\n#endif", 5, "'#if A' in line 4"),
        ("#define K __global__ \\\n\n", 1, ""),
    ],
)
def test_what_the_preprocessor_leaves_out_names_the_condition(text, place, by):
    said = why_no_kernel("k.hip", text, "")
    if by:
        assert said == f"k.hip:{place}: no kernel comes out: all are left out by {by}, where the device's code is made"
    else:
        assert said.startswith("k.hip: the source holds no kernel")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"template <typename T> {GLOBAL} {BOUNDS} void k(T* a) {{ }}", "k is a template that nothing instantiates"),
        (f"template <int N>\n{GLOBAL} void {BOUNDS} k(int* a) {{ }}", "k is a template that nothing instantiates"),
        (f"struct A {{ int b; }}; {GLOBAL} void k(int* a);", "k is declared and not defined"),
        (f"template <> {GLOBAL} void k<int>(int* a);", "k is declared and not defined"),
    ],
)
def test_kernels_that_come_to_nothing_say_why(text, reason):
    preprocessed = f'# 1 "k.hip"\n# 1 "in.h" 1\nint x;\n# 7 "k.hip" 2\n{text}\n'
    line = 7 + text[: text.index("void")].count("\n")
    assert why_no_kernel("k.hip", "", preprocessed).startswith(f"k.hip:{line}: no kernel comes out: {reason}")


def test_further_kernels_are_counted():
    text = f"template <int N> {GLOBAL} void k() {{ }} template <int N> {GLOBAL} void m() {{ }}"
    assert why_no_kernel("k.hip", "", text).endswith("void k<…>(…); (1 more alike)")
