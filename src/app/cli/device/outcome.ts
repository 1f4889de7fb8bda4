// What became of a command: the device reported what was wanted, or something else, refused, or said nothing. The hub's events report it;
// they are asked for, as a command is watched for seconds only.
import { isObject, type Json, type JsonObject, jsonEqual } from "../../../kit/schema/json.ts";
import { type Clock, sleep } from "../../../kit/time/clock.ts";
import type { HubClient } from "../hub-client.ts";
import { deviceOf, type NamedDevice } from "./named-device.ts";

export type Became =
  /** It reports what was wanted. */
  | { outcome: "confirmed"; reported: JsonObject }
  /** It reported that before, so it need not say anything. */
  | { outcome: "already"; reported: JsonObject }
  /** It answered with other values: it may be on its way, or round them. */
  | { outcome: "answered"; reported: JsonObject }
  | { outcome: "refused"; message: string }
  | { outcome: "unanswered"; message: string }
  /** Nobody waited for an answer. */
  | { outcome: "sent" };

interface Watched {
  client: HubClient;
  clock: Clock;
  /** As it was before. */
  device: NamedDevice;
  wanted: JsonObject;
  /** The `seq` of the last event before the command. */
  since: number;
  correlationId: string;
  waitSecs: number;
}

const EVERY_MS = 150;
// After a first answer: what else the device says of the command, and where a refusal alone is to be expected.
const SETTLE_MS = 2000;

export async function watchCommand(watched: Watched): Promise<Became> {
  const { client, clock, device, wanted, waitSecs } = watched;
  const wasSo = isAsWanted(device, wanted);
  const begun = clock.mono();
  let deadline = begun + (wasSo ? Math.min(SETTLE_MS, waitSecs * 1000) : waitSecs * 1000);
  let hasAnswered = false;
  for (;;) {
    const { failed, answered } = await eventsOf(watched);
    if (failed) return failed;
    if (answered && !wasSo) {
      const now = await deviceOf(client, device.id);
      // A word such as "start" is in no report: that it changed something is the answer.
      const isDone = isAsWanted(now, wanted) || !reportsAny(now, wanted);
      if (isDone) return { outcome: "confirmed", reported: reportedOf(now, wanted) };
      if (!hasAnswered) deadline = Math.min(deadline, clock.mono() + SETTLE_MS);
      hasAnswered = true;
    }
    if (clock.mono() >= deadline) break;
    await sleep(clock, "hub device set", EVERY_MS);
  }
  const reported = reportedOf(await deviceOf(client, device.id), wanted);
  if (hasAnswered) return { outcome: "answered", reported };
  if (wasSo) return { outcome: "already", reported };
  const message = reportsAny(device, wanted)
    ? `nothing was heard of the device for ${waitSecs} s`
    : "the device reports none of this, and did not refuse it";
  return { outcome: "unanswered", message };
}

/** The `seq` of the newest event of a device, 0 where there is none. */
export async function newestEvent(client: HubClient, id: string): Promise<number> {
  const [newest] = await askEvents(client, { device_id: id, limit: "1" });
  return typeof newest?.seq === "number" ? newest.seq : 0;
}

async function eventsOf({ client, device, wanted, since, correlationId }: Watched) {
  const type = "device_state_changed,device_command_failed";
  const events = await askEvents(client, { type, device_id: device.id, since: String(since), limit: "1000" });
  const failure = events.find(
    (event) => event.type === "device_command_failed" && event.correlation_id === correlationId,
  );
  const answered = events.some(
    ({ change, changed }) =>
      (isObject(change) && change.correlation_id === correlationId) ||
      (Array.isArray(changed) && changed.some((name) => Object.hasOwn(wanted, String(name)))),
  );
  return { failed: failure && failedWith(failure), answered };
}

function failedWith({ reason, message }: JsonObject): Became {
  return { outcome: reason === "refused" ? "refused" : "unanswered", message: String(message) };
}

async function askEvents(client: HubClient, query: Record<string, string>): Promise<JsonObject[]> {
  const answer = await client.ask("GET", `/events?${new URLSearchParams(query)}`);
  return Array.isArray(answer) ? answer.filter(isObject) : [];
}

function reportsAny({ attributes, described }: NamedDevice, wanted: JsonObject): boolean {
  return Object.keys(wanted).some(
    (name) => Object.hasOwn(attributes, name) || (described[name] !== undefined && described[name].writeOnly !== true),
  );
}

function reportedOf({ attributes }: NamedDevice, wanted: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => Object.hasOwn(wanted, name)));
}

function isAsWanted({ attributes, described }: NamedDevice, wanted: JsonObject): boolean {
  return Object.entries(wanted).every(
    ([name, value]) =>
      Object.hasOwn(attributes, name) &&
      (jsonEqual(attributes[name], value) || isNearly(attributes[name], value, described[name])),
  );
}

/** Devices round what they are commanded, so a hundredth of the range is no difference; nor are small letters in place of capitals. */
function isNearly(reported: Json | undefined, wanted: Json, { minimum, maximum }: JsonObject = {}): boolean {
  if (typeof reported === "string" && typeof wanted === "string")
    return reported.toLowerCase() === wanted.toLowerCase();
  if (typeof reported !== "number" || typeof wanted !== "number") return false;
  const range = typeof minimum === "number" && typeof maximum === "number" ? maximum - minimum : Math.abs(wanted);
  return Math.abs(reported - wanted) <= range / 100;
}
