// The editor behind views/rules/edit/code.tsx, which loads it when it is needed: CodeMirror with the page's own colours.
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { Annotation, Compartment, EditorState, type Text } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { ron } from "./code-ron.ts";

export type CodeFormat = "ron" | "toml";
export type Complete = (context: CompletionContext) => CompletionResult | null;

export interface CodeProblem {
  /** 1-based. */
  line: number;
  /** 1-based, in characters: an emoji is one. */
  column: number;
  message: string;
  warning: boolean;
}

export interface CodeOptions {
  host: HTMLElement;
  text: string;
  format: CodeFormat;
  label: string;
  complete: Complete;
  onChange: (text: string) => void;
  /** Ctrl-S. */
  onSave: () => void;
}

export interface CodeEditor {
  /** Does nothing where the text is that already: the cursor stays. */
  setText(text: string): void;
  setFormat(format: CodeFormat): void;
  setProblems(problems: readonly CodeProblem[]): void;
  goTo(line: number, column: number): void;
  destroy(): void;
}

/** Marks a change that the page made, and need not be notified of. */
const fromOutside = Annotation.define<boolean>();
const LANGUAGES = { ron: StreamLanguage.define(ron), toml: StreamLanguage.define(toml) };

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--good)" },
  { tag: [tags.number, tags.atom, tags.bool], color: "var(--look)" },
  { tag: [tags.typeName, tags.heading], color: "var(--accent)", fontWeight: "600" },
  { tag: tags.propertyName, color: "var(--text)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "var(--raised)", fontSize: "14px" },
  "&.cm-focused": { outline: "3px solid var(--accent)", outlineOffset: "2px" },
  ".cm-scroller": { fontFamily: "ui-monospace, monospace", lineHeight: "1.6", minHeight: "240px", maxHeight: "70vh" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--quiet)", borderColor: "var(--line)" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in oklch, var(--accent) 8%, transparent)",
    color: "inherit",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in oklch, var(--accent) 30%, transparent)",
  },
  ".cm-tooltip": { backgroundColor: "var(--raised)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent)",
    color: "var(--surface)",
  },
  ".cm-completionDetail": { color: "inherit", fontStyle: "normal", marginLeft: "1em" },
  ".cm-diagnostic": { padding: "8px", borderLeftWidth: "4px" },
});

/** In a shadow root of its own, where it can bring its styles without any that the page's policy refuses. */
export function createCodeEditor({ host, text, format, label, complete, onChange, onSave }: CodeOptions): CodeEditor {
  const language = new Compartment();
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  function saveNow(): boolean {
    onSave();
    return true;
  }
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        lintGutter(),
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        EditorView.lineWrapping,
        autocompletion({ override: [complete], icons: false }),
        keymap.of([
          { key: "Mod-s", preventDefault: true, run: saveNow },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        language.of(LANGUAGES[format]),
        syntaxHighlighting(colours),
        theme,
        EditorView.contentAttributes.of({
          "aria-label": label,
          tabindex: "0",
          spellcheck: "false",
          autocapitalize: "none",
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !update.transactions.some((one) => one.annotation(fromOutside)))
            onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(next) {
      const now = view.state.doc.toString();
      if (now === next) return;
      view.dispatch({ changes: changeOf(now, next), annotations: fromOutside.of(true) });
    },
    setFormat: (next) => view.dispatch({ effects: language.reconfigure(LANGUAGES[next]) }),
    setProblems(problems) {
      const { doc } = view.state;
      const found = problems.map((problem): Diagnostic => {
        const from = offsetOf(doc, problem.line, problem.column);
        const to = view.state.wordAt(from)?.to ?? from;
        return { from, to, message: problem.message, severity: problem.warning ? "warning" : "error" };
      });
      view.dispatch(setDiagnostics(view.state, found));
    },
    goTo(line, column) {
      const anchor = offsetOf(view.state.doc, line, column);
      view.dispatch({ selection: { anchor }, scrollIntoView: true });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

function offsetOf(doc: Text, line: number, column: number): number {
  const { from, text } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  return from + [...text].slice(0, column - 1).join("").length;
}

/** Only what differs, so that the cursor and the undo history stay useful. */
function changeOf(now: string, next: string): { from: number; to: number; insert: string } {
  let from = 0;
  while (from < now.length && now[from] === next[from]) from++;
  let end = 0;
  const most = Math.min(now.length, next.length) - from;
  while (end < most && now[now.length - 1 - end] === next[next.length - 1 - end]) end++;
  return { from, to: now.length - end, insert: next.slice(from, next.length - end) };
}
