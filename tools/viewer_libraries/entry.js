// What the program viewer uses of its libraries.
export { syntaxHighlighting, HighlightStyle, StreamLanguage, foldService, foldGutter, foldKeymap, codeFolding, foldEffect, unfoldEffect, unfoldAll, foldedRanges } from "@codemirror/language";
export { MergeView } from "@codemirror/merge";
export { search, searchKeymap, SearchQuery, setSearchQuery, findNext } from "@codemirror/search";
export { EditorState, StateField, StateEffect, RangeSetBuilder } from "@codemirror/state";
export { EditorView, Decoration, hoverTooltip, lineNumbers, keymap } from "@codemirror/view";
export { tags } from "@lezer/highlight";
export { default as dagre } from "@dagrejs/dagre";
