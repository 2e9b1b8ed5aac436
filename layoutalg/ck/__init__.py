"""CK Tile's GEMM configurations, through CK's own compiler: which are valid, and what their layouts cost.

| module       | what it is                                                                                       |
|--------------|--------------------------------------------------------------------------------------------------|
| `space`      | configurations, and Tile Engine's files and names of them                                        |
| `instances`  | the C++ of a configuration: its problem, pipeline, policy and epilogue; what is asked of them     |
| `compiled`   | the answers: many configurations to a translation unit, units side by side                        |
| `layouts`    | a configuration's layouts, and every claim on them                                                |
| `accumulated` | C's elements: what matrix instructions sum, and where the epilogue brings it                     |
| `validation` | what Tile Engine's own check admits, read as data                                                |
| `probe`      | an own kernel: what it says of its launch, its views, grid and block, as expressions               |
| `contract`   | a launch file of that, and `own`: compiled, with the file beside it                               |
| `sweep`      | all of it for a whole space, kept as it goes                                                      |

No code of CK's is executed: its headers are compiled, and what its templates build is read from the object file.
"""
