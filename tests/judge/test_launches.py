"""A launch is said in the kernel's parameters: by what C would make of its text, or it is not read."""

import pytest

from layoutalg.errors import LaunchError
from layoutalg.interop.parameters import KernelParameter
from layoutalg.judge.contract import StatedLaunch, sizes
from layoutalg.judge.launches import kernels, launches, otherwise

KERNEL = "__global__ void k(float* x, float* o, int n) { const int threads = 256; }\n"
PARAMETERS = (KernelParameter("x", 8, points=True), KernelParameter("o", 8, points=True), KernelParameter("n", 4))
NAMES = ("x", "o", "n")
HEAD = "void f(float* x, float* o, int n) "
BLOCKS = "(n + 256 - 1) // 256"


def read(text: str) -> tuple[list[str], list[str]]:
    """The grid and the block of the only launch."""
    (one,) = launches(KERNEL + text)
    one.check(PARAMETERS, kernels(KERNEL + text, "k"))
    return one.named(one.grid, NAMES), one.named(one.block, NAMES)


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "{ const int b = 256; k<<<(n + b - 1) / b, b>>>(x, o, n); }",
        HEAD + "{ unsigned b(256u); int g = (n + b - 1) / b; k<<<g, dim3(b)>>>(x, o, n); }",
        HEAD + "{ dim3 g((n + 256 - 1) / 256), b; dim3 c{256}; k<<<(n + 256 - 1) / 256, c>>>(x, o, n); }",
        "#define B 256\n" + HEAD + "{ hipLaunchKernelGGL(k, (n + B - 1) / B, B, 0, 0, x, o, n); }",
        "void g() { int b = 64; b = 3; } void h(int b) {}\n"
        + HEAD
        + "{ int b = 256; k<<<(n + b - 1) / b, b>>>(x, o, n); }",
        "namespace a { constexpr int b = 256; " + HEAD + "{ k<<<(n + b - 1) / b, b>>>(x, o, n); } }",
        "int up(int a, int b) { return (a + b - 1) / b; }\n"
        + HEAD
        + "{ int b = 256; int c = up(n, b); k<<<(n + b - 1) / b, b>>>(x, o, n); }",
        "void f(at::Tensor x, at::Tensor o) { const int b = 256; int m = x.numel();"
        " k<<<(m + b - 1) / b, b>>>(x.data_ptr<float>(), o.data_ptr<float>(), x.numel()); }",
        HEAD + "{ const int b = 256, g = (n + b - 1) / b; float* p = o; k<<<g, b>>>(x, p, n); }",
        "#define CHECK(v) TORCH_CHECK(v.is_cuda())\n#define LOOP(i, n) for (int i = 0; i < (n); i += 4)\n"
        + HEAD
        + "{ int b = 256; CHECK(x); if (n > 0) k<<<(n + b - 1) / b, b>>>(x, o, n); else return; }",
        "void f(float* in, float* out, int n) { int b = 256; { int b = 2; } k<<<(n + b - 1) / b, b>>>(in, out, n); }",
    ],
)
def test_launches_are_read(text: str) -> None:
    assert read(text) == ([BLOCKS], ["256"])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("template <int threads> " + HEAD + "{ k<<<n, threads>>>(x, o, n); }", "threads is no argument"),
        ("short threads = 64; " + HEAD + "{ k<<<n, threads>>>(x, o, n); }", "threads is no argument"),
        (HEAD + "{ auto [threads, more] = pick(n); k<<<n, threads>>>(x, o, n); }", "threads is no argument"),
        (HEAD + "{ if (n) { int t = 64; } k<<<n, t>>>(x, o, n); }", "t is no argument"),
        (
            HEAD + "{ dim3 g((n + 255) / 256); if (n > 9) g(n); else g = dim3(1); k<<<g, 256>>>(x, o, n); }",
            "g may be changed",
        ),
        (HEAD + "{ int t = 256; tune(t); k<<<n, t>>>(x, o, n); }", "t may be changed"),
        (HEAD + "{ int t = 256; int& s = t; s = 1; k<<<n, t>>>(x, o, n); }", "t may be changed"),
        (HEAD + "{ int t = 256; best(&t, k); k<<<n, t>>>(x, o, n); }", "t may be changed"),
        ("int t = 256; " + HEAD + "{ k<<<n, t>>>(x, o, n); }", "t may be changed"),
        (HEAD + "{ int g = (n + 255) / 256; n = n * 2; k<<<g, 256>>>(x, o, n); }", "n is changed"),
        (HEAD + "{ static int g = (n + 255) / 256; k<<<g, 256>>>(x, o, n); }", "n is no argument"),
        (HEAD + "{ k<<<n, 0100>>>(x, o, n); }", "'0100' is not read"),
        (HEAD + "{ k<<<static_cast<unsigned char>(n), 256>>>(x, o, n); }", "is no argument|not read"),
        (HEAD + "{ k<<<2 * n + 1, 256>>>(x, o, n + 1); }", "n is no argument"),
        (HEAD + "{ k<<<n > 9 ? n : 9, 256>>>(x, o, n); }", "is not read"),
        (HEAD + "{ for (int i = 0; i < n; i += 256) k<<<1, 256>>>(x, o, i); }", "started in a loop"),
        (HEAD + "{ while (n) { k<<<1, 256>>>(x, o, n); } }", "started in a loop"),
        (HEAD + "{ k<<<n, 256>>>(x + 4, o, n); }", "no whole tensor"),
        (HEAD + "{ auto p = o + 4; k<<<n, 256>>>(x, p, n); }", "no whole tensor"),
        (HEAD + "{ k<<<n, 256>>>(x, x, n); }", "passes x for x and for o"),
        (HEAD + "{ k<<<n, 256>>>(o, x, n); }", "passes o for x"),
        ("#if 0\n" + HEAD + "{ k<<<n, 256>>>(x, o, n); }\n#endif\n", "a compiler may leave it out"),
        ("#ifdef FAST\n#define T 64\n#endif\n" + HEAD + "{ k<<<n, T>>>(x, o, n); }", "T is not defined once"),
        (KERNEL + HEAD + "{ k<<<n, 256>>>(x, o, n); }", "2 kernels of the name k"),
        (HEAD + "{ dim3 g(n, 1); std::swap(g.x, g.y); k<<<g, 256>>>(x, o, n); }", "g may be changed"),
        (HEAD + "{ int g = n; (g) = 1; k<<<g, 256>>>(x, o, n); }", "g may be changed"),
        ("#define HALVE(v) v /= 2\n" + HEAD + "{ int g = n; HALVE(g); k<<<g, 256>>>(x, o, n); }", "g may be changed"),
        ("#define HALVE g /= 2;\n" + HEAD + "{ int g = n; HALVE; k<<<g, 256>>>(x, o, n); }", "g may be changed"),
        ("template <class T> T max(T a, T b);\n" + HEAD + "{ k<<<max(n, 4), 256>>>(x, o, n); }", "max is no argument"),
        ("#define dim3 half\n" + HEAD + "{ k<<<dim3(n, 4), 256>>>(x, o, n); }", "dim3 is the source's own"),
        ("using half = double;\n" + HEAD + "{ k<<<n, sizeof(half) * 32>>>(x, o, n); }", "sizeof is no argument"),
        ("typedef short unsigned;\n" + HEAD + "{ k<<<unsigned(n), 1>>>(x, o, n); }", "unsigned is the source's own"),
        ("struct S { const int g = 4; S(int n) : g(n) {} " + HEAD + "{ k<<<g, 1>>>(x, o, n); } };", "g is no argument"),
        ("#define TWICE for (int i = 0; i < 2; ++i)\n" + HEAD + "{ TWICE k<<<n, 1>>>(x, o, n); }", "another statement"),
        (HEAD + "{ n > 5 ? k<<<n, 1>>>(x, o, n) : (void)0; }", "another statement"),
        (HEAD + "{ again: k<<<n, 1>>>(x, o, n); if (--n) goto again; }", "started in a loop"),
        (HEAD + "{ float* p = x + 4; k<<<n, 1>>>(p, o, n); }", "no whole tensor"),
        (HEAD + "{ float* p{x + 4}; float* q = p; k<<<n, 1>>>(q, o, n); }", "no whole tensor"),
        (HEAD + "{ float* p = o; float* q = x; k<<<n, 1>>>(p, q, n); }", "passes o for x"),
        (HEAD + "{ x += 4; k<<<n, 1>>>(x, o, n); }", "no whole tensor"),
        (
            "void f(at::Tensor x, at::Tensor o) { o = o.slice(0, 1); k<<<1, 1>>>(x.data(), o.data(), 1); }",
            "no whole tensor",
        ),
        ("void f(at::Tensor x, at::Tensor o) { k<<<1, 1>>>(x.sum().data(), o.data(), 1); }", "no whole tensor"),
    ],
)
def test_what_may_be_something_else_is_not_read(text: str, why: str) -> None:
    with pytest.raises(LaunchError, match=why):
        read(text)


def test_a_definition_is_of_the_names_of_its_place() -> None:
    grid, _ = read("const int n = 4; const int g = n * 8; " + HEAD + "{ k<<<g, 256>>>(x, o, n); }")
    assert grid == ["4 * 8"]


def test_a_tensor_of_another_type_is_not_the_kernel_s() -> None:
    text = "void f(at::Tensor x) { k<<<1, 1>>>((float*)x.data_ptr<at::Half>()); }"
    (one,) = launches(text)
    with pytest.raises(LaunchError, match="which is of f32"):
        one.check((KernelParameter("x", 8, "f32", points=True),), 1)
    one.check((KernelParameter("x", 8, "f16", points=True),), 1)


def test_a_macro_is_put_in_its_place_as_it_is() -> None:
    grid, _ = read("#define HALF 512 - 256\n" + HEAD + "{ k<<<(n + 255) / HALF, 256>>>(x, o, n); }")
    assert grid == ["(n + 255) // 512 - 256"]


def test_a_size_that_is_a_number_is_one() -> None:
    (one,) = launches(KERNEL + HEAD + "{ int m = 1024; k<<<(m + 255) / 256, 256>>>(x, o, m); }")
    assert (one.number("m"), one.named(one.grid, NAMES)) == (1024, ["(1024 + 255) // 256"])


@pytest.mark.parametrize("how", ["auto* p = k; p<<<1, 1>>>(x);", "hipLaunchKernel((void*)k, 1, 1, a, 0, 0);"])
def test_a_kernel_may_be_started_by_a_pointer(how: str) -> None:
    assert "by a pointer" in otherwise(KERNEL + HEAD + "{" + how + "}", "k")
    assert not otherwise(KERNEL + HEAD + "{ k<<<n, 256>>>(x, o, n); }", "k")


@pytest.mark.parametrize(
    "how",
    ["go(k, n);", "auto q{k};", "auto q(k);", "auto q = n ? k : k;", "(k)<<<1, 1>>>(x);", "k<\\\n<<1, 1>>>(x);",
     "hipExtLaunchKernelGGL(k, 1, 1, 0, 0, 0, 0, 0, x);"],
)  # fmt: skip
def test_a_kernel_that_is_named_elsewhere_may_be_started_there(how: str) -> None:
    read = "void g(float* x, float* o, int n) { k<<<n, 256>>>(x, o, n); }"
    assert "by a pointer" in otherwise(KERNEL + HEAD + "{" + how + "}\n" + read, "k")


@pytest.mark.parametrize(
    "beside",
    ["template __global__ void k<float>(float*, float*, int);", "__global__ void k(float*, float*, int);",
     "void g() { for (int k = 0; k < 5; ++k) more(k); }", "__global__ void other(int* y, int k) { y[0] = k; }",
     "void g() { hipFuncSetAttribute((void*)k, hipFuncAttributeMaxDynamicSharedMemorySize, 65536); }"],
)  # fmt: skip
def test_a_name_is_no_start(beside: str) -> None:
    assert not otherwise(KERNEL + beside + "\n" + HEAD + "{ k<<<n, 256>>>(x, o, n); }", "k")


@pytest.mark.parametrize("macro", ["GO(t) \\\n  k<<<n, t>>>(x, o, n)", "OTHER k", "GO(a, b) a##b<<<1, 1>>>(x)"])
def test_a_macro_may_start_a_kernel(macro: str) -> None:
    assert "a macro starts k" in otherwise(f"{KERNEL}#define {macro}\n", "k")


@pytest.mark.parametrize("leaves", ["return", "throw 1", "exit(0)"])
def test_a_launch_that_is_not_always_come_to_is_told(leaves: str) -> None:
    (one,) = launches(HEAD + "{ if (n != 1024) " + leaves + "; k<<<n, 1>>>(x, o, n); }")
    assert one.condition


def test_a_template_is_started_with_its_arguments() -> None:
    text = "const int t = 64; void f() { k<t, float><<<1, 1>>>(); }"
    (one,) = launches(text)
    assert one.instantiates(("64", "float"))
    assert one.instantiates(("128", "float")) is False
    assert one.instantiates(("64", "float", "4")) is None
    assert one.instantiates(("64", "int")) is None  # another name may be of another type
    assert one.instantiates(("true", "float")) is None
    (deduced,) = launches("void f(at::Tensor x) { k<<<1, 1>>>(x.data_ptr<float>()); }")
    assert deduced.instantiates(("float",))
    (deduced,) = launches("void f(double* x) { k<<<1, 1>>>(x); }")
    assert deduced.instantiates(("float",)) is None


def test_a_host_s_variable_of_a_parameter_s_name_is_the_host_s() -> None:
    assert read("void f(float* x, float* o, int m) { int n = 5; k<<<n, 256>>>(x, o, m); }")[0] == ["5"]
    with pytest.raises(LaunchError, match="n is no argument of k"):
        read("void f(float* x, float* o, int m) { k<<<n, 256>>>(x, o, m); }")


def test_a_parameter_of_the_host_is_not_what_another_function_defines() -> None:
    other = "void g() { const int threads = 256; }\n"
    with pytest.raises(LaunchError, match="threads is no argument of k"):
        read(other + "void f(float* x, float* o, int m, int threads) { k<<<m, threads>>>(x, o, m); }")


TWO = "__global__ void k(float* x, float* o, int rows, int cols) {}\nvoid f(at::Tensor x, at::Tensor o) "
GIVEN = "k<<<1, 1>>>(x.data(), o.data(), rows, cols);"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (TWO + "{ int rows = x.size(0), cols = x.size(1); " + GIVEN + "}", ""),
        (TWO.replace("at::Tensor o", "at::Tensor o, int rows, int cols") + "{" + GIVEN + "}", ""),
        (TWO + "{ int rows = x.size(1), cols = x.size(0); " + GIVEN + "}", "gives rows for rows: of tensors"),
        (TWO + "{ int rows = x.size(0), cols = x.size(1); rows -= 1; " + GIVEN + "}", "gives rows for rows, which"),
        (TWO + "{ int rows = x.size(0), cols = x.size(1); std::swap(rows, cols); " + GIVEN + "}", "rows for rows"),
        (TWO + "{ int rows, cols = x.size(1); rows = x.size(0) - 1; " + GIVEN + "}", "gives rows for rows, which"),
        (TWO + "{ short rows = x.size(0); int cols = x.size(1); " + GIVEN + "}", "gives rows for rows, which"),
        (TWO + "{ int rows = least(x), cols = x.size(1); " + GIVEN + "}", "gives rows for rows, which"),
        (TWO.replace("at::Tensor o", "at::Tensor o, int rows, int cols") + "{ --rows; " + GIVEN + "}", "rows for rows"),
        (TWO.replace("at::Tensor o", "at::Tensor o, int cols, int rows")
         + "{" + GIVEN.replace("rows, cols", "cols, rows") + "}", "gives cols for rows"),
    ],
)  # fmt: skip
def test_sizes_are_those_of_tensors_or_given_to_the_host(text: str, why: str) -> None:
    (one,) = launches(text)
    parameters = (*PARAMETERS[:2], KernelParameter("rows", 4, "i32"), KernelParameter("cols", 4, "i32"))
    said = StatedLaunch({"x": "rows, cols", "o": "rows, cols"})
    if not why:
        assert not sizes(one, said, parameters)
        return
    with pytest.raises(LaunchError, match=why):
        sizes(one, said, parameters)
