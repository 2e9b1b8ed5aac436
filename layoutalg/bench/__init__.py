"""Measurements: proved kernels beside what a user would use instead, on one device, with the same data, in one run.

prepare (prover, compiler)  →  a folder  →  measure (a device)  →  report (table, JSON, plot)
"""
