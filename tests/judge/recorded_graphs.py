"""What PyTorch exports of functions of a line, and what they give at small sizes: `graphs.json`, made where PyTorch is.

    python -m tests.judge.recorded_graphs

2026-11-28, with torch 2.13.0+cpu.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from layoutalg.judge.exported import TakenTensor, exported
from layoutalg.judge.graph import Graph, NodeName, TensorNode

FILE = Path(__file__).parent / "graphs.json"
SIZES = {"m": 4, "n": 6, "k": 5}
EXPORTED = {"m": 10, "n": 14, "k": 6}  # at which PyTorch goes through them

#: Functions by their text: the tensors that they take, and the lengths of what they give.
CASES: Mapping[str, tuple[Mapping[str, str], str]] = {
    "torch.relu(x) + 2": ({"x": "m"}, "m"),
    "torch.sigmoid(x) * alpha - x / 3": ({"x": "m,n", "alpha": ""}, "m,n"),
    "x.abs().sqrt() + x.exp().log() - torch.tanh(-x)": ({"x": "m"}, "m"),
    "torch.maximum(x, y[:, None]) + torch.minimum(x, y[:, None])": ({"x": "m,n", "y": "m"}, "m,n"),
    "F.leaky_relu(x) + F.hardtanh(x) + x.clamp(min=-0.5)": ({"x": "m"}, "m"),
    "F.silu(x) + F.relu6(x) + x ** 2 + x ** 3": ({"x": "m"}, "m"),
    "torch.where(x > y, x, 0.5 * y)": ({"x": "m", "y": "m"}, "m"),
    "torch.where((x < 0.25) , 1.0, x.rsqrt())": ({"x": "m"}, "m"),
    "x.t() + y": ({"x": "m,n", "y": "n,m"}, "n,m"),
    "x.permute(2, 0, 1).contiguous()": ({"x": "m,n,k"}, "k,m,n"),
    "x.reshape(-1)": ({"x": "m,n"}, "m*n"),
    "x.reshape(x.shape[0] * x.shape[1], x.shape[2]) @ w": ({"x": "m,n,k", "w": "k,7"}, "m*n,7"),
    "x[1, 2:] * 2": ({"x": "m,n"}, "n-2"),
    "x[:, -1] + x[:, 0]": ({"x": "m,n"}, "m"),
    "x[::2].expand(3, -1)": ({"x": "2*m"}, "3,m"),
    "x.sum(0) + x.mean(0)": ({"x": "m,n"}, "n"),
    "x.mean(dim=(0, 2))": ({"x": "m,n,k"}, "n"),
    "x - x.amax(1, keepdim=True)": ({"x": "m,n"}, "m,n"),
    "x.max(dim=0)[0] - x.min(dim=0)[0] + x.prod(dim=0)": ({"x": "m,n"}, "n"),
    "x.sum()[None] / x.shape[0]": ({"x": "m"}, "1"),
    "x.softmax(-1) + x.log_softmax(0)": ({"x": "m,n"}, "m,n"),
    "x @ w + b": ({"x": "m,k", "w": "k,n", "b": "n"}, "m,n"),
    "F.linear(x, w, b)": ({"x": "m,k", "w": "n,k", "b": "n"}, "m,n"),
    "torch.bmm(x, y)": ({"x": "m,n,k", "y": "m,k,n"}, "m,n,n"),
    "x @ v": ({"x": "m,k", "v": "k"}, "m"),
    "torch.einsum('ik,jk->ij', x, y).tril()": ({"x": "m,k", "y": "n,k"}, "m,n"),
    "F.max_pool2d(x, 2) + F.avg_pool2d(x, 2)": ({"x": "m,2*n,2*k"}, "m,n,k"),
    "F.avg_pool1d(x, 3, stride=2)": ({"x": "m,2*n+1"}, "m,n"),
    "F.conv1d(x, w, b)": ({"x": "m,3,n+2", "w": "2,3,3", "b": "2"}, "m,2,n"),
    "F.conv2d(x, w, padding=1)": ({"x": "2,3,m,n", "w": "2,3,3,3"}, "2,2,m,n"),
    "F.conv2d(x, w, stride=2, dilation=2)": ({"x": "1,2,2*m+3,2*n+3", "w": "2,2,3,3"}, "1,2,m,n"),
    "(x * x).sum(-1, keepdim=True).sqrt() + x": ({"x": "m,n"}, "m,n"),
    "F.layer_norm(x, (6,), w, b)": ({"x": "m,6", "w": "6", "b": "6"}, "m,6"),
    "F.batch_norm(x, a, a * a + 1, w, b)": ({"x": "m,3,n", "a": "3", "w": "3", "b": "3"}, "m,3,n"),
    "torch.linalg.vector_norm(x, dim=1) + x.norm(p=2)": ({"x": "m,n"}, "m"),
    "x.cumsum(0) + x.cumprod(1) + x.flip(1)": ({"x": "m,n"}, "m,n"),
    "F.elu(x, 0.5) + F.selu(x)": ({"x": "m"}, "m"),
    "F.conv2d(x, w, b, groups=2)": ({"x": "m,4,n+2,k+2", "w": "6,2,3,3", "b": "6"}, "m,6,n,k"),
    "F.conv2d(x, w, groups=4, padding=1)": ({"x": "1,4,m,n", "w": "4,1,3,3"}, "1,4,m,n"),
    "F.conv_transpose1d(x, w, b)": ({"x": "m,3,n", "w": "3,2,3", "b": "2"}, "m,2,n+2"),
    "F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1)": (
        {"x": "2,3,m,n", "w": "3,2,3,3"},
        "2,2,2*m,2*n",
    ),
    "F.conv_transpose2d(x, w, stride=3, dilation=2, groups=2)": ({"x": "1,4,m,n", "w": "4,3,2,2"}, "1,6,3*m,3*n"),
    "F.max_pool2d(x, 3, stride=2, padding=1)": ({"x": "m,2*n,2*k"}, "m,n,k"),
    "F.avg_pool1d(x, 3, padding=1)": ({"x": "m,3*n"}, "m,n"),
    "F.gelu(x) + F.gelu(x, approximate='tanh') + torch.erf(x)": ({"x": "m"}, "m"),
    "F.softplus(x) + torch.expm1(x)": ({"x": "m"}, "m"),
    "(x > 0).float() * x.cumsum(0)": ({"x": "m"}, "m"),
    "torch.lgamma(x)": ({"x": "m"}, "m"),
    "x.argmax(1)": ({"x": "m,n"}, "m"),
    "F.avg_pool1d(x, 3, padding=1, count_include_pad=False)": ({"x": "m,3*n"}, "m,n"),
    "F.max_pool2d(x, 2, ceil_mode=True)": ({"x": "m,7,7"}, "m,4,4"),
}

Data = dict[str, Any]


def lengths(text: str) -> tuple[str, ...]:
    """The lengths that a text separates."""
    return tuple(text.split(",")) if text else ()


def shape(text: str) -> tuple[int, ...]:
    """The lengths as they are at `SIZES`."""
    return tuple(int(eval(one, dict(SIZES))) for one in lengths(text))


def arrays(taken: Mapping[str, str]) -> dict[str, np.ndarray[Any, Any]]:
    """Contents of tensors."""
    rng = np.random.default_rng(len(taken))
    return {name: rng.uniform(-1, 1, shape(text)).astype(np.float32) for name, text in taken.items()}


def plain(value: Any) -> Any:
    """A graph as JSON has it."""
    if isinstance(value, dict):
        return {"node": value["name"]} if set(value) == {"name"} else {name: plain(one) for name, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value


def read(data: Data) -> Graph:
    """A graph from JSON."""

    def operand(value: Any) -> Any:
        if isinstance(value, dict):
            return NodeName(value["node"])
        return [operand(one) for one in value] if isinstance(value, list) else value

    def node(one: Data) -> TensorNode:
        operands = {name: operand(value) for name, value in one["operands"].items()}
        return TensorNode(one["name"], one["operation"], operands, tuple(one["lengths"]), one["dtype"])

    taken = {name: node(one) for name, one in data["taken"].items()}
    return Graph(tuple(map(node, data["nodes"])), taken, data["results"])


def recorded(torch: Any, text: str, taken: Mapping[str, str], gives: str) -> Data:
    """What PyTorch exports of a function, and what it gives of `arrays`."""
    function: Callable[..., Any] = eval(
        f"lambda {', '.join(taken)}: {text}", {"torch": torch, "F": torch.nn.functional}
    )
    tensors = {name: TakenTensor("f32", lengths(one)) for name, one in [*taken.items(), ("o", gives)]}
    graph = exported(torch, function, [*taken], tensors, ["o"], EXPORTED)
    result = function(*(torch.from_numpy(np.asarray(one)) for one in arrays(taken).values()))
    return {"graph": plain(asdict(graph)), "gives": [float(f"{one:.7g}") for one in result.flatten().tolist()]}


if __name__ == "__main__":
    import torch

    found = {text: recorded(torch, text, *case) for text, case in CASES.items()}
    FILE.write_text(
        "{\n" + ",\n".join(f"{json.dumps(text)}: {json.dumps(one)}" for text, one in found.items()) + "\n}\n"
    )
