// The memory of a program over its ops.
"use strict";

class MemoryCurve {
  constructor(dom, choose) {
    this.dom = dom;
    this.choose = choose;
  }

  show(program) {
    const ops = program.measured;
    const phase = program.phase("shard");
    const alive = program.alive;
    const rows = Object.entries(program.memory ?? {}).map(([name, bytes]) =>
      element("tr", {}, element("th", {}, name), element("td", {}, shownSize(bytes))));
    const head = "Arrays that are alive while each op of main runs, before ops are fused and memory is reused";
    this.dom.replaceChildren(element("div", { class: "bar" }, head));
    if (ops.length && alive.length === ops.length) this.dom.append(this.#drawn(phase, ops, alive));
    if (rows.length) this.dom.append(element("div", { class: "bar" }, "As compiled, on each device"), element("table", {}, ...rows));
  }

  #drawn(phase, ops, alive) {
    const [width, height, left, bottom] = [Math.max(this.dom.clientWidth, 300), 340, 70, 300];
    const most = Math.max(...alive, 1);
    const x = (i) => left + ((width - left - 20) * i) / ops.length;
    const y = (bytes) => bottom - ((bottom - 20) * bytes) / most;
    const svg = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Memory over time" });
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
      svg.append(element("line", { class: "axis", x1: left, x2: width - 20, y1: y(share * most), y2: y(share * most) }));
      svg.append(element("text", { class: "faint", x: left - 8, y: y(share * most) + 4, "text-anchor": "end" }, shownSize(share * most)));
    }
    const steps = alive.map((bytes, i) => `L${x(i)} ${y(bytes)}L${x(i + 1)} ${y(bytes)}`);
    svg.append(element("path", { class: "curve", d: `M${left} ${bottom}${steps.join("")}L${x(ops.length)} ${bottom}Z` }));
    const cursor = element("line", { class: "cursor", y1: 20, y2: bottom, x1: -1, x2: -1 });
    const said = element("text", { x: left, y: bottom + 24 }, `most: ${shownSize(most)}, at ${ops[alive.indexOf(Math.max(...alive))].name}`);
    svg.append(cursor, said);
    const at = (event) => {
      const area = svg.getBoundingClientRect();
      const place = ((event.clientX - area.x) / area.width) * width;
      return Math.min(ops.length - 1, Math.max(0, Math.floor(((place - left) / (width - left - 20)) * ops.length)));
    };
    svg.addEventListener("pointermove", (event) => {
      const i = at(event);
      cursor.setAttribute("x1", x(i + 0.5));
      cursor.setAttribute("x2", x(i + 0.5));
      const place = ops[i].place ? ` (${ops[i].place[0].split("/").at(-1)}:${ops[i].place[1]})` : "";
      said.textContent = `${shownSize(alive[i])} at ${ops[i].name}${place}`;
    });
    svg.addEventListener("click", (event) => this.choose(phase, ops[at(event)].number));
    return svg;
  }
}
