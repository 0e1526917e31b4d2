// The graph of dispatches, coloured by their times.
"use strict";

// Loops and the like are around dispatches, not between them.
const DRAWN = ["argument", "dispatch", "result"];
// More nodes than these are neither placed quickly nor legible; of a larger graph, so many near the chosen op are drawn.
const MOST_NODES = 150;
const MOST_NEAR = 50;

const isDrawn = (step) => DRAWN.includes(step.kind);

class DispatchGraph {
  constructor(dom, choose) {
    this.dom = dom;
    this.choose = choose;
    this.note = element("span");
    this.svg = element("svg", { role: "img", "aria-label": "Graph of dispatches" });
    dom.append(element("div", { class: "bar" }, this.note), this.svg);
    this.#navigate();
  }

  // Shows a program; of a large one, what is near to some steps.
  show(program, marked) {
    const phase = program.dispatches;
    this.svg.replaceChildren();
    if (!phase) {
      this.note.textContent = program.notes.join(" ");
      return;
    }
    const shown = this.#near(phase, marked);
    const total = phase.steps.reduce((sum, step) => sum + (step.seconds ?? 0), 0);
    const count = phase.steps.filter((step) => step.kind === "dispatch").length;
    const cut = shown.size < phase.steps.filter(isDrawn).length ? `; shown are the ${shown.size} steps that are nearest to the chosen op` : "";
    const timed = total ? `, ${shownTime(total)} in all` : ", not timed";
    this.note.textContent = `${count} dispatch${count === 1 ? "" : "es"}${timed}${cut}. ${program.notes.join(" ")}`;
    this.#draw(phase, shown, marked);
    this.mark(marked);
  }

  #near(phase, marked) {
    const drawn = [...phase.steps.keys()].filter((i) => isDrawn(phase.steps[i]));
    if (drawn.length <= MOST_NODES) return new Set(drawn);
    const next = phase.steps.map(() => []);
    phase.steps.forEach((step, i) => step.after.forEach((before) => (next[i].push(before), next[before].push(i))));
    const shown = new Set();
    // Everything is near to an argument.
    const isDispatch = (i) => phase.steps[i].kind === "dispatch";
    const queue = marked.some(isDispatch) ? marked.filter(isDispatch) : drawn.filter(isDispatch).slice(0, 1);
    for (let i = 0; i < queue.length && shown.size < MOST_NEAR; ++i) {
      if (shown.has(queue[i])) continue;
      shown.add(queue[i]);
      queue.push(...next[queue[i]].filter(isDispatch));
    }
    return shown;
  }

  #draw(phase, shown, marked) {
    const layout = new libraries.dagre.graphlib.Graph().setGraph({ rankdir: "TB", nodesep: 24, ranksep: 34, marginx: 20, marginy: 20 });
    layout.setDefaultEdgeLabel(() => ({}));
    for (const i of shown) {
      const lines = this.#label(phase, i);
      const width = 18 + 7.2 * Math.max(...lines.map((line) => line.length));
      layout.setNode(i, { lines, width, height: 12 + 16 * lines.length });
    }
    for (const i of shown) for (const before of phase.steps[i].after) if (shown.has(before)) layout.setEdge(before, i);
    libraries.dagre.layout(layout);
    const arrow = element("path", { d: "M0 0L8 4L0 8z", style: "fill: var(--faint)" });
    this.svg.append(element("defs", {}, element("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" }, arrow)));
    for (const edge of layout.edges()) {
      const points = layout.edge(edge).points.map(({ x, y }) => `${x} ${y}`);
      this.svg.append(element("path", { class: "edge", d: `M${points.join("L")}`, "marker-end": "url(#arrow)" }));
    }
    this.nodes = new Map();
    const most = Math.max(...phase.steps.map((step) => step.seconds ?? 0), 1e-12);
    for (const name of layout.nodes()) {
      const i = Number(name);
      const { x, y, width, height, lines } = layout.node(name);
      const share = (phase.steps[i].seconds ?? 0) / most;
      const rect = element("rect", { x: x - width / 2, y: y - height / 2, width, height, rx: 6, style: share ? `fill: rgba(var(--heat), ${0.08 + 0.5 * share})` : null });
      const texts = lines.map((line, n) => element("text", { x, y: y - height / 2 + 18 + 16 * n, "text-anchor": "middle", class: n ? "faint" : null }, line));
      const node = element("g", { class: "node", "data-step": i, tabindex: 0, click: () => this.choose(phase, i),
        keydown: (event) => event.key === "Enter" && this.choose(phase, i) },
        element("title", {}, [phase.ops[i].name, ...phase.steps[i].sources].join("\n")), rect, ...texts);
      this.nodes.set(i, node);
      this.svg.append(node);
    }
    const { width, height } = layout.graph();
    // As much as can be read; the rest by dragging.
    const scale = Math.min(1.6, Math.max(0.4, width / this.svg.clientWidth, height / this.svg.clientHeight));
    this.box = { x: 0, y: 0, width: this.svg.clientWidth * scale, height: this.svg.clientHeight * scale };
    if (width < this.box.width) this.box.x = (width - this.box.width) / 2;
    const first = marked.find((i) => this.nodes.has(i));
    if (first !== undefined) this.#find(layout.node(first));
    this.#look();
  }

  #label(phase, i) {
    const step = phase.steps[i];
    const all = (step.kind === "dispatch" ? step.ops || phase.ops[i].name : step.kind).split("+");
    const lines = [all.slice(0, 4).join("+") + (all.length > 4 ? `+${all.length - 4} more` : "")];
    if (step.kind === "argument" || step.kind === "result") {
      const values = [...phase.ops[i].results, ...phase.ops[i].operands].map((value) => phase.values[value].type);
      if (values.length) lines.push(values[0]);
    }
    const around = phase.ops[i].parent;
    if (around >= 0) lines.push(`in ${phase.ops[around].name}`);
    if (step.seconds) lines.push(shownTime(step.seconds));
    return lines;
  }

  mark(numbers) {
    for (const [i, node] of this.nodes ?? []) node.classList.toggle("marked", numbers.includes(i));
  }

  // Moves a node to the middle if it is out of sight.
  #find(place) {
    const { x, y, width, height } = this.box;
    if (place.x < x || place.x > x + width) this.box.x = place.x - width / 2;
    if (place.y < y || place.y > y + height) this.box.y = place.y - height / 2;
  }

  has(phase, numbers) {
    return numbers.every((i) => !isDrawn(phase.steps[i]) || this.nodes?.has(i));
  }

  #look() {
    const { x, y, width, height } = this.box;
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  }

  // Dragging moves, the wheel magnifies.
  #navigate() {
    let last = null;
    const scale = () => Math.max(this.box.width / this.svg.clientWidth, this.box.height / this.svg.clientHeight);
    this.svg.addEventListener("pointerdown", (event) => (last = event));
    addEventListener("pointerup", () => (last = null));
    this.svg.addEventListener("pointermove", (event) => {
      if (!last || !this.box) return;
      this.box.x -= (event.clientX - last.clientX) * scale();
      this.box.y -= (event.clientY - last.clientY) * scale();
      last = event;
      this.#look();
    });
    this.svg.addEventListener("wheel", (event) => {
      if (!this.box) return;
      event.preventDefault();
      const factor = Math.exp(event.deltaY / 500);
      const area = this.svg.getBoundingClientRect();
      const [across, down] = [(event.clientX - area.x) / area.width, (event.clientY - area.y) / area.height];
      this.box.x += this.box.width * across * (1 - factor);
      this.box.y += this.box.height * down * (1 - factor);
      this.box.width *= factor;
      this.box.height *= factor;
      this.#look();
    }, { passive: false });
  }
}
