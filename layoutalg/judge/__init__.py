"""Whether a kernel that nobody trusts is what a reference says: one verdict for kernels that models write.

| room | holds |
|---|---|
| `source` | what a source says of its launches, and the part of it that is for the GPU |
| `contract` | the launch file that the kernel is held against: the reference's, never the kernel's own |
| `trial` | runs beside a reference, at many sizes and with awkward values |
| `verdict` | the audit of the contract as a table |
"""
