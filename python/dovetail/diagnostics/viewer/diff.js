// The difference between two phases, or between two programs.
"use strict";

class Difference {
  constructor(dom, programs, names) {
    this.dom = dom;
    this.programs = programs;
    const options = programs.flatMap((program, i) =>
      program.phases.map((phase) => [`${i}/${phase.name}`, programs.length > 1 ? `${names[i]}: ${phase.name}` : phase.name]),
    );
    const select = (name, label) =>
      element("select", { name, "aria-label": label, change: () => this.show() },
        ...options.map(([value, text]) => element("option", { value }, text)));
    this.left = select("left", "Left");
    this.right = select("right", "Right");
    this.left.value = options[0][0];
    this.right.value = programs.length > 1 ? `1/${programs[1].phases[0].name}` : options[Math.min(1, options.length - 1)][0];
    this.plain = element("input", { type: "checkbox", change: () => this.show() });
    this.plain.checked = true;
    this.holder = element("div", { class: "views" });
    dom.append(
      element("div", { class: "bar" }, this.left, "→", this.right,
        element("label", {}, this.plain, " leave out the numbers of values")),
      this.holder,
    );
  }

  #text(select) {
    const [program, name] = select.value.split("/");
    const { text } = this.programs[Number(program)].phase(name);
    // Otherwise one op more makes all lines after it differ.
    return this.plain.checked ? text.replace(/%[\w$.-]+([#:]\d+)?/g, "%") : text;
  }

  show() {
    this.view?.destroy();
    this.view = new libraries.MergeView({
      parent: this.holder,
      a: { doc: this.#text(this.left), extensions: readOnly },
      b: { doc: this.#text(this.right), extensions: readOnly },
      collapseUnchanged: { margin: 3, minSize: 6 },
      diffConfig: { scanLimit: 2000, timeout: 3000 },
    });
  }
}
