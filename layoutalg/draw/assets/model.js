// What the page computes. The index maps (offset, hidden, lengths, index of a lane …) are generated from the library's
// expressions; the cost of an access is the library's bank model: a phase takes as many cycles as the most distinct
// dwords that its lanes want of one bank.
"use strict";

const DWORD = 4;
const MAX_CELLS = 1 << 18;

const gcd = (a, b) => (b ? gcd(b, a % b) : a);

function product(numbers) {
  return numbers.reduce((a, b) => a * b, 1);
}

function unravel(n, lengths) {
  const index = new Array(lengths.length);
  for (let d = lengths.length - 1; d >= 0; d--) {
    index[d] = n % lengths[d];
    n = Math.floor(n / lengths[d]);
  }
  return index;
}

function ravel(index, lengths) {
  return index.reduce((n, i, d) => n * lengths[d] + i, 0);
}

function inside(index, lengths) {
  return index.every((i, d) => i >= 0 && i < lengths[d]);
}

function tuple(index) {
  return "(" + index.join(", ") + (index.length === 1 ? ",)" : ")");
}

const [WIDEST, TALLEST, LINE, SHORT] = [512, 1024, 128, 32];

// How many columns the grid has, as the library folds it: the last dimensions run across, as many as make it most nearly
// square; where a line would be too long, or too many, a part or several steps of one.
function across(lengths) {
  const count = product(lengths);
  if (lengths.length === 1 && count <= SHORT) return count;
  const skew = (columns) => Math.max((columns * columns) / count, count / (columns * columns));
  const fits = (columns) => columns <= WIDEST && count <= TALLEST * columns;
  const whole = lengths.slice(1).map((_, d) => product(lengths.slice(d + 1)));
  const parts = lengths.flatMap((length, d) =>
    Array.from({ length }, (_, k) => k + 1).filter((step) => length % step === 0).map((step) => step * product(lengths.slice(d + 1))));
  for (const choices of [whole, parts]) {
    const good = choices.filter(fits);
    if (good.length) return good.reduce((best, columns) => (skew(columns) < skew(best) ? columns : best));
  }
  return LINE;
}

// What a line is called: the coordinates that stay the same on it, or its first index.
function lineName(row, lengths, columns) {
  const sizes = lengths.map((_, d) => product(lengths.slice(d + 1)));
  const down = sizes.slice(0, -1).indexOf(columns);
  const index = unravel(row * columns, lengths);
  return (down < 0 ? index : index.slice(0, down + 1)).join(",");
}

// Every index of the tile with its offset, and every element of memory with the first index that reaches it (or -1).
function tile(layout, sizes) {
  const lengths = layout.lengths(sizes);
  const count = product(lengths);
  const space = layout.space(sizes);
  const empty = { lengths: lengths.map(() => 1), count: 0, space: 0, used: 0, high: 0, shared: null, escaped: null };
  if (lengths.some((n) => n < 1) || space < 1) return { ...empty, problem: `lengths ${tuple(lengths)} over ${space} elements: no tile at these sizes` };
  if (count > MAX_CELLS || space > 4 * MAX_CELLS) {
    return { ...empty, problem: `${count} indices over ${space} elements are too many to draw` };
  }
  const offset = new Float64Array(count);
  const valid = new Uint8Array(count);
  const owner = new Int32Array(space).fill(-1);
  const found = { lengths, count, space, offset, valid, owner, high: 0, used: 0, shared: null, escaped: null };
  for (let n = 0; n < count; n++) {
    const index = unravel(n, lengths);
    offset[n] = layout.offset(index, sizes);
    valid[n] = layout.valid(index, sizes) ? 1 : 0;
    if (!valid[n]) continue;
    if (offset[n] < 0 || offset[n] >= space) found.escaped ??= n;
    else if (owner[offset[n]] >= 0) found.shared ??= [owner[offset[n]], n];
    else {
      owner[offset[n]] = n;
      found.used++;
      found.high = Math.max(found.high, offset[n]);
    }
  }
  found.columns = across(lengths);
  found.rows = Math.ceil(count / found.columns);
  return found;
}

// One access of a wave: who takes part (the library's own expression), each such lane's first index and byte address, who
// holds which cell, and the phases with their cost. A masked lane has no index, no address, no bank.
function access(layout, sizes, tiled, pattern, target, instruction) {
  const bits = layout.elementBits;
  const size = bits % 8 ? `${bits} bits` : `${bits / 8} bytes`;
  const memory = pattern.lanes !== null && pattern.instruction === null; // a reach of memory: by no LDS instruction
  const vector = pattern.elements ?? (instruction.bytes * 8) / bits;
  const count = pattern.lanes ?? target.wave;
  const none = { vector, starts: [], addresses: [], active: [], lane: new Int16Array(tiled.count).fill(-1), phases: [], phaseOf: new Int16Array(count).fill(-1), memory };
  const refuse = (problem) => ({ ...none, problem });
  if (!memory) {
    if (!Number.isInteger(vector) || vector < 1) return refuse(`${instruction.name} moves ${instruction.bytes} bytes, which is no whole number of elements of ${size}`);
    if (vector * bits !== instruction.bytes * 8) return refuse(`${vector} elements of ${size} are ${(vector * bits) / 8} bytes a lane; ${instruction.name} moves ${instruction.bytes}`);
    if (count !== target.wave) return refuse(`a lane map of ${count} lanes; ${instruction.name} on ${target.title} takes ${target.wave}`);
  }
  if (!pattern.given(sizes)) return refuse(`there is no such access at these sizes: it is given ${pattern.condition}`);
  const found = { ...none, lane: none.lane.slice() };
  for (let lane = 0; lane < count; lane++) {
    const active = Boolean(pattern.mask(lane, sizes));
    found.active.push(active);
    found.starts.push(-1);
    found.addresses.push(null);
    if (!active) continue;
    const held = cellsOf(lane, pattern.index(lane, vector, sizes), vector, tiled);
    if (held.problem) return refuse(held.problem);
    const first = tiled.offset[held[0]];
    const torn = held.some((n, e) => tiled.offset[n] !== first + e);
    const inside = (first * bits) % 8;
    const address = (first * bits - inside) / 8;
    if (!memory) {
      if (torn) return refuse(`lane ${lane} would read offsets ${held.map((n) => tiled.offset[n]).join(", ")}: no single run of ${instruction.bytes} bytes`);
      if (inside) return refuse(`lane ${lane} begins at bit ${inside} of byte ${address}: no whole address`);
      if (address % instruction.alignment) return refuse(`lane ${lane}: address ${address} is no multiple of ${instruction.alignment}, as ${instruction.name} needs`);
      if (address < 0 || address + instruction.bytes > target.lds) return refuse(`lane ${lane}: address ${address} leaves the ${target.lds} bytes of LDS`);
    }
    held.forEach((n) => { if (found.lane[n] < 0) found.lane[n] = lane; });
    found.starts[lane] = held[0];
    found.addresses[lane] = address;
  }
  found.taking = found.active.filter(Boolean).length;
  return memory ? found : priced(found, instruction, refuse);
}

function priced(found, instruction, refuse) {
  if (instruction.pairsMerge && found.taking < found.active.length) {
    return refuse(`${instruction.name} merges phases where neighbouring lanes agree; how it does so where lanes take no part was not measured`);
  }
  found.phases = served(instruction, found.addresses).map((lanes) => phase(instruction, lanes, found.addresses));
  found.total = found.phases.reduce((sum, p) => sum + p.cycles, 0);
  found.least = found.phases.filter((p) => p.cycles > 0).length;
  found.phases.forEach((p, n) => p.lanes.forEach((lane) => { found.phaseOf[lane] = n; }));
  return found;
}

// The cells that a lane reaches, or what forbids it.
function cellsOf(lane, start, vector, tiled) {
  const held = [];
  for (let e = 0; e < vector; e++) {
    const index = [...start.slice(0, -1), start[start.length - 1] + e];
    if (!inside(index, tiled.lengths)) return { problem: `lane ${lane} asks for index ${tuple(index)}, outside the tile` };
    const n = ravel(index, tiled.lengths);
    if (!tiled.valid[n]) return { problem: `lane ${lane} asks for index ${tuple(index)}, which is padding` };
    held.push(n);
  }
  return held;
}

// The instruction's phases; merged in twos where it does so and neighbouring lanes agree.
function served(instruction, addresses) {
  const agree = (bit) => addresses.every((a, lane) => a === addresses[lane ^ bit]);
  if (!instruction.pairsMerge || !(agree(1) || agree(2))) return instruction.phases;
  const merged = [];
  for (let n = 0; n < instruction.phases.length; n += 2) merged.push([...instruction.phases[n], ...instruction.phases[n + 1]]);
  return merged;
}

function phase(instruction, lanes, addresses) {
  const asked = new Map(); // bank -> dword -> lanes
  const masked = lanes.filter((lane) => addresses[lane] === null);
  for (const lane of lanes) {
    if (addresses[lane] === null) continue;
    const first = Math.floor(addresses[lane] / DWORD);
    for (let dword = first; dword < first + Math.ceil(instruction.bytes / DWORD); dword++) {
      const bank = dword % instruction.banks;
      if (!asked.has(bank)) asked.set(bank, new Map());
      if (!asked.get(bank).has(dword)) asked.get(bank).set(dword, []);
      asked.get(bank).get(dword).push(lane);
    }
  }
  const depth = new Map(lanes.map((lane) => [lane, 0])); // of each lane, the most dwords that are asked of one of its banks
  for (const dwords of asked.values()) {
    for (const lane of [...dwords.values()].flat()) depth.set(lane, Math.max(depth.get(lane), dwords.size));
  }
  let worst = -1;
  for (const [bank, dwords] of asked) {
    const size = worst < 0 ? 0 : asked.get(worst).size;
    if (dwords.size > size || (dwords.size === size && bank < worst)) worst = bank;
  }
  return { lanes, masked, asked, depth, worst, cycles: asked.get(worst)?.size ?? 0 };
}

function witness(one) {
  if (!one.cycles) return "no lane takes part";
  if (one.cycles === 1) return "no two lanes want different dwords of one bank";
  const pairs = [...one.asked.get(one.worst)];
  const shown = pairs.slice(0, 6).map(([dword, lanes], n) => `lane ${lanes[0]} ${n ? "" : "wants "}dword ${dword}`);
  const more = pairs.length > 6 ? ` and ${pairs.length - 6} more` : "";
  return `bank ${one.worst}: ${shown.join(", ")}${more}`;
}
