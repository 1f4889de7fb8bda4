// The tree of a Rhai expression, and what is made of its parts. Variables are gone from it: where one is used, there is what it
// was given.

export type RhaiNode =
  | { kind: "number"; value: number /** It has a point or an exponent. */; fractional: boolean; at: number }
  | { kind: "text"; value: string; at: number }
  | { kind: "bool"; value: boolean; at: number }
  /** `()` */
  | { kind: "unit"; at: number }
  | { kind: "call"; name: string; args: RhaiNode[]; at: number }
  | { kind: "method"; target: RhaiNode; name: string; args: RhaiNode[]; at: number }
  /** `target[key]`, or `target.name` with the name as a text. */
  | { kind: "member"; target: RhaiNode; key: RhaiNode; at: number }
  | { kind: "list"; items: RhaiNode[]; at: number }
  | { kind: "unary"; sign: "!" | "-"; value: RhaiNode; at: number }
  | { kind: "binary"; sign: string; left: RhaiNode; right: RhaiNode; at: number }
  | { kind: "range"; from: RhaiNode; to: RhaiNode; inclusive: boolean; at: number }
  | { kind: "if"; test: RhaiNode; then: RhaiNode; otherwise: RhaiNode; at: number };

/** What is known of a value before it is there. */
export type CelType = "bool" | "whole" | "number" | "text" | "list" | "null" | "any";

export interface Cel {
  text: string;
  type: CelType;
}
