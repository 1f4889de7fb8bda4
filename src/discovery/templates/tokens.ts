// Tokens of `@huggingface/jinja`, with what its lexer does not know: numbers with an exponent (`1e3`, `2.5e-3`).
import { tokenize } from "@huggingface/jinja";

type Token = ReturnType<typeof tokenize>[number];

/** Throws SyntaxError. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const given = tokenize(text);
  for (let at = 0; at < given.length; at++) {
    const token = given[at] as Token;
    const exponent = token.type === "NumericLiteral" ? exponentAt(given, at + 1) : undefined;
    if (exponent) {
      const base = token.value.includes(".") ? token.value : `${token.value}.0`;
      tokens.push({ type: "NumericLiteral", value: `${base}e${exponent.digits}` });
      at += exponent.tokens;
    } else tokens.push(token);
  }
  return tokens;
}

/** Behind a number stand `e3` in one token, or `e`, a sign and digits in three. */
function exponentAt(given: readonly Token[], at: number): { digits: string; tokens: number } | undefined {
  const [letter, sign, number] = given.slice(at, at + 3);
  if (letter?.type !== "Identifier") return undefined;
  const digits = /^[eE](\d+)$/.exec(letter.value)?.[1];
  if (digits !== undefined) return { digits, tokens: 1 };
  if (!/^[eE]$/.test(letter.value) || sign?.type !== "AdditiveBinaryOperator" || number?.type !== "NumericLiteral")
    return undefined;
  return /^[+-]$/.test(sign.value) && /^\d+$/.test(number.value)
    ? { digits: sign.value + number.value, tokens: 3 }
    : undefined;
}
