// `fade_device`: changes a number of a device in small steps. The rate of commands is limited: most devices can handle only
// a few per second.
import { type Static, Type } from "@sinclair/typebox";
import { HubError } from "../../kit/schema/errors.ts";
import { isObject, type JsonObject } from "../../kit/schema/json.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { commandEach, nothingFound } from "../model/devices.ts";
import { attribute, secs, someDevices } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { isFound, requireDevices, resolveDevices } from "../model/targets.ts";

const MAX_SECS = 86_400;
const MIN_STEP_MS = 200;
const MAX_STEPS = 1000;

const fields = {
  ...someDevices,
  attribute,
  to: Type.Number({ description: "The value at the end" }),
  from: Type.Optional(
    Type.Number({ description: "The value at the start; without it, the current one of each device" }),
  ),
  duration_secs: secs("How long it takes", { maximum: MAX_SECS }),
  steps: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_STEPS,
      description: "The number of steps; without it, as many as useful. Never more than five per second",
    }),
  ),
};
type Fade = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const fadeDevice = defineAction({
  type: "fade_device",
  doc: "Changes a number of one device or several, such as the brightness, in small steps to another value. `cancel_delays` stops it where it is.",
  whenInterrupted: () => "resume",
  fields: () => fields,
  check: requireDevices,
  async run(spec, scope: ActionScope<"device" | "devices" | "command">) {
    const resumed = scope.resumed();
    const starts = isObject(resumed) ? startsIn(resumed) : startsOf(spec, scope);
    if (starts.size === 0) return nothingFound(spec, resolveDevices(spec, scope.host).length);
    const steps = Math.max(...[...starts.values()].map((from) => stepsOf(spec, from)));
    const detail = [...starts].map(([id, from]) => `${id}.${spec.attribute} ${from}`).join(", ");
    const shown = `${detail} → ${spec.to} in ${spec.duration_secs} s, ${steps} steps`;
    const last = new Map<string, number>();
    if (spec.from !== undefined && resumed === undefined) await commandStep(spec, scope, { starts, last, part: 0 });
    scope.progress(Object.fromEntries(starts));
    // Counted from the start, so that slow commands do not make the fade longer, nor does a restart of the hub.
    const fadeMs = spec.duration_secs * 1000;
    const missed = Math.min(steps - 1, Math.floor((scope.elapsed() * steps) / Math.max(1, fadeMs)));
    for (let step = missed + 1; step <= steps; step++) {
      const waitMs = Math.round((fadeMs * step) / steps - scope.elapsed());
      if (waitMs > 0 && !(await scope.delay(waitMs, undefined, { stepOf: fadeMs })))
        scope.exit("its fade was cancelled");
      await commandStep(spec, scope, { starts, last, part: step / steps });
    }
    return shown;
  },
  example: { device_id: "lamp", attribute: "brightness", from: 80, to: 0, duration_secs: 900, steps: 40 },
});

/** By device, what it starts from. Of devices that are found, those without such a number are left out. */
function startsOf(spec: Fade, { host }: ActionScope<"device" | "devices">): Map<string, number> {
  const found = isFound(spec);
  const ids = resolveDevices(spec, host);
  const starts = ids.flatMap((id): [string, number][] => {
    const value = host.device(id)?.attributes[spec.attribute];
    if (found && typeof value !== "number") return [];
    return [[id, spec.from ?? currentValue(id, spec.attribute, host)]];
  });
  return new Map(starts);
}

/** As they were stored before a restart. */
function startsIn(stored: JsonObject): Map<string, number> {
  return new Map(Object.entries(stored).filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}

function currentValue(id: string, attribute: string, host: Pick<HouseReads, "device">): number {
  const device = host.device(id);
  if (!device) throw new HubError("not_found", `there is no device "${id}"`);
  const value = device.attributes[attribute];
  if (typeof value === "number") return value;
  throw new HubError("conflict", `the "${attribute}" of the device "${id}" is not a number now: give \`from\``);
}

/** Commands the devices whose value is another one than in the last step. */
async function commandStep(
  { attribute, to }: Fade,
  scope: ActionScope<"command">,
  { starts, last, part }: { starts: ReadonlyMap<string, number>; last: Map<string, number>; part: number },
): Promise<void> {
  const values = [...starts].flatMap(([id, from]): [string, number][] => {
    const value = valueAt({ from, to }, part);
    return last.get(id) === value ? [] : [[id, value]];
  });
  for (const [id, value] of values) last.set(id, value);
  await commandEach(Object.fromEntries(values.map(([id, value]) => [id, { [attribute]: value }])), scope);
}

function stepsOf({ to, duration_secs, steps = MAX_STEPS }: Fade, from: number): number {
  const inTime = Math.max(1, Math.floor((duration_secs * 1000) / MIN_STEP_MS));
  return Math.min(steps, inTime, isWhole(from, to) ? Math.max(1, Math.abs(to - from)) : MAX_STEPS);
}

/** Whole numbers stay whole. */
function valueAt({ from, to }: { from: number; to: number }, part: number): number {
  const exact = part === 1 ? to : from + (to - from) * part;
  return isWhole(from, to) ? Math.round(exact) : Math.round(exact * 1000) / 1000;
}

function isWhole(from: number, to: number): boolean {
  return Number.isInteger(from) && Number.isInteger(to);
}
