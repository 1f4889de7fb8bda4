// The syntax tree of a template.
import type { Value } from "../values.ts";

export type Node =
  | { type: "Text"; value: string }
  | { type: "Output"; value: Node }
  | { type: "If"; test: Node; body: Node[]; otherwise: Node[] }
  | { type: "For"; target: Node; items: Node; test?: Node; body: Node[]; otherwise: Node[]; isRecursive: boolean }
  | { type: "Set"; target: Node; value: Node }
  | { type: "SetBlock"; target: Node; filters: FilterNode[]; body: Node[] }
  | { type: "With"; names: Node[]; values: Node[]; body: Node[] }
  | { type: "Do"; value: Node }
  | { type: "FilterBlock"; filters: FilterNode[]; body: Node[] }
  | MacroNode
  | { type: "CallBlock"; call: Node; caller: MacroNode }
  | { type: "Break" | "Continue" }
  | { type: "Literal"; value: Value }
  | Name
  | { type: "List" | "Tuple"; items: Node[] }
  | { type: "Dict"; entries: [Node, Node][] }
  | { type: "Member"; object: Node; key: Node; isDot: boolean }
  | { type: "Slice"; object: Node; from?: Node | undefined; to?: Node | undefined; by?: Node | undefined }
  | { type: "Call"; callee: Node; args: ArgumentNodes }
  | FilterNode
  | { type: "Test"; operand: Node; name: string; args: ArgumentNodes }
  | { type: "Compare"; first: Node; others: { operator: string; value: Node }[] }
  | { type: "Binary"; operator: string; left: Node; right: Node }
  | { type: "Logic"; operator: "and" | "or"; left: Node; right: Node }
  | { type: "Unary"; operator: "not" | "-" | "+"; operand: Node }
  | { type: "Choice"; test: Node; yes: Node; no: Node | undefined };

export interface Name {
  type: "Name";
  name: string;
}

export interface FilterNode {
  type: "Filter";
  /** Undefined in a block, whose text it filters. */
  operand: Node | undefined;
  name: string;
  args: ArgumentNodes;
}

export interface MacroNode {
  type: "Macro";
  name: string;
  parameters: { name: string; otherwise: Node | undefined }[];
  body: Node[];
}

export interface ArgumentNodes {
  positional: Node[];
  named: { name: string; value: Node }[];
  /** `*list` and `**dict`. */
  rest: Node | undefined;
  restNamed: Node | undefined;
}

/** For error messages. */
export function describe(node: Node): string {
  if (node.type === "Name") return node.name;
  if (node.type !== "Member") return "…";
  const name = node.key.type === "Literal" && typeof node.key.value === "string" ? node.key.value : "…";
  return `${describe(node.object)}.${name}`;
}
