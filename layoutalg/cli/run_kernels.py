"""A kernel's run: arrays in, launches on a device, the result out, compared with numpy.

| compared with numpy in f64 | copies | f32 arithmetic, f8 with f32 sums | f16, bf16 arithmetic |
|----------------------------|--------|----------------------------------|----------------------|
| largest error allowed      | 0      | 1e-5                             | 1e-2                 |

as a part of the largest result.  A greater error ends with exit code 1, and the result is written all the same.
bfloat16 arrays are their bits, as uint16, and those of f8, as uint8.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from layoutalg.cli import arrays
from layoutalg.cli.errors import InputError
from layoutalg.lazy import lazy_imports

with lazy_imports():
    import numpy as np
    import numpy.typing as npt

    from layoutalg import device as devices
    from layoutalg.device import kernels
    from layoutalg.kernel import verify
    from layoutalg.kernel.library import entry
    from layoutalg.refine import cycles
    from layoutalg.target import elements

TOLERANCE = {"f32": 1e-5, "f16": 1e-2, "bf16": 1e-2, "f8": 1e-5}


class KernelRun:
    """Reads arrays of one type, launches, compares, writes and reports."""

    def __init__(self, device: str, output: Path, as_json: bool) -> None:
        self.device: devices.Device = devices.choose_device(device)
        self.output, self.as_json = output, as_json
        self.dtype = ""

    def read(self, path: Path, option: entry.Option) -> npt.NDArray[Any]:
        """The array of an option; InputError where its type is not the option's, or that of the first one."""
        array = arrays.read_array(path, option.rank)
        found = arrays.dtype_of(array.dtype, path)
        if option.dtype and found != option.dtype:
            raise InputError(f"{path}: a {option.name} is {option.dtype}; this is {array.dtype}")
        if option.dtype:
            return array
        if self.dtype and found != self.dtype:
            raise InputError(f"{path}: elements are {found}, those of the other operand {self.dtype}; give one type")
        self.dtype = found
        return array

    def report(self, work: entry.Work) -> int:
        """Launches, compares, writes and tells; the exit code says whether the result is as numpy's."""
        output, report = self._launch(work.arrays, work.tasks)
        wanted = np.ascontiguousarray(work.expected())
        if work.exact:
            good = output.shape == wanted.shape and bool((output.view("u1") == wanted.view("u1")).all())
            compared: dict[str, Any] = {"max_error": 0.0 if good else None, "exact": good}
            text = "exact" if good else "WRONG"
        else:
            kind = work.tasks[-1].program.target.dtype
            error = _error(elements.numbers(output, kind).astype(np.float64), wanted, work.size())
            allowed = max(TOLERANCE[self.dtype], TOLERANCE[kind.name])
            good, compared = error <= allowed, {"max_error": error, "allowed_error": allowed}
            text = f"relative error {error:.2g} (allowed {allowed:g})"
        self._tell(output, {**report, **compared}, text)
        return 0 if good else 1

    def _launch(
        self, given: Sequence[npt.NDArray[Any]], tasks: Sequence[entry.Task]
    ) -> tuple[npt.NDArray[Any], dict[str, Any]]:
        names, obligations, milliseconds = [], 0, 0.0
        lds = []
        current = list(given)
        for task in tasks:
            verified = verify.verify(task.program)
            result = kernels.run(verified, self.device, current[0], task.shape, *current[1:], **task.sizes)
            current = [result.output]
            names.append(task.program.name)
            obligations += len(verified.verdicts)
            milliseconds += result.milliseconds
            lds.append(cycles.lds_cycles(self.device, task.program, task.sizes))
        report: dict[str, Any] = {"kernel": ", ".join(names), "device": self.device.name,
                                  "milliseconds": round(milliseconds, 4), "obligations": obligations}  # fmt: skip
        if any(lds):
            report["lds"] = [one.report for one in lds if one]
        return current[0], report

    def _tell(self, output: npt.NDArray[Any], report: dict[str, Any], text: str) -> None:
        arrays.write_array(self.output, output)
        if self.as_json:
            print(json.dumps(report))
            return
        print(f"{report['kernel']} on {report['device']}: {report['obligations']} obligations proved, "
              f"{report['milliseconds']:.3f} ms, {text} against numpy")  # fmt: skip
        for one in report.get("lds", ()):
            print(one["text"])


def _error(found: npt.NDArray[Any], wanted: npt.NDArray[Any], size: float) -> float:
    """The largest error as a part of the largest result, or of `size`; infinite where they disagree on NaNs."""
    largest = max(float(np.abs(wanted).max()), size) or 1.0
    agree = found.shape == wanted.shape and bool(np.array_equal(np.isnan(found), np.isnan(wanted)))
    return float(np.nanmax(np.abs(found - wanted), initial=0.0)) / largest if agree else float("inf")
