// /devices/:id/history: the recorded values of a device's attributes.
import { Type } from "@sinclair/typebox";
import { Elysia, type Static, t } from "elysia";
import type { History } from "../../../house/history/history.ts";
import {
  BUCKET_FORMS,
  BUCKET_PATTERN,
  parseBucket,
  parseTime,
  TIME_FORMS,
} from "../../../house/history/query/parse-time.ts";
import { aggregates, type HistoryPage, type HistoryQuery } from "../../../house/history/worker-protocol.ts";
import { passwordsOfDevice } from "../../../house/state/passwords.ts";
import type { Registry } from "../../../house/state/registry.ts";
import type { Clock } from "../../../kit/time/clock.ts";
import { seesSecrets } from "../../../server/auth/roles.ts";
import type { Callers } from "../callers.ts";
import { doc } from "../doc.ts";
import { invalid } from "../errors.ts";
import { atMost, limitUpTo, linkToNext } from "../query.ts";

const DAY_MS = 86_400_000;
const LIMIT = { from: 1, to: 10_000 };
const SAMPLES = 1000;
const oneOf = <const T extends readonly string[]>(values: T, options: object) =>
  t.Union(
    values.map((value) => t.Literal(value as T[number])),
    options,
  );
const Query = t.Object(
  {
    attribute: t.Optional(t.String({ description: "Attribute names, comma-separated; all where absent" })),
    from: t.Optional(
      t.String({
        description:
          "ISO 8601 (local time where no offset is given), date or epoch seconds; a day before `to` where absent",
      }),
    ),
    to: t.Optional(t.String({ description: "Not included; now where absent" })),
    bucket: t.Optional(
      t.String({
        pattern: BUCKET_PATTERN,
        problem: BUCKET_FORMS,
        description: "15m, 1h, 1d, 1w, … or seconds, ten years at most; raw samples where absent",
      }),
    ),
    agg: t.Optional(oneOf(aggregates, { description: "How a bucket is computed; avg where absent, weighted by time" })),
    limit: t.Optional(limitUpTo(LIMIT, { description: "Samples in a page; 1000 where absent, buckets 10000" })),
    initial: t.Boolean({
      default: true,
      description: "Whether each attribute starts with its last sample before `from`",
    }),
    format: t.Optional(oneOf(["json", "csv"], { description: "csv also with Accept: text/csv" })),
  },
  { additionalProperties: false },
);
const Item = Type.Object({
  timestamp: Type.String({ description: "UTC with milliseconds; the beginning of a bucket" }),
  attribute: Type.String(),
  value: Type.Unknown({ description: "With the type it was reported in; null where the attribute was removed" }),
  count: Type.Optional(Type.Integer({ description: "Changes within the bucket" })),
});

export interface HistoryRoutesDeps {
  registry: Pick<Registry, "get">;
  history: Pick<History, "query" | "zone">;
  clock: Pick<Clock, "now">;
  callers: Pick<Callers, "of">;
}

export function historyRoutes({ registry, history, clock, callers }: HistoryRoutesDeps) {
  return new Elysia({ prefix: "/devices" }).get(
    "/:id/history",
    async function deviceHistory({ params, query, request }) {
      const { id, details } = registry.get(params.id);
      const wanted = readQuery(id, query, { zone: history.zone, now: clock.now() });
      const format = query.format ?? (request.headers.get("accept")?.includes("text/csv") ? "csv" : "json");
      const withoutSecrets = !seesSecrets(callers.of(request).role);
      const secrets = passwordsOfDevice(details);
      const page = await history.query({ ...wanted, format, withoutSecrets, secrets });
      return new Response(page.text, { headers: headersOf(page, { ...wanted, format }, request.url) });
    },
    {
      query: Query,
      ...doc({
        access: "viewer",
        summary: "Recorded values of a device's attributes, oldest first",
        tag: "devices",
        answers: {
          200: {
            description: "Samples or buckets; a Link header with rel=next where there is more",
            schema: Type.Array(Item),
            alsoAs: { "text/csv": Type.String() },
          },
        },
        refusals: { unavailable: "No history is kept, or it cannot be read now" },
      }),
    },
  );
}

type ReadQuery = Omit<HistoryQuery, "format" | "withoutSecrets" | "secrets">;

function readQuery(
  deviceId: string,
  { attribute, from, to, bucket, agg, limit, initial }: Static<typeof Query>,
  { zone, now }: { zone: History["zone"]; now: number },
): ReadQuery {
  const time = (path: string, text: string): number => parseTime(text, zone) ?? refuse(path, TIME_FORMS);
  const until = to === undefined ? now : time("to", to);
  const since = from === undefined ? Math.max(0, until - DAY_MS) : time("from", from);
  if (since >= until) refuse("from", to === undefined ? "must be in the past" : "must be before to");
  if (agg !== undefined && bucket === undefined) refuse("agg", "needs bucket as well, such as bucket=1h");
  const bucketMs = bucket === undefined ? undefined : (parseBucket(bucket) ?? refuse("bucket", BUCKET_FORMS));
  const attributes = attribute?.split(",").filter((name) => name !== "");
  return {
    deviceId,
    ...(attributes ? { attributes } : {}),
    from: since,
    to: until,
    limit: atMost("limit", limit ?? (bucketMs === undefined ? SAMPLES : LIMIT.to), LIMIT),
    ...(bucketMs === undefined ? {} : { bucketMs }),
    aggregate: agg ?? "avg",
    initial,
  };
}

function refuse(path: string, message: string): never {
  throw invalid([{ path, message }]);
}

function headersOf(
  { next }: HistoryPage,
  { deviceId, to, format }: ReadQuery & Pick<HistoryQuery, "format">,
  url: string,
): Headers {
  const headers = new Headers({ vary: "accept" });
  headers.set("content-type", format === "csv" ? "text/csv; charset=utf-8; header=present" : "application/json");
  if (format === "csv") {
    const name = deviceId.replace(/[^\w.-]/g, "_");
    headers.set("content-disposition", `attachment; filename="history-${name}.csv"`);
  }
  if (next !== undefined) {
    const [from, until] = [next, to].map((ms) => new Date(ms).toISOString()) as [string, string];
    headers.set("link", linkToNext(url, { from, to: until, initial: "false" }));
  }
  return headers;
}
