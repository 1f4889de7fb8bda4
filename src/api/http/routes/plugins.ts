// /plugins: the plugins that the hub runs, and those that only connect.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { HeldBy } from "../../../reach/plugins/confine/means.ts";
import type { PluginRecord } from "../../../reach/plugins/records.ts";
import type { Plugins } from "../../../reach/plugins/supervisor.ts";
import { seesSecrets } from "../../../server/auth/roles.ts";
import { pluginStatus } from "../../../server/events/plugins.ts";
import type { Callers } from "../callers.ts";
import { doc } from "../doc.ts";
import { atMost, limitUpTo } from "../query.ts";

const nullable = Type.Union([Type.String(), Type.Null()]);
export const Plugin = Type.Object(
  {
    id: Type.String(),
    status: pluginStatus,
    enabled: Type.Boolean(),
    managed: Type.Boolean({ description: "Whether the hub runs its process" }),
    pid: Type.Union([Type.Integer(), Type.Null()]),
    memory_bytes: Type.Union([Type.Integer(), Type.Null()], {
      description: "Private memory of its processes, measured now and then; null before the first time",
    }),
    confined: Type.Union([Type.Boolean(), Type.Null()], {
      description: "Whether the kernel keeps it to its own folder; null for one the hub does not run",
    }),
    held_by: Type.Union([HeldBy, Type.Null()], {
      description:
        "By what: Landlock, namespaces with a filter of system calls, that filter alone (it can read what the hub can), or nothing; null for one the hub does not run",
    }),
    confined_detail: Type.String({ description: "By what, or why not" }),
    restarts: Type.Integer(),
    last_heartbeat: nullable,
    last_exit: Type.Unknown({
      description: "at, code, signal, reason and, for administrators, the last lines of output; null before the first",
    }),
    devices: Type.Integer(),
    version: nullable,
    notices: Type.Array(Type.Unknown()),
  },
  { $id: "Plugin" },
);
const LINES = { from: 1, to: 1000 };

export interface PluginRoutesDeps {
  plugins: Pick<Plugins, "get" | "list" | "log" | "restart" | "start" | "stop">;
  callers: Pick<Callers, "of">;
}

export function pluginRoutes({ plugins, callers }: PluginRoutesDeps) {
  // A plugin's output may contain secrets: only callers who may read its log see it.
  const bodyFor = (request: Request, record: PluginRecord): PluginRecord =>
    record.last_exit === null || seesSecrets(callers.of(request).role)
      ? record
      : { ...record, last_exit: { ...record.last_exit, output: [] } };
  const tag = "plugins";
  const answers = { 200: { description: "The plugin", schema: Plugin } };
  const refusals = {
    conflict: "The hub does not run it: it only connects",
    unavailable: "It cannot be ended, or the hub is stopping",
  };
  return new Elysia({ prefix: "/plugins" })
    .get(
      "",
      ({ request }) => plugins.list().map((record) => bodyFor(request, record)),
      doc({
        access: "viewer",
        summary: "All plugins",
        tag,
        answers: { 200: { description: "The plugins", schema: Type.Array(Plugin) } },
      }),
    )
    .get(
      "/:id",
      ({ params, request }) => bodyFor(request, plugins.get(params.id)),
      doc({ access: "viewer", summary: "One plugin", tag, answers }),
    )
    .post(
      "/:id/start",
      ({ params }) => plugins.start(params.id),
      doc({ access: "admin", audit: "plugin.start", summary: "Start it", tag, answers, refusals }),
    )
    .post(
      "/:id/stop",
      ({ params }) => plugins.stop(params.id),
      doc({
        access: "admin",
        audit: "plugin.stop",
        summary: "Stop it until somebody starts it",
        tag,
        answers,
        refusals,
      }),
    )
    .post(
      "/:id/restart",
      ({ params }) => plugins.restart(params.id),
      doc({ access: "admin", audit: "plugin.restart", summary: "Stop and start it", tag, answers, refusals }),
    )
    .get("/:id/log", ({ params, query }) => plugins.log(params.id, atMost("lines", query.lines, LINES)), {
      query: t.Object({ lines: limitUpTo(LINES, { default: 100 }) }, { additionalProperties: false }),
      ...doc({
        access: "admin",
        summary: "Its last lines of output, oldest first",
        tag,
        answers: { 200: { description: "Lines", schema: Type.Array(Type.String()) } },
      }),
    });
}
