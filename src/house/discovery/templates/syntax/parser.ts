// The expressions of templates, by Jinja's grammar: what binds how tightly is Jinja's too.

import { fromBigInt, PyFloat, TemplateError } from "../values.ts";
import type { Token } from "./lexer.ts";
import type { ArgumentNodes, FilterNode, Node } from "./nodes.ts";

const DEEPEST = 50;
const COMPARISONS: ReadonlySet<string> = new Set(["==", "!=", "<", "<=", ">", ">="]);
const CONSTANTS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...(["true", "True"] as const).map((name) => [name, true] as const),
  ...(["false", "False"] as const).map((name) => [name, false] as const),
  ...(["none", "None"] as const).map((name) => [name, null] as const),
]);

export class ExpressionParser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  protected get token(): Token | undefined {
    return this.#tokens[this.#at];
  }

  protected next(): Token {
    const token = this.token;
    if (!token) throw new TemplateError("it cannot be read: it ends too early");
    this.#at++;
    return token;
  }

  protected fail(): never {
    const token = this.token;
    const found = token === undefined ? "it ends too early" : `unexpected "${token.value}" at ${token.at + 1}`;
    throw new TemplateError(`it cannot be read: ${found}`);
  }

  protected is(type: "op" | "name" | "end" | "begin", value?: string): boolean {
    const { token } = this;
    return token?.type === type && (value === undefined || token.value === value);
  }

  protected skip(type: "op" | "name", value: string): boolean {
    if (!this.is(type, value)) return false;
    this.#at++;
    return true;
  }

  protected expect(type: "op" | "name" | "end", value?: string): Token {
    if (!this.is(type, value)) this.fail();
    return this.next();
  }

  protected name(): string {
    return String(this.expect("name").value);
  }

  #isNamed(): boolean {
    const following = this.#tokens[this.#at + 1];
    return this.is("name") && following?.type === "op" && following.value === "=";
  }

  /** Bounds how deep the tree is, and so the program's own stack. */
  protected deeper<T>(work: () => T): T {
    if (++this.#depth > DEEPEST) throw new TemplateError(`it is nested deeper than ${DEEPEST}`);
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }

  protected expression(hasChoice = true): Node {
    return this.deeper(() => (hasChoice ? this.#choice() : this.#or()));
  }

  #choice(): Node {
    let node = this.#or();
    let links = 0;
    while (this.skip("name", "if")) {
      const test = this.#or();
      const no = this.skip("name", "else") ? this.expression() : undefined;
      node = { type: "Choice", test, yes: node, no };
      this.#link(++links);
    }
    return node;
  }

  /** A chain `a + b + c …` is a tree as deep as it is long. */
  #link(links: number): void {
    if (links > 500) throw new TemplateError("it is nested deeper than 500");
  }

  #or(): Node {
    let node = this.#and();
    for (let links = 0; this.skip("name", "or"); this.#link(++links))
      node = { type: "Logic", operator: "or", left: node, right: this.#and() };
    return node;
  }

  #and(): Node {
    let node = this.#not();
    for (let links = 0; this.skip("name", "and"); this.#link(++links))
      node = { type: "Logic", operator: "and", left: node, right: this.#not() };
    return node;
  }

  #not(): Node {
    if (!this.skip("name", "not")) return this.#compare();
    return { type: "Unary", operator: "not", operand: this.deeper(() => this.#not()) };
  }

  #compare(): Node {
    const first = this.#binary(0);
    const others: { operator: string; value: Node }[] = [];
    for (;;) {
      const operator = this.#comparison();
      if (operator === undefined) break;
      others.push({ operator, value: this.#binary(0) });
    }
    return others.length === 0 ? first : { type: "Compare", first, others };
  }

  #comparison(): string | undefined {
    const { token } = this;
    if (token?.type === "op" && COMPARISONS.has(token.value)) return String(this.next().value);
    if (this.skip("name", "in")) return "in";
    const following = this.#tokens[this.#at + 1];
    if (!this.is("name", "not") || following?.type !== "name" || following.value !== "in") return undefined;
    this.#at += 2;
    return "not in";
  }

  /** From the loosest: `+ -`, `~`, `* / // %`, `**`. */
  #binary(level: number): Node {
    const operators = LEVELS[level];
    if (!operators) return this.#unary(true);
    let node = this.#binary(level + 1);
    for (let links = 0; this.token?.type === "op" && operators.has(this.token.value); this.#link(++links)) {
      const operator = String(this.next().value);
      node = { type: "Binary", operator, left: node, right: this.#binary(level + 1) };
    }
    return node;
  }

  #unary(hasFilters: boolean): Node {
    const sign = this.skip("op", "-") ? "-" : this.skip("op", "+") ? "+" : undefined;
    const node = this.#postfix(
      sign ? { type: "Unary", operator: sign, operand: this.deeper(() => this.#unary(false)) } : this.primary(),
    );
    return hasFilters ? this.#filtered(node) : node;
  }

  protected primary(): Node {
    const token = this.next();
    switch (token.type) {
      case "name": {
        const constant = CONSTANTS.get(token.value);
        return constant === undefined ? { type: "Name", name: token.value } : { type: "Literal", value: constant };
      }
      case "string": {
        let value = token.value;
        while (this.token?.type === "string") value += String(this.next().value);
        return { type: "Literal", value };
      }
      case "int":
        return { type: "Literal", value: fromBigInt(token.value) };
      case "float":
        return { type: "Literal", value: new PyFloat(token.value) };
      default:
        break;
    }
    if (token.type === "op" && token.value === "(") {
      const inner = this.tuple({ isInBrackets: true });
      this.expect("op", ")");
      return inner;
    }
    if (token.type === "op" && token.value === "[") return { type: "List", items: this.#items("]") };
    if (token.type === "op" && token.value === "{") return this.#dict();
    this.#at--;
    return this.fail();
  }

  #items(end: string): Node[] {
    const items: Node[] = [];
    while (!this.skip("op", end)) {
      if (items.length > 0) this.expect("op", ",");
      if (this.skip("op", end)) break;
      items.push(this.expression());
    }
    return items;
  }

  #dict(): Node {
    const entries: [Node, Node][] = [];
    while (!this.skip("op", "}")) {
      if (entries.length > 0) this.expect("op", ",");
      if (this.skip("op", "}")) break;
      const key = this.expression();
      this.expect("op", ":");
      entries.push([key, this.expression()]);
    }
    return { type: "Dict", entries };
  }

  /** One expression, or several with commas between as a tuple. */
  protected tuple({ isInBrackets = false, hasChoice = true } = {}): Node {
    const items: Node[] = [];
    let hasComma = false;
    const isAtEnd = (): boolean =>
      this.is("end") || this.is("op", ")") || (!hasChoice && (this.is("name", "if") || this.is("name", "recursive")));
    while (!isAtEnd()) {
      items.push(this.expression(hasChoice));
      if (!this.skip("op", ",")) break;
      hasComma = true;
    }
    if (!hasComma && items[0]) return items[0];
    if (items.length === 0 && !isInBrackets) this.fail();
    return { type: "Tuple", items };
  }

  #postfix(given: Node): Node {
    let node = given;
    for (let links = 0; ; this.#link(++links)) {
      if (this.skip("op", ".")) node = this.#member(node);
      else if (this.skip("op", "[")) node = this.#subscript(node);
      else if (this.is("op", "(")) node = { type: "Call", callee: node, args: this.args() };
      else return node;
    }
  }

  #member(object: Node): Node {
    const token = this.next();
    if (token.type === "name")
      return { type: "Member", object, key: { type: "Literal", value: token.value }, isDot: true };
    if (token.type !== "int") this.fail();
    return { type: "Member", object, key: { type: "Literal", value: Number(token.value) }, isDot: false };
  }

  #subscript(object: Node): Node {
    const from = this.is("op", ":") ? undefined : this.expression();
    if (from && this.skip("op", "]")) return { type: "Member", object, key: from, isDot: false };
    if (from && this.is("op", ",")) throw new TemplateError("a value picked by several keys at once is not supported");
    const part = (): Node | undefined =>
      this.skip("op", ":") && !this.is("op", ":") && !this.is("op", "]") ? this.expression() : undefined;
    const [to, by] = [part(), part()];
    this.expect("op", "]");
    return { type: "Slice", object, from, to, by };
  }

  #filtered(given: Node): Node {
    let node = given;
    for (let links = 0; ; this.#link(++links)) {
      if (this.is("op", "|")) node = this.filters(node);
      else if (this.is("name", "is")) node = this.#test(node);
      else if (this.is("op", "(")) node = { type: "Call", callee: node, args: this.args() };
      else return node;
    }
  }

  /** `| name(…)`, once. */
  protected filters(operand: Node | undefined, isFirst = false): FilterNode {
    if (!isFirst) this.expect("op", "|");
    const name = this.#dotted();
    return { type: "Filter", operand, name, args: this.is("op", "(") ? this.args() : noArguments() };
  }

  #dotted(): string {
    let name = this.name();
    while (this.skip("op", ".")) name += `.${this.name()}`;
    return name;
  }

  #test(operand: Node): Node {
    this.expect("name", "is");
    const isNegated = this.skip("name", "not");
    const name = this.#dotted();
    const args = this.is("op", "(") ? this.args() : noArguments();
    const { token } = this;
    const isArgument =
      args.positional.length === 0 &&
      (token?.type === "string" ||
        token?.type === "int" ||
        token?.type === "float" ||
        (token?.type === "op" && "[{".includes(token.value)) ||
        (token?.type === "name" && !["else", "or", "and", "if", "is", "in", "not"].includes(token.value)));
    if (isArgument) args.positional.push(this.#postfix(this.primary()));
    const test: Node = { type: "Test", operand, name, args };
    return isNegated ? { type: "Unary", operator: "not", operand: test } : test;
  }

  protected args(): ArgumentNodes {
    this.expect("op", "(");
    const args = noArguments();
    let isFirst = true;
    while (!this.skip("op", ")")) {
      if (!isFirst) this.expect("op", ",");
      isFirst = false;
      if (this.skip("op", ")")) break;
      if (this.skip("op", "*")) args.rest = this.expression();
      else if (this.skip("op", "**")) args.restNamed = this.expression();
      else if (this.#isNamed()) {
        const name = this.name();
        this.expect("op", "=");
        args.named.push({ name, value: this.expression() });
      } else if (args.named.length > 0 || args.rest || args.restNamed) this.fail();
      else args.positional.push(this.expression());
    }
    return args;
  }
}

const LEVELS: readonly ReadonlySet<string>[] = [
  new Set(["+", "-"]),
  new Set(["~"]),
  new Set(["*", "/", "//", "%"]),
  new Set(["**"]),
];

const noArguments = (): ArgumentNodes => ({ positional: [], named: [], rest: undefined, restNamed: undefined });
