"""Checking a file: its items' claims as claims of the prover, decided, and held against what the file expects."""

from layoutalg.formats.check.questions import Question, Result, check, check_all, facts, questions

__all__ = ["Question", "Result", "check", "check_all", "facts", "questions"]
