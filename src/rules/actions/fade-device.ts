// `fade_device`: changes a number of a device in small steps. The rate of commands is limited: most devices can handle only
// a few per second.
import { type Static, Type } from "@sinclair/typebox";
import { HubError } from "../../core/errors.ts";
import { type ActionScope, defineAction } from "../model/define.ts";
import { attribute, deviceId, secs } from "../model/fields.ts";

const MAX_SECS = 86_400;
const MIN_STEP_MS = 200;
const MAX_STEPS = 1000;

const fields = {
  device_id: deviceId,
  attribute,
  to: Type.Number({ description: "The value at the end" }),
  from: Type.Optional(Type.Number({ description: "The value at the start; without it, the current one" })),
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
  doc: "Changes a number of a device, such as its brightness, in small steps to another value. `cancel_delays` stops it where it is.",
  fields: () => fields,
  async run(spec, scope) {
    const from = spec.from ?? currentValue(spec, scope);
    const values = valuesOf(spec, from);
    const detail = `${spec.device_id}.${spec.attribute} ${from} → ${spec.to} in ${spec.duration_secs} s, ${values.length} steps`;
    if (spec.from !== undefined) await command(spec, scope, from);
    const startedMono = scope.mono();
    for (const [index, value] of values.entries()) {
      // Counted from the start, so that slow commands do not make the fade longer.
      const dueMs = (spec.duration_secs * 1000 * (index + 1)) / values.length;
      const waitMs = Math.min(dueMs, Math.max(0, startedMono + dueMs - scope.mono()));
      if (waitMs > 0 && !(await scope.delay(Math.round(waitMs)))) scope.exit("its fade was cancelled");
      await command(spec, scope, value);
    }
    return detail;
  },
  example: { device_id: "lamp", attribute: "brightness", from: 80, to: 0, duration_secs: 900, steps: 40 },
});

async function command({ device_id, attribute }: Fade, { host, actor }: ActionScope, value: number): Promise<void> {
  await host.command(device_id, { [attribute]: value }, actor);
}

function currentValue({ device_id, attribute }: Fade, { host }: ActionScope): number {
  const device = host.device(device_id);
  if (!device) throw new HubError("not_found", `there is no device "${device_id}"`);
  const value = device.attributes[attribute];
  if (typeof value === "number") return value;
  throw new HubError("conflict", `the "${attribute}" of the device "${device_id}" is not a number now: give \`from\``);
}

/** Evenly spaced, without the start value, never the same twice in a row. Whole numbers stay whole. */
function valuesOf({ to, duration_secs, steps = MAX_STEPS }: Fade, from: number): number[] {
  const whole = Number.isInteger(from) && Number.isInteger(to);
  const inTime = Math.max(1, Math.floor((duration_secs * 1000) / MIN_STEP_MS));
  const count = Math.min(steps, inTime, whole ? Math.max(1, Math.abs(to - from)) : MAX_STEPS);
  const at = (step: number): number => {
    const exact = from + ((to - from) * step) / count;
    return whole ? Math.round(exact) : Math.round(exact * 1000) / 1000;
  };
  return Array.from({ length: count }, (_, index) => (index + 1 === count ? to : at(index + 1)));
}
