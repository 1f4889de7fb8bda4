// The colours of RON: names of kinds, keys, texts, numbers and comments.
import type { StreamParser, StringStream } from "@codemirror/language";

interface State {
  /** Depth of the comments that are open; they nest. */
  comments: number;
  inText: boolean;
}

export const ron: StreamParser<State> = {
  name: "ron",
  startState: () => ({ comments: 0, inText: false }),
  token(stream, state) {
    if (state.comments > 0) return insideComment(stream, state);
    if (state.inText) return insideText(stream, state);
    if (stream.eatSpace()) return null;
    if (stream.match("//")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) {
      state.comments = 1;
      return "comment";
    }
    if (stream.match('"')) {
      state.inText = true;
      return insideText(stream, state);
    }
    if (stream.match(/^[+-]?\d[\d_.]*(e[+-]?\d+)?/i)) return "number";
    if (stream.match(/^(true|false|None|Some)\b/)) return "atom";
    if (stream.match(/^[a-z_]\w*(?=\s*:)/i)) return "propertyName";
    if (stream.match(/^[A-Z]\w*/)) return "typeName";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
};

function insideComment(stream: StringStream, state: State): string {
  while (!stream.eol() && state.comments > 0) {
    if (stream.match("/*")) state.comments++;
    else if (stream.match("*/")) state.comments--;
    else stream.next();
  }
  return "comment";
}

function insideText(stream: StringStream, state: State): string {
  while (!stream.eol()) {
    const char = stream.next();
    if (char === "\\") stream.next();
    else if (char === '"') {
      state.inText = false;
      break;
    }
  }
  return "string";
}
