// The state and what is shown of it. `state` is all that can be changed (in controls.js); `compute` makes the rest from it.
"use strict";

const COLOURS = ["offset", "dword", "bank", "lane", "phase"];
const LANES_IN_ROW = 16;
const FIRST = { ...START, by: "bank", at: 0, phase: 0, held: false };
const state = { ...FIRST, sizes: {}, lane: -1 }; // sizes: the places of their sliders; lane: the one pointed at, or -1
const panels = Object.fromEntries(["grid", "memory", "lanes", "banks"].map((id) => [id, new Panel(id)]));
const views = { grid: new Cells(panels.grid), memory: new Cells(panels.memory), lanes: new Cells(panels.lanes), banks: new Banks(panels.banks) };
let now = null; // what follows from the state

const element = (id) => document.getElementById(id);
const layout = () => LAYOUTS[state.layout];
const target = () => TARGETS[state.target];
const instruction = () => target().instructions[state.instruction];
const pattern = () => layout().accesses[Math.min(state.access, layout().accesses.length - 1)];
const place = (symbol) => Math.min(state.sizes[symbol.name] ?? symbol.start, symbol.values.length - 1);
const sizes = () => layout().symbols.map((s) => s.values[place(s)]);
const sliders = () => layout().symbols.filter((s) => !s.of || s.of.includes(state.access)); // of the layout, or the access shown
const byteOf = (offset) => Math.floor((offset * layout().elementBits) / 8);
const bitOf = (offset) => (offset * layout().elementBits) % 8; // within its byte: elements may be smaller than one
const dwordOf = (offset) => Math.floor(byteOf(offset) / DWORD);

function make(tag, attributes = {}, ...children) {
  const made = Object.assign(document.createElement(tag), attributes);
  made.append(...children);
  return made;
}

// What follows from the state ------------------------------------------------------------------------------------------

function compute() {
  const s = sizes();
  const tiled = tile(layout(), s);
  state.at = Math.max(0, Math.min(state.at, tiled.count - 1));
  const lanes = tiled.problem ? { phases: [], problem: tiled.problem } : access(layout(), s, tiled, pattern(), target(), instruction());
  state.phase = Math.max(0, Math.min(state.phase, lanes.phases.length - 1));
  now = { s, tiled, lanes };
}

// Everything about one index, by its number: what the readout shows.
function facts(n) {
  const { s, tiled, lanes } = now;
  const index = unravel(n, tiled.lengths);
  const offset = tiled.offset[n];
  const dword = dwordOf(offset);
  const lane = holds(state.lane, n) ? state.lane : lanes.problem ? -1 : lanes.lane[n];
  return {
    index, offset, dword, valid: Boolean(tiled.valid[n]), byte: bitOf(offset) ? `${byteOf(offset)} + ${bitOf(offset)} bits` : byteOf(offset), bank: dword % instruction().banks,
    lane, phase: lane < 0 ? -1 : lanes.phaseOf[lane], hidden: layout().hidden(index, s),
  };
}

// Whether a lane holds an index: of several that do, the one pointed at is meant, else the first.
function holds(lane, n) {
  const first = now.lanes.starts[lane] ?? -1;
  return first >= 0 && n >= first && n < first + now.lanes.vector;
}

function quantity(n) {
  const { tiled, lanes } = now;
  const offset = tiled.offset[n];
  switch (state.by) {
    case "offset": return offset;
    case "dword": return dwordOf(offset);
    case "bank": return dwordOf(offset) % instruction().banks;
    case "lane": return lanes.problem ? -1 : lanes.lane[n];
    default: return lanes.problem || lanes.lane[n] < 0 ? -1 : lanes.phaseOf[lanes.lane[n]];
  }
}

function highest() {
  const most = { offset: now.tiled.high, dword: dwordOf(now.tiled.high), bank: instruction().banks - 1 };
  return Math.max(1, most[state.by] ?? (state.by === "lane" ? target().wave : now.lanes.phases.length) - 1);
}

function shade(number) {
  const high = highest();
  return high < KINDS.length && state.by !== "offset" && state.by !== "dword" ? KINDS[number] : RAMP[Math.floor((number * (RAMP.length - 1)) / high)];
}

// Drawing --------------------------------------------------------------------------------------------------------------

function draw() {
  const { tiled, lanes } = now;
  const colour = (n) => {
    const number = tiled.valid[n] ? quantity(n) : -1;
    return number < 0 ? null : shade(number);
  };
  if (!tiled.problem) {
    const room = (id) => element(id).closest("section").clientWidth - 46;
    views.grid.draw({
      count: tiled.count, rows: tiled.rows, columns: tiled.columns, width: room("grid"), height: 620, minimum: 4, maximum: 36,
      colour, label: quantity, name: (r) => lineName(r, tiled.lengths, tiled.columns),
    });
    const round = instruction().banks * DWORD * 8;
    const wide = round / gcd(round, layout().elementBits); // elements of a round of the banks, or of as few as are whole
    views.memory.draw({
      count: tiled.space, rows: Math.ceil(tiled.space / wide), columns: wide, width: room("memory"), height: 360, minimum: 5, maximum: 24,
      colour: (o) => (tiled.owner[o] < 0 ? null : colour(tiled.owner[o])),
      label: (o) => (tiled.owner[o] < 0 ? "" : quantity(tiled.owner[o])), name: (r) => r * wide,
    });
    if (!lanes.problem) {
      views.lanes.draw({
        count: lanes.active.length, rows: Math.ceil(lanes.active.length / LANES_IN_ROW), columns: LANES_IN_ROW, width: room("lanes"), height: 96,
        minimum: 14, maximum: 36, colour: laneShade, label: (lane) => lane, name: (r) => r * LANES_IN_ROW,
      });
    }
    if (lanes.phases.length) views.banks.draw(lanes.phases[state.phase], instruction(), room("banks"));
    panels.grid.label(`Index grid of ${tiled.lengths.join(" × ")} elements, coloured by ${state.by}`);
    panels.memory.label(`Memory of ${tiled.space} elements, coloured by ${state.by}`);
    panels.lanes.label(`${lanes.active.length} lanes`);
    panels.banks.label(`Lanes × banks of phase ${state.phase}`);
  }
  element("lanes").hidden = Boolean(tiled.problem || lanes.problem);
  element("banks").hidden = element("player").hidden = !lanes.phases.length;
  element("grid").hidden = element("memory").hidden = Boolean(tiled.problem);
  element("formula").textContent = layout().text;
  element("layout-claims").textContent = claimed(layout());
  element("access-claims").textContent = claimed(pattern());
  notes();
  phases();
  key();
}

// A lane's colour: in the phase shown, by the most dwords asked of one of its banks; null where it takes no part.
function laneShade(lane) {
  const { lanes } = now;
  if (!lanes.active[lane]) return null;
  if (lanes.memory) return HEAT[0];
  const depth = lanes.phases[state.phase].depth.get(lane);
  return depth === undefined ? css("--idle") : heat(depth);
}

function claimed(one) {
  return one.claims.length ? `The file claims: ${one.claims.join(", ")}.` : "";
}

function notes() {
  const { tiled, lanes } = now;
  const how = instruction();
  const gaps = tiled.space - tiled.used;
  element("grid-note").textContent = tiled.problem ?? `${tiled.lengths.join(" × ")}, coloured by ${state.by}`;
  const memory = element("memory-note");
  memory.className = tiled.shared || tiled.escaped !== null ? "bad" : "note";
  if (tiled.problem) memory.textContent = tiled.problem;
  else if (tiled.escaped !== null) memory.textContent = `${tuple(unravel(tiled.escaped, tiled.lengths))} reaches offset ${tiled.offset[tiled.escaped]}, outside ${tiled.space} elements`;
  else if (tiled.shared) memory.textContent = `${tiled.shared.map((n) => tuple(unravel(n, tiled.lengths))).join(" and ")} both reach offset ${tiled.offset[tiled.shared[0]]}`;
  else memory.textContent = `${tiled.space} elements` + (gaps ? `, ${gaps} of them (${((100 * gaps) / tiled.space).toFixed(1)} %) reached by no index` : ", every one reached");
  const verdict = element("verdict");
  verdict.className = lanes.problem || lanes.total > lanes.least ? "bad" : lanes.memory ? "note" : "good";
  const priced = lanes.memory ? "names no LDS instruction: its lanes are shown, and no banks" : `${lanes.total} cycles, ${lanes.least} without conflicts`;
  verdict.textContent = lanes.problem ?? priced;
  element("witness").textContent = lanes.phases.length ? witness(lanes.phases[state.phase]) : "";
  const asked = ["one dword of a bank", "2", "3–4", "5–8", "more"];
  const off = lanes.problem || lanes.taking === lanes.active.length ? "" : `${lanes.taking} of ${lanes.active.length} lanes take part. `;
  const other = [swatch(css("--idle"), "a lane of another phase"), ...(off ? [make("span", { textContent: "hatched: a lane that takes no part" })] : [])];
  element("heat").replaceChildren(...(lanes.phases.length ? [...HEAT.map((c, n) => swatch(c, asked[n])), ...other] : []));
  const below = !lanes.memory && !lanes.problem && lanes.addresses.some((at) => at !== null && at % how.whole);
  const doubts = [off && !lanes.memory ? LANES_OFF : "", below ? `${BY_DWORDS}; a claim that it is free of conflicts asks for multiples of ${how.whole} bytes` : ""].filter(Boolean);
  const doubt = doubts.length ? ` In doubt: ${doubts.join("; ")}.` : "";
  element("evidence").textContent = off + (lanes.memory ? "" : `${how.name} on ${target().title}. ${how.evidence}${doubt}`);
}

// What the phase shown costs, in words.
function progress() {
  const { lanes } = now;
  const cost = (p) => `${p.cycles} cycle${p.cycles === 1 ? "" : "s"}`;
  const soFar = lanes.phases.slice(0, state.phase + 1).reduce((sum, p) => sum + p.cycles, 0);
  return lanes.phases.length ? `phase ${state.phase} of 0 to ${lanes.phases.length - 1}: ${cost(lanes.phases[state.phase])}, ${soFar} of ${lanes.total} so far` : "";
}

function phases() {
  element("turn").textContent = progress();
  const buttons = now.lanes.phases.map((p, n) => {
    const button = make("button", { id: `phase-${n}`, className: "phase num", textContent: `${n}: ${p.cycles}`, title: `phase ${n}: ${p.cycles} cycles, lanes ${p.lanes.join(" ")}` });
    button.setAttribute("aria-pressed", n === state.phase);
    if (p.cycles > 1) button.classList.add("bad");
    button.onclick = () => show(n);
    return button;
  });
  const label = make("span", { className: "note", textContent: "phase: cycles" });
  keepingFocus(() => element("phases").replaceChildren(...(buttons.length ? [label, ...buttons] : [])));
}

// What is made anew loses the focus: it is given back to what has the same name.
function keepingFocus(change) {
  const { id } = document.activeElement;
  change();
  if (id && document.activeElement.id !== id) element(id)?.focus();
}

function swatch(colour, text) {
  const box = make("span", { className: "swatch" });
  box.style.background = colour;
  return make("span", {}, box, ` ${text}`);
}

function key() {
  const high = highest();
  const stops = RAMP.map((c, n) => `${c} ${(100 * n) / (RAMP.length - 1)}%`).join(", ");
  const bar = make("span", { id: "bar" });
  Object.assign(bar.style, { width: "180px", background: `linear-gradient(90deg, ${stops})` });
  const few = high < KINDS.length && state.by !== "offset" && state.by !== "dword";
  const parts = few ? KINDS.slice(0, high + 1).map(swatch) : [make("span", { textContent: "0" }), bar, make("span", { textContent: high })];
  const absent = state.by === "lane" || state.by === "phase" ? "hatched: read by no lane" : now.tiled.valid?.includes(0) ? "hatched: padding, no data" : "";
  element("key").replaceChildren(make("span", { textContent: state.by }), ...parts, make("span", { textContent: absent }));
}

// What is pointed at ---------------------------------------------------------------------------------------------------

function point() {
  const { tiled, lanes } = now;
  if (tiled.problem) return;
  const found = facts(state.at);
  const [grid, memory, strip, banks] = ["grid", "memory", "lanes", "banks"].map((name) => panels[name].pointer);
  const lane = found.lane < 0 ? state.lane : found.lane;
  if (!lanes.problem) views.lanes.point(strip, lane, true);
  if (lanes.phases.length) {
    for (const lane of lanes.phases[state.phase].lanes) {
      if (lanes.starts[lane] >= 0) views.grid.span(grid, lanes.starts[lane], lanes.vector, `lane ${lane}`);
    }
    views.banks.point(banks, found.lane, found.bank);
  }
  twins(found.offset).forEach((n) => views.grid.point(grid, n, false));
  views.grid.point(grid, state.at, true);
  if (found.valid) views.memory.point(memory, found.offset, true);
  readout(found);
  for (const [id, value] of found.hidden) {
    const slot = element("graph").querySelector(`g[data-hidden="${id}"] text.value`);
    if (slot) slot.textContent = `= ${value}`;
  }
}

// Every index that reaches an offset, where some are reached by more than one.
function twins(offset) {
  const { tiled } = now;
  const found = [];
  for (let n = 0; tiled.shared && n < tiled.count; n++) if (tiled.valid[n] && tiled.offset[n] === offset) found.push(n);
  return found;
}

// An element in words, for those who do not see it.
function sentence(found) {
  const where = found.index.length === 2 ? `row ${found.index[0]}, column ${found.index[1]}` : `index ${found.index.join(", ")}`;
  if (!found.valid) return `${where}, padding`;
  const lane = found.lane < 0 ? "read by no lane" : `lane ${found.lane}` + (found.phase < 0 ? "" : `, phase ${found.phase}`);
  return `${where}, offset ${found.offset}, bank ${found.bank}, ${lane}`;
}

function readout(found) {
  const shown = {
    index: tuple(found.index), offset: found.valid ? found.offset : "padding", byte: found.valid ? found.byte : "–", dword: found.valid ? found.dword : "–",
    bank: found.valid ? found.bank : "–", lane: found.lane < 0 ? "–" : found.lane, phase: found.phase < 0 ? "–" : found.phase,
  };
  for (const [name, value] of Object.entries(shown)) element(`r-${name}`).value = value;
  element("held").textContent = state.held ? "held" : "";
}
