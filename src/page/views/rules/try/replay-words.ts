// What set a rule off, and what it would have done, in words: names of devices in the place of ids.

import type { Device } from "../../../model/device/device.ts";
import type { Attributes } from "../../../model/device/json.ts";
import { stateInWords } from "../../../model/device/kinds.ts";
import { devices } from "../../../state/house/devices.ts";
import { t } from "../../../texts/index.ts";
import type { Firing, ReplayAction } from "./replay.ts";

const BY_CLOCK = ["time_of_day", "cron", "periodic"];

export function triggerInWords({ type, label, context }: Firing["trigger"]): string {
  if (BY_CLOCK.includes(type)) return t("replay.by_clock");
  if (type === "sun_event") return t("replay.by_sun");
  const { device_id, attribute, value, mode_name, on } = context;
  if (typeof mode_name === "string") return t(on === true ? "replay.mode_on" : "replay.mode_off", { name: mode_name });
  const device = typeof device_id === "string" ? find(device_id) : undefined;
  if (!device || typeof attribute !== "string" || value === undefined) return label;
  const state = inWords(device, { [attribute]: value });
  return t("replay.set_off", { device: device.name, state: state ?? `${attribute} ${JSON.stringify(value)}` });
}

/** Each action on its own; those inside another one come after it. */
export function actionsInWords(actions: readonly ReplayAction[]): string[] {
  return actions.flatMap((action) => [actionInWords(action), ...actionsInWords(action.parts ?? [])]);
}

function actionInWords({ type, result, detail, error }: ReplayAction): string {
  const what = detail === undefined ? type.replaceAll("_", " ") : commandInWords(detail);
  if (error !== undefined) return t("replay.failed", { why: error });
  if (type === "delay") return t("replay.wait", { time: what });
  return result === "skipped" ? t("replay.skipped", { what }) : what;
}

/** `lamp {"on":true}` → `Lamp: On`; anything else stays. */
function commandInWords(detail: string): string {
  const [, id = "", json = ""] = /^(.+?) (\{.*\})$/s.exec(detail) ?? [];
  const device = find(id);
  if (!device) return detail;
  try {
    const state = inWords(device, JSON.parse(json) as Attributes);
    return t("replay.set_off", { device: device.name, state: state ?? json });
  } catch {
    // Several commands in one text, or one that was cut.
    return detail;
  }
}

function inWords(device: Device, attributes: Attributes): string | undefined {
  const words = stateInWords(device, attributes);
  return words === t("device.silent") ? undefined : words;
}

function find(id: string): Device | undefined {
  return devices.value.get(id)?.value;
}
