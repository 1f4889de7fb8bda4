// What a replay cannot know, each in one sentence for people: what the history has no record of, and what takes real time.
import type { Zone } from "../../kit/time/zone.ts";
import type { TriggerDefinition } from "../model/define.ts";
import type { DeviceReads } from "../model/host.ts";
import { devicesOf, FOUND_BY, isFound, type SomeDevices } from "../model/targets.ts";
import type { Rule } from "../read/rule.ts";
import type { Named, RuleContents } from "./contents.ts";
import type { PastHouse } from "./past-house.ts";

export interface Asked {
  rule: Rule;
  contents: RuleContents;
  /** Devices and modes that it names. */
  references: readonly Named[];
  definitions: readonly TriggerDefinition[];
  from: number;
  zone: Zone;
}

const FROM_CHANGES = new Set(["device_state_changed", "numeric_threshold", "button_event", "device_action"]);
const REPLAYED = new Set([...FROM_CHANGES, "mode_changed", "timer_state_changed", "manual_trigger"]);
const MAX_NAMED = 10;

/** What is unknown whatever the history has. */
export function unknownOf(asked: Asked): string[] {
  const inRuns = [...unknownInRuns(asked.contents), ...unknownInPast(asked)];
  return [...unknownTriggers(asked), ...unknownBefore(asked), ...inRuns, ...ownEffects(asked)];
}

/** What the history turned out not to have; to be asked after the replay. */
export function unrecorded({ contents, references, from, zone }: Asked, host: DeviceReads, past: PastHouse): string[] {
  const reads = [...contents.reads, ...readInExpressions(contents, references, host)];
  const texts = reads.flatMap(({ deviceId, attribute }) => {
    const first = past.firstRecorded(deviceId, attribute);
    if (first !== undefined && first <= from) return [];
    const what = `"${attribute}" of "${deviceId}"`;
    if (first === undefined) return [`no value of ${what} is recorded in this time: the rule saw none`];
    return [`no value of ${what} is recorded before ${wallText(first, zone)}: until then the rule saw none`];
  });
  const unique = [...new Set(texts)];
  const more = unique.length - MAX_NAMED;
  return more > 0 ? [...unique.slice(0, MAX_NAMED), `${more} more values are not recorded either`] : unique;
}

/** Triggers that actions wait for included. */
function unknownTriggers({ contents, definitions }: Asked): string[] {
  const texts = contents.parts.trigger.flatMap((trigger) => {
    const { type } = trigger;
    const definition = definitions.find((known) => known.type === type);
    if (definition?.schedule) return [];
    if (!REPLAYED.has(type)) return [`what fires the trigger ${type} is not recorded: it did not fire here`];
    const names = type === "mode_changed" ? trigger.mode_id : devicesOf(trigger as Parameters<typeof devicesOf>[0]);
    if (names === undefined && !isFound(trigger as SomeDevices) && type !== "manual_trigger")
      return [`the trigger ${type} names no device: the changes of all devices are not replayed`];
    if (type === "button_event" || type === "device_action")
      return [
        `of ${type}, the same press twice in a row is recorded once, and presses sent as events are not recorded`,
      ];
    return type === "timer_state_changed" ? ["a timer that was started again while it ran is not recorded"] : [];
  });
  return [...new Set(texts)];
}

/** The replay begins with nothing running. */
function unknownBefore({ rule, definitions, from, zone }: Asked): string[] {
  const holds = rule.triggers.some((trigger) => {
    const hold = definitions.find(({ type }) => type === trigger.type)?.hold;
    return (hold?.durationMs(trigger) ?? 0) > 0;
  });
  const what = [...(rule.cooldown_secs > 0 ? ["its cooldown"] : []), ...(holds ? ["a wait of its triggers"] : [])];
  if (what.length === 0) return [];
  return [`whether ${what.join(" or ")} was already running at ${wallText(from, zone)}: none was taken to be`];
}

/** What no simulation of a run can know. */
export function unknownInRuns({ parts }: RuleContents): string[] {
  const types = new Set(parts.action.map(({ type }) => type));
  return [
    ...(types.has("call_service") ? ["what services answer: each was taken to answer 200 without a text"] : []),
    ...(types.has("ping_host") ? ["whether what it pings answers: it was taken to answer"] : []),
    ...(parts.action.some(({ type, clear }) => type === "notify" && clear === true)
      ? ["whether there is a message to take back: there was taken to be none"]
      : []),
    ...(types.has("run_rule") ? ["what the rules do that it runs: try them out as well"] : []),
  ];
}

function unknownInPast({ contents: { parts }, references }: Asked): string[] {
  const types = new Set([...parts.action, ...parts.condition].map(({ type }) => type));
  const has = (...some: string[]): boolean => some.some((type) => types.has(type));
  const finds = references.some(({ kind }) => FOUND_BY.some((by) => by === kind));
  return [
    ...(finds ? ["which devices an area, a tag or a type had then: those of now were taken"] : []),
    ...(has("private_boolean_is")
      ? ["the private booleans of the rule: each was taken to be false at the beginning"]
      : []),
    ...(has("wait_for_event") ? ["events that it waits for and that are not recorded: they did not come here"] : []),
    ...(has("pause_rule", "resume_rule") ? ["whether a rule was paused: pauses are not replayed"] : []),
    ...(has("capture_device_state", "restore_device_state") ? ["the states that it captures and restores"] : []),
  ];
}

/** The house is as it was recorded, whatever the rule would have changed. */
function ownEffects({ contents, references }: Asked): string[] {
  const changed = new Set(references.filter(({ path }) => /^actions\b/.test(path ?? "")).map(({ name }) => name));
  const reads = new Set(contents.reads.map(({ deviceId }) => deviceId));
  const both = [...changed].filter((name) => reads.has(name));
  if (both.length === 0) return [];
  const names = both.slice(0, MAX_NAMED).map((name) => `"${name}"`);
  return [`what its own actions would have changed: ${names.join(", ")} went the way that is recorded`];
}

/** Attributes that a device of an expression has now, and whose name is in the expression. */
function readInExpressions({ expressions }: RuleContents, references: Asked["references"], host: DeviceReads) {
  const devices = new Set(references.filter(({ kind }) => kind === "device").map(({ name }) => name));
  return expressions.flatMap((text) =>
    [...devices]
      .filter((deviceId) => text.includes(deviceId))
      .flatMap((deviceId) =>
        Object.keys(host.device(deviceId)?.attributes ?? {})
          .filter((attribute) => text.includes(attribute))
          .map((attribute) => ({ deviceId, attribute })),
      ),
  );
}

/** Whether an expression reads what is never recorded. */
export function readsAvailability({ expressions }: RuleContents): boolean {
  return expressions.some((text) => /\bavailable\b/.test(text));
}

/** `2026-03-29 02:30`, on the clock of the house. */
export function wallText(at: number, zone: Zone): string {
  return new Date(at + zone.at(at).offsetMs).toISOString().slice(0, 16).replace("T", " ");
}
