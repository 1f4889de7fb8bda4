// GET /system/log: the hub's own log, for `hub logs`.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { LogLine, lastLines, linesAfter } from "../../../server/system/log-reader.ts";
import { doc } from "../doc.ts";
import { atMost, limitUpTo } from "../query.ts";

export interface LogRouteDeps {
  /** The hub's log file, and how to have everything in it. */
  logFile: { path: string; flush: () => void };
}

const LINES = { from: 1, to: 1000 };
const Answer = Type.Object({
  lines: Type.Array(LogLine, { description: "Oldest first" }),
  next: Type.String({ description: "Give this as `after` to get what is written later" }),
});

export function logRoutes({ logFile }: LogRouteDeps) {
  return new Elysia({ prefix: "/system" }).get(
    "/log",
    function readLog({ query: { lines, after } }) {
      const most = atMost("lines", lines, LINES);
      logFile.flush();
      return after === undefined ? lastLines(logFile.path, most) : linesAfter(logFile.path, after);
    },
    {
      query: t.Object(
        {
          lines: limitUpTo(LINES, { default: 100 }),
          after: t.Optional(
            t.String({
              pattern: "^(\\d{1,20}-\\d{1,15})?$",
              problem: "must be the `next` of an earlier answer",
              description: "Only what was written after this: the `next` of an earlier answer",
            }),
          ),
        },
        { additionalProperties: false },
      ),
      ...doc({
        access: "admin",
        summary: "The hub's own log: its last lines, or what came after an earlier answer",
        tag: "system",
        answers: { 200: { description: "The lines", schema: Answer } },
      }),
    },
  );
}
