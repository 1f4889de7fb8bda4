// hub device set: commands a device, and says what became of that. What the hub itself refuses is thrown, with its words.
import { HubError, messageOf } from "../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject, jsonEqual } from "../../../kit/schema/json.ts";
import { printable } from "../../../kit/text/printable.ts";
import { type Clock, sleep } from "../../../kit/time/clock.ts";
import { type Invocation, print } from "../command.ts";
import { valueText } from "../devices.ts";
import type { HubClient } from "../hub-client.ts";
import { UNANSWERED } from "../usage.ts";
import { type DeviceAction, deviceNamed, deviceOf, type NamedDevice } from "./named-device.ts";
import { wantedState } from "./values.ts";

// Longer than the hub itself waits for a device, unless hub.toml says otherwise.
const WAIT_SECS = 12;
const MAX_SECS = 600;
const REFUSED = /^the device refused the command: (.*)$/s;

export async function set({ invocation, reached: { client }, name, rest }: DeviceAction): Promise<number> {
  const { options, io } = invocation;
  const waitSecs = waitIn(invocation);
  const device = await deviceNamed(client, name);
  const wanted = wantedState(device, rest, options.force === true);
  const since = await newestEvent(client, device.id);
  const query = options.force ? "?force=true" : "";
  const path = `/devices/${encodeURIComponent(device.id)}/state${query}`;
  const { correlationId, refused } = await sent(() => client.ask("PATCH", path, wanted));
  const became =
    refused ??
    (waitSecs === 0
      ? ({ outcome: "sent" } as const)
      : await watchCommand({ client, clock: io.platform.clock, device, wanted, since, correlationId, waitSecs }));
  const said = { device_id: device.id, correlation_id: correlationId, command: wanted, ...became };
  print(invocation, said, () => `${textOf(device, wanted, became)}\n`);
  if (became.outcome === "refused") return 1;
  return became.outcome === "unanswered" ? UNANSWERED : 0;
}

/** What the device refuses at once, the hub answers with. */
async function sent(ask: () => Promise<Json>): Promise<{ correlationId: string; refused?: Became }> {
  try {
    const answer = await ask();
    return { correlationId: isObject(answer) ? String(answer.correlation_id) : "" };
  } catch (error) {
    const [, message] = REFUSED.exec(messageOf(error)) ?? [];
    if (!(error instanceof HubError) || message === undefined) throw error;
    return { correlationId: String(error.details.correlation_id ?? ""), refused: { outcome: "refused", message } };
  }
}

function waitIn({ options: { wait } }: Invocation): number {
  const secs = wait === undefined ? WAIT_SECS : Number(wait);
  if (!(secs >= 0 && secs <= MAX_SECS))
    throw new HubError("invalid", `--wait must be a number of seconds up to ${MAX_SECS}`);
  return secs;
}

function textOf({ id, name }: NamedDevice, wanted: JsonObject, became: Became): string {
  const what = `${printable(name)}${name === id ? "" : ` (${printable(id)})`}: ${valuesText(wanted)}`;
  switch (became.outcome) {
    case "confirmed":
      return `${what}: confirmed`;
    case "already":
      return `${what}: sent; it was so before`;
    case "answered":
      return `${what}: taken; now it reports ${valuesText(became.reported)}`;
    case "refused":
      return `${what}: refused: ${printable(became.message)}`;
    case "unanswered":
      return `${what}: sent, and not confirmed: ${printable(became.message)}`;
    default:
      return `${what}: sent`;
  }
}

function valuesText(values: JsonObject): string {
  return Object.entries(values)
    .map(([name, value]) => `${printable(name)}=${valueText(value)}`)
    .join(" ");
}

type Became =
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

/**
 * What became of a command: the device reported what was wanted, or something else, refused, or said nothing. The hub's events report it;
 * they are asked for, as a command is watched for seconds only.
 */
async function watchCommand(watched: Watched): Promise<Became> {
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
async function newestEvent(client: HubClient, id: string): Promise<number> {
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
