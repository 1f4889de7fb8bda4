// What is wrong with a rule, for people: devices by their names, in the reader's language.
import { fromHub } from "../../texts/index.ts";

const MAX_CHOICES = 3;

type NameOf = (deviceId: string) => string | undefined;

/** The hub's sentence about a rule. */
export function ruleProblem(message: string, nameOf: NameOf): string {
  return fromHub(
    message.replace(/(?:the device )?"([^"]+)"/g, (whole, id: string) => {
      const name = nameOf(id);
      return name ? `"${name}"` : whole;
    }),
  );
}

/** The same where there is little room: of a long list of what it could be, the first few. */
export function ruleProblemInShort(message: string, nameOf: NameOf): string {
  const [first = "", ...rest] = ruleProblem(message, nameOf).split(/(?<="), (?=")/);
  return rest.length < MAX_CHOICES
    ? [first, ...rest].join(", ")
    : `${[first, ...rest.slice(0, MAX_CHOICES - 1)].join(", ")}, …`;
}
