// How it is drawn: each panel is two canvases, the picture and, over it, what is pointed at; so that pointing at another
// element redraws a few frames and not the picture.
"use strict";

const FONT = "'DejaVu Sans Mono', Menlo, Consolas, monospace";

function css(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

class Panel {
  constructor(id) {
    this.host = document.getElementById(id);
    this.canvases = ["picture", "pointer"].map(() => this.host.appendChild(document.createElement("canvas")));
    const given = { tabIndex: 0, id: `${id}-cells`, role: "application", ariaRoleDescription: "picture of cells" }; // its keys are its own
    Object.assign(this.canvases[0], given);
    this.canvases[0].setAttribute("aria-describedby", "keys");
    this.canvases[1].ariaHidden = "true";
  }

  resize(width, height) {
    const ratio = window.devicePixelRatio || 1;
    this.host.style.width = `${width}px`;
    for (const canvas of this.canvases) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
      canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    }
  }

  get picture() { return this.canvases[0].getContext("2d"); }

  // A clean pointer layer.
  get pointer() {
    const context = this.canvases[1].getContext("2d");
    context.clearRect(0, 0, this.canvases[1].width, this.canvases[1].height);
    return context;
  }

  label(text) { this.canvases[0].setAttribute("aria-label", text); }

  // Scrolls its own frame, and the page where it must, until a box of it can be seen.
  reveal([x, y, w, h]) {
    const frame = this.host.parentElement;
    frame.scrollTo({
      left: Math.max(Math.min(frame.scrollLeft, x), x + w + 8 - frame.clientWidth), top: Math.max(Math.min(frame.scrollTop, y), y + h + 8 - frame.clientHeight),
    });
  }

  place(event) {
    const box = this.canvases[0].getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
}

function inkOn(colour) {
  const part = (n) => {
    const c = parseInt(colour.slice(n, n + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5) > 0.179 ? "#000000" : "#ffffff";
}

// The colour of a bank that is asked for so many dwords.
function heat(dwords) {
  return HEAT[dwords < 2 ? 0 : Math.min(32 - Math.clz32(dwords - 1), HEAT.length - 1)];
}

function frame(context, x, y, w, h, strong = true) {
  context.lineWidth = strong ? 4 : 2.4;
  context.strokeStyle = "#ffffff";
  context.strokeRect(x, y, w, h);
  context.lineWidth = strong ? 2 : 1.2;
  context.strokeStyle = "#111111";
  context.strokeRect(x, y, w, h);
}

function hatch(context, x, y, w, h) {
  context.beginPath();
  context.moveTo(x, y + h);
  context.lineTo(x + w, y);
  context.strokeStyle = css("--hatch");
  context.lineWidth = 0.8;
  context.stroke();
}

// The step of an axis: the least power of two whose labels have room.
function every(size, room) {
  let step = 1;
  while (step * size < (step === 1 ? room : 1.7 * room)) step *= 2;
  return step;
}

// Cells in rows and columns with axes: `colour(n)` is null for an empty cell, `label(n)` the text of one, `name(row)` of a row.
class Cells {
  constructor(panel) { this.panel = panel; }

  draw({ count, rows, columns, width, height, minimum, maximum, colour, label, name }) {
    const widest = Math.max(...[0, rows >> 1, rows - 1].map((row) => `${name(row)}`.length));
    this.left = 12 + 6.6 * widest;
    this.top = 20;
    const [w, h] = [(width - this.left - 8) / columns, height / rows];
    this.w = Math.max(minimum, Math.min(maximum, w, Math.max(2.2 * h, 9)));
    this.h = Math.max(minimum, Math.min(24, this.w, h));
    Object.assign(this, { count, rows, columns });
    this.panel.resize(this.left + columns * this.w + 8, this.top + rows * this.h + 6);
    const c = this.panel.picture;
    c.fillStyle = css("--gap");
    c.fillRect(this.left, this.top, columns * this.w, rows * this.h);
    this.paint(c, colour);
    this.write(c, colour, label);
    this.axes(c, name);
  }

  paint(c, colour) {
    const byColour = new Map();
    const empty = [];
    for (let n = 0; n < this.count; n++) {
      const shade = colour(n);
      if (shade === null) empty.push(n);
      else if (byColour.has(shade)) byColour.get(shade).push(n);
      else byColour.set(shade, [n]);
    }
    const line = Math.min(this.w, this.h) >= 12 ? 1 : 0;
    for (const [shade, cells] of byColour) {
      c.fillStyle = shade;
      for (const n of cells) c.fillRect(...this.box(n, line));
    }
    if (Math.min(this.w, this.h) >= 5) empty.forEach((n) => hatch(c, ...this.box(n, 0)));
  }

  write(c, colour, label) {
    const size = Math.min(11, this.h - 3);
    const widest = Math.max(...[0, this.count >> 1, this.count - 1].map((n) => `${label(n)}`.length), 2);
    this.written = size >= 7 && this.w >= 0.62 * size * widest + 2;
    if (!this.written) return;
    c.font = `${size}px ${FONT}`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    for (let n = 0; n < this.count; n++) {
      const shade = colour(n);
      if (shade === null) continue;
      const [x, y, w, h] = this.box(n, 0);
      c.fillStyle = inkOn(shade);
      c.fillText(label(n), x + w / 2, y + h / 2 + 0.5);
    }
  }

  axes(c, name) {
    c.fillStyle = css("--soft");
    c.font = `10px ${FONT}`;
    c.textBaseline = "middle";
    c.textAlign = "right";
    for (let r = 0; r < this.rows; r += every(this.h, 12)) c.fillText(name(r), this.left - 5, this.top + (r + 0.5) * this.h);
    c.textAlign = "center";
    const room = 6.6 * `${this.columns}`.length + 4;
    for (let k = 0; k < this.columns; k += every(this.w, room)) c.fillText(k, this.left + (k + 0.5) * this.w, this.top - 9);
  }

  box(n, line) {
    const [r, k] = [Math.floor(n / this.columns), n % this.columns];
    const edge = (start, size, place) => Math.round(start + size * place); // whole pixels: no seams between cells
    const [x, y] = [edge(this.left, this.w, k), edge(this.top, this.h, r)];
    return [x, y, edge(this.left, this.w, k + 1) - x - line, edge(this.top, this.h, r + 1) - y - line];
  }

  at(event) {
    const [x, y] = this.panel.place(event);
    const [k, r] = [Math.floor((x - this.left) / this.w), Math.floor((y - this.top) / this.h)];
    const n = r * this.columns + k;
    return k >= 0 && k < this.columns && r >= 0 && n < this.count ? n : -1;
  }

  point(c, n, strong) {
    if (n >= 0 && n < this.count) frame(c, ...this.box(n, 0), strong);
  }

  // Cells first … first + length − 1 of one row, in one frame with a name where there is room.
  span(c, first, length, name) {
    const [x, y, w, h] = this.box(first, 0);
    frame(c, x, y, w * length, h, false);
    const size = Math.min(11, h - 1);
    const width = 0.62 * size * name.length;
    if (size < 7 || w * length < width + 8 || this.written) return;
    c.fillStyle = "#111111";
    c.fillRect(x + (w * length - width) / 2 - 3, y + 1, width + 6, h - 2);
    c.font = `${size}px ${FONT}`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.fillStyle = "#ffffff";
    c.fillText(name, x + (w * length) / 2, y + h / 2 + 0.5);
  }
}

// Lanes down, banks across, for one phase.
class Banks {
  constructor(panel) { this.panel = panel; }

  draw(one, instruction, width) {
    this.one = one;
    this.left = 62;
    this.top = 20;
    this.w = Math.max(9, Math.min(24, (width - this.left - 8) / instruction.banks));
    this.h = 16;
    const height = one.lanes.length * this.h;
    this.panel.resize(this.left + instruction.banks * this.w + 6, this.top + height + 6);
    const c = this.panel.picture;
    c.fillStyle = css("--gap");
    c.fillRect(this.left, this.top, instruction.banks * this.w, height);
    c.textBaseline = "middle";
    for (const [bank, dwords] of one.asked) {
      for (const [dword, lanes] of dwords) lanes.forEach((lane) => this.cell(c, one.lanes.indexOf(lane), bank, dword, heat(dwords.size)));
    }
    c.fillStyle = css("--soft");
    c.font = `10px ${FONT}`;
    c.textAlign = "center";
    const step = every(this.w, 16);
    for (let bank = 0; bank < instruction.banks; bank += step) c.fillText(bank, this.left + (bank + 0.5) * this.w, this.top - 9);
    c.textAlign = "right";
    one.lanes.forEach((lane, row) => c.fillText(`lane ${lane}`, this.left - 6, this.top + (row + 0.5) * this.h));
    c.textAlign = "center";
    for (const lane of one.masked) c.fillText("takes no part", this.left + (instruction.banks * this.w) / 2, this.top + (one.lanes.indexOf(lane) + 0.5) * this.h);
    if (one.cycles > 1) {
      c.strokeStyle = HEAT[HEAT.length - 1];
      c.lineWidth = 2.2;
      c.strokeRect(this.left + one.worst * this.w, this.top - 1, this.w, height + 2);
    }
  }

  cell(c, row, bank, dword, shade) {
    const [x, y] = [this.left + bank * this.w, this.top + row * this.h];
    c.fillStyle = shade;
    c.fillRect(x, y, this.w - 0.8, this.h - 0.8);
    const size = Math.min(9, (this.w - 2) / (0.62 * `${dword}`.length));
    if (size < 6) return;
    c.fillStyle = inkOn(shade);
    c.font = `${size}px ${FONT}`;
    c.textAlign = "center";
    c.fillText(dword, x + this.w / 2, y + this.h / 2);
  }

  at(event) {
    const [x, y] = this.panel.place(event);
    const [bank, row] = [Math.floor((x - this.left) / this.w), Math.floor((y - this.top) / this.h)];
    if (!this.one || row < 0 || row >= this.one.lanes.length) return null;
    return { lane: this.one.lanes[row], bank };
  }

  box(lane, bank) {
    return [this.left + bank * this.w, this.top + this.one.lanes.indexOf(lane) * this.h, this.w, this.h];
  }

  point(c, lane, bank) {
    if (this.one?.lanes.includes(lane)) frame(c, ...this.box(lane, bank));
  }
}
