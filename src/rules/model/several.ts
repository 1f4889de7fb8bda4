// Conditions about several devices at once: all of them, or any.
import { Type } from "@sinclair/typebox";
import type { Json } from "../../kit/schema/json.ts";
import { nothingFound } from "./devices.ts";
import { choice } from "./fields.ts";
import type { DeviceReads, RuleDevice } from "./host.ts";
import { devicesOf, isFound, resolveDevices, type SomeDevices, targetWords } from "./targets.ts";
import type { ConditionTrace } from "./trace.ts";

export type Answer = Omit<ConditionTrace, "type">;

/** Whether one device passes. Undefined if it has no such attribute. */
export interface Question {
  /** Shown behind the device: `.open is true`. */
  expected: string;
  ask(device: RuleDevice): Omit<Answer, "expected"> | undefined;
  /** Why it has no answer: `the device "door" has no "open"`. */
  missing(deviceId: string): string;
}

export const matchField = Type.Optional(
  choice(
    ["all", "any"],
    "With several devices: whether all of them must be so, or any one; without it, all. Devices that are found and have no such attribute do not count",
  ),
);

const MAX_PARTS = 50;
const MAX_NAMED = 5;

/** No device never passes, neither with `all` nor with `any`. */
export function askDevices(
  spec: SomeDevices & { match?: "all" | "any" | undefined },
  question: Question,
  host: DeviceReads,
): Answer {
  const { device_id, match = "all" } = spec;
  if (device_id !== undefined) return askOne(device_id, question, host);
  const found = isFound(spec);
  const ids = resolveDevices(spec, host);
  const answers = ids.flatMap((id): [string, Answer][] => {
    const device = host.device(id);
    if (found && (!device || !question.ask(device))) return [];
    return [[id, askOne(id, question, host)]];
  });
  const which = found
    ? `${match === "all" ? "every" : "any"} ${targetWords(spec)}`
    : `${match} of ${devicesOf(spec)?.join(", ")}`;
  const expected = `${which}: ${question.expected.replace(/^\./, "")}`;
  if (answers.length === 0) return { passed: false, expected, actual: nothingFound(spec, ids.length) };
  const passing = answers.filter(([, { passed }]) => passed);
  const passed = match === "all" ? passing.length === answers.length : passing.length > 0;
  return { passed, expected, actual: countText(answers, passing.length), parts: partsOf(answers, !passed) };
}

function askOne(id: string, { expected, ask, missing }: Question, host: DeviceReads): Answer {
  const about = `${id}${expected}`;
  const device = host.device(id);
  if (!device) return { passed: false, expected: about, actual: `there is no device "${id}"` };
  const answer = ask(device);
  return answer ? { expected: about, ...answer } : { passed: false, expected: about, actual: missing(id) };
}

function countText(answers: readonly [string, Answer][], passing: number): Json {
  const others = answers.flatMap(([id, { passed }]) => (passed ? [] : [id]));
  const more = others.length > MAX_NAMED ? `, and ${others.length - MAX_NAMED} more` : "";
  const names = others.length === 0 ? "" : `; not ${others.slice(0, MAX_NAMED).join(", ")}${more}`;
  return `${passing} of ${answers.length}${names}`;
}

/** Those that decided first. */
function partsOf(answers: readonly [string, Answer][], failed: boolean): ConditionTrace[] {
  const parts = answers.map(([, answer]): ConditionTrace => ({ type: "device", ...answer }));
  return parts.sort((a, b) => Number(a.passed === failed) - Number(b.passed === failed)).slice(0, MAX_PARTS);
}
