// What `hub rules test` asks the hub to assume: a trigger, a moment, and what devices report.
import { HubError } from "../../../kit/schema/errors.ts";
import { type Json, type JsonObject, parseJson } from "../../../kit/schema/json.ts";

export interface Assumptions {
  /** Its number among the rule's triggers, from 1, or its id. */
  readonly trigger: string | undefined;
  readonly at: string | undefined;
  /** `device.attribute=value` */
  readonly set: readonly string[];
}

/** The body of `POST /rules/:id/test`. Throws HubError `invalid`. */
export function testBody({ trigger, at, set }: Assumptions): JsonObject {
  const devices: Record<string, JsonObject> = {};
  for (const word of set) {
    const { device, attribute, value } = readAssignment(word);
    devices[device] = { ...devices[device], [attribute]: value };
  }
  return {
    ...(trigger !== undefined && { trigger: triggerOf(trigger) }),
    ...(at !== undefined && { at }),
    ...(set.length > 0 && { devices }),
  };
}

function triggerOf(word: string): JsonObject {
  if (!/^\d+$/.test(word)) return { id: word };
  const number = Number(word);
  if (number < 1) throw new HubError("invalid", "--trigger counts from 1");
  return { index: number - 1 };
}

/** A value is JSON (true, 21.5, "text", …) or else a text. The attribute follows the last dot: ids may have dots. */
function readAssignment(word: string): { device: string; attribute: string; value: Json } {
  const equals = word.indexOf("=");
  const dot = word.lastIndexOf(".", equals < 0 ? undefined : equals);
  if (equals < 0 || dot < 1 || dot + 1 >= equals)
    throw new HubError("invalid", `--set ${word}: write DEVICE.ATTRIBUTE=VALUE, such as hall_lamp.on=true`);
  const text = word.slice(equals + 1);
  const parsed = parseJson(text);
  return { device: word.slice(0, dot), attribute: word.slice(dot + 1, equals), value: parsed.ok ? parsed.value : text };
}
