// The page on which a layout is typed: the text, its element type, Triton's shape and the lanes become the one entry of
// LAYOUTS; the rest of the page shows it as it shows any other.
"use strict";

const OWN = "as typed";
const PAUSE = 200; // milliseconds after a key until the text is read
const typed = {
  given: { text: EXAMPLES[0].text, type: "f16", shape: "64 64", start: "" }, // what stands in the fields

  // Reads what stands in the fields; where it cannot, says why, and what was shown stays.
  read() {
    const { text, type, shape, start } = this.given;
    try {
      const sizes = shape.split(/[\s,×x]+/).filter(Boolean).map(Number);
      const layout = readLayout(text, sizes);
      const lanes = start.trim() ? readLanes(start, layout.lengths) : null;
      if (lanes) for (let lane = 0; lane < 64; lane++) lanes(lane, 1);
      LAYOUTS[0] = this.entry(layout, TYPES[type], lanes);
      this.say("");
      return true;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.say(`${this.where(text, start, error)}${error.message}.`);
      return false;
    }
  },

  where(text, start, { at, message }) {
    if (at < 0) return "";
    const before = text.slice(0, at).split("\n");
    return before.length > 1 ? `Line ${before.length}, column ${before.at(-1).length + 1}: ` : `Column ${at + 1}: `;
  },

  say(problem) {
    element("problem").textContent = problem && LAYOUTS.length ? `${problem} Shown below is what could be read last.` : problem;
    element("text").setAttribute("aria-invalid", Boolean(problem));
    document.body.classList.toggle("stale", Boolean(problem));
  },

  entry({ kind, lengths, space, offsets, valid }, bits, lanes) {
    const at = (index) => ravel(index, lengths);
    const usual = (PATTERNS[lengths.length] ?? []).map(({ name, index }) => ({ name, index: (lane, vector) => index(lane, vector, lengths) }));
    const accesses = [...(lanes ? [{ name: OWN, index: lanes }] : []), ...usual];
    const whole = { mask: () => true, given: () => true, condition: "", lanes: null, elements: null, target: null, instruction: null, claims: [] };
    return {
      name: "typed", text: `${kind}: ${lengths.join(" × ")} elements of ${bits} bits`, elementBits: bits, symbols: [],
      lengths: () => lengths, space: () => space, offset: (index) => offsets[at(index)], valid: (index) => valid[at(index)], hidden: () => [],
      accesses: accesses.map((one) => ({ ...whole, ...one, own: one.name === OWN })), claims: [], checks: [],
    };
  },

  // The examples, each with offsets that the library computed.
  checked() {
    return EXAMPLES.map(({ text, shape, space, checks }) => {
      const layout = this.entry(readLayout(text, shape), 16, null);
      const points = checks.map(([n, offset, valid]) => [[], unravel(n, layout.lengths()), offset, valid]);
      return { ...layout, checks: layout.space() === space ? points : points.map(([s, index, , valid]) => [s, index, -1, valid]) };
    });
  },

  remembered() {
    const { text, type, shape, start } = this.given;
    return { text, type, ...(/#\s*(ttg|triton_gpu)\./.test(text) ? { shape } : {}), ...(start.trim() ? { start } : {}) };
  },

  // The fields as the address has them.
  recall(address) {
    const first = { text: EXAMPLES[0].text, type: "f16", shape: "64 64", start: "" };
    this.given = Object.fromEntries(Object.entries(first).map(([key, value]) => [key, address.get(key) ?? value]));
    if (!(this.given.type in TYPES)) this.given.type = first.type;
    this.fill();
    if (this.given.start.trim() && !address.has("access")) address.set("access", OWN);
    if (this.read() || LAYOUTS.length) return;
    LAYOUTS[0] = this.entry(readLayout(first.text, []), 16, null);
    this.read();
  },

  fill() {
    for (const id of ["text", "type", "shape", "start"]) element(id).value = this.given[id];
    element("text").rows = Math.min(14, Math.max(3, this.given.text.split("\n").length + 1));
    this.fit();
  },

  fit() {
    element("shape-label").hidden = !/#\s*(ttg|triton_gpu)\./.test(this.given.text);
    const known = EXAMPLES.findIndex((one) => one.text === this.given.text);
    element("example").value = known;
  },

  // Another text keeps the access of the same name, where the layout has it.
  change(given, anew) {
    const name = pattern().name;
    const before = LAYOUTS[0].accesses.map((a) => a.name).includes(OWN);
    Object.assign(this.given, given);
    this.fit();
    if (!this.read()) return;
    const names = layout().accesses.map((a) => a.name);
    const at = names.includes(OWN) && !before ? 0 : Math.max(0, names.indexOf(name));
    Object.assign(state, { access: at, at: 0, lane: -1, held: false });
    rebuild();
    remember(anew);
    say(element("verdict").textContent);
  },
};

element("example").replaceChildren(make("option", { value: -1, textContent: "own text", disabled: true }), ...EXAMPLES.map(({ name }, n) => make("option", { value: n, textContent: name })));
element("type").replaceChildren(...Object.keys(TYPES).map((name) => make("option", { value: name, textContent: name })));
element("example").onchange = () => {
  const { text, shape } = EXAMPLES[element("example").value];
  Object.assign(typed.given, { text, start: "" }, shape.length ? { shape: shape.join(" ") } : {});
  typed.fill();
  typed.change({}, true);
};
const FIELDS = ["text", "type", "shape", "start"];
const stand = () => Object.fromEntries(FIELDS.map((id) => [id, element(id).value]));
let reading = 0;
for (const id of FIELDS) {
  element(id).addEventListener("input", () => {
    clearTimeout(reading);
    reading = setTimeout(() => typed.change(stand(), id === "type"), id === "type" ? 0 : PAUSE);
  });
}
