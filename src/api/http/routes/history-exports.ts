// /history/exports: where else the history goes, and how far that is.
import { type Static, Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { History } from "../../../house/history/history.ts";
import { parseTime, TIME_FORMS } from "../../../house/history/query/parse-time.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import type { ExportInfo, Exports } from "../../../reach/export/running.ts";
import { optionalJsonBody } from "../body.ts";
import { doc } from "../doc.ts";
import { invalid } from "../errors.ts";

const count = (description: string) => Type.Integer({ description });
const nullableTime = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
const HistoryExport = Type.Object(
  {
    name: Type.String(),
    kind: Type.Union([Type.Literal("line_protocol"), Type.Literal("postgres")]),
    target: Type.String({ description: "Host and port" }),
    state: Type.Union([Type.Literal("running"), Type.Literal("behind"), Type.Literal("failing"), Type.Literal("off")], {
      description: "behind: more than two minutes; failing: the last try failed",
    }),
    sent_until: nullableTime("Everything recorded before this is there; UTC"),
    lag_secs: count("How far that is behind the clock"),
    backfills: Type.Array(Type.Object({ from: Type.String(), to: Type.String() }), {
      description: "What is still to be sent besides; UTC",
    }),
    sent: count("Samples, over restarts; what is sent again counts again"),
    dropped: count("Samples that were refused for good"),
    lost: count("Samples that the history removed before they could be sent, whether or not they were wanted there"),
    problem: Type.Union([Type.String(), Type.Null()], { description: "Why it fails, and what to do" }),
    problem_since: nullableTime("UTC"),
    read: Type.Boolean({ description: "Whether older history than the hub's own is read from there" }),
  },
  { $id: "HistoryExport" },
);
const Backfill = t.Object(
  {
    from: t.Optional(t.String({ description: "ISO 8601, date or epoch seconds; the oldest sample where absent" })),
    to: t.Optional(t.String({ description: "Not included; now where absent" })),
  },
  { additionalProperties: false },
);
const tag = "system";

export interface HistoryExportRoutesDeps {
  exports: Pick<Exports, "list" | "backfill">;
  history: Pick<History, "zone">;
}

export function historyExportRoutes({ exports, history }: HistoryExportRoutesDeps) {
  function time(path: string, text: string | undefined): number | undefined {
    if (text === undefined) return undefined;
    const at = parseTime(text, history.zone);
    if (at === undefined) throw invalid([{ path, message: TIME_FORMS }]);
    return at;
  }

  return new Elysia({ prefix: "/history/exports" })
    .get(
      "",
      () => exports.list().map(bodyOf),
      doc({
        access: "viewer",
        summary: "Where else the history goes, and how far that is",
        tag,
        answers: { 200: { description: "The exports, in the order of hub.toml", schema: Type.Array(HistoryExport) } },
      }),
    )
    .post(
      "/:name/backfill",
      async function backfill({ params, body, set }) {
        const [from, to] = [time("from", body.from), time("to", body.to)];
        if (from !== undefined && to !== undefined && from >= to)
          throw invalid([{ path: "from", message: "must be before to" }]);
        set.status = 202;
        return bodyOf(await exports.backfill(params.name, { from, to }));
      },
      {
        ...optionalJsonBody(Backfill),
        ...doc({
          access: "admin",
          keeps: false,
          summary: "Send what is recorded, also what was sent before",
          tag,
          answers: { 202: { description: "It is under way: see backfills", schema: HistoryExport } },
          refusals: {
            not_found: "No such export",
            conflict: "The export is off, or cannot run",
            unavailable: "No history is kept, or it cannot be read now",
          },
        }),
      },
    );
}

function bodyOf(info: ExportInfo): Static<typeof HistoryExport> {
  const { name, kind, target, state, sent, dropped, lost, read } = info;
  const iso = (ms: number | undefined) => (ms === undefined ? null : isoSeconds(ms));
  return {
    ...{ name, kind, target, state },
    sent_until: iso(info.sentUntil),
    lag_secs: Math.round(info.lagMs / 1000),
    backfills: info.backfills.map(({ from, to }) => ({ from: isoSeconds(from), to: isoSeconds(to) })),
    ...{ sent, dropped, lost },
    problem: info.problem ?? null,
    problem_since: iso(info.problemSince),
    read,
  };
}
