"""A reference in PyTorch, of which its exported graph makes equations: a function, or a `Model` as KernelBench has it.

    import torch

    def reference(x, w):
        return torch.relu(x @ w)

PyTorch is what the reference's file imports; nothing here needs it.  Lengths that are sizes are open in the export:
where PyTorch keeps one at a number, the reference is refused, unless the tensor is said to have it (a weight).
Under which conditions on sizes an export holds, PyTorch tells, and `layoutalg.judge.sizes` asks.

What it cannot represent: modules with buffers that a call changes, and what `layoutalg.judge.aten` does not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from layoutalg.errors import LaunchError, first_line
from layoutalg.index import ZERO, simplify, symbol, value
from layoutalg.index.parse import parse
from layoutalg.judge.graph import Graph, NodeName, TensorNode, UnsaidError
from layoutalg.records import dataclass

#: PyTorch's types that an equation has.
TYPES: Mapping[str, str] = {
    "float16": "f16", "float32": "f32", "float64": "f64", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "bool": "bool",
}  # fmt: skip

_NAME = re.compile(r"[A-Za-z_]\w*")
_SYMBOL = re.compile(r"\b[su]\d+\b")
_LENGTH = re.compile(r"L\['(\w+)'\]\.size\(\)\[(\d+)\]")


@dataclass(frozen=True)
class TakenTensor:
    """A tensor of the kernel, or a value of no lengths: its type, and its lengths as texts of sizes."""

    dtype: str
    lengths: tuple[str, ...]

    def where(self, fixed: Mapping[str, int]) -> TakenTensor:
        """The tensor where some sizes are numbers.

        >>> TakenTensor("f32", ("m + 1", "m * n")).where({"m": 3}).lengths
        ('4', '3 * n')
        """
        return replace(self, lengths=tuple(_where(one, fixed) for one in self.lengths))


def exported(
    torch: Any,
    function: Any,
    taken: Sequence[str],
    tensors: Mapping[str, TakenTensor],
    writes: Sequence[str],
    at: Mapping[str, int],
) -> Graph:
    """The graph of a function or module, its lengths in terms of the sizes that the tensors have.

    `at`: sizes at which PyTorch goes through it.
    """
    symbols = {name: symbol(name) for name in sizes_of(tensors)}
    known = {symbols[name]: at[name] for name in symbols}
    examples = tuple(
        _example(torch, tensors[name], [value(parse(one, symbols), known) for one in tensors[name].lengths])
        for name in taken
    )
    kept, free = torch.export.Dim.STATIC, torch.export.Dim.AUTO
    open_ = tuple(tuple(kept if one.isdecimal() else free for one in tensors[name].lengths) for name in taken)
    try:
        with torch.no_grad():
            program = torch.export.export(_module(torch, function), examples, dynamic_shapes=open_).run_decompositions()
    except Exception as error:  # whatever the reference and PyTorch raise
        raise UnsaidError(f"PyTorch does not export it: {first_line(error)}") from None
    made = _Exported(torch, program, taken, tensors).graph(writes)
    for name in writes:
        lengths, wanted = made.lengths(name), tensors[name].lengths
        if len(lengths) != len(wanted) or not all(map(_equal(symbols), lengths, wanted)):
            raise LaunchError(f"{name} is of {', '.join(lengths)} in the reference, not {', '.join(wanted)}")
    return made


def _module(torch: Any, function: Any) -> Any:
    """A function as a module of its parameters."""
    if isinstance(function, torch.nn.Module):
        return function
    made = torch.nn.Module()
    made.forward = function
    return made


def _where(length: str, fixed: Mapping[str, int]) -> str:
    text = _NAME.sub(lambda found: str(fixed.get(found[0], found[0])), length)
    return text if _NAME.search(text) else str(value(parse(text, {}), {}))


def sizes_of(tensors: Mapping[str, TakenTensor]) -> set[str]:
    """The names that lengths have."""
    return {name for one in tensors.values() for text in one.lengths for name in _NAME.findall(text)}


def _example(torch: Any, tensor: TakenTensor, lengths: Sequence[int]) -> Any:
    dtype = next((name for name, own in TYPES.items() if own == tensor.dtype), None)
    if dtype is None:
        raise UnsaidError(f"no equation of PyTorch's is of {tensor.dtype}")
    return torch.zeros(lengths, dtype=getattr(torch, dtype))


class _Exported:
    """An exported program, of which PyTorch's symbols are put in terms of sizes."""

    def __init__(self, torch: Any, program: Any, taken: Sequence[str], tensors: Mapping[str, TakenTensor]) -> None:
        self.torch, self.exported, self.tensors = torch, program, tensors
        signature = program.graph_signature
        weights = {**signature.inputs_to_parameters, **signature.inputs_to_buffers}
        self.names = dict(zip(signature.user_inputs, taken, strict=True))
        self.names |= {node: weight(path, [*tensors]) for node, path in weights.items()}
        if twice := [name for name, many in Counter(self.names.values()).items() if many > 1]:
            raise LaunchError(f"the reference takes several tensors that are {twice[0]} here: call them by their paths")
        mutated = {**getattr(signature, "user_inputs_to_mutate", {}), **signature.buffers_to_mutate}
        if mutated:
            raise UnsaidError(f"no equation says a reference that changes {next(iter(mutated.values()))}")
        self.sizes = dict[str, str]()
        for node in program.graph.nodes:
            if node.op == "placeholder":
                self._place(node)

    def _place(self, node: Any) -> None:
        """Gives the symbols of a tensor that is taken the lengths that are said of it."""
        name = self.names.get(node.name)
        if name is None:
            raise UnsaidError(f"it takes {node.name}, which no tensor of the kernel is")
        shape = [str(one) for one in node.meta["val"].shape]
        if len(shape) != len(self.tensors[name].lengths):
            raise LaunchError(
                f"{name} has {len(shape)} dimensions in the reference, {len(self.tensors[name].lengths)} here"
            )
        for found, text in zip(shape, self.tensors[name].lengths, strict=True):
            if self.sizes.setdefault(found, text) != text and not found.isdecimal():
                raise LaunchError(f"the reference wants {self.sizes[found]} = {text}, of {name}")
            if found.isdecimal() and found != text:
                raise LaunchError(f"the reference holds for one size alone: {text} = {found}, of {name}")

    def text(self, length: Any) -> str:
        """A length in terms of sizes."""
        shown = str(length)
        return (
            _SYMBOL.sub(lambda found: f"({self.sizes[found[0]]})", shown)
            if shown not in self.sizes
            else self.sizes[shown]
        )

    def graph(self, writes: Sequence[str]) -> Graph:
        """Its operations, and what they make of the tensors that are taken."""
        results, spec = self.exported.graph_signature.user_outputs, self.exported.call_spec.out_spec
        if spec.type is dict:
            if {*spec.context} != {*writes}:
                raise LaunchError(
                    f"the reference gives {', '.join(spec.context)}; the kernel writes {', '.join(writes)}"
                )
            writes = spec.context
        if len(results) != len(writes):
            raise LaunchError(f"the reference gives {len(results)} tensors; the kernel writes {', '.join(writes)}")
        found, taken = list[TensorNode](), dict[str, TensorNode]()
        for node in self.exported.graph.nodes:
            value = node.meta.get("val")
            value = value[0] if isinstance(value, tuple | list) else value
            if isinstance(value, int | self.torch.SymInt):
                found.append(TensorNode(node.name, "size", {"size": self.text(value)}, (), "i64"))
            if not isinstance(value, self.torch.Tensor):
                continue
            lengths = tuple(self.text(one) for one in value.shape)
            dtype = TYPES.get(str(value.dtype).removeprefix("torch."), str(value.dtype))
            if node.op == "placeholder":
                taken[self.names[node.name]] = TensorNode(node.name, "", {}, lengths, dtype)
            else:
                found.append(TensorNode(node.name, *_called(node), lengths, dtype))
        return Graph(tuple(found), taken, dict(zip(writes, results, strict=True)), self._decided())

    def _decided(self) -> tuple[str, ...]:
        """The conditions on lengths that PyTorch decided, in terms of sizes."""
        told = getattr(self.exported, "_guards_code", None)
        if told is None:
            raise UnsaidError("this PyTorch does not tell what it decided by sizes")
        parameters = {name: self.tensors[name].lengths for name in self.names.values()}

        def length(found: re.Match[str]) -> str:
            return f"({parameters[found[1]][int(found[2])]})"

        return tuple(_LENGTH.sub(length, text) for text in told)


def _equal(symbols: Mapping[str, Any]) -> Callable[[str, str], bool]:
    def equal(one: str, other: str) -> bool:
        return simplify(parse(one, symbols) - parse(other, symbols)) is ZERO

    return equal


def _called(node: Any) -> tuple[str, dict[str, Any]]:
    """An operation's name, and its operands by the names of its schema."""
    if node.target.__name__ == "getitem":
        return "getitem", {"self": NodeName(node.args[0].name), "index": node.args[1]}
    schema = node.target._schema.arguments
    operands = {**{one.name: value for one, value in zip(schema, node.args, strict=False)}, **node.kwargs}
    return str(node.target), {name: _operand(value) for name, value in operands.items()}


def _operand(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_operand(one) for one in value]
    if hasattr(value, "op") and hasattr(value, "name"):
        return NodeName(value.name)
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def weight(path: str, tensors: Sequence[str]) -> str:
    """The kernel's tensor that a module's weight is: called by all of its path, or by the last name alone.

    >>> weight("conv.weight", ["x", "weight", "o"])
    'weight'
    """
    whole, last = path.replace(".", "_"), path.rpartition(".")[2]
    for name in (whole, last, last[0]):
        if name in tensors:
            return name
    raise LaunchError(f"the reference has {path}; no tensor of the kernel is called {whole} or {last}")
