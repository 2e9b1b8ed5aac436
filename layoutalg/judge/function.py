"""A reference in Python: a function of numpy arrays, whose parameters are called as the kernel's are.

    def reference(x, alpha):
        return alpha * x

It is given the tensors that it names as they are before the launch, and sizes and values by their names; it gives back
the one tensor that it does not name, or a dictionary of tensors by their names.  It is the code of who judges, and is
carried out as such: what a kernel brings is not.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from layoutalg.audit.trial import differing
from layoutalg.errors import LaunchError
from layoutalg.formats.model import SpecFile
from layoutalg.launch.concrete import BoundLaunch

Array = NDArray[Any]


@dataclass(frozen=True)
class ReferenceFunction:
    """A function of arrays, and the tensors that it gives back."""

    function: Callable[..., Any]
    parameters: tuple[str, ...]
    path: str

    @classmethod
    def of(cls, path: Path) -> ReferenceFunction:
        """The function `reference` of a file, or its only one; LaunchError where there is none."""
        names: dict[str, Any] = {"__name__": "reference"}
        exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
        found = {
            name: one for name, one in names.items()
            if inspect.isfunction(one) and one.__code__.co_filename == str(path) and not name.startswith("_")
        }  # fmt: skip
        wanted = found.get("reference") or (next(iter(found.values())) if len(found) == 1 else None)
        if wanted is None:
            raise LaunchError(f"{path}: no function `reference`; it has {', '.join(found) or 'none'}")
        return cls(wanted, tuple(inspect.signature(wanted).parameters), str(path))

    def writes(self, tensors: Sequence[str]) -> tuple[str, ...]:
        """Of a kernel's tensors those that it does not take; LaunchError where that is none."""
        found = tuple(name for name in tensors if name not in self.parameters)
        if not found:
            raise LaunchError(f"{self.path}: it takes every tensor ({', '.join(tensors)}): leave out what is written")
        return found

    def compare(self, file: SpecFile, writes: Sequence[str]) -> Callable[..., str]:
        """What differs between it and what a run left, in words."""

        def told(made: BoundLaunch, sizes: Mapping[str, int], values: Mapping[str, Any], memories: Any) -> str:
            arrays = {name: one.read(one.buffer.array).copy() for name, one in made.tensors.items()}
            known = {**sizes, **values, **arrays}
            if lacking := [name for name in self.parameters if name not in known]:
                raise LaunchError(f"{self.path}: nothing is called {lacking[0]!r}; there are {', '.join(known)}")
            with np.errstate(all="ignore"):
                result = self.function(**{name: known[name] for name in self.parameters})
            wanted = result if isinstance(result, dict) else {writes[0]: result}
            if {*wanted} != {*writes}:
                raise LaunchError(f"{self.path}: it gives {', '.join(wanted)}; the kernel writes {', '.join(writes)}")
            for name, one in wanted.items():
                own = np.asarray(one).astype(arrays[name].dtype)
                if own.shape != arrays[name].shape:
                    raise LaunchError(f"{self.path}: {name} of shape {own.shape}, not {arrays[name].shape}")
                if text := differing(name, file, made, memories, own, np.ones(own.shape, bool), "the reference"):
                    return text
            return ""

        return told
