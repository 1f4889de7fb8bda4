// Messages for what is wanted of a device. What goes to the same topic by pointers is one message.
import type { Json, JsonObject } from "../../../../kit/schema/json.ts";
import { putAtPointer } from "../../../../kit/schema/json-pointer.ts";
import { readRgb } from "../../colors.ts";
import type { Outgoing } from "../../described.ts";
import { wrong } from "../../words.ts";
import type { CompiledExpressions } from "./profile.ts";
import type { CommandTable } from "./schema.ts";
import { fill, fillTopic, type Values } from "./topic-pattern.ts";

export interface Ordered {
  /** Of the attribute, for errors. */
  name: string;
  command: CommandTable;
  /** In the hub's words. */
  value: Json;
  /** In the device's. */
  raw: Json;
}

/** Throws HubError `invalid`. */
export function outgoingOf(
  ordered: readonly Ordered[],
  { parts, expressions }: { parts: Values; expressions: CompiledExpressions },
): Outgoing[] {
  const outgoing: Outgoing[] = [];
  const objects = new Map<string, { message: Outgoing; object: JsonObject }>();
  for (const { name, command, value, raw } of ordered) {
    const topic = fillTopic(command.topic, parts);
    if (topic === undefined)
      throw wrong(name, `the topic ${command.topic} cannot be made of what the device is called`);
    const { qos = 0, retain = false } = command;
    const sent = command.cel === undefined ? raw : computed(name, command.cel, { value, parts, expressions });
    if (command.pointer === undefined) {
      outgoing.push({ topic, qos, retain, payload: payloadOf(command, sent, parts) });
      continue;
    }
    const key = `${topic}\n${qos}${retain}`;
    const known = objects.get(key) ?? { message: { topic, qos, retain, payload: "" }, object: {} };
    if (!objects.has(key)) outgoing.push(known.message);
    objects.set(key, known);
    putAtPointer(known.object, command.pointer, sent);
    known.message.payload = JSON.stringify(known.object);
  }
  return outgoing;
}

function computed(
  name: string,
  cel: string,
  { value, parts, expressions }: { value: Json; parts: Values; expressions: CompiledExpressions },
): Json {
  const rgb = typeof value === "string" ? readRgb(value) : undefined;
  const result = expressions.writing(cel).run({ value, rgb: rgb ? { ...rgb } : null, parts });
  if (!result.ok) throw wrong(name, `its expression fails: ${result.problem}`);
  return result.value;
}

function payloadOf({ payload }: CommandTable, sent: Json, parts: Values): string {
  const value = typeof sent === "string" ? sent : JSON.stringify(sent);
  return payload === undefined ? value : (fill(payload, { ...parts, value }) ?? payload);
}
