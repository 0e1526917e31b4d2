// The page: its tabs, the columns of phases, and what is said of the chosen op.
"use strict";

class Page {
  constructor(data) {
    this.programs = data.programs.map((program) => new Program(program, data.places));
    this.names = this.programs.map(({ name }, i) =>
      this.programs.filter((other) => other.name === name).length > 1 ? `${name} (${i + 1})` : name);
    this.byId = (id) => document.getElementById(id);
    this.chosen = null;
    const choose = (phase, number) => this.choose(phase, number);
    this.graph = new DispatchGraph(this.byId("graph"), choose);
    this.memory = new MemoryCurve(this.byId("memory"), choose);
    this.difference = new Difference(this.byId("diff"), this.programs, this.names);
    this.#controls();
    this.showProgram(0);
    this.showTab("phases");
  }

  #controls() {
    const select = this.byId("program");
    select.append(...this.names.map((name, i) => element("option", { value: i }, name)));
    select.addEventListener("change", () => this.showProgram(Number(select.value)));
    for (const tab of document.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => this.showTab(tab.dataset.tab));
    this.byId("fold").addEventListener("click", () => this.columns.forEach((column) => column.fold()));
    this.byId("unfold").addEventListener("click", () => this.columns.forEach((column) => column.unfold()));
    const find = this.byId("find");
    find.addEventListener("keydown", (event) => event.key === "Enter" && this.columns.forEach((column) => column.find(find.value)));
    const setTheme = (isDark) => (document.documentElement.dataset.theme = isDark ? "dark" : "light");
    setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
    this.byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "light"));
  }

  showProgram(number) {
    this.program = this.programs[number];
    this.chosen = null;
    this.columns = this.program.phases.map((phase) => new Column(phase, (...op) => this.choose(...op)));
    this.byId("phases").replaceChildren(...this.columns.map((column) => column.dom));
    // The first phases are those that a reader of Python knows; others wait where there is no room for them.
    const room = Math.max(2, Math.floor((innerWidth - 300) / 340));
    const shown = new Set(this.columns.length <= room ? this.columns : [...this.columns.slice(0, room - 1), this.columns.at(-1)]);
    this.byId("chips").replaceChildren(...this.columns.map((column) => {
      const chip = element("button", { "aria-pressed": shown.has(column), click: () => {
        column.dom.hidden = !column.dom.hidden;
        chip.setAttribute("aria-pressed", !column.dom.hidden);
        column.view.requestMeasure();
      } }, column.phase.name);
      column.dom.hidden = !shown.has(column);
      return chip;
    }));
    this.#summarize();
    this.#refresh();
  }

  showTab(name) {
    this.tab = name;
    for (const tab of document.querySelectorAll("[role=tab]")) tab.setAttribute("aria-selected", tab.dataset.tab === name);
    for (const panel of document.querySelectorAll("[role=tabpanel]")) panel.hidden = panel.id !== name;
    this.byId("chips").hidden = name !== "phases";
    this.#refresh();
  }

  // What only the open tab needs.
  #refresh() {
    const steps = this.#stepsOf(this.chosen?.origins ?? new Set());
    if (this.tab === "graph") this.graph.show(this.program, steps);
    if (this.tab === "memory") this.memory.show(this.program);
    if (this.tab === "diff") this.difference.show();
  }

  #stepsOf(origins) {
    return this.program.dispatches?.opsFrom(origins) ?? [];
  }

  choose(phase, number) {
    const origins = phase.originsOf(number);
    this.chosen = { phase, number, origins };
    for (const column of this.columns) {
      const isHere = column.phase === phase;
      const same = column.phase.opsFrom(origins);
      column.mark(same, isHere ? number : -1, isHere && this.tab === "phases");
    }
    const steps = this.#stepsOf(origins);
    if (this.tab === "graph" && this.program.dispatches && !this.graph.has(this.program.dispatches, steps)) this.graph.show(this.program, steps);
    else this.graph.mark(steps);
    this.#describe(phase, phase.ops[number], origins);
  }

  // What is said while no op is chosen.
  #summarize() {
    const { cost, notes, phases } = this.program;
    const timed = this.program.dispatches?.steps.filter((step) => step.seconds) ?? [];
    const rows = phases.map((phase) => [phase.name, `${phase.ops.length} ops`]);
    this.byId("details").replaceChildren(
      element("h2", {}, this.program.name),
      element("p", {}, "Click an op to see what it became in every phase, and what it costs. Hover over a value to see its type."),
      element("h3", {}, "One run"),
      definitions([...costRows(cost), ...(timed.length ? [["time", shownTime(timed.reduce((sum, step) => sum + step.seconds, 0))]] : [])]),
      element("h3", {}, "Phases"),
      definitions(rows),
      ...notes.map((note) => element("p", {}, note)),
    );
  }

  #describe(phase, op, origins) {
    const parts = [element("h2", {}, op.step?.ops ? op.step.ops : op.name), element("p", {}, element("small", {}, `in ${phase.name}, line ${op.line}`))];
    if (op.place) {
      const [file, line, name, text] = op.place;
      parts.push(element("h3", {}, "Python"), element("p", {}, `${file}:${line} (${name})`));
      if (text) parts.push(element("pre", {}, text));
    }
    for (const source of op.step?.sources ?? []) parts.push(element("p", {}, source));
    const results = op.results.map((value) => phase.values[value]);
    if (results.length) {
      parts.push(element("h3", {}, "Results"));
      for (const value of results) {
        const rows = [["type", element("code", {}, value.type)]];
        if (value.sharding) rows.push(["sharding", element("code", {}, value.sharding)]);
        if (value.bytes) rows.push(["size", shownSize(value.bytes)]);
        parts.push(element("code", {}, value.name), definitions(rows));
      }
    }
    if (op.cost) parts.push(element("h3", {}, "Cost of one run"), definitions(costRows(op.cost)));
    parts.push(...this.#became(phase, op, origins));
    this.byId("details").replaceChildren(...parts.filter(Boolean));
  }

  // What the op became in the other phases, the work of that, and its dispatches.
  #became(phase, op, origins) {
    if (!origins.size) return [element("p", {}, "No op of the traced program: the compiler made it.")];
    const rows = this.columns
      .map((column) => [column, column.phase.opsFrom(origins)])
      .filter(([column, same]) => same.length && column.phase !== phase)
      .map(([column, same]) => [column.phase.name, element("button", { class: "link", click: () => this.#goTo(column, same) }, `${same.length} op${same.length > 1 ? "s" : ""}`)]);
    const parts = [element("h3", {}, "In the other phases"), definitions(rows)];
    const measured = this.program.phase("shard");
    const same = measured && phase !== measured ? measured.opsFrom(origins).map((number) => measured.ops[number]) : [];
    // An op with bodies counts what is in them.
    const outer = same.filter((each) => each.cost && !same.some((other) => other.number === each.parent));
    const sum = [0, 1, 2].map((i) => outer.reduce((total, each) => total + each.cost[i], 0));
    if (sum.some(Boolean)) parts.push(element("h3", {}, "Cost of what became of it"), definitions(costRows(sum)));
    const steps = this.#stepsOf(origins).map((number) => this.program.dispatches.steps[number]).filter((step) => step.kind === "dispatch");
    if (steps.length) {
      parts.push(element("h3", {}, "Dispatches that compute it"));
      for (const step of steps.slice(0, 12)) parts.push(element("p", {}, step.ops, step.seconds ? ` · ${shownTime(step.seconds)}` : ""));
      if (steps.length > 12) parts.push(element("p", {}, `and ${steps.length - 12} more`));
    }
    return parts;
  }

  #goTo(column, numbers) {
    this.showTab("phases");
    if (column.dom.hidden) this.byId("chips").children[this.columns.indexOf(column)].click();
    column.show(numbers[0]);
  }
}

function costRows([flops, transcendentals, bytes]) {
  const rows = flops || !transcendentals ? [["arithmetic", `${shownCount(flops)}flops`]] : [];
  if (transcendentals) rows.push(["functions", `${shownCount(transcendentals)}elements`]);
  rows.push(["memory", `${shownSize(bytes)} read and written`]);
  return rows;
}

loadData().then((data) => {
  new Page(data);
  document.body.dataset.ready = "";
});
