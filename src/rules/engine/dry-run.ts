// A dry run: what activates it, and a host in which everything can be read, but what would be done is only reported.
// Variables that the run sets keep their new value within it, so that later actions see it.
import type { Json } from "../../core/json.ts";
import type { TriggerContext, TriggerDefinition } from "../model/define.ts";
import type { RuleHost } from "../model/host.ts";
import { type Activation, activationBy, type DryHost, type Entry, interestsOf } from "./entry.ts";
import type { Traces } from "./traces.ts";

export interface DryTrigger {
  /** Without it, the rule's first trigger. */
  type?: string;
  /** Without it, that of the last evaluation. */
  context?: TriggerContext;
}

export function dryActivation(
  entry: Entry,
  wanted: DryTrigger,
  { definitions, traces }: { definitions: readonly TriggerDefinition[]; traces: Traces },
): Activation {
  const { type = entry.rule.triggers[0]?.type ?? "manual_trigger", context } = wanted;
  const spec = entry.rule.triggers.find((trigger) => trigger.type === type);
  const definition = definitions.find((known) => known.type === type);
  if (!spec || !definition) return { type, label: `${type}, for a test`, context: context ?? {}, chain: [] };
  const ref = { entry, spec, definition, position: 0, key: "" };
  const deviceId = interestsOf(ref)[0]?.deviceId;
  const last = traces.of(entry).find(({ trigger }) => trigger.type === type)?.trigger.context;
  const likely = last ?? (deviceId === undefined ? {} : { device_id: deviceId });
  return activationBy(ref, context ?? likely, { chain: [] });
}

export function createDryHost(host: RuleHost): DryHost {
  const variables = new Map<string, Json>();

  const reportingTo = (report: (what: string) => void): RuleHost => ({
    device: (id) => host.device(id),
    devices: () => host.devices(),
    variable: (name) => (variables.has(name) ? variables.get(name) : host.variable(name)),
    setVariable(name, value) {
      variables.set(name, value);
      report(`variable ${name} = ${JSON.stringify(value)}`);
    },
    mode: (id) => host.mode(id),
    hasArea: (id) => host.hasArea(id),
    hasScene: (id) => host.hasScene(id),
    hasChannel: (name) => host.hasChannel(name),
    command: async (deviceId, command) => report(`${deviceId} ${JSON.stringify(command)}`),
    captureStates: (deviceIds) => host.captureStates(deviceIds),
    activateScene: async (id) => report(`scene ${id}`),
    notify: async ({ channel, message }) => report(`${channel}: ${message}`),
    publish: async (topic, payload) => report(`${topic} ${payload}`),
    async request({ method, url }) {
      report(`${method} ${url}`);
      return { status: 200, body: "" };
    },
    async ping(name) {
      report(`ping ${name}`);
      return { reachable: true };
    },
    emit: ({ type }) => report(`event ${type}`),
    tellPlugins() {},
    now: () => host.now(),
    random: () => host.random(),
    timezone: host.timezone,
    zone: host.zone,
    calendars: host.calendars,
    sun: host.sun,
  });

  return { ...reportingTo(() => {}), reportingTo };
}
