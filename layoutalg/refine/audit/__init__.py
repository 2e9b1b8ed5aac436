"""Kernels that anybody compiled, held against their launch: is it safe, for all sizes?"""
