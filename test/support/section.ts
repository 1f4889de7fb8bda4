import type { Static, TSchema } from "@sinclair/typebox";
import { checkValue } from "../../src/kit/schema/schema.ts";

/** A section of hub.toml with the defaults of what is not given. Throws where it is wrong. */
export function sectionOf<S extends TSchema>(schema: S, given: object = {}): Static<S> {
  const checked = checkValue(schema, given);
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.value;
}
