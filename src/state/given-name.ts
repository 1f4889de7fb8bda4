// A name that a person gives to something.
import { Type } from "@sinclair/typebox";
import { HubError } from "../core/errors.ts";

const LONGEST_NAME = 200;
const RULE = `must have 1 to ${LONGEST_NAME} characters, and not spaces alone`;

export const GivenName = Type.String({ minLength: 1, maxLength: LONGEST_NAME, pattern: "\\S", problem: RULE });

/** The name without spaces around it. Throws HubError `invalid`. */
export function givenName(text: string): string {
  const name = text.trim();
  if (name !== "" && name.length <= LONGEST_NAME) return name;
  throw new HubError("invalid", `name: ${RULE}`);
}
