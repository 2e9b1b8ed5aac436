// What changes the state: menus, sliders, pointer, keys, the player of phases, and the address of the page.
"use strict";

function update(change, redraw = true) {
  Object.assign(state, change);
  if (redraw) {
    compute();
    draw();
  }
  point();
  remember();
}

// The address of the page holds the state: what is chosen makes a new entry for the back button, the rest changes the last.
let waiting = 0;
function remember(anew = false) {
  const write = () => {
    if (now.tiled.problem || location.protocol === "about:") return; // a frame has no address of its own
    const text = new URLSearchParams({
      layout: layout().name, access: layout().accesses[state.access]?.name ?? "", target: state.target, instruction: state.instruction,
      by: state.by, at: unravel(state.at, now.tiled.lengths).join("."), phase: state.phase, ...(state.held ? { held: 1 } : {}),
      ...typed?.remembered(),
    });
    sliders().forEach((s) => text.set(`size.${s.name}`, s.values[place(s)]));
    if (`#${text}` !== location.hash) history[anew ? "pushState" : "replaceState"](null, "", `#${text}`);
  };
  clearTimeout(waiting);
  if (anew) write();
  else waiting = setTimeout(write, 120);
}

// The state in the page's address; what is not there, or means nothing, is as at first.
function recall() {
  clearTimeout(waiting);
  const text = new URLSearchParams(location.hash.slice(1));
  const found = (list, name, otherwise) => list.some((one) => one.name === name) ? list.findIndex((one) => one.name === name) : otherwise;
  Object.assign(state, FIRST, { sizes: {}, lane: -1 });
  typed?.recall(text);
  state.layout = found(LAYOUTS, text.get("layout"), state.layout);
  state.access = found(layout().accesses, text.get("access"), state.layout === FIRST.layout ? FIRST.access : 0);
  if (text.has("access")) Object.assign(state, adopted());
  if (TARGETS[text.get("target")]) state.target = text.get("target");
  if (target().instructions[text.get("instruction")]) state.instruction = text.get("instruction");
  if (COLOURS.includes(text.get("by"))) state.by = text.get("by");
  for (const s of sliders()) {
    const n = s.values.indexOf(Number(text.get(`size.${s.name}`) ?? NaN));
    if (n >= 0) state.sizes[s.name] = n;
  }
  state.phase = Number(text.get("phase")) || 0;
  state.held = text.has("held");
  const index = (text.get("at") ?? "").split(".").map(Number);
  const lengths = layout().lengths(sizes());
  if (index.length === lengths.length && index.every(Number.isInteger) && inside(index, lengths)) state.at = ravel(index, lengths);
}

function controls() {
  const options = (names) => names.map((n) => make("option", { value: n, textContent: n }));
  const choice = (id, text, children, value, change) => {
    const select = make("select", { id, onchange: () => change(select.value) }, ...children);
    select.value = value;
    return make("label", { htmlFor: id }, text, select);
  };
  const lanes = (label, own) => {
    const names = layout().accesses.filter((a) => a.own === own).map((a) => a.name);
    return names.length ? [make("optgroup", { label }, ...options(names))] : [];
  };
  const parts = [];
  if (LAYOUTS.length > 1) parts.push(choice("layout", "layout", options(LAYOUTS.map((l) => l.name)), layout().name, (v) => choose({ layout: LAYOUTS.findIndex((l) => l.name === v) })));
  parts.push(choice("access", "lanes read", [...lanes("of the file", true), ...lanes("patterns", false)], pattern().name, (v) => choose({ access: layout().accesses.findIndex((a) => a.name === v) })));
  parts.push(choice("target", "target", options(Object.keys(TARGETS)), state.target, (v) => choose(aim(v))));
  parts.push(choice("instruction", "instruction", options(Object.keys(target().instructions)), state.instruction, (v) => choose({ instruction: v })));
  parts.push(choice("by", "colour by", options(COLOURS), state.by, (v) => choose({ by: v })));
  keepingFocus(() => element("controls").replaceChildren(...parts, ...sliders().map(slider), element("share")));
}

function slider(symbol) {
  const at = place(symbol);
  const id = `size-${symbol.name}`;
  if (symbol.values.length === 2 && symbol.values[0] === 0 && symbol.values[1] === 1) {
    const box = make("input", { type: "checkbox", id, checked: at === 1, onchange: () => resize(symbol.name, Number(box.checked)) });
    return make("label", { className: "check", htmlFor: id }, box, symbol.name);
  }
  const value = make("output", { ariaLive: "off",  htmlFor: id, className: "num", textContent: `${symbol.name} = ${symbol.values[at]}` });
  const range = make("input", { type: "range", id, min: 0, max: symbol.values.length - 1, step: 1, value: at, ariaLabel: symbol.name });
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

// Another layout keeps the access of the same name, where it has one, else shows its first.
function choose(change) {
  const name = pattern().name;
  Object.assign(state, { lane: -1 }, change);
  if ("layout" in change && !("access" in change)) state.access = Math.max(0, layout().accesses.findIndex((a) => a.name === name));
  if ("layout" in change || "access" in change) Object.assign(state, adopted());
  rebuild();
  remember(true);
  say(element("verdict").textContent);
}

function rebuild() {
  controls();
  graph();
  update({});
}

function graph() {
  const drawn = element(`graph-${state.layout}`);
  element("graph").closest("section").hidden = !drawn;
  element("graph").replaceChildren(...(drawn ? [drawn.content.cloneNode(true)] : []));
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

// The keyboard: each picture has its own steps, and where they lead nowhere, nothing moves ------------------------------

const PAGE = 8;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], PageUp: [0, -PAGE], PageDown: [0, PAGE] };
const STEPS = {
  grid: (dx, dy) => ({ at: state.at + dx + dy * now.tiled.columns }),
  memory: (dx, dy) => {
    const { owner, offset, space } = now.tiled;
    const step = dx + dy * views.memory.columns;
    let to = offset[state.at] + step;
    while (to >= 0 && to < space && owner[to] < 0) to += step; // elements that no index reaches are passed over
    return { at: owner[to] ?? -1 };
  },
  lanes: (dx, dy) => ofLane(Math.max(currentLane(), 0) + dx + dy * LANES_IN_ROW),
  banks: (dx, dy) => {
    const { lanes, vector, starts } = { ...now.lanes, lanes: now.lanes.phases[state.phase].lanes.filter((lane) => now.lanes.active[lane]) };
    const row = lanes.indexOf(currentLane());
    if (!lanes.length || row < 0) return lanes.length ? ofLane(lanes[0]) : { at: -1 };
    const element = state.at - starts[lanes[row]] + dx * Math.max(1, Math.floor((DWORD * 8) / layout().elementBits));
    const lane = lanes[row + dy];
    return lane !== undefined && element >= 0 && element < vector ? { at: starts[lane] + element, lane } : { at: -1 };
  },
};
const KEYS = {
  "[": () => turn(-1), "]": () => turn(1), " ": () => play(!timer), Escape: () => update({ held: false }, false), Enter: () => update({ held: !state.held }, false),
  c: () => choose({ by: next(COLOURS, state.by) }), l: () => choose({ layout: (state.layout + 1) % LAYOUTS.length }),
  t: () => choose(aim(next(Object.keys(TARGETS), state.target))),
};

const currentLane = () => (state.lane < 0 ? facts(state.at).lane : state.lane);

// A lane, and where it starts: it stays what is pointed at where it takes no part.
function ofLane(lane) {
  if (!(lane in now.lanes.active)) return { at: -1 };
  return { at: now.lanes.starts[lane] < 0 ? state.at : now.lanes.starts[lane], lane };
}

function press(event, panel) {
  if (event.ctrlKey || event.metaKey || event.altKey || now.tiled.problem) return;
  const ends = { Home: { at: 0 }, End: { at: now.tiled.count - 1 } };
  if (event.key in ARROWS) moveTo({ lane: -1, held: true, ...STEPS[panel](...ARROWS[event.key]) }, panel);
  else if (event.key in ends && panel !== "lanes" && panel !== "banks") moveTo({ lane: -1, held: true, ...ends[event.key] }, panel);
  else if (KEYS[event.key]) KEYS[event.key]();
  else return;
  event.preventDefault();
}

// What the keyboard points at is brought into view, and said.
function moveTo(change, panel) {
  if (!(change.at >= 0 && change.at < now.tiled.count)) return;
  update(change, false);
  const found = facts(state.at);
  const masked = state.lane >= 0 && !now.lanes.active[state.lane];
  const cell = { grid: state.at, memory: found.offset, lanes: currentLane(), banks: found.lane }[panel];
  panels[panel].reveal(views[panel].box(cell, panel === "banks" ? found.bank : 0));
  say(masked ? `lane ${state.lane} takes no part` : sentence(found));
}

let saying = 0;
function say(text) {
  clearTimeout(saying); // of many steps in a row, the last is said
  saying = setTimeout(() => { element("said").textContent = text; }, 150);
}

// The player of phases --------------------------------------------------------------------------------------------------

const BEAT = 900; // milliseconds that a phase is shown
const still = matchMedia("(prefers-reduced-motion: reduce)");
let timer = 0;

function turned(step) {
  return (state.phase + step + now.lanes.phases.length) % now.lanes.phases.length;
}

function play(on) {
  clearInterval(timer);
  timer = on && !still.matches && now.lanes.phases.length > 1 ? setInterval(() => (now.lanes.phases.length > 1 ? update({ phase: turned(1) }) : play(false)), BEAT) : 0;
  element("play").textContent = timer ? "Pause" : "Play";
  element("play").hidden = still.matches;
}

// A phase that was asked for stays, and is said.
function show(phase) {
  play(false);
  update({ phase });
  say(`${progress()}. ${element("witness").textContent}`);
}

function turn(step) {
  if (now.lanes.phases.length) show(turned(step));
}

function listen() {
  const follow = (panel, find) => {
    const canvas = panels[panel].canvases[0];
    const go = (event, held) => {
      const found = find(event);
      if (found.at >= 0 && (held !== null || !state.held)) update({ lane: -1, ...found, held: held ?? state.held }, false);
      return found.at >= 0;
    };
    canvas.addEventListener("pointermove", (event) => go(event, null));
    canvas.addEventListener("click", (event) => { if (go(event, !state.held)) say(sentence(facts(state.at))); });
    canvas.addEventListener("keydown", (event) => press(event, panel));
  };
  follow("grid", (event) => ({ at: views.grid.at(event) }));
  follow("memory", (event) => ({ at: now.tiled.owner[views.memory.at(event)] ?? -1 }));
  follow("lanes", (event) => {
    const lane = views.lanes.at(event);
    return { at: now.lanes.starts[lane] ?? -1, lane };
  });
  follow("banks", (event) => {
    const cell = views.banks.at(event);
    const first = cell ? now.lanes.starts[cell.lane] : -1;
    if (first < 0) return { at: -1 }; // it takes no part
    const held = Array.from({ length: now.lanes.vector }, (_, e) => first + e);
    return { at: held.find((n) => facts(n).bank === cell.bank) ?? first, lane: cell.lane };
  });
  element("previous").onclick = () => turn(-1);
  element("next").onclick = () => turn(1);
  element("play").onclick = () => play(!timer);
  element("share").onclick = share;
  element("share").hidden = location.protocol === "about:";
  still.addEventListener("change", () => play(false));
  for (const event of ["popstate", "hashchange"]) window.addEventListener(event, restore);
  window.addEventListener("resize", () => update({}));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => update({}));
}

function restore() {
  play(false);
  recall();
  rebuild();
}

async function share() {
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied.");
    element("share").textContent = "Copied";
  } catch {
    say("The link is in the address bar: copy it from there.");
    element("share").textContent = "Copy it from the address bar";
  }
  setTimeout(() => { element("share").textContent = "Copy link"; }, 3000);
}

// The maps are generated; here they are held against values that the library computed.
function check() {
  let wrong = 0;
  let count = 0;
  for (const one of typed?.checked() ?? LAYOUTS) {
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
  ...CHIPS.map((name) => make("span", { className: "chip" }, make("b", { textContent: name }), make("output", { id: `r-${name}`, ariaLive: "off" }))),
  make("span", { id: "held", className: "note" }),
);
recall();
check();
listen();
rebuild();
play(false);
window.explorer = { state, facts, update, get now() { return now; } };
