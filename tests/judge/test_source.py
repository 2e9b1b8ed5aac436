"""What of a torch extension is for the GPU, where torch's headers and its build decide nothing of it."""

import pytest

from layoutalg.judge.source import depends

TORCH = "#include <torch/extension.h>\n"
KERNEL = "__global__ void k(float* o) { o[0] = 1; }\n"


@pytest.mark.parametrize(
    "text",
    [
        KERNEL,
        "#ifdef USE_ROCM\n#include <hip/hip_runtime.h>\n#endif\n" + KERNEL,
        "#define B 4\n#if B > 3\n" + KERNEL + "#endif\n",
        "#ifdef __gfx942__\n" + KERNEL + "#endif\n",
        "#ifdef MORE\nat::Tensor f() { k<<<1, 1>>>(); }\n#endif\n" + KERNEL,
    ],
)
def test_what_a_source_decides_itself_is_judged(text: str) -> None:
    assert not depends(TORCH + text)


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(float* o) {\n#ifdef TORCH_EXTENSION_NAME\n o[0] = 1;\n#else\n o[0] = 2;\n#endif\n}",
        "#if !defined(NDEBUG)\n" + KERNEL + "#endif\n",
        "#if 1\n#elif defined(NDEBUG)\n" + KERNEL + "#endif\n",
        "#ifdef USE_ROCM\n#define B 3\n#endif\n" + KERNEL,
        "#ifndef NDEBUG\n#define NDEBUG\n#endif\n#ifdef NDEBUG\n" + KERNEL + "#endif\n",
    ],
)
def test_what_torch_s_build_may_decide_is_not(text: str) -> None:
    assert "torch or its build may define" in depends(TORCH + text)
    assert not depends(text), "a source without torch is compiled as it is"


ANY = "template <class T> __device__ float g(T x) { return 2 * x; }\n__global__ void k(float* o) { o[0] = g(o[0]); }\n"


@pytest.mark.parametrize(
    "left_out",
    [
        "__device__ inline float g(float x) { using at::Tensor; return 1; }",
        "constexpr float g(float x) { return sizeof(at::Half); }",
        "__host__ __device__ float g(float x) { k<<<1, 1>>>(); return 1; }",
        "using T = at::Half;",
        "typedef at::Half T;",
        "template <class U> struct g { at::Half x; };",
        "const int o = at::get();",
    ],
)
def test_what_is_left_out_is_spoken_of_nowhere_else(left_out: str) -> None:
    assert "is left out, as only a host can mean it" in depends(TORCH + ANY + left_out)
    assert "is left out" in depends(ANY + left_out)


@pytest.mark.parametrize(
    "left_out",
    [
        "at::Tensor g(at::Tensor x) { k<<<1, 1>>>(); return x; }",
        "using namespace torch::indexing;",
        "using at::Tensor;",
        "static at::Tensor cache;",
        "struct State { at::Tensor x; };\nvoid f(State s) { k<<<1, 1>>>(s.x.data()); }",
    ],
)
def test_what_only_the_host_can_mean_is_left_out(left_out: str) -> None:
    assert not depends(TORCH + ANY + left_out)
