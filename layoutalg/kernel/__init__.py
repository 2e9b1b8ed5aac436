"""Kernels: programs of layouts, what must hold of them, their text, and a library of them.

| folder         | has                                                                                           |
|----------------|-----------------------------------------------------------------------------------------------|
| `program/`     | statements and programs: what each thread does                                                |
| `access/`      | which elements an access reaches, by which addresses; what an access to LDS costs             |
| `obligations/` | what must hold of a program; `verify` asks all of it                                          |
| `emit/`        | HIP source of what is verified, made of the expressions that were proved                      |
| `library/`     | builders of programs, from sizes and element types; it needs no `emit`                        |

Each imports those above it alone.  `verify` stands between `obligations/` and `emit/`.
"""
