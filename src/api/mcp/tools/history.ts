// The tool for recorded values.
import { Type } from "@sinclair/typebox";
import {
  BUCKET_FORMS,
  BUCKET_PATTERN,
  parseBucket,
  parseTime,
  TIME_FORMS,
} from "../../../house/history/query/parse-time.ts";
import { aggregates } from "../../../house/history/worker-protocol.ts";
import { passwordsOfDevice } from "../../../house/state/passwords.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { defineTool } from "../tool.ts";
import { someOf } from "../untrusted.ts";
import { DeviceId } from "./devices.ts";

const DAY_MS = 86_400_000;
const MAX_SAMPLES = 300;

export const history = defineTool({
  name: "history",
  title: "Recorded values",
  description: `What a device reported over time, oldest first, at most ${MAX_SAMPLES} values an answer. Give a bucket such as 1h for long periods.`,
  input: Type.Object(
    {
      id: DeviceId,
      attribute: Type.String({ minLength: 1, maxLength: 500, description: "Such as temperature; several with commas" }),
      from: Type.Optional(
        Type.String({ maxLength: 50, description: "ISO 8601, local where it has no offset; a day ago where absent" }),
      ),
      to: Type.Optional(Type.String({ maxLength: 50, description: "Not included; now where absent" })),
      bucket: Type.Optional(
        Type.String({
          pattern: BUCKET_PATTERN,
          problem: BUCKET_FORMS,
          description: "15m, 1h, 1d, …: one value for each",
        }),
      ),
      aggregate: Type.Optional(
        Type.Union(
          aggregates.map((one) => Type.Literal(one)),
          { description: "How a bucket is computed; avg where absent" },
        ),
      ),
    },
    { additionalProperties: false },
  ),
  target: ({ id }) => id,
  async run({ id, attribute, from, to, bucket, aggregate = "avg" }, { house, deps: { history, clock } }) {
    const device = house.device(id);
    const time = (name: string, text: string): number => {
      const ms = parseTime(text, history.zone);
      if (ms === undefined) throw new HubError("invalid", `${name}: ${TIME_FORMS}`);
      return ms;
    };
    const until = to === undefined ? clock.now() : time("to", to);
    const since = from === undefined ? Math.max(0, until - DAY_MS) : time("from", from);
    if (since >= until) throw new HubError("invalid", "from: must be before to");
    const bucketMs = bucket === undefined ? undefined : parseBucket(bucket);
    if (bucket !== undefined && bucketMs === undefined) throw new HubError("invalid", `bucket: ${BUCKET_FORMS}`);
    const page = await history.query({
      deviceId: device.id,
      attributes: attribute.split(",").map((one) => one.trim()),
      from: since,
      to: until,
      limit: MAX_SAMPLES,
      ...(bucketMs !== undefined && { bucketMs }),
      aggregate,
      initial: true,
      format: "json",
      withoutSecrets: true,
      secrets: passwordsOfDevice(device.details),
    });
    const read = JSON.parse(page.text) as { timestamp: string }[];
    const { items, more } = someOf(read, MAX_SAMPLES);
    const next = more ? read[items.length]?.timestamp : page.next && new Date(page.next).toISOString();
    return { samples: items, ...(next !== undefined && { next_from: next }) };
  },
});
