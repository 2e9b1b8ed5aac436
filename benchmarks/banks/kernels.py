"""The source of a program that performs given LDS accesses, one a kernel launch, and nothing else.

Every instruction has one kernel: a wave takes its addresses from the kernel's arguments, executes the instruction once,
and ends (a read's result is compared with a number, so that the compiler keeps it).  A profiler's counter for a launch
is therefore the cost of that one access.  The program reads a file with one access a line, `kernel address address …`,
and launches them in order.

| backend | compiled by | instruction written as                    |
|---------|-------------|-------------------------------------------|
| cuda    | nvcc        | PTX, `ld.shared.v4.b32`; SASS has LDS.128 |
| hip     | hipcc       | GCN assembly, `ds_read_b128`              |
"""

from collections.abc import Mapping
from dataclasses import dataclass

LDS_BYTES = 48 * 1024


@dataclass(frozen=True)
class Kernel:
    """A kernel that executes one instruction."""

    instruction: str
    access: str  # read | write
    width: int  # bytes a lane
    body: str

    @property
    def name(self) -> str:
        return self.instruction.replace(".", "_")


def _cuda(access: str, width: int) -> Kernel:
    registers = max(1, width // 4)
    kind = {1: "u8", 2: "u16", 4: "b32", 8: "v2.b32", 16: "v4.b32"}[width]
    first = 0 if access == "read" else 1
    values = ", ".join(f"%{first + i}" for i in range(registers))
    values = f"{{{values}}}" if registers > 1 else values
    names = [f"r[{i}]" for i in range(registers)]
    if access == "read":
        text = f"ld.shared.{kind} {values}, [%{registers}];"
        operands = f': {", ".join(f"=r({n})" for n in names)} : "r"(address)'.replace("=r(", '"=r"(')
    else:
        text = f"st.shared.{kind} [%0], {values};"
        operands = ': : "r"(address), ' + ", ".join(f'"r"({n})' for n in names) + ' : "memory"'
    return Kernel(f"{'ld' if access == 'read' else 'st'}.shared.{8 * width}", access, width, f'"{text}" {operands}')


def _hip(access: str, width: int) -> Kernel:
    suffix = {1: "u8", 2: "u16"}.get(width, f"b{8 * width}") if access == "read" else f"b{8 * width}"
    name = f"ds_{access}_{suffix}"
    if access == "read":
        return Kernel(name, access, width, f'"{name} %0, %1\\n" WAIT : "=v"(v) : "v"(address)')
    return Kernel(name, access, width, f'"{name} %0, %1\\n" WAIT : : "v"(address), "v"(v) : "memory"')


KERNELS: Mapping[str, tuple[Kernel, ...]] = {
    backend: tuple(make(access, width) for access in ("read", "write") for width in widths)
    for backend, make, widths in (("cuda", _cuda, (1, 2, 4, 8, 16)), ("hip", _hip, (1, 2, 4, 8, 12, 16)))
}

VECTOR = {1: "unsigned", 2: "Vector2", 3: "Vector3", 4: "Vector4"}
_KERNEL = {
    "cuda": """__global__ void {name}(Access access, unsigned *out) {{
    unsigned address = (unsigned)__cvta_generic_to_shared(lds) + access.address[threadIdx.x];
    unsigned r[{registers}];
    for (int i = 0; i < {registers}; ++i) r[i] = threadIdx.x + i;
    asm volatile({body});
    unsigned sum = 0;
    for (int i = 0; i < {registers}; ++i) sum ^= r[i];
    if (sum == 0x5c) *out = sum;
}}
""",
    "hip": """__global__ void {name}(Access access, unsigned *out) {{
    unsigned address = (unsigned)(unsigned long long)lds + access.address[threadIdx.x];
    {vector} v = threadIdx.x;
    asm volatile({body});
    unsigned sum = 0;
    for (int i = 0; i < {registers}; ++i) sum ^= ((unsigned *)&v)[i];
    if (sum == 0x5c) *out = sum;
}}
""",
}

_HEADER = {
    "cuda": "#include <cuda_runtime.h>\n#define GPU(name) cuda##name\n",
    "hip": """#include <hip/hip_runtime.h>
#define GPU(name) hip##name
""",
}

_DEVICE = {
    "cuda": "",
    "hip": """typedef unsigned Vector2 __attribute__((ext_vector_type(2)));
typedef unsigned Vector3 __attribute__((ext_vector_type(3)));
typedef unsigned Vector4 __attribute__((ext_vector_type(4)));
#if defined(__GFX12__)
#define WAIT "s_wait_dscnt 0x0"
#else
#define WAIT "s_waitcnt lgkmcnt(0)"
#endif
""",
}

_KERNELS = """{types}
struct Access {{ unsigned address[{lanes}]; }};
extern __shared__ unsigned char lds[];

{kernels}"""

_PROGRAM = """// Written by benchmarks/banks/kernels.py.
{header}#include <cstdio>
#include <cstdlib>

static void check(int status, const char *what) {{
    if (status != 0) {{ fprintf(stderr, "%s: error %d\\n", what, status); exit(1); }}
}}

{kernels}
typedef void (*Kernel)(Access, unsigned *);
static const Kernel kernels[] = {{{names}}};

int main(int argc, char **argv) {{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : nullptr;
    if (!file) {{ fprintf(stderr, "give the file of accesses\\n"); return 1; }}
    unsigned *out;
    check(GPU(Malloc)(&out, 4), "malloc");
    unsigned kernel;
    for (long line = 0; fscanf(file, "%u", &kernel) == 1; ++line) {{
        Access access;
        for (int lane = 0; lane < {lanes}; ++lane)
            if (fscanf(file, "%u", &access.address[lane]) != 1) {{
                fprintf(stderr, "line %ld is short\\n", line);
                return 1;
            }}
        kernels[kernel]<<<1, {lanes}, {bytes}>>>(access, out);
        check(GPU(GetLastError)(), "launch");
        check(GPU(DeviceSynchronize)(), "run");
    }}
    return 0;
}}
"""


def device_code(backend: str, lanes: int, linkage: str = "") -> str:
    """The kernels alone: `cuda` or `hip`, for waves of this many lanes; `linkage` stands before each."""
    text = "\n".join(
        linkage
        + _KERNEL[backend].format(name=k.name, registers=(n := max(1, k.width // 4)), vector=VECTOR[n], body=k.body)
        for k in KERNELS[backend]
    )
    return _KERNELS.format(types=_DEVICE[backend], lanes=lanes, kernels=text)


def program(backend: str, lanes: int) -> str:
    """The whole program that executes accesses from a file."""
    return _PROGRAM.format(
        header=_HEADER[backend], lanes=lanes, kernels=device_code(backend, lanes),
        names=", ".join(k.name for k in KERNELS[backend]), bytes=LDS_BYTES,
    )  # fmt: skip


def global_program(lanes: int) -> str:
    """The same of global memory, on CUDA."""
    text = program("cuda", lanes)
    for old, new in (
        ("ld.shared.", "ld.global."), ("st.shared.", "st.global."), ('"r"(address)', '"l"(address)'),
        ("unsigned address = (unsigned)__cvta_generic_to_shared(lds)", "unsigned long long address = (size_t)out"),
        ("(&out, 4)", f"(&out, {LDS_BYTES + 16})"),
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    return text


if __name__ == "__main__":
    import sys

    print(program(sys.argv[1], int(sys.argv[2])))
