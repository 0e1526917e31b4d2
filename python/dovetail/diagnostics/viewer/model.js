// The data of the page, indexed: ops by line, by origin and by parent; values by name.
"use strict";

async function loadData() {
  const packed = document.getElementById("data").textContent;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

// One phase of a program. Ops are numbered in the order of the text.
class Phase {
  constructor(program, data, places) {
    this.program = program;
    this.name = data.name;
    this.description = data.description;
    this.text = data.text;
    this.lines = data.text.split("\n");
    this.values = data.values.map(([name, type, sharding, bytes]) => ({ name, type, sharding, bytes }));
    this.steps = data.steps?.map(([kind, ops, sources, after, seconds]) => ({ kind, ops, sources, after, seconds }));
    this.ops = data.ops.map(([name, line, parent, operands, results, inner, callees, origins, place, cost], number) => ({
      number, name, line, parent, operands, results, inner, callees, origins, cost, end: line, children: [],
      place: place < 0 ? null : places[place], step: this.steps?.[number],
    }));
    this.byOrigin = new Map();
    this.functions = new Map();
    for (const op of this.ops) {
      if (op.parent >= 0) this.ops[op.parent].children.push(op.number);
      for (const origin of op.origins) {
        if (!this.byOrigin.has(origin)) this.byOrigin.set(origin, []);
        this.byOrigin.get(origin).push(op.number);
      }
      const symbol = op.name === "func.func" && this.lines[op.line - 1].match(/@("[^"]+"|[\w$.-]+)/);
      if (symbol) this.functions.set(symbol[1].replaceAll('"', ""), op.number);
    }
    this.#assignLines();
  }

  // Lines on which no op begins are those of an op around them, to which they are as far indented.
  #assignLines() {
    const starts = new Map();
    for (const op of this.ops) if (!starts.has(op.line)) starts.set(op.line, op.number);
    this.opOfLine = new Int32Array(this.lines.length + 1).fill(-1);
    let last = -1;
    for (let line = 1; line <= this.lines.length; ++line) {
      if (starts.has(line)) {
        last = starts.get(line);
      } else if (last >= 0) {
        const depth = indentation(this.lines[line - 1]);
        while (this.ops[last].parent >= 0 && indentation(this.lines[this.ops[last].line - 1]) > depth)
          last = this.ops[last].parent;
        this.ops[last].end = line;
      }
      this.opOfLine[line] = last;
    }
  }

  // The value of that name in the text of an op, or in the ops around it.
  valueAt(line, name) {
    const plain = name.replace(/:\d+$/, "");
    const isNamed = (value) => this.values[value].name === plain || this.values[value].name.startsWith(plain + "#");
    for (let number = this.opOfLine[line]; number >= 0; number = this.ops[number].parent) {
      const op = this.ops[number];
      const found = [...op.results, ...op.operands, ...op.inner].find(isNamed);
      if (found !== undefined) return found;
    }
    return -1;
  }

  // The op that has a value as its result or as an argument of its bodies.
  makerOf(value) {
    this.makers ??= new Map(this.ops.flatMap((op) => [...op.results, ...op.inner].map((each) => [each, op.number])));
    return this.makers.get(value) ?? -1;
  }

  // The origins of an op, of what is in its bodies and of the functions that it names.
  originsOf(number, seen = new Set()) {
    const origins = new Set();
    const visit = (each) => {
      if (seen.has(each)) return;
      seen.add(each);
      const op = this.ops[each];
      op.origins.forEach((origin) => origins.add(origin));
      op.children.forEach(visit);
      for (const callee of op.callees) if (this.functions.has(callee)) visit(this.functions.get(callee));
    };
    visit(number);
    return origins;
  }

  // The ops with any of these origins, in the order of the text.
  opsFrom(origins) {
    const found = new Set();
    for (const origin of origins) for (const number of this.byOrigin.get(origin) ?? []) found.add(number);
    return [...found].sort((a, b) => a - b);
  }

  // What can be folded: [first line, last line, label, whether all of the first line is folded, too].
  get folds() {
    if (this.foundFolds) return this.foundFolds;
    const folds = [];
    for (const op of this.ops) {
      if (op.parent >= 0 && op.end > op.line + 1) folds.push([op.line, op.end - 1, `${op.end - op.line - 1} lines`, false]);
      if (op.children.length) folds.push(...this.#runs(op.children, 0));
    }
    return (this.foundFolds = folds);
  }

  // Consecutive ops that one scope of the user's program wrote: those of one name, then those of one within it.
  #runs(numbers, depth) {
    const folds = [];
    const scopeOf = (op) => (op.place?.[2] ?? "").split("/").slice(0, depth + 1).join("/");
    for (let first = 0; first < numbers.length; ) {
      const name = scopeOf(this.ops[numbers[first]]);
      let next = first + 1;
      while (next < numbers.length && scopeOf(this.ops[numbers[next]]) === name) ++next;
      const run = numbers.slice(first, next);
      const isWhole = run.length === numbers.length;
      if (name && run.length >= 4) {
        const [start, stop] = [this.ops[run[0]].line, this.ops[run.at(-1)].end];
        if (!isWhole) folds.push([start, stop, `${name}: ${run.length} ops`, true]);
        if (run.some((each) => (this.ops[each].place?.[2] ?? "").split("/").length > depth + 1))
          folds.push(...this.#runs(run, depth + 1));
      }
      first = next;
    }
    return folds;
  }
}

class Program {
  constructor(data, places) {
    Object.assign(this, { name: data.name, notes: data.notes, cost: data.cost, alive: data.alive, memory: data.memory });
    this.phases = data.phases.map((phase) => new Phase(this, phase, places));
  }

  phase(name) {
    return this.phases.find((phase) => phase.name === name);
  }

  get dispatches() {
    return this.phase("dispatches");
  }

  // The ops of `main` in the phase whose cost and memory are known.
  get measured() {
    const phase = this.phase("shard");
    const main = phase && phase.functions.get("main");
    return main === undefined ? [] : phase.ops[main].children.map((number) => phase.ops[number]);
  }
}

function indentation(line) {
  return line.search(/\S|$/);
}

function shownSize(bytes) {
  for (const [unit, size] of [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]])
    if (bytes >= size) return `${Number((bytes / size).toPrecision(3))} ${unit}`;
  return `${Math.round(bytes)} B`;
}

function shownCount(count) {
  for (const [unit, size] of [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]])
    if (count >= size) return `${Number((count / size).toPrecision(3))} ${unit}`;
  return `${Number(count.toPrecision(3))} `;
}

function shownTime(seconds) {
  for (const [unit, size] of [["s", 1], ["ms", 1e-3], ["µs", 1e-6]])
    if (seconds >= size) return `${Number((seconds / size).toPrecision(3))} ${unit}`;
  return `${Number((seconds / 1e-9).toPrecision(3))} ns`;
}

// An element with attributes (or properties, if they are functions) and children.
function element(tag, attributes = {}, ...children) {
  const isDrawn = ["svg", "g", "rect", "text", "path", "line", "title", "defs", "marker"].includes(tag);
  const made = isDrawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes))
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== undefined && value !== null) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
