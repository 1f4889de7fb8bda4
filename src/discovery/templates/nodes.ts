// The syntax tree of `@huggingface/jinja`, as far as templates of devices may use it. Its own types name every node `Statement`.
export type Node =
  | { type: "If"; test: Node; body: Node[]; alternate: Node[] }
  | { type: "For"; loopvar: Node; iterable: Node; body: Node[]; defaultBlock: Node[] }
  | { type: "Set"; assignee: Node; value: Node | null; body: Node[] }
  | { type: "Comment" | "Break" | "Continue" }
  | { type: "FilterStatement"; filter: Node; body: Node[] }
  | { type: "MemberExpression"; object: Node; property: Node; computed: boolean }
  | { type: "CallExpression"; callee: Node; args: Node[] }
  | Identifier
  | { type: "IntegerLiteral" | "FloatLiteral"; value: number }
  | { type: "StringLiteral"; value: string }
  | { type: "ArrayLiteral" | "TupleLiteral"; value: Node[] }
  | { type: "ObjectLiteral"; value: Map<Node, Node> }
  | { type: "BinaryExpression"; operator: { value: string }; left: Node; right: Node }
  | { type: "UnaryExpression"; operator: { value: string }; argument: Node }
  | { type: "FilterExpression"; operand: Node; filter: Node }
  | { type: "SelectExpression"; lhs: Node; test: Node }
  | { type: "TestExpression"; operand: Node; negate: boolean; test: Identifier }
  | { type: "SliceExpression"; start?: Node; stop?: Node; step?: Node }
  | { type: "KeywordArgumentExpression"; key: Identifier; value: Node }
  | { type: "Ternary"; condition: Node; trueExpr: Node; falseExpr: Node };

export interface Identifier {
  type: "Identifier";
  value: string;
}

/** For error messages. */
export function describe(node: Node): string {
  if (node.type === "Identifier") return node.value;
  if (node.type === "MemberExpression") {
    const { property } = node;
    const name = property.type === "Identifier" || property.type === "StringLiteral" ? property.value : "…";
    return `${describe(node.object)}.${name}`;
  }
  return "…";
}

/** Of a filter or function with arguments. */
export function nameOfCall(node: Node): string {
  return node.type === "CallExpression" && node.callee.type === "Identifier" ? node.callee.value : "…";
}
