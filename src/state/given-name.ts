// A name that a person gives to something.
import { HubError } from "../core/errors.ts";

export const LONGEST_NAME = 200;

/** The name without spaces around it. Throws HubError `invalid`. */
export function givenName(text: string): string {
  const name = text.trim();
  if (name !== "" && name.length <= LONGEST_NAME) return name;
  throw new HubError("invalid", `name: must have 1 to ${LONGEST_NAME} characters`);
}
