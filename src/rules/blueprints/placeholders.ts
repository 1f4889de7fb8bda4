// Placeholders of blueprints: `${lamp}` stands for the input `lamp`; `$${` is a plain `${`.
import { didYouMean } from "../../kit/schema/did-you-mean.ts";

/** A piece of a text: itself, or the name of what is put there. */
export type Piece = string | { readonly name: string; readonly offset: number };

const PLACEHOLDER = /\$\$\{|\$\{([^{}]*)\}|\$\{/g;

/** Known in every blueprint, beside its inputs. */
const RULE_NAMES = ["rule.id", "rule.name"] as const;

/** Undefined for a text without placeholders. */
export function piecesOf(text: string): Piece[] | undefined {
  if (!text.includes("${")) return undefined;
  const pieces: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    pieces.push(text.slice(from, match.index));
    const [whole, name] = match;
    pieces.push(whole === "$${" ? "${" : { name: name?.trim() ?? "", offset: match.index });
    from = match.index + whole.length;
  }
  pieces.push(text.slice(from));
  return pieces.filter((piece) => piece !== "");
}

/** The name, where the text is one placeholder and nothing else. */
export function wholeName(pieces: readonly Piece[]): string | undefined {
  const [only] = pieces;
  return pieces.length === 1 && typeof only === "object" ? only.name : undefined;
}

/** What is wrong with a placeholder of this name. */
export function nameProblem(name: string, inputs: readonly string[]): string | undefined {
  const known = [...inputs, ...RULE_NAMES];
  if (known.includes(name)) return undefined;
  if (name === "")
    return `"\${" begins a placeholder, such as \${lamp}; for these two characters themselves write $\${`;
  return `there is no input "${name}"${didYouMean(name, known)}`;
}

/** Whether an offset of a CEL text is within a text literal. */
export function isQuoted(cel: string, offset: number): boolean {
  const literal =
    /\/\/[^\n]*|"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
  return [...cel.matchAll(literal)].some(
    ({ 0: text, index }) => !text.startsWith("//") && index < offset && offset < index + text.length,
  );
}

/** The part of a message that an offset is in: its text, `{{a placeholder}}`, or the CEL of `{{= …}}`. */
export function partOfMessage(message: string, offset: number): "text" | "placeholder" | "cel" {
  const opened = message.lastIndexOf("{{", offset);
  if (opened < 0 || message.slice(opened, offset).includes("}}")) return "text";
  return message[opened + 2] === "=" ? "cel" : "placeholder";
}
