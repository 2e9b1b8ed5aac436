"""A launch file on a kernel: `concrete`, at given sizes, as `execute` takes it; `symbolic`, for all sizes.

| module | holds |
|---|---|
| `tensors`, `concrete` | tensors in memory at given sizes, arguments in bytes |
| `report` | what a run of such a launch left, as data |
| `elements`, `symbolic` | which bytes of a tensor's memory are elements, what each byte of the arguments stands for |
"""
