// Plugins: what the hub says of them, and the actions of one that are under way.

import { useEffect, useState } from "preact/hooks";
import type { FormSchema } from "../../model/config/form-schema.ts";
import type { Json } from "../../model/device/json.ts";
import { get } from "../hub/api.ts";
import { connection, type HubEvent, listen } from "../hub/live.ts";
import type { Role } from "../hub/session.ts";

export interface Notice {
  level: "info" | "warning" | "error";
  code: string;
  message: string;
  remedy?: string;
}

export interface Plugin {
  id: string;
  status: string;
  enabled: boolean;
  managed: boolean;
  pid: number | null;
  memory_bytes: number | null;
  held_by: "landlock" | "namespaces" | "system_calls" | "nothing" | null;
  confined_detail: string;
  restarts: number;
  last_heartbeat: string | null;
  last_exit: { at: string; code: number | null; signal: string | null; reason: string; output?: string[] } | null;
  devices: number;
  version: string | null;
  notices: Notice[];
}

export interface PluginActionInfo {
  id: string;
  label?: string;
  description?: string;
  params?: FormSchema;
  stream?: boolean;
  cancelable?: boolean;
  requires_role?: Role;
}

export interface Capabilities {
  actions: PluginActionInfo[];
  config_schema?: FormSchema;
}

export interface Report {
  seq: number;
  stage: string;
  data?: Json;
  error?: string;
}

/** A call of an action that reports what it does. */
export interface ActionRun {
  request: string;
  action: string;
  reports: readonly Report[];
}

/** Events after which a plugin may be another. */
export const PLUGIN_EVENTS = ["plugin_status_changed", "plugin_offline", "plugin_registered", "plugin_heartbeat"];

const ENDS = new Set(["complete", "error", "canceled"]);
const MAX_REPORTS = 50;
const MAX_EVENTS = 200;

export const pluginPath = (id: string): string => `/plugins/${encodeURIComponent(id)}`;

export function isUnderWay({ reports }: ActionRun): boolean {
  return !ENDS.has(reports.at(-1)?.stage ?? "");
}

/** The runs that were reported lately, the newest first; live. */
export function useActionRuns(plugin: string): { runs: readonly ActionRun[]; begun: (run: ActionRun) => void } {
  const [runs, setRuns] = useState<readonly ActionRun[]>([]);
  const isLive = connection.value.state === "live";

  useEffect(() => {
    const take = (event: HubEvent): void => {
      if (event.type === "plugin_action" && event.plugin_id === plugin) setRuns((before) => withEvent(before, event));
    };
    const stop = listen(take);
    get<HubEvent[]>(`/events?type=plugin_action&limit=${MAX_EVENTS}`).then(
      (events) => events.reverse().forEach(take),
      () => {},
    );
    return stop;
  }, [plugin, isLive]);

  return { runs, begun: (run) => setRuns((before) => (before.some(isSame(run.request)) ? before : [run, ...before])) };
}

const isSame =
  (request: string) =>
  (run: ActionRun): boolean =>
    run.request === request;

function withEvent(runs: readonly ActionRun[], event: HubEvent): readonly ActionRun[] {
  const request = String(event.request_id);
  const known = runs.find(isSame(request)) ?? { request, action: String(event.action), reports: [] };
  if (known.reports.some(({ seq }) => seq === event.seq)) return runs;
  const report: Report = {
    seq: event.seq,
    stage: String(event.stage),
    ...(event.data !== undefined && { data: event.data as Json }),
    ...(event.error !== undefined && { error: String(event.error) }),
  };
  const reports = [...known.reports, report].sort((a, b) => a.seq - b.seq).slice(-MAX_REPORTS);
  return [{ ...known, reports }, ...runs.filter((run) => run.request !== request)];
}
