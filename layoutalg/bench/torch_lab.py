"""torch beside our kernels, on one GPU and one stream: references, what a user would call, and the clock."""

from __future__ import annotations

import importlib.util
import statistics
from collections.abc import Callable, Mapping
from typing import Any

from layoutalg.bench.cases import Case, Rival
from layoutalg.device.runtime import Device
from layoutalg.errors import NoDeviceError
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import torch

    from layoutalg.bench import triton_matmul

TYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}
LAUNCHES, ROUNDS, WARM = 4, 25, 5


class TorchLab:
    """A GPU that torch sees; the device launches on torch's stream."""

    def __init__(self, device: Device) -> None:
        try:
            available = torch.cuda.is_available()
        except ImportError:
            raise NoDeviceError(f"{device.name}: measurements on a GPU compare with torch; install it") from None
        if not available:
            raise NoDeviceError(
                f"{device.name}: torch {torch.version.__version__} finds no GPU; install a build for it"
            )
        self.torch: Any = torch
        self.stream = torch.cuda.Stream()
        torch.cuda.set_stream(self.stream)
        device.stream = self.stream.cuda_stream  # type: ignore[attr-defined]
        self.name = torch.cuda.get_device_name()
        self.instead = f"torch {torch.version.__version__}"
        self._rates: dict[str, float] = {}

    def random(self, shape: tuple[int, ...], dtype: str) -> Any:
        return self.torch.randn(shape, device="cuda").to(getattr(self.torch, TYPES[dtype]))

    def poisoned(self, shape: tuple[int, ...], dtype: str) -> Any:
        return self.torch.full(shape, float("nan"), device="cuda", dtype=getattr(self.torch, TYPES[dtype]))

    def copy(self, source: Any, target: Any) -> Callable[[], object]:
        return lambda: target.copy_(source)

    def same(self, found: Any, wanted: Any) -> bool:
        return bool(self.torch.equal(found, wanted))

    def error(self, found: Any, wanted: Any) -> float:
        difference = (found.double() - wanted.double()).norm() / wanted.double().norm()
        return float(difference) if bool(difference.isfinite()) else float("inf")

    def wanted(self, case: Case, operands: list[Any]) -> Any:
        if case.exact:
            return self._view(case, operands).contiguous().view(case.result)
        if case.kind == "conv":  # float32, whose products of halves are exact; cuDNN may not round them further
            self.torch.backends.cudnn.allow_tf32 = False
            return self._conv(case, [o.float() for o in operands])
        return self._compute(case, [o.double() for o in operands])

    def rivals(self, case: Case) -> Mapping[str, Rival]:
        """torch as it is, torch.compile's fastest of what it tries, and Triton's matmul."""
        found = {"torch": self._called(self._eager(case))}
        if importlib.util.find_spec("triton"):
            self.torch._dynamo.reset()  # after eight shapes of one function it would not compile a ninth
            tuned = self.torch.compile(self._alone(case), mode="max-autotune-no-cudagraphs", dynamic=False)
            found["torch.compile"] = self._called(lambda *given: tuned(*given[:-1]))
            if case.kind == "contraction" and case.options["einsum"] in triton_matmul.ORDERS:
                found["Triton"] = self._triton(case.options["einsum"])
        return found

    def _triton(self, einsum: str) -> Rival:
        return lambda operands, target: triton_matmul.matmul(einsum, operands[0], operands[1], target)

    def _eager(self, case: Case) -> Callable[..., object]:
        """The case on its operands, and the target that copies go to."""
        if case.exact:
            return lambda x, target: target.view(self._view(case, [x]).shape).copy_(self._view(case, [x]))
        return lambda *given: self._alone(case)(*given[:-1])

    def _alone(self, case: Case) -> Callable[..., Any]:
        """The case on its operands: a new tensor."""
        if case.exact:
            return lambda x: self._view(case, [x]).contiguous()
        call = self._conv if case.kind == "conv" else self._compute
        return lambda *operands: call(case, list(operands))

    def _called(self, function: Callable[..., object]) -> Rival:
        return lambda operands, target: lambda: function(*operands, target)

    def _view(self, case: Case, operands: list[Any]) -> Any:
        """The source in the target's order; torch's copy of it is what a user would call."""
        (x,) = operands
        match case.kind:
            case "transpose":
                return x.t()
            case "permute":
                return x.permute(case.options["axes"])
        (y, w), (sy, sx), (py, px) = (case.options[name] for name in ("filter", "stride", "pad"))
        padded = self.torch.nn.functional.pad(x, (0, 0, px, px, py, py))
        windows = padded.unfold(1, y, sy).unfold(2, w, sx).permute(0, 1, 2, 4, 5, 3)
        return windows

    def _compute(self, case: Case, operands: list[Any]) -> Any:
        if case.kind == "contraction":
            return self.torch.einsum(case.options["einsum"], *operands)
        if case.kind == "attention":  # of four dimensions torch takes its fastest
            given = (o.unsqueeze(0) for o in operands)
            attend = self.torch.nn.functional.scaled_dot_product_attention
            return attend(*given, is_causal=case.options["causal"]).squeeze(0)
        axes = case.options["axes"]
        return operands[0].sum(axes) if case.options["how"] == "sum" else operands[0].amax(axes)

    def _conv(self, case: Case, operands: list[Any]) -> Any:
        image, filter = (o.permute(0, 3, 1, 2) for o in operands)
        found = self.torch.nn.functional.conv2d(
            image, filter, stride=case.options["stride"], padding=case.options["pad"]
        )
        return found.permute(0, 2, 3, 1)

    def rate(self, dtype: str) -> float:
        if dtype not in self._rates:
            n = 8192
            a, b = (self.random((n, n), dtype) for _ in range(2))
            self._rates[dtype] = 2 * n**3 / self.microseconds([lambda: self.torch.matmul(a, b)])
        return self._rates[dtype]

    def microseconds(self, works: list[Callable[[], object]]) -> float:
        """Of a replayed graph, or of launches in a row, whichever is less.

        A graph hides launch latency, but makes a large copy a memory node that can be slower than its kernel.
        """
        cuda = self.torch.cuda
        turns = works * max(1, -(-LAUNCHES // len(works)))
        for work in works:
            work()
        cuda.synchronize()
        graph = cuda.CUDAGraph()
        with cuda.graph(graph, stream=self.stream):
            for work in turns:
                work()

        def in_a_row() -> None:
            for work in turns:
                work()

        return min(self._median(graph.replay), self._median(in_a_row)) / len(turns)

    def _median(self, work: Callable[[], object]) -> float:
        event, times = self.torch.cuda.Event, []
        for _ in range(ROUNDS):
            start, stop = event(enable_timing=True), event(enable_timing=True)
            start.record(self.stream)
            work()
            stop.record(self.stream)
            stop.synchronize()
            times.append(start.elapsed_time(stop) * 1e3)
        return float(statistics.median(times[WARM:]))
