"""How a kernel is launched, as data: the `[launch]` table of a spec file, whose descriptors are its tensors.

    [launch]
    kernel = "transpose"                                   # the only one of the file, unless said
    grid = ["(M + 63) // 64", "(N + 63) // 64", 1]         # blocks
    block = [256, 1, 1]                                    # threads of a block
    lds = 16384                                            # bytes of LDS that the launch adds, 0 unless said
    arguments = ["x", "o", "M", { name = "alpha", dtype = "f32" }, { unused = true }]
    writes = ["o"]                                         # all others are only read
    assume = ["0 <= index[i] < N"]                         # what memory holds
    initially = ["count[i] == 0"]                          # and what is also written holds when it begins
    points = { rows = "row" }                              # each element of `rows` is the address of a `row`
    computes = ["o[j, i] = alpha * x[i, j]"]               # what comes out, for a proof
    tried = ["s[i] = sum[j] x[i, j]"]                      # what comes out, for runs alone

Arguments stand in the code object's order, those left out that the runtime fills in:

| argument                              | is passed as                                                              |
|---------------------------------------|---------------------------------------------------------------------------|
| `"x"`, a descriptor's name            | the address of its first element, the one at index (0, …, 0)               |
| `"M * 4"`, a number or an expression  | its value, in the bytes that the kernel has there                          |
| `{ value = 0.5, dtype = "f32" }`      | a number of that type; `bytes = 4` in place of the type: any of so many    |
| `{ name = "alpha", dtype = "f32" }`   | what the launch is given for it; without a name by its place, from 0 on    |
| `{ unused = true }`                   | nothing: a use of it is seen                                              |
| `{ fields = ["x", { value = "M", bytes = 4 }] }` | a struct by value, each field aligned to its own size           |

`assume` and `initially` say what is in tensors and named values at the start (`formats.assumptions`): the second of
tensors that the kernel may store to.  `claims` are what is claimed of the launch beyond the usual, and `computes` says
what comes out, in equations (`formats.equations`): they are for a proof, and a run leaves them alone.
`points` says of tensors of addresses what lies there: each element is the address of a tensor as a descriptor says, and
two of these are one or apart; that they are apart is said in `assume` (`rows[i] != rows[j] for i != j`).
`each` names sizes of which every value is looked at by itself (`launch.block_sizes`).
`guessed = true` stands in a template until somebody has seen that what it guesses is so; a verdict tells of it.
`tried` says it of tensors of which it need not be proved: where it is not, runs at small sizes are held against it.
What it cannot represent: structs in structs, textures, pointers in what pointers point to.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from layoutalg.formats.equation import Equation
from layoutalg.index import ZERO, Expr, variables
from layoutalg.records import dataclass


@dataclass(frozen=True)
class Pointer:
    """The address of a tensor's first element."""

    descriptor: str


@dataclass(frozen=True)
class Number:
    """The value of an expression or a fraction: of an element type, or of so many bytes (None: as the kernel has)."""

    value: Expr | float
    bytes: int | None = None
    dtype: str | None = None

    @property
    def is_null(self) -> bool:
        """Whether it is 0, which in a pointer's place is none."""
        return self.value is ZERO


@dataclass(frozen=True)
class Given:
    """A value that the launch is given, by a name or, as text, its place."""

    name: str
    bytes: int | None = None
    dtype: str | None = None


@dataclass(frozen=True)
class Unused:
    """Nothing that the kernel may look at."""

    bytes: int | None = None


Field = Pointer | Number | Given | Unused


@dataclass(frozen=True)
class Struct:
    """Fields that lie one after the other, each aligned to its own size, as C lays them out."""

    fields: tuple[Field, ...]


def laid_out(sizes: Sequence[int]) -> tuple[tuple[int, ...], int]:
    """Where fields of so many bytes begin in a struct, and how many bytes it has, as C lays one out.

    A field is aligned to its own size, where that is no power of two to its greatest factor that is one, 16 at most.

    >>> laid_out((4, 8, 1)), laid_out((12, 1))
    (((0, 8, 16), 24), ((0, 12), 16))
    """
    places, end = [], 0
    alignments = [min(size & -size, 16) for size in sizes]
    for size, aligned in zip(sizes, alignments, strict=True):
        places.append(-(-end // aligned) * aligned)
        end = places[-1] + size
    widest = max(alignments, default=1)
    return tuple(places), -(-end // widest) * widest


def between(sizes: list[int], until: int, size: int) -> Iterator[int]:
    """Fields that lie between those of a struct so far and one of so many bytes at a place; `sizes` grows by them.

    >>> list(between([8], 16, 4)), list(between([4], 8, 8))
    ([8], [])
    """
    while laid_out((*sizes, size))[0][-1] != until:
        end = laid_out((*sizes, 1))[0][-1]
        piece = next(n for n in (8, 4, 2, 1) if end % n == 0 and end + n <= until)
        sizes.append(piece)
        yield piece


Argument = Field | Struct


@dataclass(frozen=True)
class AssumedElement:
    """An element of a tensor, and the variable that stands for it; a subscript is an index and a number, or one."""

    variable: Expr
    tensor: str
    subscripts: tuple[Expr, ...]


@dataclass(frozen=True)
class Assumption:
    """What holds when the kernel is launched, wherever all of these elements are in their tensors, of named values too.

    `formats.assumptions` reads it.
    """

    text: str
    holds: Expr
    elements: tuple[AssumedElement, ...] = ()
    values: tuple[tuple[Expr, str], ...] = ()  # variables of named values, and the names

    @property
    def indices(self) -> tuple[Expr, ...]:
        """Those of its elements."""
        inner = variables(*(one for element in self.elements for one in element.subscripts))
        return tuple(v for v in inner if v.value.index)

    @property
    def tensors(self) -> tuple[str, ...]:
        """Those that it speaks of."""
        return tuple(dict.fromkeys(one.tensor for one in self.elements))

    @property
    def alone(self) -> Expr | None:
        """The variable of its only element, where it says the same of each element of the tensor; else None."""
        if len(self.elements) != 1:
            return None
        (one,), said = self.elements, variables(self.holds)
        free = len(set(one.subscripts)) == len(one.subscripts) and all(
            v.op == "var" and v.value.index for v in one.subscripts
        )
        return one.variable if free and not any(v in said for v in one.subscripts) else None


@dataclass(frozen=True)
class Launch:
    """A launch, for all sizes: expressions are over the file's symbols, tensors are named."""

    grid: tuple[Expr, ...]
    block: tuple[Expr, ...]
    lds: Expr
    arguments: tuple[Argument, ...]
    kernel: str | None = None
    writes: tuple[str, ...] = ()
    assume: tuple[Assumption, ...] = ()
    initially: tuple[Assumption, ...] = ()
    points: tuple[tuple[str, str], ...] = ()  # tensors of addresses, and what each of these is the address of
    claims: tuple[str, ...] = ()
    computes: tuple[Equation, ...] = ()
    tried: tuple[Equation, ...] = ()
    line: int | None = None
    each: tuple[str, ...] = ()  # sizes of which each value is looked at by itself
    guessed: bool = False  # nobody has said yet that the host launches it so

    @property
    def assumed(self) -> tuple[Assumption, ...]:
        """All that is assumed when it begins."""
        return (*self.assume, *self.initially)

    @property
    def passed(self) -> tuple[Field, ...]:
        """What is passed, fields of structs in place of the structs."""
        return tuple(part for one in self.arguments for part in (one.fields if isinstance(one, Struct) else (one,)))

    @property
    def tensors(self) -> tuple[str, ...]:
        """The descriptors that are passed, each once."""
        return tuple(dict.fromkeys(one.descriptor for one in self.passed if isinstance(one, Pointer)))

    @property
    def pointees(self) -> tuple[str, ...]:
        """The descriptors of what lies at addresses that tensors hold."""
        return tuple(of for _, of in self.points)

    @property
    def memories(self) -> tuple[str, ...]:
        """All descriptors of its memory: those that are passed, and those that these point to."""
        return (*self.tensors, *self.pointees)

    @property
    def given(self) -> tuple[Given, ...]:
        """The values that it asks for."""
        return tuple(dict.fromkeys(one for one in self.passed if isinstance(one, Given)))
