// The house as a dry run sees it: everything can be looked at, and what would be done is only told. Variables that are set
// keep their new value within the dry run, so that what follows sees what it would see.
import type { Json } from "../../core/json.ts";
import type { RuleHost } from "../host.ts";

export interface DryHost extends RuleHost {
  /** The same house; `told` gets what would be done, in the words of a trace. */
  telling(told: (what: string) => void): RuleHost;
}

export function createDryHost(host: RuleHost): DryHost {
  const variables = new Map<string, Json>();

  const telling = (told: (what: string) => void): RuleHost => ({
    device: (id) => host.device(id),
    variable: (name) => (variables.has(name) ? variables.get(name) : host.variable(name)),
    setVariable(name, value) {
      variables.set(name, value);
      told(`variable ${name} = ${JSON.stringify(value)}`);
    },
    mode: (id) => host.mode(id),
    hasScene: (id) => host.hasScene(id),
    hasArea: (id) => host.hasArea(id),
    hasChannel: (name) => host.hasChannel(name),
    command: async (deviceId, command) => told(`${deviceId} ${JSON.stringify(command)}`),
    captureStates: (deviceIds) => host.captureStates(deviceIds),
    activateScene: async (id) => told(`scene ${id}`),
    notify: async ({ channel, message }) => told(`${channel}: ${message}`),
    publish: async (topic, payload) => told(`${topic} ${payload}`),
    async request({ method, url }) {
      told(`${method} ${url}`);
      return { status: 200, body: "" };
    },
    emit: ({ type }) => told(`event ${type}`),
    now: () => host.now(),
    timezone: host.timezone,
    zone: host.zone,
    sun: host.sun,
  });

  return { ...telling(() => {}), telling };
}
