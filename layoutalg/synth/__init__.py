"""Synthesis: LDS layouts found for given accesses, with the proof that they are free of conflicts."""
