// The text of a phase: highlighted, folded, with what is known of each value; its lines can be chosen.
"use strict";

const mlir = libraries.StreamLanguage.define({
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^\/\/.*/)) return "comment";
    if (stream.match(/^"(\\.|[^"\\])*"/)) return "string";
    if (stream.match(/^%[\w$.-]+(#\d+|:\d+)?/)) return "variableName";
    if (stream.match(/^@("[^"]*"|[\w$.-]+)/)) return "labelName";
    if (stream.match(/^[#!][\w.$-]+/)) return "typeName";
    if (stream.match(/^\^\w+/)) return "labelName";
    if (stream.match(/^(tensor|memref|vector|complex|tuple)(?=<)/)) return "typeName";
    if (stream.match(/^((\?|\d+)x)+(?=[a-z?])/)) return "number";
    if (stream.match(/^([su]?i\d+|b?f\d+\w*|index|none)\b/)) return "typeName";
    if (stream.match(/^(module|func|return|private|dispatch|argument|result|true|false|dense)\b(?!\.)/)) return "keyword";
    if (stream.match(/^[a-z_]\w*(\.\w+)+/)) return "keyword";
    if (stream.match(/^-?\d+(\.\d*)?([eE][+-]?\d+)?/)) return "number";
    if (stream.match(/^[\w$]+/)) return null;
    stream.next();
    return null;
  },
});

const colours = libraries.syntaxHighlighting(
  libraries.HighlightStyle.define([
    { tag: libraries.tags.comment, color: "var(--comment)" },
    { tag: libraries.tags.string, color: "var(--string)" },
    { tag: libraries.tags.variableName, color: "var(--value)" },
    { tag: libraries.tags.labelName, color: "var(--symbol)" },
    { tag: libraries.tags.typeName, color: "var(--type)" },
    { tag: libraries.tags.number, color: "var(--type)" },
    { tag: libraries.tags.keyword, color: "var(--op)" },
  ]),
);

const readOnly = [
  libraries.EditorState.readOnly.of(true),
  libraries.lineNumbers(),
  mlir,
  colours,
];

const setMarks = libraries.StateEffect.define();
const marks = libraries.StateField.define({
  create: () => libraries.Decoration.none,
  update: (value, transaction) => transaction.effects.reduce((now, e) => (e.is(setMarks) ? e.value : now), value),
  provide: (field) => libraries.EditorView.decorations.from(field),
});

class Column {
  // `choose` is called with a phase and the number of an op in it.
  constructor(phase, choose) {
    this.phase = phase;
    this.found = [];
    this.at = -1;
    this.count = element("button", { class: "found", hidden: "", title: "Go to the next one", click: () => this.next() });
    const holder = element("div");
    this.dom = element(
      "div",
      { class: "column", "data-phase": phase.name },
      element("h2", {}, phase.name, element("small", { title: phase.description }, phase.description), this.count),
      holder,
    );
    this.foldOfLine = new Map();
    for (const [first, last, label, isWhole] of phase.folds) {
      const known = this.foldOfLine.get(first);
      if (!known || known.last < last) this.foldOfLine.set(first, { last, label, isWhole });
    }
    this.view = new libraries.EditorView({ parent: holder, doc: phase.text, extensions: this.#extensions(choose) });
  }

  #extensions(choose) {
    return [
      readOnly,
      marks,
      libraries.search({ top: true }),
      libraries.keymap.of([...libraries.searchKeymap, ...libraries.foldKeymap]),
      libraries.foldService.of((state, start) => this.#range(state.doc, state.doc.lineAt(start).number)),
      libraries.codeFolding({
        preparePlaceholder: (state, range) => {
          const fold = this.foldOfLine.get(state.doc.lineAt(range.from).number);
          return fold ? fold.label : "";
        },
        placeholderDOM: (view, unfold, label) => element("span", { class: "cm-foldPlaceholder", click: unfold }, `⋯ ${label}`),
      }),
      libraries.foldGutter(),
      libraries.hoverTooltip((view, position) => this.#tooltip(view, position), { hoverTime: 150 }),
      libraries.EditorView.domEventHandlers({
        click: (event, view) => {
          const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
          if (position === null || event.target.closest(".cm-foldPlaceholder, .cm-gutters")) return false;
          const number = this.phase.opOfLine[view.state.doc.lineAt(position).number];
          if (number >= 0) choose(this.phase, number);
          return false;
        },
      }),
    ];
  }

  // The range of the text that a fold hides; null if none begins on the line.
  #range(doc, number) {
    const fold = this.foldOfLine.get(number);
    if (!fold) return null;
    const line = doc.line(number);
    return { from: fold.isWhole ? line.from + indentation(line.text) : line.to, to: doc.line(fold.last).to };
  }

  #tooltip(view, position) {
    const line = view.state.doc.lineAt(position);
    for (const match of line.text.matchAll(/%[\w$.-]+(#\d+|:\d+)?/g)) {
      const [from, to] = [line.from + match.index, line.from + match.index + match[0].length];
      if (position < from || position > to) continue;
      const value = this.phase.valueAt(line.number, match[0]);
      return value < 0 ? null : { pos: from, end: to, above: true, create: () => ({ dom: this.#about(value) }) };
    }
    return null;
  }

  #about(number) {
    const value = this.phase.values[number];
    const maker = this.phase.ops[this.phase.makerOf(number)];
    const rows = [["type", element("code", {}, value.type)]];
    if (value.sharding) rows.push(["sharding", element("code", {}, value.sharding)]);
    if (value.bytes) rows.push(["size", shownSize(value.bytes)]);
    if (maker?.place) {
      const [file, line, name, text] = maker.place;
      rows.push(["from", `${file}:${line} (${name})`]);
      if (text) rows.push(["", element("code", {}, text)]);
    }
    for (const source of maker?.step?.sources ?? []) rows.push(["from", source]);
    return element("div", { class: "about" }, element("strong", {}, value.name), definitions(rows));
  }

  // Marks ops; the first one comes into sight, unless the user looks at this column.
  mark(numbers, chosen, isHere) {
    const builder = new libraries.RangeSetBuilder();
    const lines = new Map();
    for (const number of numbers) lines.set(this.phase.ops[number].line, "marked");
    if (chosen >= 0) lines.set(this.phase.ops[chosen].line, "chosen");
    for (const [line, name] of [...lines].sort((a, b) => a[0] - b[0])) {
      const start = this.view.state.doc.line(line).from;
      builder.add(start, start, libraries.Decoration.line({ class: name }));
    }
    this.view.dispatch({ effects: setMarks.of(builder.finish()) });
    this.found = numbers;
    this.at = -1;
    this.count.hidden = !numbers.length;
    if (isHere) this.#showCount();
    else if (numbers.length) this.next();
  }

  next() {
    this.at = (this.at + 1) % this.found.length;
    this.#showCount();
    this.show(this.found[this.at]);
  }

  #showCount() {
    this.count.textContent = `${this.at < 0 ? "" : `${this.at + 1} of `}${this.found.length} ↓`;
  }

  show(number) {
    const line = this.view.state.doc.line(this.phase.ops[number].line);
    const unfolded = [];
    libraries.foldedRanges(this.view.state).between(line.from, line.to, (from, to) => {
      if (from < line.to) unfolded.push(libraries.unfoldEffect.of({ from, to }));
    });
    this.view.dispatch({ effects: [...unfolded, libraries.EditorView.scrollIntoView(line.from, { y: "center" })] });
  }

  fold() {
    const { doc } = this.view.state;
    const effects = [...this.foldOfLine]
      .sort(([a], [b]) => a - b)
      .filter(([first]) => this.phase.ops[this.phase.opOfLine[first]].name !== "func.func")
      .map(([first]) => libraries.foldEffect.of(this.#range(doc, first)));
    if (effects.length) this.view.dispatch({ effects });
  }

  unfold() {
    libraries.unfoldAll(this.view);
  }

  find(text) {
    const query = new libraries.SearchQuery({ search: text, literal: true });
    this.view.dispatch({ effects: libraries.setSearchQuery.of(query) });
    if (text) libraries.findNext(this.view);
  }
}

// A list of terms and what they are.
function definitions(rows) {
  return element("dl", {}, ...rows.flatMap(([term, value]) => [element("dt", {}, term), element("dd", {}, value)]));
}
