// CEL in rules: connects the language in expression/ with the house as rules see it.
import { HubError } from "../../kit/schema/errors.ts";
import type { Json, JsonObject } from "../../kit/schema/json.ts";
import { lazy } from "../../kit/time/lazy.ts";
import type { ExpressionHost } from "../expression/host.ts";
import { loadCel } from "../expression/load-cel.ts";
import type { Evaluate } from "../model/define.ts";
import type { HouseReads } from "../model/host.ts";
import { foundDevices } from "../model/targets.ts";

export interface RuleExpressions {
  evaluate: Evaluate;
  /** The error in an expression, if there is one. */
  check(text: string): string | undefined;
  /** What of the house an expression names literally; nothing if it has an error. */
  names(text: string): { kind: "device" | "mode" | "area" | "device_type"; name: string }[];
}

export function createRuleExpressions(): RuleExpressions {
  const expressions = lazy(() => loadCel().createExpressions());
  const hosts = new WeakMap<HouseReads, ExpressionHost>();

  function hostOf(host: HouseReads): ExpressionHost {
    const known = hosts.get(host) ?? expressionHost(host);
    hosts.set(host, known);
    return known;
  }

  return {
    evaluate(text, host, scope): Json {
      const compiled = expressions().compile(text);
      const result = compiled.ok ? compiled.program.evaluate(hostOf(host), scope) : compiled;
      if (result.ok) return result.value;
      throw new HubError("invalid", loadCel().problemText(result.problem));
    },
    check(text) {
      const compiled = expressions().compile(text);
      return compiled.ok ? undefined : loadCel().problemText(compiled.problem);
    },
    names(text) {
      const compiled = expressions().compile(text);
      if (!compiled.ok) return [];
      const { devices, modes, areas, types } = compiled.program.references();
      return [
        ...devices.map((name) => ({ kind: "device" as const, name })),
        ...modes.map((name) => ({ kind: "mode" as const, name })),
        ...areas.map((name) => ({ kind: "area" as const, name })),
        ...types.map((name) => ({ kind: "device_type" as const, name })),
      ];
    },
  };
}

function expressionHost(host: HouseReads): ExpressionHost {
  return {
    device: (id) => deviceRecord(host, id),
    deviceState: (id) => host.device(id)?.attributes as JsonObject | undefined,
    devices: (area, type) => devicesIn(host, area, type),
    variable: (name) => host.variable(name),
    mode: (id) => host.mode(id),
    now: () => new Date(host.now()),
    random: () => host.random(),
    sunElevation: () => host.sun?.elevation(host.now()),
    get timezone() {
      return host.zone.name;
    },
  };
}

/** With the attributes beside the device's own fields, which go first where both have a name. */
function devicesIn(host: Pick<HouseReads, "devices">, area: string, type: string): JsonObject[] {
  const target = { ...(area !== "" && { area }), ...(type !== "" && { device_type: type }) };
  return foundDevices(target, host).map((device) => ({
    ...device.attributes,
    ...{ id: device.id, name: device.name, area: device.area ?? null, device_type: device.deviceType ?? null },
    ...{ available: device.available, tags: [...device.tags], attributes: device.attributes },
  }));
}

/** As `GET /devices/:id` shows it. */
function deviceRecord(host: Pick<HouseReads, "device">, id: string): JsonObject | undefined {
  const device = host.device(id);
  if (!device) return undefined;
  const changed = Object.entries(device.lastChanged).map(([key, ms]) => [key, new Date(ms).toISOString()]);
  return {
    id: device.id,
    name: device.name,
    area: device.area ?? null,
    device_type: device.deviceType ?? null,
    available: device.available,
    attributes: device.attributes,
    last_changed: Object.fromEntries(changed),
  };
}
