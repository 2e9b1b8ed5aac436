"""Kernels by the names that people write: a mangled symbol in C++, and what a written name means among symbols.

Symbols of C++ are mangled by the Itanium ABI (its section 5.1, "External Names"): a name, the arguments of its
templates, and types, of which parts that were there before are counted.  Return type and parameters are not read.

>>> spoken("_ZN2at6reduceIfLi256EEEvPKfPfi")
'at::reduce<float, 256>'
>>> meant("reduce", ["_ZN2at6reduceIfLi256EEEvPKfPfi", "scale"])
('_ZN2at6reduceIfLi256EEEvPKfPfi',)

What it cannot represent: operators, lambdas, expressions and types of functions: such a symbol stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_BUILTIN = {
    "v": "void", "w": "wchar_t", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short",
    "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long", "x": "long long",
    "y": "unsigned long long", "n": "__int128", "o": "unsigned __int128", "f": "float", "d": "double",
    "e": "long double", "DF16_": "_Float16", "DF16b": "__bf16", "Dh": "half", "Du": "char8_t", "Ds": "char16_t",
    "Di": "char32_t", "Dn": "decltype(nullptr)",
}  # fmt: skip
_STANDARD = {"St": "std", "Sa": "std::allocator", "Sb": "std::basic_string", "Ss": "std::string"}
_AROUND = {"P": "{}*", "R": "{}&", "O": "{}&&", "K": "{} const", "V": "{} volatile"}
_LITERAL = {"i": "{}", "j": "{}u", "l": "{}l", "m": "{}ul", "x": "{}ll", "y": "{}ull"}
_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def spoken(symbol: str) -> str:
    """A kernel's name as C++ writes it, with the arguments of its templates; the symbol where it is no such name."""
    if not symbol.startswith("_Z"):
        return symbol
    try:
        return _Mangled(symbol).name()
    except (ValueError, IndexError, RecursionError):
        return symbol


def base(symbol: str) -> str:
    """The last part of a kernel's name, without arguments of templates.

    >>> base("_ZN2at6reduceIfLi256EEEvPKfPfi")
    'reduce'
    """
    return re.sub(r"<.*", "", spoken(symbol), flags=re.DOTALL).rpartition("::")[2]


def meant(written: str, symbols: Sequence[str]) -> tuple[str, ...]:
    """The symbols that a written name is of: itself, else as C++ writes them, else by the last part of their names."""
    if written in symbols:
        return (written,)
    plain = _plain(written)
    called = tuple(one for one in symbols if _plain(spoken(one)) == plain)
    return called or tuple(one for one in symbols if base(one) == written.strip())


def _plain(written: str) -> str:
    """Without blanks, return type and parameters, as profilers show a kernel: `void scale<float>(float*, int)`."""
    whole = written.strip().removeprefix("void ").removesuffix(".kd")
    depth = 0
    for at, letter in enumerate(whole):
        depth += (letter == "<") - (letter == ">")
        if letter == "(" and not depth and not whole.startswith("(anonymous", at):
            whole = whole[:at]
            break
    return whole.replace(" ", "")


class _Mangled:
    """A symbol that is read from the left; ValueError or IndexError at what is not read here."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, len("_Z")
        self.seen: list[str] = []  # what a later part may stand for by its number

    def _takes(self, part: str) -> bool:
        if not self.text.startswith(part, self.at):
            return False
        self.at += len(part)
        return True

    def _until(self, end: str) -> str:
        stop = self.text.index(end, self.at)
        found, self.at = self.text[self.at : stop], stop + len(end)
        return found

    def _met(self, name: str) -> str:
        self.seen.append(name)
        return name

    def name(self) -> str:
        """A name, in namespaces or not."""
        if self._takes("N"):
            return self._nested()
        found = f"std::{self._source()}" if self._takes("St") else self._source()
        return self._met(found) + self._arguments() if self.text.startswith("I", self.at) else found

    def _nested(self) -> str:
        while any(map(self._takes, "rVK")):
            pass
        found = ""
        while not self._takes("E"):
            if self.text.startswith("I", self.at):
                found = self._met(found + self._arguments())
            elif self.text.startswith("S", self.at):
                found = self._substitution()
            else:
                found = self._met(f"{found}::{self._source()}" if found else self._source())
        self.seen.pop()  # the whole is met as a type, if it is one
        return found

    def _source(self) -> str:
        """An identifier behind its length."""
        self._takes("L")
        length = re.compile(r"[0-9]+").match(self.text, self.at)
        if length is None:
            raise ValueError(self.text)
        start = length.end()
        self.at = start + int(length[0])
        found = self.text[start : self.at]
        if not found or self.at > len(self.text):
            raise ValueError(self.text)
        return "(anonymous namespace)" if found.startswith("_GLOBAL__N") else found

    def _substitution(self) -> str:
        for code, meaning in _STANDARD.items():
            if self._takes(code):
                return meaning
        if not self._takes("S"):
            raise ValueError(self.text)
        digits, number = self._until("_"), 0
        for digit in digits:
            number = 36 * number + _DIGITS.index(digit)
        return self.seen[number + 1 if digits else 0]

    def _arguments(self) -> str:
        """What stands between I and E, or J and E."""
        self.at += 1
        found: list[str] = []
        while not self._takes("E"):
            if self.text.startswith("J", self.at):
                found += filter(None, [self._arguments()[1:-1]])
            else:
                found.append(self._literal() if self._takes("L") else self._type())
        return f"<{', '.join(found)}>"

    def _literal(self) -> str:
        kind = self.text[self.at]
        written = self._type()
        value = re.sub("^n", "-", self._until("E"))
        int(value)  # a float's is written by its bits, a function's by its name
        if kind == "b":
            return "true" if value == "1" else "false"
        return _LITERAL.get(kind, f"({written}){{}}").format(value)

    def _type(self) -> str:
        for code, meaning in _BUILTIN.items():
            if self._takes(code):
                return meaning
        for code, around in _AROUND.items():
            if self._takes(code):
                return self._met(around.format(self._type()))
        if self._takes("Dv"):
            lanes = self._until("_")
            return self._met(f"{self._type()} __vector({int(lanes)})")
        if self._takes("u"):
            return self._met(self._source())
        if self.text.startswith("S", self.at) and not self.text.startswith("St", self.at):
            found = self._substitution()
            return self._met(found + self._arguments()) if self.text.startswith("I", self.at) else found
        return self._met(self.name())
