// State, events, and the address of the page. `state` is all that can be changed; `compute` makes the rest from it.
"use strict";

const COLOURS = ["offset", "dword", "bank", "lane", "phase"];
const state = { layout: 0, access: START.access, target: START.target, instruction: START.instruction, by: "bank", sizes: {}, at: 0, phase: 0, held: false };
const panels = { grid: new Panel("grid"), memory: new Panel("memory"), banks: new Panel("banks") };
const views = { grid: new Cells(panels.grid), memory: new Cells(panels.memory), banks: new Banks(panels.banks) };
let now = null; // what follows from the state

const element = (id) => document.getElementById(id);
const layout = () => LAYOUTS[state.layout];
const target = () => TARGETS[state.target];
const instruction = () => target().instructions[state.instruction];
const pattern = () => layout().accesses[Math.min(state.access, layout().accesses.length - 1)];
const place = (symbol) => Math.min(state.sizes[symbol.name] ?? symbol.start, symbol.values.length - 1);
const sizes = () => layout().symbols.map((s) => s.values[place(s)]);
const sliders = () => layout().symbols.filter((s) => !s.of || s.of.includes(state.access)); // of the layout, or the access shown
const bytes = (offset) => offset * layout().elementBytes;
const dwordOf = (offset) => Math.floor(bytes(offset) / DWORD);

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
  const lane = lanes.problem ? -1 : lanes.lane[n];
  return {
    index, offset, dword, valid: Boolean(tiled.valid[n]), byte: bytes(offset), bank: dword % instruction().banks,
    lane, phase: lane < 0 ? -1 : lanes.phaseOf[lane], hidden: layout().hidden(index, s),
  };
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
    const wide = Math.max(1, Math.floor((instruction().banks * DWORD) / layout().elementBytes));
    views.memory.draw({
      count: tiled.space, rows: Math.ceil(tiled.space / wide), columns: wide, width: room("memory"), height: 360, minimum: 5, maximum: 24,
      colour: (o) => (tiled.owner[o] < 0 ? null : colour(tiled.owner[o])),
      label: (o) => (tiled.owner[o] < 0 ? "" : quantity(tiled.owner[o])), name: (r) => r * wide,
    });
    if (lanes.phases.length) views.banks.draw(lanes.phases[state.phase], instruction(), room("banks"));
    panels.grid.label(`Index grid of ${tiled.lengths.join(" × ")} elements, coloured by ${state.by}`);
    panels.memory.label(`Memory of ${tiled.space} elements`);
    panels.banks.label(element("verdict").textContent);
  }
  element("banks").hidden = !lanes.phases.length;
  element("grid").hidden = element("memory").hidden = Boolean(tiled.problem);
  element("formula").textContent = layout().text;
  notes();
  phases();
  key();
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
  element("heat").replaceChildren(...(lanes.phases.length ? HEAT.map((c, n) => swatch(c, asked[n])) : []));
  const off = lanes.problem || lanes.taking === lanes.active.length ? "" : `${lanes.taking} of ${lanes.active.length} lanes take part. `;
  const doubt = off && !lanes.memory ? ` In doubt: ${LANES_OFF}.` : "";
  element("evidence").textContent = off + (lanes.memory ? "" : `${how.name} on ${target().title}. ${how.evidence}${doubt}`);
}

function phases() {
  const buttons = now.lanes.phases.map((p, n) => {
    const button = make("button", { className: "phase num", textContent: `${n}: ${p.cycles}`, title: `phase ${n}: ${p.cycles} cycles, lanes ${p.lanes.join(" ")}` });
    button.setAttribute("aria-pressed", n === state.phase);
    if (p.cycles > 1) button.classList.add("bad");
    button.onclick = () => update({ phase: n });
    return button;
  });
  const label = make("span", { className: "note", textContent: "phase: cycles" });
  element("phases").replaceChildren(...(buttons.length ? [label, ...buttons] : []));
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
  const [grid, memory, banks] = ["grid", "memory", "banks"].map((name) => panels[name].pointer);
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

function readout(found) {
  const shown = {
    index: tuple(found.index), offset: found.valid ? found.offset : "padding", byte: found.valid ? found.byte : "–", dword: found.valid ? found.dword : "–",
    bank: found.valid ? found.bank : "–", lane: found.lane < 0 ? "–" : found.lane, phase: found.phase < 0 ? "–" : found.phase,
  };
  for (const [name, value] of Object.entries(shown)) element(`r-${name}`).value = value;
  element("held").textContent = state.held ? "held" : "";
}

// Changing the state ---------------------------------------------------------------------------------------------------

function update(change, redraw = true) {
  Object.assign(state, change);
  if (redraw) {
    compute();
    draw();
  }
  point();
  remember();
}

let waiting = 0;
function remember() {
  clearTimeout(waiting);
  waiting = setTimeout(() => {
    const text = new URLSearchParams({
      layout: layout().name, access: layout().accesses[state.access]?.name ?? "", target: state.target, instruction: state.instruction,
      by: state.by, at: unravel(state.at, now.tiled.lengths).join("."), phase: state.phase,
    });
    sliders().forEach((s) => text.set(`size.${s.name}`, s.values[place(s)]));
    if (location.protocol !== "about:") history.replaceState(null, "", `#${text}`); // a frame has no address of its own
  }, 120);
}

// The state in the page's address; what is not there, or means nothing, stays as it is.
function recall() {
  const text = new URLSearchParams(location.hash.slice(1));
  const found = (list, name, otherwise) => Math.max(list.findIndex((one) => one.name === name), name === null ? otherwise : 0);
  state.layout = found(LAYOUTS, text.get("layout"), state.layout);
  state.access = found(layout().accesses, text.get("access"), state.access);
  if (text.has("access")) Object.assign(state, adopted());
  if (TARGETS[text.get("target")]) state.target = text.get("target");
  if (target().instructions[text.get("instruction")]) state.instruction = text.get("instruction");
  if (COLOURS.includes(text.get("by"))) state.by = text.get("by");
  for (const s of sliders()) {
    const n = s.values.indexOf(Number(text.get(`size.${s.name}`) ?? NaN));
    if (n >= 0) state.sizes[s.name] = n;
  }
  state.phase = Number(text.get("phase")) || 0;
  const index = (text.get("at") ?? "").split(".").map(Number);
  const lengths = layout().lengths(sizes());
  if (index.length === lengths.length && index.every(Number.isInteger) && inside(index, lengths)) state.at = ravel(index, lengths);
}

function controls() {
  const choice = (id, text, names, value, change) => {
    const select = make("select", { id, onchange: () => change(select.value) }, ...names.map((n) => make("option", { value: n, textContent: n })));
    select.value = value;
    return make("label", { htmlFor: id }, text, select);
  };
  const parts = [];
  if (LAYOUTS.length > 1) parts.push(choice("layout", "layout", LAYOUTS.map((l) => l.name), layout().name, (v) => choose({ layout: LAYOUTS.findIndex((l) => l.name === v) })));
  parts.push(choice("access", "lanes read", layout().accesses.map((a) => a.name), layout().accesses[state.access].name, (v) => choose({ access: layout().accesses.findIndex((a) => a.name === v) })));
  parts.push(choice("target", "target", Object.keys(TARGETS), state.target, (v) => choose(aim(v))));
  parts.push(choice("instruction", "instruction", Object.keys(target().instructions), state.instruction, (v) => choose({ instruction: v })));
  parts.push(choice("by", "colour by", COLOURS, state.by, (v) => update({ by: v })));
  element("controls").replaceChildren(...parts, ...sliders().map(slider));
}

function slider(symbol) {
  const at = place(symbol);
  const id = `size-${symbol.name}`;
  if (symbol.values.length === 2 && symbol.values[0] === 0 && symbol.values[1] === 1) {
    const box = make("input", { type: "checkbox", id, checked: at === 1, onchange: () => resize(symbol.name, Number(box.checked)) });
    return make("label", { className: "check", htmlFor: id }, box, symbol.name);
  }
  const value = make("output", { htmlFor: id, className: "num", textContent: `${symbol.name} = ${symbol.values[at]}` });
  const range = make("input", { type: "range", id, min: 0, max: symbol.values.length - 1, step: 1, value: at });
  range.setAttribute("aria-valuetext", symbol.values[at]);
  range.oninput = () => {
    value.textContent = `${symbol.name} = ${symbol.values[range.value]}`;
    range.setAttribute("aria-valuetext", symbol.values[range.value]);
    resize(symbol.name, Number(range.value));
  };
  return make("label", { htmlFor: id }, value, range);
}

function resize(name, at) {
  update({ sizes: { ...state.sizes, [name]: at } });
}

// What the access shown is made for: its instruction, on the target shown where that has it for as many lanes.
function adopted() {
  const own = pattern();
  if (!own.instruction) return {};
  const stays = target().wave === own.lanes && own.instruction in target().instructions;
  return { target: stays ? state.target : own.target, instruction: own.instruction };
}

// The same kind of access on another target: its instruction of the same direction and width, or its first.
function aim(name) {
  const same = Object.values(TARGETS[name].instructions).find((i) => i.access === instruction().access && i.bytes === instruction().bytes);
  return { target: name, instruction: (same ?? Object.values(TARGETS[name].instructions)[0]).name };
}

function choose(change) {
  if ("layout" in change) change.access = Math.min(state.access, LAYOUTS[change.layout].accesses.length - 1);
  Object.assign(state, change);
  if ("layout" in change || "access" in change) Object.assign(state, adopted());
  controls();
  graph();
  update({});
}

function graph() {
  element("graph").replaceChildren(element(`graph-${state.layout}`).content.cloneNode(true));
  for (const group of element("graph").querySelectorAll("g[data-hidden]")) {
    const circle = group.querySelector("circle");
    const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
    const [x, y, r] = ["cx", "cy", "r"].map((a) => Number(circle.getAttribute(a)));
    Object.entries({ x: x + r + 5, y: y + 16, class: "ink num bold value", "font-size": 11 }).forEach(([k, v]) => text.setAttribute(k, v));
    group.append(text);
  }
}

function next(list, value, step = 1) {
  return list[(list.indexOf(value) + step + list.length) % list.length];
}

const KEYS = {
  ArrowLeft: () => move(-1), ArrowRight: () => move(1), ArrowUp: () => move(-now.tiled.columns), ArrowDown: () => move(now.tiled.columns),
  "[": () => turn(-1), "]": () => turn(1), Escape: () => update({ held: false }, false),
  c: () => choose({ by: next(COLOURS, state.by) }), l: () => choose({ layout: (state.layout + 1) % LAYOUTS.length }),
  t: () => choose(aim(next(Object.keys(TARGETS), state.target))),
};

function move(step) {
  const at = state.at + step;
  if (at >= 0 && at < now.tiled.count) update({ at, held: true }, false);
}

function turn(step) {
  const count = now.lanes.phases.length;
  if (count) update({ phase: (state.phase + step + count) % count });
}

function listen() {
  const follow = (panel, find) => {
    const canvas = panels[panel].canvases[0];
    const go = (event, held) => {
      const at = find(event);
      if (at >= 0 && (held !== null || !state.held)) update({ at, held: held ?? state.held }, false);
    };
    canvas.addEventListener("pointermove", (event) => go(event, null));
    canvas.addEventListener("click", (event) => go(event, !state.held));
  };
  follow("grid", (event) => views.grid.at(event));
  follow("memory", (event) => {
    const offset = views.memory.at(event);
    return offset < 0 ? -1 : now.tiled.owner[offset];
  });
  follow("banks", (event) => {
    const cell = views.banks.at(event);
    if (!cell) return -1;
    const first = now.lanes.starts[cell.lane];
    if (first < 0) return -1; // it takes no part
    const held = Array.from({ length: now.lanes.vector }, (_, e) => first + e);
    return held.find((n) => facts(n).bank === cell.bank) ?? first;
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select") || !KEYS[event.key]) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  window.addEventListener("hashchange", () => { recall(); choose({}); });
  window.addEventListener("resize", () => update({}));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => update({}));
}

// The maps are generated; here they are held against values that the library computed.
function check() {
  let wrong = 0;
  let count = 0;
  for (const one of LAYOUTS) {
    for (const [s, index, offset, valid] of one.checks) {
      count++;
      if (one.offset(index, s) !== offset || Boolean(one.valid(index, s)) !== valid) wrong++;
    }
  }
  const text = element("checked");
  text.textContent = wrong ? `${wrong} of ${count} sample points differ from the library's: do not trust this page.` : `${count} sample points equal the library's.`;
  text.className = wrong ? "alarm" : "good";
}

const CHIPS = ["index", "offset", "byte", "dword", "bank", "lane", "phase"];
element("readout").replaceChildren(
  ...CHIPS.map((name) => make("span", { className: "chip" }, make("b", { textContent: name }), make("output", { id: `r-${name}` }))),
  make("span", { id: "held", className: "note" }),
);
recall();
check();
listen();
choose({});
window.explorer = { state, facts, update, get now() { return now; } };
