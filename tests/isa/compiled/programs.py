"""Kernels drawn at random that load, store and update in every way, some lanes at a time, and sometimes out of bounds.

Each is a list of lines of HIP over one block: bytes of its own in memory and in LDS for each lane, so that no two
lanes race, and places that all lanes update by atomic operations whose order does not tell.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

#: Bytes of each lane in a tensor and in LDS, threads of a block, and words that all lanes update.
OWN, THREADS, SHARED = 64, 96, 8

#: What is loaded and stored: types with their bytes.
TYPES = {
    "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4, "long": 8, "i2": 8, "i3": 12,
    "i4": 16, "s2": 4, "half2": 4,
}  # fmt: skip

HEAD = """
#include <hip/hip_runtime.h>
typedef int i2 __attribute__((ext_vector_type(2)));
typedef int i3 __attribute__((ext_vector_type(3)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef short s2 __attribute__((ext_vector_type(2)));
typedef _Float16 half2_t __attribute__((ext_vector_type(2)));
#define half2 half2_t
template <class T> __device__ unsigned low(T x) {
  unsigned sum = 0; unsigned char bytes[sizeof(T)]; __builtin_memcpy(bytes, &x, sizeof(T));
  for (int k = 0; k < (int)sizeof(T); k++) sum = sum * 31 + bytes[k];
  return sum;
}
template <class T> __device__ T made(unsigned x) {
  unsigned char bytes[sizeof(T)];
  for (int k = 0; k < (int)sizeof(T); k++) { bytes[k] = x >> 24; x = x * 1664525u + 1013904223u; }
  T found; __builtin_memcpy(&found, bytes, sizeof(T)); return found;
}
template <class T> __device__ T* at(void* bytes, int place) { return (T*)((char*)bytes + place); }
"""

#: Types of a word, and atomic operations on it that leave the same in any order: a kernel has those of one row.
UPDATES = (
    ("unsigned", ("atomicAdd", "atomicSub")),
    *((word, (name,)) for word in ("unsigned", "unsigned long long")
      for name in ("atomicMin", "atomicMax", "atomicAnd", "atomicOr", "atomicXor")),
    *(("int", (name,)) for name in ("atomicMin", "atomicMax")),
    ("unsigned long long", ("atomicAdd",)),
)  # fmt: skip

#: Those whose results a lane keeps, of words of its own.
ASKED = ("atomicAdd", "atomicExch", "atomicMin", "atomicXor", "atomicOr")


def lines(draw: random.Random) -> Iterator[str]:
    """Some statements, each of the lanes that a condition lets."""
    update = draw.choice(UPDATES)
    for _ in range(draw.randint(6, 12)):
        condition = draw.choice(("true", f"t % {draw.randint(2, 5)} == 1", f"x >> {draw.randint(0, 20)} & 1", "t > 63"))
        yield f"if ({condition}) {{ {_done(draw, update)} }}"


def _done(draw: random.Random, update: tuple[str, tuple[str, ...]]) -> str:
    kind = draw.choice(("load", "store", "load", "store", "update", "asked", "either"))
    space = draw.choice(("g", "s"))
    if kind == "update":
        word, operations = update
        return f"{draw.choice(operations)}(({word}*)all_{space} + (x & {SHARED // 2 - 1}), ({word})(x >> 3));"
    if kind == "asked":
        place = draw.randrange(0, OWN, 4)
        return f"x += {draw.choice(ASKED)}(at<unsigned>({space}, t * {OWN} + {place}), x | 1);"
    name = draw.choice([*TYPES])
    size = TYPES[name]
    place = f"t * {OWN} + {draw.randrange(0, OWN // size) * size if size != 12 else draw.choice((0, 16, 32))}"
    if kind == "either":  # which of the spaces is known when it runs: a flat access
        return f"x ^= low(*at<volatile int>(x & 1 ? g : (void*)s, t * {OWN} + {draw.randrange(0, OWN, 4)}));"
    where = f"*at<{name}>({space}, {place})"
    return f"x ^= low({where});" if kind == "load" else f"{where} = made<{name}>(x + {draw.randint(0, 99)});"


def kernel(name: str, draw: random.Random) -> str:
    """A kernel of two tensors: each lane's bytes with what all update behind them, and what each lane has at last."""
    body = "\n  ".join(lines(draw))
    return f"""
extern "C" __global__ void {name}(unsigned char* g, unsigned* out) {{
  __shared__ __attribute__((aligned(16))) unsigned char s[{OWN * THREADS}];
  __shared__ unsigned long long all_s[{SHARED}];
  unsigned t = threadIdx.x, x = t * 2654435761u;
  unsigned long long* all_g = (unsigned long long*)(g + {OWN * THREADS});
  for (int k = 0; k < {OWN}; k += 4) *at<int>(s, t * {OWN} + k) = t * 77 + k;
  if (t < {SHARED}) all_s[t] = t * 1234567891011ull;
  __syncthreads();
  {body}
  __syncthreads();
  for (int k = 0; k < {OWN}; k += 4) x = x * 31 + *at<int>(s, t * {OWN} + k);
  out[t] = x + (t < {SHARED} ? low(all_s[t]) : 0);
}}
"""
