"""What a HIP source says of its launches (a torch extension has no other word of them).

    scale<<<(n + 255) / 256, threads>>>(x.data_ptr<float>(), o.data_ptr<float>(), n);

A launch's blocks and threads are written in what the host knows; `HostLaunch.named` says them in what the kernel's
parameters are called, through the launch's own arguments and what names stand for (`names`).

Each place that names a kernel is its head, a launch that is a statement of its own, or a question to the runtime: of
any other it is not known how it starts the kernel, and none of its launches is read.  What a launch is given is a whole
tensor, where nothing moved it, and sizes of tensors, or of the host function's parameters that nothing changed.
What it cannot represent: launches that macros write, that the compiler may leave out, or that go by a pointer; loops of
launches over parts of tensors; choices, calls.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field

from layoutalg.errors import LaunchError
from layoutalg.index.parse import parse
from layoutalg.interop.parameters import KernelParameter
from layoutalg.judge.names import TYPE, HostNames
from layoutalg.judge.source import split
from layoutalg.records import dataclass

_LAUNCH = re.compile(r"((?:\w+\s*::\s*)*\b\w+)\s*(<(?!<<)[^;{}]*?>)?\s*<<<|\bhipLaunchKernelGGL\s*\(")
_CAST = re.compile(rf"\(\s*{TYPE}\s*\)|\bstatic_cast\s*<\s*{TYPE}\s*>|\bstd\s*::\s*(?=min\b|max\b|size_t\b)")
_NUMBER = re.compile(r"\b(\d+)[uUlL]+\b")
_NAME = re.compile(r"\b[A-Za-z_]\w*\b")
_PRIMARY = re.compile(r"[A-Za-z_]\w*(?:\s*(?:\.|->)\s*\w+(?:\([^()]*\))?|\[\w+\])*")
"""A name, and members of it: `x.size(0)`."""
_POINTER = re.compile(
    r"(\w+)(?:(?:\.|->)(?:(?:contiguous|detach|data|get)\(\)(?:\.|->))*"
    r"(?:(?:const_|mutable_)?data_ptr|data|get)(?:\s*<([^<>]*)>)?\s*\(\s*\))?"
)
_POINTER_CAST = re.compile(r"\A(?:\([\w\s:]+\*+\s*\)|reinterpret_cast\s*<[^<>]*>\s*(?=\())\s*")
_COPIED = re.compile(r"(\w+)(?:\.(?:contiguous|detach|clone|to|cuda)\([^()]*\))+")
_POINTS = re.compile(r"\*\s*(?:const\s+|__restrict__\s+)*\Z")
_MOVES = re.compile(
    r"\s*(?:\+\+|--|[-+]=|=(?!=)|\.\s*(?:resize|set|as_strided|transpose|squeeze|unsqueeze|swap_dims|t)_\s*\()"
)
"""How a pointer or a tensor becomes another: `p += 4`, `x = …`, `x.t_()`."""
_SIZES = re.compile(r"\bsizeof\s*\(\s*(\w+)\s*\)")
_BYTES = {
    "char": 1, "uint8_t": 1, "short": 2, "uint16_t": 2, "half": 2, "__half": 2, "_Float16": 2, "int": 4, "unsigned": 4,
    "int32_t": 4, "uint32_t": 4, "float": 4, "double": 8, "float2": 8, "float4": 16, "int4": 16,
}  # fmt: skip

_DTYPES = {
    "float": "f32", "double": "f64", "int": "i32", "int32_t": "i32", "uint8_t": "u8", "int8_t": "i8", "int64_t": "i64",
    "at::Half": "f16", "c10::Half": "f16", "torch::Half": "f16", "at::BFloat16": "bf16", "c10::BFloat16": "bf16",
}  # fmt: skip
"""Types of torch's elements, as `data_ptr` names them."""

#: Definitions in definitions, at most.
DEEP = 8


@dataclass(frozen=True)
class HostLaunch:
    """A launch as a host's source writes it; `lds` is "" where it is not said."""

    kernel: str
    template: tuple[str, ...]
    at: int
    grid: str
    block: str
    lds: str
    arguments: tuple[str, ...]
    name_at: int  # where the kernel is named
    host: HostNames = field(repr=False)

    @property
    def line(self) -> int:
        """The number of its line."""
        return self.host.line(self.at)

    def named(self, text: str, parameters: Sequence[str], sizes: Collection[str] = ()) -> list[str]:
        """Numbers along each axis, in the kernel's parameters; LaunchError where the source does not say so much.

        A parameter of the host's function that is called as one of `sizes` is that size.
        """
        text, at = self._through(_plain(text))
        inside = re.fullmatch(r"(?:dim3\s*)?[({](.*)[)}]", text)
        parts = split(inside[1]) if inside and (text[:4] == "dim3" or text[0] == "{") else split(text)
        known = self._known(parameters) | {name: name for name in self.parameters_of(sizes, parameters)}
        return [_divided(self.said(part, known, at)) for part in parts]

    def parameters_of(self, sizes: Collection[str], parameters: Sequence[str]) -> Iterator[str]:
        """The sizes that are parameters of the host's function, which it never changes, and none of the kernel's."""
        body, _ = self.host.function(self.at)
        for name in sizes:
            one = self.host.visible(name, self.at) if name not in parameters else None
            if one is None or one.at >= body or re.search(r"[;{}]", self.host.plain[one.at : body]):
                continue
            if not self.host.is_changed(name, one):
                yield name

    def said(self, text: str, known: Mapping[str, str], at: int | None = None) -> str:
        """A number in what is known: names and members of a place, else the launch's, and what they are called."""
        found = self._said(text, self.at if at is None else at, known, DEEP)
        if not re.fullmatch(r"[\w\s+\-*/%(),]+", found) or re.search(r"\b0\d|\b\d+[A-Za-z_]", found):
            raise self.unread(f"{text!r} is not read")
        return re.sub(r"\((\w+)\)", r"\1", found)

    def unread(self, why: str) -> LaunchError:
        """Why it is not read."""
        return LaunchError(f"line {self.line}: {why}")

    def _known(self, parameters: Sequence[str]) -> dict[str, str]:
        found = dict[str, str]()
        for argument, parameter in zip(self.arguments, parameters, strict=False):
            if self.number(argument) is not None:
                continue
            plain = _plain(argument)
            through, at = self._through(plain)
            for one, place in ((plain, self.at), (through, at)):
                if _PRIMARY.fullmatch(one) and self._is_seen(one, place):
                    found.setdefault(one, parameter)
        return found

    def _is_seen(self, member: str, at: int) -> bool:
        """Whether a name, or a member of one, is at the launch what it is at a place."""
        base = re.split(r"\W", member)[0]
        one = self.host.visible(base, at)
        return at == self.at or (one == self.host.visible(base, self.at) and not self.host.is_changed(base, one))

    def _through(self, plain: str) -> tuple[str, int]:
        """What a name is initialised with that is never changed, and where; a text that is none as it is."""
        one = self.host.visible(plain, self.at) if plain.isidentifier() else None
        if one is None or one.text is None or one.once or self.host.is_changed(plain, one):
            return plain, self.at
        return _plain(one.text), one.at

    def _said(self, text: str, at: int, known: Mapping[str, str], deep: int) -> str:
        sizes = {name: str(n) for name, n in _BYTES.items() if name not in self.host.types}
        text = _SIZES.sub(lambda found: sizes.get(found[1], found[0]), _plain(text))
        members = sorted((one for one in known if not one.isidentifier()), key=len, reverse=True)
        patterns = [rf"\b{re.escape(one)}(?![\w.(\[]|->)" for one in members]

        def one(found: re.Match[str]) -> str:
            return self._name(found[0], at, known, deep)

        return re.sub("|".join([*patterns, _NAME.pattern]), one, text)

    def _name(self, name: str, at: int, known: Mapping[str, str], deep: int) -> str:
        host, base = self.host, re.split(r"\W", name)[0]
        declared = host.visible(base, at)
        macro = host.macro(name, at) if name.isidentifier() else None
        if macro is not None and deep:
            return self._said(macro, at, known, deep - 1)  # as it is: no brackets are put around it
        if name in known and declared == host.visible(base, self.at):
            if at != self.at and host.is_changed(base, declared):
                raise self.unread(f"{base} is changed between line {host.line(at)} and the launch")
            return known[name]
        if name in ("min", "max") and declared is None:
            return name
        if declared is None or declared.text is None or not name.isidentifier() or not deep:
            raise self.unread(f"{name} is no argument of {self.kernel}, and not defined once")
        if host.is_changed(name, declared):
            raise self.unread(f"{name} may be changed after line {host.line(declared.at)}")
        return f"({self._said(declared.text, declared.at, {} if declared.once else known, deep - 1)})"

    @property
    def condition(self) -> str:
        """That the host does not always come to it, in words; "" where nothing says so."""
        host = self.host
        start, _ = host.function(self.at)
        if host.within(self.at, "if", "else", "switch", "case"):
            return f"when line {self.line} starts it, which is under a condition"
        leaves = (
            re.search(r"\b(?:return|throw|\w*exit|abort|terminate)\b", host.plain[start : self.at]) if start else None
        )
        return f"when line {host.line(start + leaves.start())} returns before it is started" if leaves else ""

    def number(self, argument: str) -> int | None:
        """The number that an argument is in every launch; None where it is none."""
        try:
            found = parse(_divided(self.said(argument, {})), {})
        except (LaunchError, ValueError):
            return None
        return int(found.value) if found.op == "const" else None

    def perhaps(self, argument: str, known: Mapping[str, str]) -> str:
        """A number in what is known; "" where that does not say it."""
        try:
            return _divided(self.said(argument, known))
        except LaunchError:
            return ""

    def sizes_of(self, tensor: str, lengths: Sequence[str]) -> dict[str, str]:
        """What the host calls the lengths of a tensor; also of the one whose copy it is."""
        known, one = dict[str, str](), self.host.visible(tensor, self.at)
        copied = _COPIED.fullmatch(one.text or "") if one else None
        for name in (tensor, *([copied[1]] if copied else [])):
            known[f"{name}.numel()"] = "(" + " * ".join(f"({each})" for each in lengths) + ")"
            for axis, each in enumerate(lengths):
                for at in (axis, axis - len(lengths)):
                    known |= dict.fromkeys((f"{name}.size({at})", f"{name}.sizes()[{at}]"), f"({each})")
        return known

    def given(self, argument: str) -> set[str]:
        """The names that an argument is made of, all given to its function and not changed there; none of others."""
        host = self.host
        found = {*_NAME.findall(argument := _plain(argument))}
        declared = {name: host.visible(name, self.at) for name in found}
        said = all(one is not None and host.is_parameter(one) and not host.is_changed(name, one)
                   for name, one in declared.items())  # fmt: skip
        return found if said and re.fullmatch(r"[\w\s+\-*/%()]+", argument) else set()

    def _pointed(self, argument: str) -> str:
        """What an argument for a tensor points to, followed through pointers that it is initialised with."""
        text = " ".join(argument.split())
        for _ in range(DEEP):
            text = self._through(_POINTER_CAST.sub("", text))[0]
            text = text[1:-1] if text[:1] + text[-1:] == "()" else text
            one = self.host.visible(text, self.at) if text.isidentifier() else None
            if one is None or not _POINTS.search(self.host.plain[: one.at]):
                return text
            said = re.compile(r"\s*(?:=([^;]*);|\(([^;]*)\)\s*;|\{([^;]*)\}\s*;)").match(
                self.host.plain, one.at + len(text)
            )
            if said is None or self._is_moved(text):
                return text
            text = " ".join((said[1] or said[2] or said[3] or "").split())
        return text

    def _is_moved(self, name: str) -> bool:
        """Whether a pointer or a tensor may be another at the launch than where it was declared, or a part of it."""
        host, one = self.host, self.host.visible(name, self.at)
        start, _ = host.function(self.at)
        for found in re.finditer(rf"(?<!\.)(?<!->)\b{name}\b", host.plain[max(start, one.at if one else 0) : self.at]):
            at, end = (place + max(start, one.at if one else 0) for place in found.span())
            if one is not None and at == one.at:
                continue
            same = re.compile(rf"\s*=\s*{name}\s*\.\s*(?:contiguous|to|cuda|detach)\s*\([^()]*\)\s*;").match(
                host.plain, end
            )
            if re.search(r"(?:\+\+|--)\s*\Z", host.plain[:at]) or (_MOVES.match(host.plain, end) and not same):
                return True
        return False

    def instantiates(self, arguments: Sequence[str]) -> bool | None:
        """Whether it is a launch of a template of these arguments; None where that is not seen."""
        seen: bool | None = True
        for k, wanted in enumerate(each.removesuffix("u").removesuffix("l") for each in arguments):
            own = self.template[k] if k < len(self.template) else ""
            is_number = re.fullmatch(r"-?\d+", wanted) is not None
            if "".join(own.split()) == "".join(wanted.split()) or (not own and not is_number and self._says_types):
                continue
            number = self.number(own) if own and is_number else None
            if number is not None and number != int(wanted):
                return False
            seen = seen if number is not None else None
        return seen

    @property
    def _says_types(self) -> bool:
        """Whether tensors are passed as of a type, by which a template's may be deduced: `check` compares it."""
        said = (_POINTER.fullmatch(self._pointed(one)) for one in self.arguments)
        return any(one is not None and one[2] is not None for one in said)

    def check(self, parameters: Sequence[KernelParameter], started: int) -> None:
        """LaunchError where it is no launch of whole tensors, each for its own; `started`: kernels of that name."""
        if self.host.is_conditional(self.at):
            raise self.unread("a compiler may leave it out, as #if says")
        if self.host.redefined:
            raise self.unread(f"{self.host.redefined} is the source's own")
        start, end = self.host.function(self.at)
        if self.host.within(self.at, "for", "while", "do") or re.search(r"\bgoto\b", self.host.plain[start:end]):
            raise self.unread("it is started in a loop")
        if not self.host.is_statement(self.at):
            raise self.unread("it is started within another statement")
        if started > 1:
            raise self.unread(f"there are {started} kernels of the name {self.kernel}")
        if len(self.arguments) > len(parameters):
            raise self.unread(f"{len(self.arguments)} arguments for {len(parameters)} parameters")
        passed = dict[str, str]()
        for parameter, base in self.tensors(parameters).items():
            if base in passed:
                raise self.unread(f"it passes {base} for {passed[base]} and for {parameter}")
            passed[base] = parameter
        pointers = {one.name for one in parameters if one.points}
        for base, parameter in passed.items():
            if base != parameter and base in pointers:
                raise self.unread(f"it passes {base} for {parameter}")

    def tensors(self, parameters: Sequence[KernelParameter]) -> dict[str, str]:
        """What of the host's is passed for each tensor."""
        found = dict[str, str]()
        for argument, parameter in zip(self.arguments, parameters, strict=False):
            if parameter.points:
                text = self._pointed(argument)
                said = _POINTER.fullmatch(text)
                if said is None or text in ("nullptr", "NULL") or text.isdecimal() or self._is_moved(said[1]):
                    raise self.unread(f"it passes {argument} for {parameter.name}, which is no whole tensor")
                dtype = _DTYPES.get("".join((said[2] or "").split()))
                if dtype and parameter.dtype and dtype != parameter.dtype:
                    raise self.unread(f"it passes {argument} for {parameter.name}, which is of {parameter.dtype}")
                found[parameter.name] = said[1]
        return found


def launches(text: str) -> Iterator[HostLaunch]:
    """Every launch that a source writes.

    >>> text = "const int b = 256; void f(int m) { k<<<(m + b - 1) / b, b>>>(m); }"
    >>> [(one.kernel, one.named(one.grid, ("n",)), one.named(one.block, ("n",))) for one in launches(text)]
    [('k', ['(n + 256 - 1) // 256'], ['256'])]
    """
    host = HostNames(text)
    plain = host.plain
    for found in _LAUNCH.finditer(plain):
        if found[1] is None:  # hipLaunchKernelGGL(kernel, grid, block, lds, stream, …)
            kernel, *said = split(plain[found.end() : host.closing(found.end() - 1)])
            kernel = re.sub(r"\A(?:HIP_KERNEL_NAME)?\s*\((.*)\)\Z", r"\1", kernel.strip())
            name, _, template = kernel.partition("<")
            arguments = said[4:]
            name_at = plain.index(name.split("::")[-1].strip(), found.end())
        else:
            end = plain.find(">>>", found.end())
            opened, said = plain.find("(", end), split(plain[found.end() : end])
            if end < 0 or opened < 0 or plain[end + 3 : opened].strip():
                continue
            name, template = found[1], (found[2] or "<")[1:]
            arguments = split(plain[opened + 1 : host.closing(opened)])
            name_at = found.end(1) - len(re.split(r"\W+", name)[-1])
        if len(said) >= 2:
            template = template.strip().removesuffix(">")
            yield HostLaunch("".join(name.split()), tuple(split(template)) if template else (), found.start(), said[0],
                             said[1], (*said, "")[2], tuple(arguments), name_at, host)  # fmt: skip


def otherwise(text: str, kernel: str) -> str:
    """Why a source may start a kernel in ways that are not read: it names it elsewhere, or a macro may; else ""."""
    host = HostNames(text)
    for start, end in host.defining:
        starts = re.search(r"<<<|Launch", text[start:end])
        if re.search(rf"\b{kernel}\b", text[start:end]) or (starts and "##" in text[start:end]):
            return f"line {host.line(start)}: a macro starts {kernel}"
    heads = _heads(host, kernel)
    read = {one.name_at for one in launches(text)}
    for found in re.finditer(rf"\b{kernel}\b", host.plain):
        at = found.start()
        if at in heads or at in read or re.search(r"(?:\.|->|\b(?:torch|at)\s*::)\s*\Z", host.plain[:at]):
            continue
        one = host.visible(kernel, at)
        own = one is not None and one.at not in heads
        if not own and at not in {each.at for each in host.declared(kernel)} and not host.asks(at):
            return f"line {host.line(at)}: {kernel} is started by a pointer"
    return ""


def _heads(host: HostNames, kernel: str) -> set[int]:
    """Where kernels of a name are declared, defined, or instantiated."""
    found = re.finditer(rf"__global__[^;{{}}]*?\b({kernel})\s*(?:<[^;{{}}()]*>)?\s*\(", host.plain)
    return {one.start(1) for one in found}


def kernels(text: str, name: str) -> int:
    """How many kernels of a name a source defines."""
    return len(re.findall(rf"__global__[^;{{]*?\b{name}\s*\([^;{{]*\{{", HostNames(text).plain))


def _plain(text: str) -> str:
    return _NUMBER.sub(r"\1", _CAST.sub("", " ".join(text.split()))).strip()


def _divided(text: str) -> str:
    return re.sub(r"/+", "//", text)
