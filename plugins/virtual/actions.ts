// The actions of the house: a leak, an empty battery, and a burst of changes for load tests.
import { type ActionContext, type Plugin, Type } from "../sdk/index.ts";
import { leakMinutes } from "./devices/leak-sensor.ts";
import type { Furniture } from "./house.ts";
import type { Simulated } from "./simulated.ts";

export function addActions(plugin: Pick<Plugin<unknown>, "action">, furniture: Furniture): void {
  plugin.action(simulateLeak(furniture));
  plugin.action(drainBattery(furniture));
  plugin.action(burst(furniture));
}

function simulateLeak({ leakSensor }: Furniture) {
  const params = Type.Object(
    {
      minutes: Type.Number({ default: 5, title: "Minutes of the house's time until it is dry again", ...leakMinutes }),
    },
    { additionalProperties: false },
  );
  return {
    id: "simulate_leak",
    label: "Simulate a leak",
    description: "The leak sensor becomes wet, and dry again after some minutes.",
    params,
    requiresRole: "user" as const,
    run({ minutes }: (typeof params)["static"]) {
      leakSensor.command({ leak: true, minutes });
      return undefined;
    },
  };
}

function drainBattery({ sensors }: Furniture) {
  const params = Type.Object(
    {
      device: deviceId("The device whose battery it is", sensors),
      to_pct: Type.Integer({ minimum: 0, maximum: 100, default: 10, title: "Percent that are left" }),
    },
    { additionalProperties: false },
  );
  return {
    id: "drain_battery",
    label: "Drain a battery",
    description: "The battery falls to that level at once. It does not rise: the command battery sets it freely.",
    params,
    requiresRole: "user" as const,
    run({ device, to_pct }: (typeof params)["static"]) {
      const sensor = chosen(device, sensors);
      const left = Number(sensor.attributes().battery);
      if (to_pct > left) throw new Error(`to_pct: only ${left} % are left; send the command battery to recharge`);
      sensor.command({ battery: to_pct });
      return { device, battery: to_pct };
    },
  };
}

// Short enough for an even flow, long enough to let commands through.
const PACE_MS = 5;
const PROGRESS_EVERY_MS = 1000;
// Each change waits for its acknowledgement, and MQTT has 65,535 packet ids.
const MAX_CHANGES = 50_000;

function burst({ lights }: Furniture) {
  const params = Type.Object(
    {
      device: Type.Optional(deviceId("The light; the first one unless named", lights)),
      changes: Type.Integer({ minimum: 1, maximum: MAX_CHANGES, default: 1000, title: "Number of changes" }),
      per_second: Type.Integer({ minimum: 1, maximum: 10_000, default: 100, title: "Changes a second, at most" }),
    },
    { additionalProperties: false },
  );
  return {
    id: "burst",
    label: "Burst of changes",
    description:
      "For load tests: a light reports that many other brightnesses at that rate, then its own again. Each report is an event, and may be a row of history.",
    params,
    stream: true,
    cancelable: true,
    async run({ device, changes, per_second: perSecond }: (typeof params)["static"], context: ActionContext) {
      const light = device === undefined ? lights[0] : chosen(device, lights);
      if (!light) throw new Error("there is no light");
      return flicker(light, { changes, perSecond }, context);
    },
  };
}

async function flicker(
  light: Simulated,
  { changes, perSecond }: { changes: number; perSecond: number },
  { signal, progress }: ActionContext,
) {
  // At once, before the plugin can be stopped or restarted.
  signal.addEventListener("abort", () => light.advance(), { once: true });
  const shown = Number(light.attributes().brightness);
  const begun = performance.now();
  let reportedAt = begun;
  let sent = 0;
  while (sent < changes && !signal.aborted) {
    const elapsedMs = performance.now() - begun;
    const due = Math.min(changes, 1 + Math.floor((elapsedMs / 1000) * perSecond));
    for (; sent < due; sent++) light.pretend({ on: true, brightness: 1 + ((shown + sent) % 254) });
    if (performance.now() - reportedAt >= PROGRESS_EVERY_MS) {
      reportedAt = performance.now();
      progress({ changes: sent, pct: Math.floor((100 * sent) / changes) });
    }
    await Bun.sleep(PACE_MS);
  }
  if (!signal.aborted) light.advance();
  return { changes: sent, took_ms: Math.round(performance.now() - begun) };
}

// A string with an `enum`, so that clients can show a list; `chosen` gives the better error message.
function deviceId(title: string, devices: readonly Simulated[]) {
  return Type.String({ title, enum: devices.map(({ id }) => id) });
}

function chosen(id: string, devices: readonly Simulated[]): Simulated {
  const found = devices.find((device) => device.id === id);
  if (!found) throw new Error(`device: must be one of ${devices.map((device) => device.id).join(", ")}`);
  return found;
}
