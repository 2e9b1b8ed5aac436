"""A reference in Python: a function of numpy arrays or torch tensors, whose parameters are called as the kernel's are.

    def reference(x, alpha):
        return alpha * x

It is given the tensors that it names as they are before the launch, and sizes and values by their names; it gives back
the one tensor that it does not name, or a dictionary of tensors by their names.  It is the code of who judges, and is
carried out as such: what a kernel brings is not.

A file that imports torch is given torch's tensors, and says equations too (`layoutalg.judge.exported`). Its reference
may be a module `Model`, made with what `get_init_inputs()` gives, whose weights are the kernel's tensors of
their names.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.meaning.evaluation import Content, evaluated
from layoutalg.audit.trial import NEAR, differing
from layoutalg.errors import LaunchError, first_line
from layoutalg.formats.equations import EquationNames, equation
from layoutalg.formats.model import SpecFile
from layoutalg.index import Expr, all_of
from layoutalg.index.parse import parse
from layoutalg.judge import exported, sizes
from layoutalg.judge.aten import OPERATIONS
from layoutalg.judge.graph import Graph, UnsaidError
from layoutalg.launch.concrete import BoundLaunch
from layoutalg.records import dataclass
from layoutalg.target.dtypes import DTYPES

Array = NDArray[Any]


@dataclass(frozen=True)
class ReferenceFunction:
    """A function of arrays, and the names that it is called with."""

    function: Callable[..., Any]
    parameters: tuple[str, ...]
    path: str
    weights: tuple[str, ...] = ()
    """Of a module of torch's: the paths of its weights."""
    torch: Any = None

    @classmethod
    def of(cls, path: Path) -> ReferenceFunction:
        """The function `reference` of a file, its only one, or its `Model`; LaunchError where there is none."""
        names: dict[str, Any] = {"__name__": "reference"}
        with _told(path):
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
        own = {
            name: one for name, one in names.items()
            if inspect.isfunction(one) and one.__code__.co_filename == str(path) and not name.startswith("_")
        }  # fmt: skip
        imported = any(getattr(one, "__name__", "").partition(".")[0] == "torch" for one in names.values())
        torch = sys.modules["torch"] if imported else None
        if torch is not None and isinstance(names.get("Model"), type):
            with _told(path):
                given = own["get_init_inputs"]() if "get_init_inputs" in own else []
                model = names["Model"](*given).eval()
            weights = tuple(name for name, _ in [*model.named_parameters(), *model.named_buffers()])
            return cls(model, tuple(inspect.signature(model.forward).parameters), str(path), weights, torch)
        wanted = own.get("reference") or (next(iter(own.values())) if len(own) == 1 else None)
        if wanted is None:
            raise LaunchError(f"{path}: no function `reference`; it has {', '.join(own) or 'none'}")
        return cls(wanted, tuple(inspect.signature(wanted).parameters), str(path), torch=torch)

    def writes(self, tensors: Sequence[str]) -> tuple[str, ...]:
        """Of a kernel's tensors those that it does not take; LaunchError where that is none."""
        taken = {*self.parameters, *(exported.weight(path, tensors) for path in self.weights)}
        found = tuple(name for name in tensors if name not in taken)
        if not found:
            raise LaunchError(f"{self.path}: it takes every tensor ({', '.join(tensors)}): leave out what is written")
        return found

    def equations(
        self, tensors: Mapping[str, exported.TakenTensor], writes: Sequence[str], file: SpecFile
    ) -> tuple[str, ...]:
        """What it says of each tensor that it gives, for all sizes of a contract; UnsaidError where it only runs."""
        if self.torch is None:
            raise UnsaidError("a function is tried, and nothing is proved of it")
        if lacking := [name for name in self.parameters if name not in tensors]:
            raise UnsaidError(f"no equation says a reference that takes {lacking[0]}")
        names = sorted(exported.sizes_of(tensors))
        given = replace(file, given=_with_elements(tensors, writes, file))
        graph = self._graph({}, sizes.some_sizes(names, given, {})[-1], tensors, writes)
        equations = graph.equations(OPERATIONS, names)

        def decided(fixed: sizes.Sizes, at: sizes.Sizes) -> Sequence[str]:
            with _unsaid(fixed):
                return (self._graph(fixed, at, tensors, writes) if fixed else graph).decided

        for at in sizes.special_sizes(decided, names, given):
            with _unsaid(at):
                self._try_at(at, equations, tensors, file)
        return equations

    def _graph(
        self, fixed: sizes.Sizes, at: sizes.Sizes, tensors: Mapping[str, exported.TakenTensor], writes: Sequence[str]
    ) -> Graph:
        """Its graph where some sizes are fixed, by an example at sizes."""
        taken = {name: one.where(fixed) for name, one in tensors.items()}
        return exported.exported(self.torch, self.function, self.parameters, taken, writes, at)

    def _try_at(
        self, at: sizes.Sizes, equations: Sequence[str], tensors: Mapping[str, exported.TakenTensor],
        file: SpecFile,
    ) -> None:  # fmt: skip
        """UnsaidError where it gives something else than equations at these sizes."""
        random = np.random.default_rng(0)
        lengths = {name: sizes.lengths_at(one.lengths, at, file.symbols) for name, one in tensors.items()}
        arrays = {name: _filled(random, one.dtype, lengths[name]) for name, one in tensors.items()}
        known = {name: one if lengths[name] else one[()] for name, one in arrays.items()}
        named = EquationNames(
            {name: (one.dtype, tuple(parse(text, file.symbols) for text in one.lengths))
             for name, one in tensors.items() if one.lengths},
            file.symbols, {name: one.dtype for name, one in tensors.items() if not one.lengths},
        )  # fmt: skip
        contents = {name: Content(one, np.ones(one.shape, bool)) for name, one in arrays.items() if lengths[name]}
        read = [equation(text, named) for text in equations]
        results = self._results(known, [one.tensor for one in read])
        for one in read:
            wanted = np.asarray(results[one.tensor])
            found, defined = evaluated(one, contents, at, {name: known[name] for name in named.passed})
            if wanted.shape != found.shape or not (defined.all() and _near(found, wanted, tensors[one.tensor].dtype)):
                raise UnsaidError("the reference says something else")

    def compare(self, file: SpecFile, writes: Sequence[str]) -> Callable[..., str]:
        """What differs between it and what a run left, in words."""

        def told(made: BoundLaunch, at: Mapping[str, int], values: Mapping[str, Any], memories: Any) -> str:
            arrays = {name: one.read(one.buffer.array).copy() for name, one in made.tensors.items()}
            known = {**at, **values, **arrays}
            if lacking := [name for name in self.parameters if name not in known]:
                raise LaunchError(f"{self.path}: nothing is called {lacking[0]!r}; there are {', '.join(known)}")
            wanted = self._results(known, writes)
            for name, one in wanted.items():
                own = np.asarray(one).astype(arrays[name].dtype)
                if own.shape != arrays[name].shape:
                    raise LaunchError(f"{self.path}: {name} of shape {own.shape}, not {arrays[name].shape}")
                if text := differing(name, file, made, memories, own, np.ones(own.shape, bool), "the reference"):
                    return text
            return ""

        return told

    def _results(self, known: Mapping[str, Any], writes: Sequence[str]) -> Mapping[str, Any]:
        given = {name: known[name] for name in self.parameters}
        with _told(self.path), np.errstate(all="ignore"):
            result = self.function(**given) if self.torch is None else self._of_torch(given, known)
        if not isinstance(result, dict):
            listed = [*result] if isinstance(result, tuple | list) else [result]
            if len(listed) != len(writes):
                raise LaunchError(f"{self.path}: it gives {len(listed)} tensors; the kernel writes {', '.join(writes)}")
            return dict(zip(writes, listed, strict=True))
        if {*result} != {*writes}:
            raise LaunchError(f"{self.path}: it gives {', '.join(result)}; the kernel writes {', '.join(writes)}")
        return result

    def _of_torch(self, given: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
        """What it gives for arrays, as arrays."""
        torch = self.torch

        def tensor(one: Any) -> Any:
            return torch.from_numpy(np.ascontiguousarray(one)) if isinstance(one, np.ndarray | np.generic) else one

        with torch.no_grad():
            named = {name: tensor(one) for name, one in given.items()}
            weights = {path: tensor(known[exported.weight(path, [*known])]) for path in self.weights}
            result = (
                torch.func.functional_call(self.function, weights, (), named)
                if self.weights
                else self.function(**named)
            )
        return torch.utils._pytree.tree_map(lambda one: one.numpy() if isinstance(one, torch.Tensor) else one, result)


@contextmanager
def _told(path: Path | str) -> Iterator[None]:
    """LaunchError for whatever a reference raises."""
    try:
        yield
    except Exception as error:
        raise LaunchError(f"{path} raises {type(error).__name__}: {first_line(error)}") from None


@contextmanager
def _unsaid(at: sizes.Sizes) -> Iterator[None]:
    """UnsaidError, with these sizes, for what is wrong with a reference there."""
    try:
        yield
    except LaunchError as error:
        raise UnsaidError(f"at {sizes.shown(at)}: {error}") from None


def _with_elements(tensors: Mapping[str, exported.TakenTensor], writes: Sequence[str], file: SpecFile) -> Expr:
    """What is given of sizes, and that what is written has elements: of others nothing is said."""
    lengths = ((parse(text, file.symbols), name in writes) for name, one in tensors.items() for text in one.lengths)
    return all_of(file.given, *(length >= written for length, written in lengths))


def _filled(random: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Array:
    """Numbers of a type: of each sign, and of integers some that are equal."""
    numbers = random.standard_normal(shape) * 2
    return np.asarray(np.abs(numbers) if dtype[0] in "ub" else numbers).astype(DTYPES[dtype].numpy)


def _near(found: Array, wanted: Array, dtype: str) -> bool:
    """Whether all are as near as floats may be; what is not finite in the reference counts nothing."""
    if dtype not in NEAR:
        return bool((found == wanted).all())
    a, b = found.astype(float), wanted.astype(float)
    with np.errstate(all="ignore"):
        most = np.abs(np.where(np.isfinite(b), b, 0)).max(initial=0.0)
        return bool(((np.abs(a - b) <= NEAR[dtype] * most) | (a == b) | ~np.isfinite(b)).all())
