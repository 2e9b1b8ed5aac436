"""Matrix instructions as C: one device function each, on the elements that a lane holds.

| family    | written as                                                             |
|-----------|------------------------------------------------------------------------|
| MFMA      | `__builtin_amdgcn_mfma_…(a, b, c, 0, 0, 0)`                            |
| WMMA      | `__builtin_amdgcn_wmma_…(a, b, c)`                                     |
| … scaled  | `__builtin_amdgcn_mfma_scale_…(a, b, c, formats, 0, s, 0, t)`, 0 for s and t: unscaled |
| gfx1250's | `__builtin_amdgcn_wmma_…(0, a, 0, b, 0, c, 0, 0)`: no signs, no reuse  |
| … scaled  | `__builtin_amdgcn_wmma_scale_…(format, a, format, b, 0, c, 0, 0, s, 0, 0, t, 0, 0)` |
| … f8      | `__builtin_amdgcn_wmma_…(a, b, 0, c, 0, 0)`                            |
| mma.sync  | inline PTX: fragments as 32-bit registers, two 16-bit elements in each |
| wgmma     | inline PTX: two matrix descriptors, and sums in registers              |

The vectors' types are those that clang's builtins take: bfloat16 as `short` but for the newest, and eight bits in
words, or as `long` where MFMA takes eight elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from layoutalg.kernel.access.matrix_loads import MatrixLoad
from layoutalg.kernel.program.fragments import HELD, one_of
from layoutalg.kernel.program.names import operation_name, vector_type
from layoutalg.layout import LayoutError
from layoutalg.target.dtypes import DTYPES, dtype_of
from layoutalg.target.operand import MatrixInstruction, OperandMap
from layoutalg.target.transposed import TRANSPOSED

SCALED_FORMATS = ("fp8", "bf8", "fp6", "bf6", "fp4")
"""Of what a product with scales takes, by the fields' numbers (CDNA 4 ISA, cbsz and blgp)."""

_INLINE = "static __device__ inline __attribute__((always_inline))"
_HEAD = f"{_INLINE} void"


COPIES = """\
// Copies 16 bytes from memory to LDS; where not inside, memory is not read and LDS gets zeros. NVIDIA's copies
// arrive by await_copies(), which leaves so many groups, the newest ones, under way; others are done where they stand.
#if defined(__NVPTX__) || defined(__CUDA_ARCH__)
static __device__ inline __attribute__((always_inline)) void copy_to_lds(void* lds, const void* memory) {
    const unsigned there = (unsigned)(__SIZE_TYPE__)(__attribute__((address_space(3))) void*)lds;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(there), "l"(memory) : "memory");
}
static __device__ inline __attribute__((always_inline)) void copy_to_lds(void* lds, const void* memory, bool inside) {
    const unsigned there = (unsigned)(__SIZE_TYPE__)(__attribute__((address_space(3))) void*)lds;
    const unsigned size = inside ? 16 : 0;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(there), "l"(memory), "r"(size) : "memory");
}
static __device__ inline __attribute__((always_inline)) void copy_inside_to_lds(
    void* lds, __UINTPTR_TYPE__ at, bool inside
) {
    const unsigned there = (unsigned)(__SIZE_TYPE__)(__attribute__((address_space(3))) void*)lds;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16;"
                 " @!p st.shared.v4.b32 [%0], {%3, %3, %3, %3}; }"
        : : "r"(there), "l"(at), "r"((unsigned)inside), "r"(0) : "memory");
}
static __device__ inline __attribute__((always_inline)) void commit_copies() {
    asm volatile("cp.async.commit_group;" : : : "memory");
}
template <int groups> static __device__ inline __attribute__((always_inline)) void await_copies() {
    asm volatile("cp.async.wait_group %0;" : : "n"(groups) : "memory");
}
#else
typedef unsigned Copied __attribute__((ext_vector_type(4)));
static __device__ inline __attribute__((always_inline)) void copy_to_lds(
    void* lds, const void* memory, bool inside = true
) {
    *(Copied*)lds = inside ? *(const Copied*)memory : (Copied)(0);
}
static __device__ inline __attribute__((always_inline)) void copy_inside_to_lds(
    void* lds, __UINTPTR_TYPE__ at, bool inside
) {
    *(Copied*)lds = inside ? *(const Copied*)at : (Copied)(0);
}
static __device__ inline __attribute__((always_inline)) void commit_copies() {}
template <int groups> static __device__ inline __attribute__((always_inline)) void await_copies() {}
#endif
"""
"""The device functions of asynchronous copies."""

RANGED = """\
// Loads 16 bytes at first + along where both are inside, else zeros: by gfx9's buffers, that load nothing out of their
// range, without a branch. What stands for an outside is added, so that a loop moves along without asking for both.
template <typename Words> static __device__ inline __attribute__((always_inline)) Words load_inside(
    const void* memory, unsigned first, bool first_inside, unsigned along, bool along_inside
) {
#if defined(__gfx942__) || defined(__gfx950__)
    auto from = __builtin_amdgcn_make_buffer_rsrc((void*)memory, 0, 0x7ffffff0, 0x00020000);
    const unsigned at = (first_inside ? first : 0x80000000) + (along_inside ? along : 0x7ffffff0);
    return __builtin_bit_cast(Words, __builtin_amdgcn_raw_buffer_load_b128(from, at, 0, 0));
#else
    return first_inside & along_inside ? *(const Words*)((const char*)memory + (first + along)) : (Words)(0);
#endif
}
"""
"""The device function of ranged loads: a descriptor's words are its base, its 2³¹ − 16 bytes, and flags of raw buffers
of dwords (CDNA 3 ISA, "Buffer Resource Descriptor").

| first is    | along is     | their sum is              | in range, which is below 2³¹ − 16           |
|-------------|--------------|---------------------------|---------------------------------------------|
| inside      | inside       | the load's offset         | yes: tensors end there at the latest        |
| inside      | 2³¹ − 16     | 2³¹ − 16 to 2³² − 32      | no                                          |
| 2³¹         | inside       | 2³¹ to 2³² − 32           | no                                          |
| 2³¹         | 2³¹ − 16     | 2³² − 16                  | no, and the 16 bytes end at 2³²             |
"""


ONCE = """\
// Loads what is not loaded again: by NVIDIA's load that says so to its caches, where it is 16 bytes.
template <typename Words> static __device__ inline __attribute__((always_inline)) Words load_once(const Words* memory) {
#if defined(__NVPTX__) || defined(__CUDA_ARCH__)
    if constexpr (sizeof(Words) == 16) {
        typedef unsigned Copied __attribute__((ext_vector_type(4)));
        Copied v;
        asm("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(memory));
        return __builtin_bit_cast(Words, v);
    }
#endif
    return *memory;
}
"""
"""The device function of loads that are not repeated."""


PRODUCTS_IN_LDS = """\
// Products of tiles in LDS run beside the thread. begin_products(): sums in registers are theirs from here on;
// await_products(): of all but so many groups they are the thread's again. publish_lds(): what the thread has written
// to LDS may be read by them, after a barrier. operand_at(): a tile's matrix descriptor, swizzled in 1024 bytes.
static __device__ inline __attribute__((always_inline)) void publish_lds() {
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}
static __device__ inline __attribute__((always_inline)) unsigned long long operand_at(const void* lds, int leading) {
    const unsigned there = (unsigned)(__SIZE_TYPE__)(__attribute__((address_space(3))) const void*)lds;
    return (unsigned long long)((there & 0x3ffff) >> 4) | (unsigned long long)(leading >> 4) << 16 | 64ull << 32
        | 1ull << 62;
}
static __device__ inline __attribute__((always_inline)) void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" : : : "memory");
}
static __device__ inline __attribute__((always_inline)) void commit_products() {
    asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory");
}
template <int count> static __device__ inline __attribute__((always_inline)) void hold(float* c) {
    #pragma unroll
    for (int i = 0; i < count; ++i) asm volatile("" : "+f"(c[i]) : : "memory");
}
template <int groups> static __device__ inline __attribute__((always_inline)) void await_products() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(groups) : "memory");
}
"""
"""The device functions around instructions that take their operands from LDS; of NVIDIA's alone."""


def matrix_load_source(load: MatrixLoad, element: str) -> str:
    """The device function by which a wave reads rows of elements together.

    Of AMD's the pointer is `__restrict`: clang awaits loads to LDS before a read of which it knows no type and no scope
    (LLVM, SIInsertWaitcnts; Triton's AMD backend gives such reads scopes, too).
    """
    kind = vector_type(element, load.elements)
    pointer = "const void* __restrict lds" if load.name in TRANSPOSED else "const void* lds"
    head = f"{_INLINE} {kind} {matrix_load_name(load)}({pointer}) {{"
    if load.name in TRANSPOSED:
        builtin, c, count = _TRANSPOSING[load.name]
        return "\n".join((
            f"// One wave: {load.group} lanes side by side each name a row of {load.elements}, and get a column.",
            head,
            f"    typedef {c} Words __attribute__((ext_vector_type({count})));",
            "    auto there = (__attribute__((address_space(3))) Words*)lds;",
            f"    return __builtin_bit_cast({kind}, __builtin_amdgcn_{builtin}(there));",
            "}\n",
        ))  # fmt: skip
    trans = ".trans" if load.name.endswith(".trans") else ""
    return "\n".join(
        (
            "// One warp: four matrices of 8 x 8 elements, a row at each lane's address.",
            head,
            "    typedef unsigned Words __attribute__((ext_vector_type(4)));",
            "    const unsigned there = (unsigned)(__SIZE_TYPE__)(__attribute__((address_space(3))) const void*)lds;",
            "    unsigned x, y, z, w;",
            f'    asm volatile("ldmatrix.sync.aligned.m8n8.x4{trans}.shared.b16 {{%0, %1, %2, %3}}, [%4];"',
            '        : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(there) : "memory");',
            f"    return __builtin_bit_cast({kind}, (Words){{x, y, z, w}});",
            "}\n",
        )
    )


def matrix_load_name(load: MatrixLoad) -> str:
    """The name of the device function.

    >>> from layoutalg.kernel.access.matrix_loads import MATRIX_LOADS
    >>> matrix_load_name(MATRIX_LOADS["ldmatrix.trans"]), matrix_load_name(MATRIX_LOADS["ds_read_b64_tr_b16"])
    ('load_matrices_trans', 'load_transposed')
    """
    if load.name in TRANSPOSED:
        return "load_transposed"
    return "load_matrices_trans" if load.name.endswith(".trans") else "load_matrices"


_TRANSPOSING: Mapping[str, tuple[str, str, int]] = {
    "ds_read_b64_tr_b16": ("ds_read_tr16_b64_v4i16", "short", 4),
    "ds_read_b64_tr_b8": ("ds_read_tr8_b64_v2i32", "int", 2),
}
"""clang's builtin of an instruction, and the words that it gives (LLVM, BuiltinsAMDGPU)."""


def operation_source(instruction: MatrixInstruction, dtype: str, scaled: bool = False) -> str:
    """The device function that multiplies one fragment: c ← c + a·b in the lanes of a wave, `scaled` by blocks or not.

    LayoutError where the instruction takes other elements, or is of a family that is not written here.
    """
    kinds = {dtype_of(kind).name if kind != "any" else kind for kind in (instruction.a_dtype, instruction.b_dtype)}
    if kinds != {dtype} or instruction.accumulator != "f32":
        raise LayoutError(f"{instruction.name} multiplies {instruction.a_dtype}, not {dtype} with f32 sums")
    for prefix, write in _FAMILIES:
        if instruction.name.startswith(prefix):
            return _scaled(instruction) if scaled else write(instruction)
    raise LayoutError(f"{instruction.name}: only MFMA, WMMA, mma.sync and wgmma are emitted")


def _builtin(instruction: MatrixInstruction, given: str, scales: bool = False) -> str:
    kind = dtype_of(instruction.a_dtype)
    element = kind.c
    bits = instruction.bits
    kept = "short" if bits else element
    read = "__builtin_bit_cast(short, {})" if bits else "{}"
    each, sums = _count(instruction.a), _count(instruction.d)
    lines = [
        f"// One wave: {instruction.m} x {instruction.n} x {instruction.k}; a lane's elements as its operand maps say.",
        f"{_HEAD} {operation_name(instruction)}(const {element}* a, const {element}* b, float* c"
        f"{', const unsigned char* s, const unsigned char* t' if scales else ''}) {{",
        f"    typedef float Sums __attribute__((ext_vector_type({sums})));",
    ]
    if each > 1:
        lines += [
            f"    typedef {kept} Held __attribute__((ext_vector_type({each})));",
            "    Held x, y;",
            "    #pragma unroll",
            f"    for (int i = 0; i < {each}; ++i) {{ x[i] = {read.format('a[i]')}; y[i] = {read.format('b[i]')}; }}",
        ]
    x, y = ("x", "y") if each > 1 else ("a[0]", "b[0]")
    if kind.bits == 8:
        whole = "long" if each == 8 and instruction.name.startswith("mfma_") else "Words"
        vector = f"    typedef int {whole} __attribute__((ext_vector_type({each // 4})));"
        lines += [vector] if whole != "long" else []
        x, y = (f"__builtin_bit_cast({whole}, {one})" for one in (x, y))
    lines += [
        "    Sums z;",
        "    #pragma unroll",
        f"    for (int i = 0; i < {sums}; ++i) z[i] = c[i];",
        f"    z = __builtin_amdgcn_{instruction.name.partition('.')[0]}({given.format(a=x, b=y, c='z')});",
        "    #pragma unroll",
        f"    for (int i = 0; i < {sums}; ++i) c[i] = z[i];",
        "}",
    ]
    return "\n".join(lines) + "\n"


def _mma_sync(instruction: MatrixInstruction) -> str:
    element, one = DTYPES[instruction.a_dtype].c, one_of(instruction)
    a, b, sums = _count(one.a) // 2, _count(one.b) // 2, _count(one.d)
    times = _count(instruction.b) // 2 // b

    def places(start: int, count: int) -> str:
        return "{" + ", ".join(f"%{start + i}" for i in range(count)) + "}"

    d = places(0, sums)
    operands = ", ".join((d, places(sums, a), places(sums + a, b), d))
    lines = [
        f"// One warp: {instruction.m} x {instruction.n} x {instruction.k}; two elements in each 32-bit register.",
        f"{_HEAD} {operation_name(instruction)}(const {element}* a, const {element}* b, float* c) {{",
        f"    typedef {element} Pair __attribute__((ext_vector_type(2)));",
        f"    unsigned x[{a}], y[{times * b}];",
        "    #pragma unroll",
        f"    for (int i = 0; i < {a}; ++i) {{ Pair p = {{a[2 * i], a[2 * i + 1]}}; "
        "x[i] = __builtin_bit_cast(unsigned, p); }",
        "    #pragma unroll",
        f"    for (int i = 0; i < {times * b}; ++i) {{ Pair p = {{b[2 * i], b[2 * i + 1]}}; "
        "y[i] = __builtin_bit_cast(unsigned, p); }",
    ]
    for n in range(times):
        inputs = [f'"r"(x[{i}])' for i in range(a)] + [f'"r"(y[{n * b + i}])' for i in range(b)]
        outputs = ", ".join(f'"+f"(c[{n * sums + i}])' for i in range(sums))
        lines += [f'    asm("{one.name} {operands};"', f"        : {outputs}", f"        : {', '.join(inputs)});"]
    return "\n".join((*lines, "}\n"))


def _wgmma(instruction: MatrixInstruction) -> str:
    if instruction.name.endswith(HELD):
        return _wgmma_held(instruction)
    sums = _count(instruction.d)
    d = "{" + ", ".join(f"%{i}" for i in range(sums)) + "}"
    outputs = ", ".join(f'"+f"(c[{i}])' for i in range(sums))
    return "\n".join((
        f"// One warpgroup: {instruction.m} x {instruction.n} x {instruction.k}, from LDS; rows along k, or not.",
        "template <int a_turned, int b_turned> static __device__ inline __attribute__((always_inline))",
        f"void {operation_name(instruction)}(unsigned long long a, unsigned long long b, float* c) {{",
        '    asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0; "',
        f'        "{instruction.name} {d}, %{sums}, %{sums + 1}, p, 1, 1, %{sums + 2}, %{sums + 3}; }}"',
        f"        : {outputs}",
        '        : "l"(a), "l"(b), "n"(a_turned), "n"(b_turned) : "memory");',
        "}\n",
    ))  # fmt: skip


def _wgmma_held(instruction: MatrixInstruction) -> str:
    element, sums, pairs = DTYPES[instruction.a_dtype].c, _count(instruction.d), _count(instruction.a) // 2
    d, a = ("{" + ", ".join(f"%{start + i}" for i in range(n)) + "}" for start, n in ((0, sums), (sums, pairs)))
    outputs = ", ".join(f'"+f"(c[{i}])' for i in range(sums))
    inputs = ", ".join(f'"r"(x[{i}])' for i in range(pairs))
    b = sums + pairs
    return "\n".join((
        f"// One warpgroup: {instruction.m} x {instruction.n} x {instruction.k}, a in registers, b from LDS.",
        "template <int b_turned> static __device__ inline __attribute__((always_inline))",
        f"void {operation_name(instruction)}(const {element}* a, unsigned long long b, float* c) {{",
        f"    typedef {element} Pair __attribute__((ext_vector_type(2)));",
        f"    unsigned x[{pairs}];",
        "    #pragma unroll",
        f"    for (int i = 0; i < {pairs}; ++i) {{ Pair p = {{a[2 * i], a[2 * i + 1]}}; "
        "x[i] = __builtin_bit_cast(unsigned, p); }",
        '    asm volatile("{ .reg .pred p; setp.eq.u32 p, 0, 0; "',
        f'        "{one_of(instruction).name} {d}, {a}, %{b}, p, 1, 1, %{b + 1}; }}"',
        f"        : {outputs}",
        f'        : {inputs}, "l"(b), "n"(b_turned) : "memory");',
        "}\n",
    ))  # fmt: skip


def _formats(instruction: MatrixInstruction) -> tuple[int, ...]:
    return tuple(SCALED_FORMATS.index(kind) for kind in (instruction.a_dtype, instruction.b_dtype))


def _unscaled(instruction: MatrixInstruction) -> str:
    """A product with scales, of which it takes none: constants of 0 are not read (LLVM, SIInstrInfo.td)."""
    a, b = _formats(instruction)
    return _builtin(instruction, f"{{a}}, {{b}}, {{c}}, {a}, {b}, 0, 0, 0, 0")


def _scaled(instruction: MatrixInstruction) -> str:
    """A product with scales: byte 0 of a lane's registers of them, or all bytes of the lower half of the lanes."""
    assert instruction.scales is not None
    a, b = _formats(instruction)
    if instruction.scales.held_by == "lanes":
        return _builtin(instruction, f"{{a}}, {{b}}, {{c}}, {a}, {b}, 0, s[0], 0, t[0]", scales=True)
    count = 4 * instruction.scales.registers
    word, part = ("int", "unsigned") if count == 4 else ("long", "unsigned long")
    s, t = (f"({word})({' | '.join(f'({part}){one}[{k}] << {8 * k}' for k in range(count))})" for one in "st")
    return _builtin(instruction, f"{a}, {{a}}, {b}, {{b}}, (short)0, {{c}}, 0, 0, {s}, 0, 0, {t}, 0, 0", scales=True)


def _count(operand: OperandMap) -> int:
    return int(operand.element.hi) + 1


_FAMILIES: tuple[tuple[str, Callable[[MatrixInstruction], str]], ...] = (
    ("mfma_scale_", _unscaled),
    ("wmma_scale_", _scaled),
    ("mfma_", lambda i: _builtin(i, "{a}, {b}, {c}, 0, 0, 0")),
    ("wmma_f32_16x16x32_", lambda i: _builtin(i, "0, {a}, 0, {b}, (short)0, {c}, 0, 0")),
    ("wmma_f32_16x16x64_", lambda i: _builtin(i, "{a}, {b}, (short)0, {c}, 0, 0")),
    ("wmma_f32_16x16x128_", lambda i: _builtin(i, "{a}, {b}, (short)0, {c}, 0, 0")),
    ("wmma_", lambda i: _builtin(i, "{a}, {b}, {c}")),
    ("mma.sync", _mma_sync),
    ("wgmma", _wgmma),
)
