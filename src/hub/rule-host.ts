// The house as rules see and move it: what src/rules/host.ts asks for, made of the other rooms.
import { type LocationSection, timezoneOf } from "../config/location.ts";
import type { Clock } from "../core/clock.ts";
import { HubError } from "../core/errors.ts";
import { createSun } from "../core/sun.ts";
import { createZone } from "../core/zone.ts";
import type { EventFeed } from "../events/feed.ts";
import type { RuleHost } from "../rules/host.ts";
import type { Commands } from "../state/commands.ts";
import type { Registry } from "../state/registry.ts";
import type { Scenes } from "../state/scenes.ts";
import type { Variables } from "../state/variables.ts";
import { createHttpRequest } from "./http-request.ts";

export interface RuleHostOptions {
  clock: Clock;
  fetch: typeof fetch;
  feed: Pick<EventFeed, "emit">;
  registry: Registry;
  scenes: Scenes;
  variables: Variables;
  commands: Commands;
  location: LocationSection;
  publish: RuleHost["publish"];
  notifier: Pick<RuleHost, "notify" | "hasChannel">;
}

export function createRuleHost(options: RuleHostOptions): RuleHost {
  const { clock, feed, registry, scenes, variables, commands, location } = options;
  const { latitude, longitude } = location;
  const timezone = timezoneOf(location);
  return {
    device: (id) => registry.find(id),
    variable: (name) => (variables.has(name) ? variables.get(name).value : undefined),
    setVariable: (name, value) => void variables.set(name, value, { behind: true }),
    mode(id) {
      const device = registry.find(id);
      return device?.deviceType === "mode" ? device.attributes.on === true : undefined;
    },
    hasScene: (id) => scenes.has(id),
    hasChannel: options.notifier.hasChannel,
    async command(deviceId, command, actor) {
      // In words for a rule: what `?force=true` can do at the API, it cannot.
      if (registry.find(deviceId)?.available === false)
        throw new HubError("conflict", `the device "${deviceId}" is not available`);
      await commands.send(deviceId, command, actor);
    },
    captureStates: (deviceIds) => scenes.presentStates(deviceIds),
    async activateScene(id, actor) {
      const { failed } = await scenes.activate(id, actor);
      if (failed.length === 0) return;
      const whose = failed.map(({ device_id, error }) => `${device_id}: ${error}`).join("; ");
      throw new HubError("upstream_failed", `not every device took its command: ${whose}`);
    },
    notify: options.notifier.notify,
    publish: options.publish,
    request: createHttpRequest(options),
    emit: feed.emit,
    now: clock.now,
    timezone,
    zone: createZone(timezone),
    sun: latitude === undefined || longitude === undefined ? undefined : createSun({ latitude, longitude }),
  };
}
