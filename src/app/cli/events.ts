// hub events: the latest events of the running hub, and what comes from now on.
import { didYouMean } from "../../kit/schema/did-you-mean.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject, parseJson } from "../../kit/schema/json.ts";
import { printable } from "../../kit/text/printable.ts";
import { sleep } from "../../kit/time/clock.ts";
import { catalog } from "../../server/events/catalog.ts";
import type { Command, Invocation, Io } from "./command.ts";
import { deviceNamed } from "./device/named-device.ts";
import { valueText } from "./devices.ts";
import type { HubClient } from "./hub-client.ts";
import { clockfaceOf, reach, reachOptions } from "./reach.ts";
import { createPaint } from "./rules/text.ts";
import type { TraceTextOptions } from "./rules/trace-text.ts";

const COMMON = new Set(["type", "timestamp", "seq"]);
const TYPE_WIDTH = "device_availability_changed".length;
const MAX_FIELD_LENGTH = 60;

const LAST = 50;
const MOST = 1000;
const TYPES: readonly string[] = catalog.map(({ type }) => type);
/** These are in no list: only a stream that asks for them has them. */
const STREAMED_ONLY = "mqtt_message";

export const events: Command = {
  options: {
    ...reachOptions,
    follow: { type: "boolean", doc: "go on with what happens from now on, until Ctrl-C" },
    type: {
      type: "string",
      multiple: true,
      value: "TYPE",
      values: TYPES,
      doc: "only events of this type, such as rule_fired; several with commas between them",
    },
    device: {
      type: "string",
      value: "DEVICE",
      completes: "device",
      doc: "only those of this device, by its id or name",
    },
    last: {
      type: "string",
      value: "N",
      doc: `how many to begin with, up to ${MOST}; default: ${LAST}, and none with --follow`,
    },
    json: { type: "boolean", doc: "print one JSON object for each event, on a line of its own" },
  },
  async run(invocation) {
    const { options, io } = invocation;
    const last = options.last === undefined ? (options.follow ? 0 : LAST) : Number(options.last);
    if (!Number.isInteger(last) || last < 0 || last > MOST)
      throw new HubError("invalid", `--last must be a number up to ${MOST}`);
    const types = typesIn(invocation);
    if (!options.follow && types.includes(STREAMED_ONLY))
      throw new HubError("invalid", `${STREAMED_ONLY} is not kept, only streamed: add --follow`);
    const reached = await reach(invocation);
    const { client } = reached;
    const query = {
      ...(types.length > 0 && { type: types.join(",") }),
      ...(typeof options.device === "string" && { device_id: (await deviceNamed(client, options.device)).id }),
    };
    const paint = createPaint(io.platform.stdout, io.platform.env);
    const clockface = clockfaceOf(reached);
    const textOf = (event: JsonObject): string =>
      options.json ? JSON.stringify(event) : eventText(event, { clockface, paint });
    const write = (found: readonly JsonObject[]): void => {
      if (found.length > 0) io.platform.stdout.write(found.map((event) => `${textOf(event)}\n`).join(""));
    };
    // Before the latest are read, so that nothing is lost between them and the stream.
    const [newest] = await latest(client, {}, 1);
    const found = last === 0 ? [] : await latest(client, query, last);
    write(found.reverse());
    if (!options.follow) return 0;
    const since = Math.max(...[newest, ...found].map((event) => Number(event?.seq ?? 0)));
    await followEvents(client, { query, since, io, write: (event) => write([event]) });
    return 0;
  },
};

/** A type that nobody knows would be waited for in vain. Custom events have the names that rules and plugins give them. */
function typesIn({ options: { type } }: Invocation): string[] {
  const types = (Array.isArray(type) ? type : []).flatMap((one) => String(one).split(",")).filter(Boolean);
  for (const one of types)
    if (!TYPES.includes(one) && !one.startsWith("custom_"))
      throw new HubError(
        "invalid",
        `there are no events of the type "${one}"${didYouMean(one, TYPES)}; docs/api.md lists all`,
      );
  return types;
}

/** Newest first. */
async function latest(client: HubClient, query: Record<string, string>, limit: number): Promise<JsonObject[]> {
  const answer = await client.ask("GET", `/events?${new URLSearchParams({ ...query, limit: String(limit) })}`);
  return Array.isArray(answer) ? answer.filter(isObject) : [];
}

function eventText(event: JsonObject, { clockface, paint }: TraceTextOptions): string {
  const type = String(event.type);
  const fields = type === "device_state_changed" ? stateFields(event) : event;
  const shown = Object.entries(fields).filter(([name]) => !COMMON.has(name));
  const text = shown.map(([name, value]) => `${printable(name)}=${shortened(value)}`).join(" ");
  const at = clockface.at(String(event.timestamp));
  return `${paint("dim", at)}  ${printable(type).padEnd(TYPE_WIDTH)}  ${text}`.trimEnd();
}

/** The new values of what changed, in place of the whole device before and after. */
function stateFields({ device_id, current, changed }: JsonObject): JsonObject {
  const values = isObject(current) ? current : {};
  const names = Array.isArray(changed) ? changed.map(String) : [];
  return { device_id: device_id ?? null, ...Object.fromEntries(names.map((name) => [name, values[name] ?? null])) };
}

function shortened(value: Json): string {
  const text = valueText(value);
  return text.length > MAX_FIELD_LENGTH ? `${text.slice(0, MAX_FIELD_LENGTH - 1)}…` : text;
}

interface Followed {
  /** Of the stream, without `since`. */
  query: Readonly<Record<string, string>>;
  /** The `seq` of the last event that is known. */
  since: number;
  io: Io;
  write(event: JsonObject): void;
}

const EVERY_MS = 1000;
const DEPTH = 64;

/** Resolves when it is to end. Throws HubError where the hub answers and refuses, such as for a key that was withdrawn. */
async function followEvents(client: HubClient, { query, since, io, write }: Followed): Promise<void> {
  const { clock, stdout, stderr } = io.platform;
  const ending = new AbortController();
  const { signal } = ending;
  void io.stopRequested().then(() => ending.abort());
  // In a quiet house nothing is written that would fail.
  using _reader = clock.every("hub events", EVERY_MS, () => {
    if (stdout.isClosed) ending.abort();
  });
  let last = since;
  const take = (event: JsonObject): void => {
    if (typeof event.seq === "number") last = event.seq;
    write(event);
    if (stdout.isClosed) ending.abort();
  };
  for (let isAway = false; !signal.aborted; await sleep(clock, "hub events", EVERY_MS, signal)) {
    const socket = await connected(client, { ...query, ...(last > 0 && { since: String(last) }) });
    if (socket) await readStream(socket, take, signal);
    else if (!isAway) stderr.write("hub: it does not answer now; waiting for it\n");
    isAway = socket === undefined;
  }
}

/** Undefined while the hub is away. A refusal is thrown: on the WebSocket it could not be distinguished from a fault. */
async function connected(client: HubClient, query: Record<string, string>): Promise<WebSocket | undefined> {
  try {
    await client.ask("GET", "/events?limit=1");
    return await client.connect(`/events/stream?${new URLSearchParams(query)}`);
  } catch (error) {
    if (!(error instanceof HubError) || error.code !== "unavailable") throw error;
    return undefined;
  }
}

/** Until the socket closes, for whatever reason, or is to. */
function readStream(socket: WebSocket, take: (event: JsonObject) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      socket.close();
      resolve();
    };
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
    socket.onmessage = ({ data }) => {
      const parsed = parseJson(String(data), DEPTH);
      if (parsed.ok && isObject(parsed.value) && !signal.aborted) take(parsed.value);
    };
    socket.onclose = () => {
      signal.removeEventListener("abort", end);
      resolve();
    };
  });
}
