// Rhai expressions as trees, with `let` before the expression and `if` as a value. Whatever does something, or does it
// several times, is refused by its name.
import { RhaiProblem, type Token, tokensOf } from "./tokens.ts";
import type { RhaiNode } from "./tree.ts";

/** As in Rhai's book; all are left-associative. */
const PRECEDENCE: Readonly<Record<string, number>> = {
  "||": 30,
  "&&": 60,
  "==": 90,
  "!=": 90,
  in: 110,
  "!in": 110,
  "<": 130,
  "<=": 130,
  ">": 130,
  ">=": 130,
  "??": 135,
  "..": 140,
  "..=": 140,
  "+": 150,
  "-": 150,
  "*": 180,
  "/": 180,
  "%": 180,
};
const REFUSED_SIGNS: ReadonlySet<string> = new Set(["|", "&", "^", "**", "<<", ">>", "?.", "?[", "::"]);
const REFUSED_WORDS: Readonly<Record<string, string>> = {
  for: "a loop",
  while: "a loop",
  loop: "a loop",
  do: "a loop",
  fn: "a function of its own",
  switch: "a choice by `switch`",
  return: "an early end",
  throw: "an error of its own",
  try: "catching errors",
  import: "a module",
  export: "a module",
  this: "the word",
  global: "the word",
};
/** Functions that do something. */
const COMMANDS: ReadonlySet<string> = new Set([
  ...["set_device_state", "notify", "notify_titled", "http_get", "http_post", "publish_mqtt"],
]);
const DEEPEST = 60;

interface Parser {
  readonly tokens: readonly Token[];
  position: number;
  depth: number;
}

type Variables = ReadonlyMap<string, RhaiNode>;

/** Throws RhaiProblem. */
export function parseRhai(script: string): RhaiNode {
  const parser: Parser = { tokens: tokensOf(script), position: 0, depth: 0 };
  const node = statements(parser, new Map(), "end");
  if (next(parser).kind !== "end") throw unexpected(next(parser));
  return node;
}

function next({ tokens, position }: Parser): Token {
  return tokens[position] as Token;
}

function isSign(parser: Parser, sign: string): boolean {
  const token = next(parser);
  return token.kind === "sign" && token.text === sign;
}

function isWord(parser: Parser, word: string): boolean {
  const token = next(parser);
  return token.kind === "name" && token.text === word;
}

function take(parser: Parser, sign: string): boolean {
  const found = isSign(parser, sign);
  if (found) parser.position++;
  return found;
}

function expect(parser: Parser, sign: string): void {
  if (!take(parser, sign))
    throw new RhaiProblem(next(parser).at, `\`${sign}\` is missing before ${shown(next(parser))}`);
}

function shown({ kind, text }: Token): string {
  return kind === "end" ? "the end" : kind === "text" ? "this text" : `\`${text}\``;
}

function unexpected(token: Token): RhaiProblem {
  if (token.kind === "sign" && /^(?:[-+*/%&|^]|<<|>>|\*\*)?=$/.test(token.text))
    return new RhaiProblem(token.at, `an assignment (\`${token.text}\`) cannot be translated`);
  if (token.kind === "sign" && REFUSED_SIGNS.has(token.text))
    return new RhaiProblem(token.at, `\`${token.text}\` cannot be translated`);
  return new RhaiProblem(token.at, `${shown(token)} is not expected here`);
}

/** `let x = 1; let y = 2; x + y`: the value of the last one. */
function statements(parser: Parser, outer: Variables, end: "end" | "}"): RhaiNode {
  const variables = new Map(outer);
  while (isWord(parser, "let") || isWord(parser, "const")) {
    parser.position++;
    const name = next(parser);
    if (name.kind !== "name") throw unexpected(name);
    parser.position++;
    expect(parser, "=");
    variables.set(name.text, expression(parser, variables));
    expect(parser, ";");
  }
  const { at } = next(parser);
  const node = expression(parser, variables);
  const isOver = end === "end" ? next(parser).kind === "end" : isSign(parser, "}");
  if (!isOver && isSign(parser, ";"))
    throw new RhaiProblem(at, "a script of several steps cannot be translated: only `let` may come before its value");
  return node;
}

function expression(parser: Parser, variables: Variables, least = 0): RhaiNode {
  if (++parser.depth > DEEPEST) throw new RhaiProblem(next(parser).at, "is nested too deeply");
  let left = unary(parser, variables);
  for (;;) {
    const { sign, length } = operatorAt(parser);
    const precedence = PRECEDENCE[sign];
    if (precedence === undefined || precedence <= least) break;
    const { at } = next(parser);
    parser.position += length;
    const right = expression(parser, variables, precedence);
    left =
      sign === ".." || sign === "..="
        ? { kind: "range", from: left, to: right, inclusive: sign === "..=", at }
        : { kind: "binary", sign, left, right, at };
  }
  parser.depth--;
  return left;
}

/** `!in` is two tokens. */
function operatorAt(parser: Parser): { sign: string; length: number } {
  const token = next(parser);
  const after = parser.tokens[parser.position + 1];
  if (token.text === "!" && after?.kind === "name" && after.text === "in") return { sign: "!in", length: 2 };
  const isOperator = token.kind === "sign" || (token.kind === "name" && token.text === "in");
  return { sign: isOperator && Object.hasOwn(PRECEDENCE, token.text) ? token.text : "", length: 1 };
}

function unary(parser: Parser, variables: Variables): RhaiNode {
  const { at } = next(parser);
  for (const sign of ["!", "-"] as const) {
    if (!take(parser, sign)) continue;
    if (++parser.depth > DEEPEST) throw new RhaiProblem(at, "is nested too deeply");
    const value = unary(parser, variables);
    parser.depth--;
    return { kind: "unary", sign, value, at };
  }
  take(parser, "+");
  return postfix(parser, variables, primary(parser, variables));
}

function postfix(parser: Parser, variables: Variables, start: RhaiNode): RhaiNode {
  let node = start;
  for (;;) {
    const { at } = next(parser);
    if (take(parser, "[")) {
      const key = expression(parser, variables);
      expect(parser, "]");
      node = { kind: "member", target: node, key, at };
    } else if (take(parser, ".")) {
      const name = next(parser);
      if (name.kind !== "name") throw unexpected(name);
      parser.position++;
      node = isSign(parser, "(")
        ? { kind: "method", target: node, name: name.text, args: callArgs(parser, variables), at: name.at }
        : { kind: "member", target: node, key: { kind: "text", value: name.text, at: name.at }, at };
    } else return node;
  }
}

function callArgs(parser: Parser, variables: Variables): RhaiNode[] {
  expect(parser, "(");
  return listUntil(parser, variables, ")");
}

function listUntil(parser: Parser, variables: Variables, end: string): RhaiNode[] {
  const items: RhaiNode[] = [];
  while (!take(parser, end)) {
    items.push(expression(parser, variables));
    if (!take(parser, ",") && !isSign(parser, end)) expect(parser, end);
  }
  return items;
}

function primary(parser: Parser, variables: Variables): RhaiNode {
  const token = next(parser);
  const { kind, text, at } = token;
  parser.position++;
  if (kind === "number")
    return { kind: "number", value: numberOf(text), fractional: /[.eE]/.test(text) && !/^0x/i.test(text), at };
  if (kind === "text") return { kind: "text", value: text, at };
  if (kind === "name") return word(parser, variables, token);
  if (kind === "sign" && text === "(") {
    if (take(parser, ")")) return { kind: "unit", at };
    const inner = expression(parser, variables);
    expect(parser, ")");
    return inner;
  }
  if (kind === "sign" && text === "[") return { kind: "list", items: listUntil(parser, variables, "]"), at };
  if (kind === "sign" && text === "{") return block(parser, variables);
  if (kind === "sign" && text === "#{") throw new RhaiProblem(at, "a map (`#{…}`) cannot be translated");
  if (kind === "sign" && (text === "|" || text === "||"))
    throw new RhaiProblem(at, "a function of its own cannot be translated");
  throw unexpected(token);
}

function numberOf(text: string): number {
  return Number(text.replaceAll("_", ""));
}

/** After its `{`. */
function block(parser: Parser, variables: Variables): RhaiNode {
  const node = statements(parser, variables, "}");
  expect(parser, "}");
  return node;
}

function word(parser: Parser, variables: Variables, { text, at }: Token): RhaiNode {
  if (text === "true" || text === "false") return { kind: "bool", value: text === "true", at };
  if (text === "if") return choice(parser, variables, at);
  if (Object.hasOwn(REFUSED_WORDS, text))
    throw new RhaiProblem(at, `${REFUSED_WORDS[text]} (\`${text}\`) cannot be translated`);
  if (COMMANDS.has(text)) throw new RhaiProblem(at, `\`${text}()\` does something: write it as an action`);
  if (isSign(parser, "(")) return { kind: "call", name: text, args: callArgs(parser, variables), at };
  const known = variables.get(text);
  if (known) return known;
  throw new RhaiProblem(at, `there is nothing called \`${text}\``);
}

function choice(parser: Parser, variables: Variables, at: number): RhaiNode {
  const test = expression(parser, variables);
  expect(parser, "{");
  const then = block(parser, variables);
  if (!isWord(parser, "else"))
    throw new RhaiProblem(at, "an `if` without `else` gives nothing where it is false: add one");
  parser.position++;
  const { at: other } = next(parser);
  if (isWord(parser, "if")) {
    parser.position++;
    return { kind: "if", test, then, otherwise: choice(parser, variables, other), at };
  }
  expect(parser, "{");
  return { kind: "if", test, then, otherwise: block(parser, variables), at };
}
