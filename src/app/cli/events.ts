// hub events: the latest events of the running hub, and what comes from now on.
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../../kit/schema/json.ts";
import { catalog } from "../../../server/events/catalog.ts";
import type { Command, Invocation } from "../command.ts";
import { deviceNamed } from "../device/named-device.ts";
import type { HubClient } from "../hub-client.ts";
import { clockfaceOf, reach, reachOptions } from "../reach.ts";
import { createPaint } from "../rules/text.ts";
import { eventText } from "./event-text.ts";
import { followEvents } from "./follow.ts";

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
