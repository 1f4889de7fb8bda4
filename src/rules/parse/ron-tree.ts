// What a RON text says, with the place of everything that was said. What it means as a rule is to-json.ts's business.

interface Span {
  /** Offset of the first character. */
  start: number;
  /** Offset after the last one. */
  end: number;
}

export type RonNode = Span &
  (
    | { kind: "unit" }
    | { kind: "bool"; value: boolean }
    /** An integer that JavaScript cannot hold exactly never gets here; `inf` and `NaN` do. */
    | { kind: "number"; value: number }
    /** Texts and single characters. */
    | { kind: "string"; value: string }
    | { kind: "bytes"; value: Uint8Array }
    /** A word on its own: a unit struct or a variant without content. */
    | { kind: "name"; name: string }
    /** `Some(x)`, or `None` when there is no value. */
    | { kind: "option"; value?: RonNode }
    | { kind: "list"; items: RonNode[] }
    | { kind: "map"; entries: RonEntry[] }
    | { kind: "struct"; name?: string; fields: RonField[] }
    /** `trailingComma` tells a tuple of one, `(5,)`, from a value in parentheses, `(5)`. */
    | { kind: "tuple"; name?: string; items: RonNode[]; trailingComma: boolean }
  );

export interface RonField {
  name: string;
  /** Offset of the name. */
  at: number;
  value: RonNode;
}

export interface RonEntry {
  key: RonNode;
  value: RonNode;
}
