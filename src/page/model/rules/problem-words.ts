// What is wrong with a rule, for people: devices by their names, in the reader's language.
import { devices } from "../../state/house/house.ts";
import { fromHub } from "../../texts/index.ts";

const MAX_CHOICES = 3;

/** The hub's sentence about a rule. */
export function ruleProblem(message: string): string {
  return fromHub(message.replace(/(?:the device )?"([^"]+)"/g, (whole, id: string) => named(id) ?? whole));
}

function named(id: string): string | undefined {
  const name = devices.value.get(id)?.peek().name;
  return name ? `"${name}"` : undefined;
}

/** The same where there is little room: of a long list of what it could be, the first few. */
export function ruleProblemInShort(message: string): string {
  const [first = "", ...rest] = ruleProblem(message).split(/(?<="), (?=")/);
  return rest.length < MAX_CHOICES
    ? [first, ...rest].join(", ")
    : `${[first, ...rest.slice(0, MAX_CHOICES - 1)].join(", ")}, …`;
}
