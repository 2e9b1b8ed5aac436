// What is typed, read: CK's descriptors, CuTe's layouts, Triton's shared layouts. Each becomes a table of offsets.
//
//     readLayout(text, shape)  →  { kind, lengths, space, offsets, valid }        offsets and valid: one entry an index
//
// CK's transforms are not written here: TRANSFORMS is generated from the library's own expressions. What the library
// refuses is refused here, with the place in the text where it goes wrong.
"use strict";

class Refused extends Error {
  constructor(problem, at = -1) {
    super(problem);
    this.at = at;
  }
}

function deny(problem, at) {
  throw new Refused(problem, at);
}

const NUMBER_LIMIT = 2n ** 31n; // numbers of a text; what is computed of them is exact
const REACH = 2 ** 24; // indices between transforms; TRANSFORMS is exact below this
const DEEPEST = 32; // brackets within brackets

function small(value, what, at) {
  if (typeof value === "boolean") return Number(value);
  if (typeof value !== "bigint") deny(`${what}: a number is wanted`, at);
  if (value >= NUMBER_LIMIT || value <= -NUMBER_LIMIT) deny(`${what}: ${value} is too large`, at);
  return Number(value);
}

// Expressions -----------------------------------------------------------------------------------------------------------

const WORD = /\s*(?:(0[xX][\da-fA-F]+|\d+)|((?:[A-Za-z_]\w*(?:::|\.))*[A-Za-z_]\w*)|(\*\*|\/\/|<<|>>|<=|>=|==|!=|&&|\|\||[-+*\/%^&|~<>()[\]{},:;=?!])|(\S))/y;

function tokens(text) {
  const found = [];
  WORD.lastIndex = 0;
  while (WORD.lastIndex < text.length) {
    const match = WORD.exec(text);
    if (!match) break; // white space at the end
    const [, number, name, mark, other] = match;
    const at = WORD.lastIndex - (number ?? name ?? mark ?? other).length;
    if (other) deny(`'${other}' means nothing here`, at);
    if (number) found.push({ kind: "number", word: number, value: BigInt(number), at });
    else if (name) found.push({ kind: "name", word: name.split(/::|\./).pop(), at });
    else found.push({ kind: "mark", word: mark, at });
  }
  return found;
}

const floor = (a, b) => (a % b !== 0n && a < 0n ? a / b - 1n : a / b); // b is at least 1
const divisor = (b) => (b < 1n ? deny(`a divisor is at least 1, here it is ${b}`) : b);
const steps = (b) => (b < 0n || b > 62n ? deny(`a shift is in 0…62, here it is ${b}`) : b);
const ARITHMETIC = {
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "|": (a, b) => a | b, "^": (a, b) => a ^ b, "&": (a, b) => a & b,
  "//": (a, b) => floor(a, divisor(b)), "%": (a, b) => a - floor(a, divisor(b)) * b, "<<": (a, b) => a << steps(b), ">>": (a, b) => a >> steps(b),
};
const C_ARITHMETIC = { ...ARITHMETIC, "/": (a, b) => a / divisor(b), "%": (a, b) => a % divisor(b) }; // towards zero
const COMPARE = { "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b, "==": (a, b) => a === b, "!=": (a, b) => a !== b };
const PYTHON = { arithmetic: ARITHMETIC, or: "or", and: "and", not: "not", levels: [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "//", "%"]] };
const CPP = { arithmetic: C_ARITHMETIC, or: "||", and: "&&", not: "!", levels: [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]] };
const SUM = 4; // the level that a template's argument begins at: it has no < and >

const FUNCTIONS = {
  min: (...all) => all.reduce((a, b) => (b < a ? b : a)), max: (...all) => all.reduce((a, b) => (b > a ? b : a)),
  integer_divide_ceil: (a, b) => floor(a + divisor(b) - 1n, b), integer_least_multiple: (a, b) => floor(a + divisor(b) - 1n, b) * b,
  select: (c, a, b) => (c ? a : b),
};

// Reads and computes in one pass, in Python's or C++'s grammar. A value is a BigInt, a truth value, a list, a transform
// or a descriptor.
class Reader {
  constructor(list, end, language, names, calls = FUNCTIONS) {
    Object.assign(this, { list, end, language, names, calls, n: 0, depth: 0 });
  }

  get word() { return this.list[this.n]?.kind === "number" ? "" : (this.list[this.n]?.word ?? ""); }
  get at() { return this.list[this.n]?.at ?? this.end; }

  has(...words) { return this.n < this.list.length && words.includes(this.word); }

  take(...words) {
    if (!this.has(...words)) deny(`${words.map((w) => `'${w}'`).join(" or ")} is wanted here`, this.at);
    return this.list[this.n++].word;
  }

  number(value, at) {
    if (typeof value === "boolean") return value ? 1n : 0n;
    if (typeof value !== "bigint") deny("a number is wanted here", at);
    return value;
  }

  placed(at, compute) { // what is refused in between is refused there
    try {
      return compute();
    } catch (error) {
      if (error instanceof Refused && error.at < 0) error.at = at;
      throw error;
    }
  }

  value() {
    if (++this.depth > DEEPEST) deny(`nested more than ${DEEPEST} deep`, this.at);
    let found = this.either();
    if (this.language === PYTHON && this.has("if")) {
      this.n++;
      const condition = this.either();
      this.take("else");
      const otherwise = this.value();
      found = condition ? found : otherwise;
    } else if (this.language === CPP && this.has("?")) {
      this.n++;
      const one = this.value();
      this.take(":");
      const otherwise = this.value();
      found = found ? one : otherwise;
    }
    this.depth--;
    return found;
  }

  either() {
    let found = this.both();
    while (this.has(this.language.or)) {
      this.n++;
      const other = this.both();
      found = Boolean(found) || Boolean(other);
    }
    return found;
  }

  both() {
    let found = this.negated();
    while (this.has(this.language.and)) {
      this.n++;
      const other = this.negated();
      found = Boolean(found) && Boolean(other);
    }
    return found;
  }

  negated() {
    if (!this.has(this.language.not)) return this.compared();
    this.n++;
    return !this.negated();
  }

  compared() {
    let left = this.level(0);
    let found = left;
    for (let first = true; this.word in COMPARE && this.list[this.n].kind === "mark"; first = false) {
      const { at } = this;
      const holds = COMPARE[this.list[this.n++].word];
      const right = this.level(0);
      const here = holds(this.number(left, at), this.number(right, at));
      found = first ? here : found && here; // comparisons chain
      left = right;
    }
    return found;
  }

  level(k) {
    const { levels, arithmetic } = this.language;
    if (k === levels.length) return this.signed();
    let found = this.level(k + 1);
    while (this.has(...levels[k])) {
      const { at } = this;
      const mark = this.list[this.n++].word;
      const other = this.level(k + 1);
      if (!(mark in arithmetic)) deny("/ is not an integer operation; write // (it rounds down)", at);
      found = this.placed(at, () => arithmetic[mark](this.number(found, at), this.number(other, at)));
    }
    return found;
  }

  signed() {
    const { at } = this;
    if (this.has("-", "+", "~")) {
      const mark = this.list[this.n++].word;
      const found = this.number(this.signed(), at);
      return { "-": -found, "+": found, "~": ~found }[mark];
    }
    const found = this.primary();
    if (this.language === CPP || !this.has("**")) return found;
    this.n++;
    const power = this.number(this.signed(), at);
    return power < 0n || power > 62n ? deny("an exponent is in 0…62", at) : this.number(found, at) ** power;
  }

  primary() {
    const { at } = this;
    const token = this.list[this.n];
    if (!token) deny("something is missing here", at);
    if (token.kind === "number") return this.list[this.n++].value;
    if (token.kind === "name") return this.named();
    if (this.has("(")) return this.listed("(", ")", true);
    if (this.has("[")) return this.listed("[", "]", false);
    return deny(`a value is wanted here, not '${token.word}'`, at);
  }

  // A list in brackets; one value in parentheses without a comma is that value.
  listed(open, close, plain) {
    if (++this.depth > DEEPEST) deny(`nested more than ${DEEPEST} deep`, this.at);
    this.take(open);
    const found = [];
    let comma = false;
    while (!this.has(close)) {
      found.push(this.value());
      if (this.has(close)) break;
      this.take(",", close);
      comma = true;
    }
    this.take(close);
    this.depth--;
    return plain && found.length === 1 && !comma ? found[0] : found;
  }

  named() {
    const { at } = this;
    const name = this.list[this.n++].word;
    if (Object.hasOwn(TEMPLATES, name) && this.has("<")) return this.template(name, at);
    if (this.has("(")) return this.call(name, at, this.listed("(", ")", false));
    if (name === "true" || name === "True") return true;
    if (name === "false" || name === "False") return false;
    if (name in this.names) return this.names[name];
    if (/^I\d$/.test(name)) return BigInt(name.slice(1)); // CK's I0, I1 …
    const known = Object.keys(this.names).join(", ") || "none";
    return deny(`no name '${name}'; known here: ${known}`, at);
  }

  template(name, at) {
    this.take("<");
    const given = [];
    while (!this.has(">")) {
      given.push(this.level(SUM));
      if (!this.has(">")) this.take(",", ">");
    }
    this.take(">");
    for (const [open, close] of [["{", "}"], ["(", ")"]]) {
      if (!this.has(open)) continue;
      this.n++;
      this.take(close);
      break;
    }
    return this.placed(at, () => TEMPLATES[name](given));
  }

  call(name, at, given) {
    if (!Object.hasOwn(this.calls, name)) deny(`${name} cannot be called here`, at);
    return this.placed(at, () => this.calls[name](...given));
  }

  over() { return this.n >= this.list.length; }
}

const TEMPLATES = {
  number: ([n]) => n, Number: ([n]) => n, constant: ([n]) => n, sequence: (all) => all, Sequence: (all) => all,
};

// CK ---------------------------------------------------------------------------------------------------------------------

const QUALIFIERS = ["const", "constexpr", "static", "auto", "index_t", "int", "return"];
const IS_CPP = /[;{}]|\bmake_tuple\b|\bconstexpr\b|\b[Ss]equence\s*</;

function numbers(given, what) {
  if (!Array.isArray(given)) deny(`${what}: a list of numbers is wanted`);
  return given.map((n) => small(n, what));
}

// A transform of a call's arguments, by the generated table; what the library refuses of the parameters is refused.
function transform(kind, given) {
  const { name, parameters, flags } = kind;
  if (given.slice(parameters.length).some(Boolean)) deny("SkipIsValidCheck reads the padding as data; use the checked padding, which says what is data");
  if (given.length < parameters.length || given.length > parameters.length + flags) deny(`${name} takes ${parameters.length} arguments, here ${given.length}`);
  const lists = parameters.map((p, k) => p.list ? numbers(given[k], `${name}: ${p.name}`) : [small(given[k], `${name}: ${p.name}`)]);
  const many = parameters.flatMap((p, k) => (p.list ? [lists[k].length] : []));
  if (many.some((n) => n !== many[0])) deny(`${name}: ${many[0]} ${parameters[0].name} but ${many.find((n) => n !== many[0])} ${parameters[1].name}; give one for each`);
  const maps = kind.of[many[0] ?? 0];
  if (!maps) deny(`${name}: lists of ${Object.keys(kind.of).join(", ")} are read here, this has ${many[0]}`);
  const p = lists.flat();
  parameters.forEach((parameter, k) => lists[k].forEach((n) => {
    if (n < parameter.least) deny(`${name}: ${parameter.name} ${n}: at least ${parameter.least} is wanted`);
    if (n > maps.most) deny(`${name}: ${parameter.name} ${n}: at most ${maps.most} is read here`);
  }));
  if (!maps.condition(p)) deny(`${name}(${given.map((g) => (Array.isArray(g) ? tuple(g) : g)).join(", ")}): these parameters make no transform`);
  return { name, lower: (u) => maps.lower(p, u), valid: (u) => maps.valid(p, u), upperLengths: maps.upperLengths(p), lowerLengths: maps.lowerLengths(p), constants: maps.constants(p) };
}

// A descriptor: stages from memory up, each with transforms and the dimensions below and above them.
function overMemory(one, space) {
  const above = one.upperLengths.map((_, n) => n);
  if (!above.length) deny("a tensor has at least one dimension");
  return { lengths: one.upperLengths, space, stages: [{ transforms: [one], lowers: [[0]], uppers: [above], below: 1 }] };
}

const sum = (all) => all.reduce((a, b) => a + b, 0);
const byName = (name) => TRANSFORMS.find((kind) => kind.name === name);
const reach = (lengths, strides) => sum(lengths.map((n, k) => (n - 1) * strides[k])) + 1;

function naive(lengths, strides) {
  const one = transform(byName("embed"), [lengths, strides]);
  return overMemory(one, lengths.some((n) => n === 0n) ? 0 : reach(numbers(lengths, "lengths"), numbers(strides, "strides")));
}

function packed(lengths) {
  const one = transform(byName("unmerge"), [lengths]);
  return overMemory(one, product(numbers(lengths, "lengths")));
}

function aligned(lengths, align) {
  const found = [1n];
  [...lengths.slice(1)].reverse().forEach((n, k) => found.push(k ? found[k] * n : floor(n + divisor(align) - 1n, align) * align));
  return naive(lengths, found.reverse());
}

function withOffset(lengths, strides, offset) {
  const made = naive(lengths, strides);
  const first = small(offset, "offset");
  const embed = made.stages[0].transforms[0];
  const below = { ...embed, lower: (u) => [embed.lower(u)[0] + first] };
  const space = first + sum(numbers(lengths, "lengths").map((n, k) => (n - 1) * Math.max(small(strides[k], "strides"), 0))) + 1;
  return overMemory(below, space);
}

function eachOnce(side, groups, count) {
  const used = groups.flat();
  used.forEach((d) => {
    if (d < 0 || d >= count) deny(`${side} dimension ${d} does not exist: there are ${count} (0…${count - 1})`);
    if (used.filter((one) => one === d).length > 1) deny(`${side} dimension ${d} is used twice; each must be used exactly once`);
  });
  for (let d = 0; d < count; d++) if (!used.includes(d)) deny(`${side} dimension ${d} is used by no transform; each must be used exactly once`);
}

function attached(below, transforms, lowers, uppers) {
  if (!below?.stages) deny("transform_tensor_descriptor: the first argument is a descriptor");
  if (![transforms, lowers, uppers].every(Array.isArray)) deny("transform_tensor_descriptor takes a descriptor, transforms, lower ids and upper ids");
  if (transforms.some((t) => !t.lower)) deny("transform_tensor_descriptor: a list of transforms is wanted second");
  if (lowers.length !== transforms.length || uppers.length !== transforms.length) deny(`${transforms.length} transforms, ${lowers.length} lists of lower dimensions, ${uppers.length} of upper ones; give one of each for each`);
  [lowers, uppers] = [numbersOfEach(lowers, "lower ids"), numbersOfEach(uppers, "upper ids")];
  transforms.forEach((t, k) => {
    if (t.lowerLengths.length !== lowers[k].length) deny(`${t.name} has ${t.lowerLengths.length} lower dimensions, ${tuple(lowers[k])} lists ${lowers[k].length}`);
    if (t.upperLengths.length !== uppers[k].length) deny(`${t.name} has ${t.upperLengths.length} upper dimensions, ${tuple(uppers[k])} lists ${uppers[k].length}`);
  });
  eachOnce("lower", lowers, below.lengths.length);
  const count = uppers.flat().length;
  if (!count) deny("a tensor has at least one dimension");
  eachOnce("upper", uppers, count);
  const lengths = new Array(count);
  transforms.forEach((t, k) => {
    lowers[k].forEach((d, j) => {
      const [wanted, length] = [t.lowerLengths[j], below.lengths[d]];
      if (wanted !== null && wanted !== length) deny(`${t.name} is attached to dimension ${d}: its lower length is ${wanted}, the dimension's is ${length}`);
      if (t.constants.some((n) => n < 0 || n >= length)) deny(`${t.name} is attached to dimension ${d}, which has indices 0…${length - 1} only`);
    });
    uppers[k].forEach((d, j) => { lengths[d] = t.upperLengths[j]; });
  });
  return { lengths, space: below.space, stages: [...below.stages, { transforms, lowers, uppers, below: below.lengths.length }] };
}

function numbersOfEach(groups, what) {
  return groups.map((group) => numbers(Array.isArray(group) ? group : [group], what));
}

// The offset of an index, and whether it is data.
function carried(descriptor, top) {
  let index = top;
  let valid = true;
  for (const { transforms, lowers, uppers, below } of [...descriptor.stages].reverse()) {
    const next = new Array(below);
    transforms.forEach((t, k) => {
      const upper = uppers[k].map((d) => index[d]);
      valid &&= t.valid(upper);
      t.lower(upper).forEach((value, j) => {
        if (!(Math.abs(value) < REACH)) deny(`${tuple(top)} leads to ${value}, which is too far away`);
        next[lowers[k][j]] = value;
      });
    });
    index = next;
  }
  return [index[0], valid];
}

function readCk(text) {
  const cpp = IS_CPP.test(text);
  const blank = (comment) => comment.replace(/[^\n]/g, " ");
  const clean = cpp ? text.replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, blank) : text.replace(/#[^\n]*/g, blank);
  const names = Object.create(null);
  const calls = {
    ...FUNCTIONS, make_tuple: (...all) => all, tuple: (...all) => all, make_naive_tensor_descriptor: naive, make_naive_tensor_descriptor_packed: packed,
    make_naive_tensor_descriptor_aligned: aligned, make_naive_tensor_descriptor_with_offset: withOffset, transform_tensor_descriptor: attached,
    ...Object.fromEntries(TRANSFORMS.flatMap((kind) => kind.names.map((name) => [name, (...given) => transform(kind, given)]))),
    ...Object.fromEntries(NOT_TYPED.map((name) => [name, () => deny(`${name} is not read here; the library's explorer draws it (layoutalg draw)`)])),
  };
  const reader = new Reader(tokens(clean), clean.length, cpp ? CPP : PYTHON, names, calls);
  let last = null;
  while (!reader.over()) {
    while (QUALIFIERS.includes(reader.word)) reader.n++;
    const name = reader.list[reader.n]?.kind === "name" && reader.list[reader.n + 1]?.word === "=" ? reader.list[reader.n].word : null;
    if (name) reader.n += 2;
    const found = reader.value();
    if (name) names[name] = found;
    if (found?.stages) last = found;
    if (reader.has(";") || (cpp && name && reader.has(","))) reader.n++;
    else if (!reader.over() && reader.list[reader.n].kind !== "name") deny(`';' or a new line is wanted here`, reader.at);
  }
  if (!last) deny("no descriptor is made here: make_naive_tensor_descriptor((64, 64), (72, 1))", 0);
  return { kind: "CK", lengths: last.lengths, space: last.space, map: (index) => carried(last, index) };
}

// CuTe -------------------------------------------------------------------------------------------------------------------

const SWIZZLE = /^\s*(?:S(?:w|wizzle)?<\s*(\d+)\s*,\s*(\d+)\s*,\s*(-?\d+)\s*>|SW_(\d+)_(\d+)_(-?\d+))\s*o\s+/;

function readCute(text) {
  const names = Object.create(null);
  let start = 0;
  for (const line of text.split(/(?<=\n)/)) { // sizes by name stand on lines before the layout
    const size = /^\s*([A-Za-z_]\w*)\s*=(?!=)/.exec(line);
    if (!size && line.trim()) break;
    if (size) names[size[1]] = whole(text, start + size[0].length, start + line.length, names);
    start += line.length;
  }
  let [end, swizzle, offset] = [text.length, [0, 0, 0], 0];
  const wrapped = /^(\s*!\w+(?:\.\w+)*\.(?:composed_)?layout<)([^]*)>\s*$/.exec(text.slice(start));
  if (wrapped) [start, end] = [start + wrapped[1].length, start + wrapped[1].length + wrapped[2].length];
  const given = SWIZZLE.exec(text.slice(start, end));
  if (given) {
    swizzle = given.slice(1).filter((n) => n !== undefined).map(Number);
    checkSwizzle(swizzle, start);
    start += given[0].length;
    const after = /\s+o\s+/.exec(text.slice(start, end));
    if (!after) deny("a swizzle is followed by an offset and a layout: Sw<3,4,3> o 0 o (8,64):(64,1)", start);
    const between = text.slice(start, start + after.index);
    const flag = /^\s*smem_ptr\[(\d+)b\]\(unset\)\s*$/.exec(between);
    if (flag) swizzle = recast(swizzle, 8, Number(flag[1]), start);
    else offset = small(whole(text, start, start + after.index, names), "offset", start);
    start += after.index + after[0].length;
  }
  return { kind: "CuTe", ...cuteMap(...shapeAndStride(text, start, end, names), swizzle, offset, start) };
}

function whole(text, start, end, names) {
  const part = text.slice(start, end);
  if (!part.trim()) deny("a number, a size or a tuple in parentheses is wanted here", start);
  const list = tokens(part.replace(/(?<!\w)_(\d+)\b/g, " $1"));
  list.forEach((token) => { token.at += start; });
  const reader = new Reader(list, end, PYTHON, names);
  const found = reader.value();
  if (!reader.over()) deny("the number ends here", reader.at);
  return found;
}

function checkSwizzle([bits, base, shift], at) {
  if (Math.abs(shift) < bits) deny(`Sw<${bits},${base},${shift}>: the shift is at least as great as the bits`, at);
  if (base + bits + Math.abs(shift) > 30) deny(`Sw<${bits},${base},${shift}>: it reaches beyond 30 bits, which are read here`, at);
}

// The swizzle of offsets in elements of `old` bits on such of `now` bits.
function recast([bits, base, shift], old, now, at) {
  if (now < 1 || now & (now - 1)) deny(`elements of ${now} bits: a power of two is wanted`, at);
  const moved = base + Math.log2(old) - Math.log2(now);
  if (moved < 0 && shift < 0 && bits) deny(`a swizzle of elements of ${old} bits takes those of ${now} bits apart`, at);
  return [Math.max(0, bits + Math.min(moved, 0)), Math.max(moved, 0), shift];
}

function swizzled(x, [bits, base, shift]) {
  const low = 2 ** bits - 1;
  return bits ? x ^ (((x >> (base + Math.max(shift, 0))) & low) << (base - Math.min(shift, 0))) : x;
}

function shapeAndStride(text, start, end, names) {
  const list = tokens(text.slice(start, end).replace(/(?<!\w)_(\d+)\b/g, " $1"));
  list.forEach((token) => { token.at += start; });
  const reader = new Reader(list, end, PYTHON, names);
  const shape = cuteTree(reader);
  if (reader.over()) return [shape, compact(shape)];
  reader.take(":");
  const stride = cuteTree(reader);
  if (!reader.over()) deny("the layout ends here: shape:stride", reader.at);
  return alike(shape, stride, start);
}

// A tuple in parentheses is a tree, also of one: (8). What else stands there is an expression: (M + 1) * 8.
function cuteTree(reader) {
  if (reader.has("(") && isTree(reader)) {
    if (++reader.depth > DEEPEST) deny(`nested more than ${DEEPEST} deep`, reader.at);
    reader.take("(");
    const parts = [];
    while (!reader.has(")")) {
      parts.push(cuteTree(reader));
      if (!reader.has(")")) reader.take(",", ")");
    }
    reader.take(")");
    reader.depth--;
    return parts;
  }
  const { at } = reader;
  return small(reader.value(), "a size", at);
}

// Whether the parenthesis that begins here is a whole mode: it ends before ',', ':', ')' or the end.
function isTree(reader) {
  let level = 0;
  for (let n = reader.n; n < reader.list.length; n++) {
    const { kind, word } = reader.list[n];
    if (kind === "mark") level += { "(": 1, ")": -1 }[word] ?? 0;
    if (level === 0) return n + 1 === reader.list.length || [",", ":", ")"].includes(reader.list[n + 1].word);
  }
  return deny("this parenthesis is not closed", reader.at);
}

function compact(shape) {
  let step = 1;
  const each = (part) => {
    if (Array.isArray(part)) return part.map(each);
    const own = step;
    step *= part;
    return own;
  };
  return each(shape);
}

function alike(shape, stride, at) {
  if (Array.isArray(shape) && shape.length === 1 && !Array.isArray(stride)) return [shape[0], stride];
  if (Array.isArray(stride) && stride.length === 1 && !Array.isArray(shape)) return [shape, stride[0]];
  const same = (a, b) => (Array.isArray(a) ? Array.isArray(b) && a.length === b.length && a.every((one, k) => same(one, b[k])) : !Array.isArray(b));
  if (!same(shape, stride)) deny("shape and stride are no trees of one form: give a stride for each number of the shape", at);
  return [shape, stride];
}

// One dimension for each mode, counted inside it with the first part fastest.
function cuteMap(shape, stride, swizzle, offset, at) {
  const modes = Array.isArray(shape) ? shape.map((part, k) => [[part].flat(Infinity), [stride[k]].flat(Infinity)]) : [[[shape], [stride]]];
  const flat = modes.flatMap(([lengths, strides]) => lengths.map((n, k) => [n, strides[k]]));
  if (!flat.length) deny("a layout has at least one mode", at);
  const short = flat.find(([n]) => n < 1);
  if (short) deny(`a shape is at least 1, here ${short[0]}`, at);
  const least = offset + sum(flat.map(([n, d]) => (n - 1) * Math.min(d, 0)));
  if (least < 0) deny(`the least offset is ${least}, before memory begins; count from an offset on, as in Sw<0,0,0> o ${offset - least} o …`, at);
  const reaches = offset + sum(flat.map(([n, d]) => (n - 1) * Math.max(d, 0))) + 1;
  if (reaches > REACH) deny(`its offsets reach ${reaches}, which is too many to draw`, at);
  const period = swizzle[0] ? 2 ** (swizzle[1] + Math.abs(swizzle[2]) + swizzle[0]) : 1;
  const map = (index) => {
    let found = offset;
    modes.forEach(([lengths, strides], m) => {
      let rest = index[m];
      lengths.forEach((n, k) => {
        found += (rest % n) * strides[k];
        rest = Math.floor(rest / n);
      });
    });
    return [swizzled(found, swizzle), true];
  };
  return { lengths: modes.map(([lengths]) => product(lengths)), space: Math.ceil(reaches / period) * period, map };
}

// Triton -----------------------------------------------------------------------------------------------------------------

const TRITON = /\s*(?:(:\+)|(-?\d+)\b|(#?[A-Za-z_][\w.]*)|([<>{}[\],=])|(\S))/y;

function readTriton(text, shape) {
  const attribute = new Attribute(text).read();
  if (!shape?.length || shape.some((n) => !Number.isInteger(n) || n < 1 || n & (n - 1))) deny(`a tensor of ${tuple(shape ?? [])}: Triton's tensors have powers of two`, 0);
  const kinds = {
    swizzled_shared: (row, per, most) => Math.floor(row / per) % most,
    amd_rotating_shared: (row, per, most) => (Math.floor(row / per) % most) ^ (Math.floor(row / (per * most)) % most),
  };
  const { name } = attribute;
  if (name in kinds) return triton(shape, byPhases(attribute, shape, kinds[name]), []);
  if (name === "shared_linear") return triton(shape, spelt(attribute, shape, ["offset", "block", "alignment"]), []);
  if (name === "padded_shared") return triton(shape, ...paddedBases(attribute, shape));
  return deny(`${name}: read here are swizzled_shared, amd_rotating_shared, padded_shared, shared_linear`, 0);
}

// The table of a linear map from the bits of an offset to an element, with padding on top.
function triton(shape, bases, pads) {
  const count = product(shape);
  if (count > MAX_CELLS) deny(`${count} elements are too many to draw`, 0);
  const offsets = new Float64Array(count).fill(-1);
  if (2 ** bases.length !== count) deny(`its bases reach ${2 ** bases.length} places for ${count} elements; each element once is wanted`, 0);
  const padded = (n) => n + sum(pads.map(([interval, padding]) => Math.floor(n / interval) * padding));
  for (let n = 0; n < count; n++) {
    const index = bases.reduce((at, basis, bit) => ((n >> bit) & 1 ? at.map((x, d) => x ^ basis[d]) : at), shape.map(() => 0));
    const place = ravel(index, shape);
    if (offsets[place] >= 0) deny(`two offsets hold element ${tuple(index)}`, 0);
    offsets[place] = padded(n);
  }
  return { kind: "Triton", lengths: shape, space: padded(count - 1) + 1, offsets, map: (index) => [offsets[ravel(index, shape)], true] };
}

const bitsOf = (n) => Array.from({ length: Math.log2(n) }, (_, bit) => 1 << bit);
const unit = (rank, d, value) => Array.from({ length: rank }, (_, n) => (n === d ? value : 0));

function byPhases(attribute, shape, phaseOf) {
  attribute.only("vec", "perPhase", "maxPhase", "order", ...CLUSTER);
  const [vec, per, most] = ["vec", "perPhase", "maxPhase"].map((key) => attribute.power(key));
  const order = attribute.order(shape.length);
  attribute.oneBlock();
  return order.flatMap((d, n) => bitsOf(shape[d]).map((bit) => {
    const basis = unit(shape.length, d, bit);
    if (n === 1) basis[order[0]] = (vec * phaseOf(bit, per, most)) % shape[order[0]];
    return basis;
  }));
}

function paddedBases(attribute, shape) {
  attribute.only("pads", "order", "shape", "offset", "block", ...CLUSTER);
  const pads = attribute.fields.pads ?? [];
  const power = (n) => Number.isInteger(n) && n >= 1 && !(n & (n - 1));
  if (!Array.isArray(pads) || !pads.length || pads.some((pad) => !Array.isArray(pad) || pad.length !== 2 || !pad.every(power))) attribute.deny("padding is [interval:+padding, …], powers of two");
  if (new Set(pads.map(([interval]) => interval)).size < pads.length) attribute.deny("each interval once is wanted");
  attribute.oneBlock();
  if ("offset" in attribute.fields) return [spelt(attribute, shape, ["pads", "offset", "block", "order", "shape", ...CLUSTER]), pads];
  const own = attribute.numbers("shape");
  if (own.join() !== shape.join()) attribute.deny(`shape ${JSON.stringify(own)} does not fit a tensor of ${JSON.stringify(shape)}`);
  return [attribute.order(shape.length).flatMap((d) => bitsOf(shape[d]).map((bit) => unit(shape.length, d, bit))), pads];
}

function spelt(attribute, shape, known) {
  attribute.only(...known);
  const bases = attribute.fields.offset;
  if (!Array.isArray(bases) || bases.some((b) => !Array.isArray(b) || b.length !== shape.length || b.some((n) => !Number.isInteger(n) || n < 0))) attribute.deny(`offset is a list of bases, each of ${shape.length} numbers`);
  if ((attribute.fields.block ?? []).length) attribute.deny("a layout over several blocks is not read here");
  const reached = shape.map((_, d) => 2 ** (32 - Math.clz32(Math.max(0, ...bases.map((b) => b[d])))));
  if (reached.join() !== shape.join()) attribute.deny(`its bases reach a tensor of ${JSON.stringify(reached)}, not ${JSON.stringify(shape)}`);
  return bases;
}

const CLUSTER = ["CGALayout", "CTAsPerCGA", "CTASplitNum", "CTAOrder"];

class Attribute {
  constructor(text) {
    Object.assign(this, { text, next: 0, name: "", fields: {} });
    this.step();
  }

  deny(problem) { deny(`${this.name}: ${problem}`, 0); }

  step() {
    TRITON.lastIndex = this.next;
    const match = TRITON.exec(this.text);
    [this.token, this.at] = ["", this.text.length];
    if (!match) return;
    const kind = match.slice(1).findIndex((part) => part !== undefined);
    this.token = match[kind + 1];
    [this.at, this.next] = [TRITON.lastIndex - this.token.length, TRITON.lastIndex];
    if (kind === 4) deny(`'${this.token}' means nothing in a layout`, this.at);
  }

  take(...wanted) {
    if (!wanted.includes(this.token)) deny(`${wanted.map((w) => `'${w}'`).join(" or ")} is wanted here`, this.at);
    const { token } = this;
    this.step();
    return token;
  }

  read() {
    const found = this.token;
    if (!/^#(ttg|triton_gpu)\./.test(found)) deny("a layout is wanted: #ttg.NAME<…>", this.at);
    this.name = found.slice(found.indexOf(".") + 1);
    this.step();
    this.take("<");
    const pads = this.token === "[" ? this.value() : undefined;
    this.fields = { ...(pads === undefined ? {} : { pads }), ...this.table() };
    while (this.token === ",") {
      this.step();
      this.field(this.fields);
    }
    this.take(">");
    if (this.token) deny(`nothing more is wanted, not '${this.token}'`, this.at);
    return this;
  }

  table() {
    this.take("{");
    const found = {};
    while (this.token !== "}") {
      this.field(found);
      if (this.token !== "}") this.take(",", "}");
    }
    this.take("}");
    return found;
  }

  field(found) {
    const key = this.token;
    if (!/^[A-Za-z_]/.test(key)) deny("a field's name is wanted here", this.at);
    if (key in found) deny(`${key} is given twice`, this.at);
    this.step();
    this.take("=");
    found[key] = this.value();
  }

  value(depth = 0) {
    if (depth > DEEPEST) deny(`more than ${DEEPEST} brackets within brackets`, this.at);
    if (/^-?\d/.test(this.token)) return Number(this.take(this.token));
    if (this.token === "true" || this.token === "false") return this.take(this.token) === "true";
    if (this.token !== "[") deny("a number or a list is wanted here", this.at);
    this.step();
    const found = [];
    while (this.token !== "]") {
      let one = this.value(depth + 1);
      if (this.token === ":+") {
        this.step();
        one = [one, this.value(depth + 1)];
      }
      found.push(one);
      if (this.token !== "]") this.take(",", "]");
    }
    this.step();
    return found;
  }

  only(...known) {
    const other = Object.keys(this.fields).find((key) => !known.includes(key));
    if (other) this.deny(`no field '${other}' is known; it has ${known.join(", ")}`);
  }

  power(key) {
    const n = this.fields[key];
    if (!Number.isInteger(n) || n < 1 || n & (n - 1)) this.deny(`${key} is ${n === undefined ? "missing" : n}; a power of two is wanted`);
    return n;
  }

  numbers(key) {
    const found = this.fields[key];
    if (!Array.isArray(found) || found.some((n) => !Number.isInteger(n) || n < 0)) this.deny(`${key}: a list of whole numbers is wanted`);
    return found;
  }

  order(rank) {
    const order = this.numbers("order");
    if ([...order].sort((a, b) => a - b).join() !== unitRange(rank).join()) this.deny(`order is ${JSON.stringify(order)}; each of 0…${rank - 1} once is wanted`);
    return order;
  }

  oneBlock() {
    const several = CLUSTER.slice(1, 3).some((key) => (this.fields[key] ?? []).some((n) => n !== 1));
    if (several || (this.fields.CGALayout ?? []).length) this.deny("a layout over several blocks is not read here");
  }
}

const unitRange = (n) => Array.from({ length: n }, (_, k) => k);

// All ---------------------------------------------------------------------------------------------------------------------

const CUTE_IN_CPP = /\b(Layout\s*<|Shape\s*<|Int\s*<|composition\s*\(|make_(layout|shape|stride)\s*\()/;

function readLayout(given, shape) {
  if (!given.trim()) deny("type a layout, or choose an example", 0);
  const cpp = CUTE_IN_CPP.exec(given);
  if (cpp) deny("CuTe's C++ is not read: write the layout as CuTe prints it, (64,64):(64,1), or Sw<3,3,3> o 0 o (64,64):(64,1)", cpp.index);
  // `#shared = ` before it, as a line of TTGIR has it, is passed over; places stay those of the text.
  const text = given.replace(/^\s*#\w+\s*=(?=\s*#\s*(ttg|triton_gpu)\.)/, (name) => name.replace(/\S/g, " "));
  const read = /#\s*(ttg|triton_gpu)\./.test(text) ? readTriton : /\bmake_\w+|\btransform_tensor_descriptor\b/.test(text) ? readCk : readCute;
  const found = read(text, shape);
  const { lengths } = found;
  const count = product(lengths);
  if (count > MAX_CELLS || found.space > 4 * MAX_CELLS) deny(`${count} indices over ${found.space} elements are too many to draw`, 0);
  const offsets = new Float64Array(count);
  const valid = new Uint8Array(count);
  for (let n = 0; n < count; n++) [offsets[n], valid[n]] = found.map(unravel(n, lengths));
  return { kind: found.kind, lengths, space: found.space, offsets, valid };
}

// The index at which each lane starts, typed as expressions of `lane`, `vector` and the lengths L0, L1 …
function readLanes(text, lengths) {
  const list = tokens(text);
  const sizes = Object.fromEntries(lengths.map((n, d) => [`L${d}`, BigInt(n)]));
  return (lane, vector) => {
    const reader = new Reader(list, text.length, PYTHON, { lane: BigInt(lane), vector: BigInt(vector), ...sizes });
    const index = [];
    do {
      const { at } = reader;
      index.push(small(reader.value(), "an index", at));
    } while (!reader.over() && reader.take(","));
    if (index.length !== lengths.length) deny(`${index.length} expressions for ${lengths.length} dimensions; one for each, with commas between`, 0);
    return index;
  };
}
