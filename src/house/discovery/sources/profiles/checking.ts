// What the checks of a profile share.
import { didYouMean } from "../../../../kit/schema/did-you-mean.ts";
import type { Problem } from "../../../../kit/schema/schema.ts";
import type { CheckedExpressions } from "./profile.ts";
import { placeholdersOf } from "./topic-pattern.ts";

export interface Checking {
  expressions: CheckedExpressions;
  /** The placeholders that there are. */
  parts: readonly string[];
}

export function at(path: string, message: string | undefined): Problem | undefined {
  return message === undefined ? undefined : { path, message };
}

export function unknownPlaceholder(text: string | undefined, { parts }: Checking): string | undefined {
  const unknown = placeholdersOf(text ?? "").find((name) => !parts.includes(name));
  if (unknown === undefined) return undefined;
  const known =
    parts.length === 0 ? "; there are none in the topic" : `; there is ${parts.map((one) => `{${one}}`).join(", ")}`;
  return `there is no placeholder {${unknown}}${didYouMean(unknown, parts) || known}`;
}
