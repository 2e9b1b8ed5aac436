"""A small interpreter of AMD's pseudocode: statements over named integers.

It knows what those texts use: typed names (`S0.u32`), bit ranges (`[31 : 0]`, `[i +: 4]`, `[0 : 31]` backwards), casts
(`64'U(x)`), C's operators, concatenation in braces, loops, branches, functions that a text defines, and instructions
called as functions (`v_min_i32`).  Integers are unbounded until a type or an assignment cuts them.
"""

import functools
import importlib
import re

OPERATORS = r"\+=|\+:|<<|>>|==|!=|<>|<=|>=|&&|\|\||[-+*/%&|^~!<>?:(){}\[\].,;=]"
TOKEN = re.compile(rf"\s*(\d+'[UIB]|\d+'\d+U?|0x[0-9a-fA-F]+|\d+|\w+|{OPERATORS})")
LITERAL = re.compile(r"\b(0x[0-9a-fA-F]+|\d+)(ULL|LL|U|L)\b")
BINARY = [
    {"||": lambda a, b: int(bool(a) or bool(b))},
    {"&&": lambda a, b: int(bool(a) and bool(b))},
    {"|": lambda a, b: a | b},
    {"^": lambda a, b: a ^ b},
    {"&": lambda a, b: a & b},
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "<>": lambda a, b: int(a != b)},
    {"<": lambda a, b: int(a < b), ">": lambda a, b: int(a > b)}
    | {"<=": lambda a, b: int(a <= b), ">=": lambda a, b: int(a >= b)},
    {"<<": lambda a, b: a << b, ">>": lambda a, b: a >> b},
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b, "/": lambda a, b: a // b, "%": lambda a, b: a % b},
]  # fmt: skip
ENDS = {"endif", "endfor", "else", "elsif", ")", ""}
EXTENDED = re.compile(r"([iu]\d+)_to_[iu]32$")


class Break(Exception):
    """A loop is left."""


class Return(Exception):
    """A function that a text defines has its value."""


def cut(value, kind, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind in "iI" and value >> (bits - 1) else value


@functools.cache
def texts():
    """Instruction → its texts, each with the instruction sets that have it."""
    found = {}
    for architecture in ("cdna", "rdna3", "rdna4"):
        module = importlib.import_module(f"tinygrad.runtime.autogen.amd.{architecture}.str_pcode")
        for op, text in module.PCODE.items():
            name = op.name.removesuffix("_E32").removesuffix("_E64")
            found.setdefault(name, {}).setdefault(text, set()).add(architecture)
    return found


class Parser:
    """Tokens to trees: tuples whose first is what they are."""

    def __init__(self, text):
        text = re.sub(r"//[^\n]*|INST\.", "", text)
        text = LITERAL.sub(lambda m: m[1] if text[m.start() - 1 : m.start()] != "'" else m[0], text)
        self.tokens, position = [], 0
        while position < len(text.rstrip()):
            match = TOKEN.match(text, position)
            assert match, text[position:]
            self.tokens.append(match[1])
            position = match.end()
        self.at = 0

    def peek(self, ahead=0):
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.peek()
        assert expected in (None, token), (expected, token, self.tokens[self.at - 5 : self.at + 5])
        self.at += 1
        return token

    def block(self):
        statements = []
        while self.peek() not in ENDS:
            if self.peek() == ";":
                self.take()
            else:
                statements.append(self.statement())
        return statements

    def statement(self):
        match self.peek():
            case "for":
                self.take()
                name = self.take()
                self.take("in")
                first = self.binary(0)
                self.take(":")
                last = self.ternary()
                self.take("do")
                body = self.block()
                self.take("endfor")
                return "for", name, first, last, body
            case "if":
                return self.branch()
            case "break":
                self.take()
                return ("break",)
            case "return":
                self.take()
                return "return", self.ternary()
            case "declare":
                self.take()
                name = self.take()
                size = None
                while self.take() != ";":
                    if self.peek() == "[":
                        size = int(self.peek(1))
                return "declare", name, size
        targets = [self.ternary()]
        if self.peek() == "+=":
            self.take()
            return "assign", targets, ("binary", "+", targets[0], self.ternary())
        while self.peek() == "=":
            self.take()
            targets.append(self.function() if self.peek() == "lambda" else self.ternary())
        return "assign", targets[:-1], targets[-1]

    def branch(self):
        self.take()
        condition = self.ternary()
        self.take("then")
        body, otherwise = self.block(), []
        if self.peek() == "elsif":
            return "if", condition, body, [self.branch()]
        if self.take() == "else":
            otherwise = self.block()
            self.take("endif")
        return "if", condition, body, otherwise

    def function(self):
        self.take("lambda")
        names = self.listed("(", ")", self.take)
        self.take("(")
        body = self.block() if self.peek() == "if" else [("return", self.ternary())]
        self.take(")")
        return "lambda", names, body

    def listed(self, opening, closing, part):
        self.take(opening)
        parts = []
        while self.peek() != closing:
            parts.append(part())
            if self.peek() == ",":
                self.take()
        self.take(closing)
        return parts

    def ternary(self):
        value = self.binary(0)
        if self.peek() != "?":
            return value
        self.take()
        then = self.ternary()
        self.take(":")
        return "choice", value, then, self.ternary()

    def binary(self, level):
        if level == len(BINARY):
            return self.unary()
        left = self.binary(level + 1)
        while self.peek() in BINARY[level]:
            left = "binary", self.take(), left, self.binary(level + 1)
        return left

    def unary(self):
        if self.peek() in ("~", "-", "!"):
            return "unary", self.take(), self.unary()
        return self.suffixes(self.primary())

    def primary(self):
        if self.peek() == "(":
            self.take()
            value = self.ternary()
            self.take(")")
            return value
        if self.peek() == "{":
            return "braces", self.listed("{", "}", self.ternary)
        token = self.take()
        if "'" in token:
            bits, kind = token.split("'")
            if kind[0].isdigit():
                return "number", int(kind.rstrip("U"), 0), int(bits)
            return "cast", kind, int(bits), self.listed("(", ")", self.ternary)[0]
        if token[0].isdigit():
            return "number", int(token, 0), None
        return ("call", token, self.listed("(", ")", self.ternary)) if self.peek() == "(" else ("name", token)

    def suffixes(self, value):
        while self.peek() in (".", "["):
            if self.take() == ".":
                kind = self.take()
                assert re.match(r"[uibf]\d+$", kind), kind
                value = "typed", value, kind[0], int(kind[1:])
                continue
            high, low, how = self.ternary(), None, self.peek()
            if how in (":", "+:"):
                self.take()
                low = self.ternary()
            self.take("]")
            value = "bits", value, how, high, low
        return value


@functools.cache
def parsed(text):
    parser = Parser(text)
    statements = parser.block()
    assert not parser.peek(), parser.tokens[parser.at :]
    return statements


class Pseudocode:
    """Runs one text on a state of named integers."""

    def __init__(self, state):
        self.state = {"laneId": 0, **state}

    def run(self, text):
        self.block(parsed(text))
        return self.state

    def block(self, statements):
        for kind, *rest in statements:
            getattr(self, f"do_{kind}")(*rest)

    def do_for(self, name, first, last, body):
        for number in range(self.value(first), self.value(last) + 1):
            self.state[name] = number
            try:
                self.block(body)
            except Break:
                return

    def do_if(self, condition, body, otherwise):
        self.block(body if self.value(condition) else otherwise)

    def do_break(self):
        raise Break

    def do_return(self, value):
        raise Return(self.of(value))

    def do_declare(self, name, size):
        if name not in self.state:  # what a text declares may be given
            self.state[name] = 0 if size is None else [0] * size

    def do_assign(self, targets, source):
        value = source if source[0] == "lambda" else self.value(source)
        for target in targets:
            self.store(target, value)

    def store(self, target, value):
        kind, *rest = target
        if kind == "braces":  # the last is the lowest
            for part in reversed(rest[0]):
                self.store(part, value)
                value >>= part[3]
        elif kind == "typed":
            self.store(rest[0], cut(value, rest[1], rest[2]))
        elif kind == "bits":
            name = rest[0][1] if rest[0][0] == "name" else rest[0][1][1]
            low, width = self.span(*rest[1:])
            old = self.value(rest[0]) if rest[0][0] == "bits" else self.state.get(name, 0)
            if isinstance(old, list):
                old[low] = value
                return
            mask = ((1 << width) - 1) << low
            self.state[name] = old & ~mask | value << low & mask
        else:
            self.state[rest[0]] = value

    def span(self, how, high, low):
        """The lowest bit and how many."""
        high = self.value(high)
        if low is None:
            return high, 1
        low = self.value(low)
        return (high, low) if how == "+:" else (min(low, high), abs(high - low) + 1)

    def value(self, tree):
        return self.of(tree)[0]

    def of(self, tree):
        """A tree's value and, where it is known, its width."""
        kind, *rest = tree
        return getattr(self, f"of_{kind}")(*rest)

    def of_number(self, value, bits):
        return value, bits

    def of_name(self, name):
        return self.state[name], None

    def of_typed(self, base, kind, bits):
        return cut(self.value(base), kind, bits), bits

    def of_bits(self, base, how, high, low):
        whole = self.value(base[1] if base[0] == "typed" else base)  # of the whole: V_PK_MOV_B32 has S0.u32[63 : 32]
        first, width = self.span(how, high, low)
        if isinstance(whole, list):
            return whole[first], None
        value = whole >> first & ((1 << width) - 1)
        if how == ":" and self.value(high) < self.value(low):
            value = int(f"{value:0{width}b}"[::-1], 2)
        return value, width

    def of_cast(self, kind, bits, part):
        return cut(self.value(part), kind, bits), bits

    def of_choice(self, condition, then, otherwise):
        return self.of(then if self.value(condition) else otherwise)

    def of_binary(self, operator, left, right):
        found = next(level[operator] for level in BINARY if operator in level)
        return found(self.value(left), self.value(right)), None

    def of_unary(self, operator, part):
        value, width = self.of(part)
        return {"~": ~value, "-": -value, "!": int(not value)}[operator], width if operator == "~" else None

    def of_braces(self, parts):
        total, width = 0, 0
        for value, bits in map(self.of, parts):
            total, width = total << bits | value & ((1 << bits) - 1), width + bits
        return total, width

    def of_call(self, name, parts):
        values = [self.of(part) for part in parts]
        if name == "s_nop":
            return 0, None
        if name == "signext":
            return values[0]
        if name == "signext_from_bit":
            (value, _), (width, _) = values
            return (cut(value, "i", width) if width else 0), None
        extended = EXTENDED.match(name)
        if extended:
            return cut(values[0][0], extended[1][0], int(extended[1][1:])), 32
        numbers = [value for value, _ in values]
        if name in self.state:
            _, names, body = self.state[name]
            try:
                Pseudocode(dict(zip(names, numbers, strict=True))).block(body)
            except Return as found:
                return found.args[0]
        text = next(iter(texts()[name.upper()]))
        return Pseudocode(dict(zip(("S0", "S1", "S2"), numbers, strict=False))).run(text)["D0"], None
