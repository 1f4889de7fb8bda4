// `device_availability_changed`: a device comes online or goes offline.
import { Type } from "@sinclair/typebox";
import { defineTrigger } from "../model/define.ts";
import { DEVICE_CONTEXT_KEYS, deviceContext, deviceEventOf, deviceInterests } from "../model/devices.ts";
import { forDurationSecs, someDevices } from "../model/fields.ts";
import type { HouseReads } from "../model/host.ts";
import { checkDevices, whichDevices } from "../model/targets.ts";
import { msOf } from "../model/values.ts";

export const deviceAvailabilityChanged = defineTrigger({
  type: "device_availability_changed",
  doc: "A device comes online or goes offline; without a device, any.",
  fields: {
    ...someDevices,
    available: Type.Optional(Type.Boolean({ description: "Only online (true) or only offline (false)" })),
    for_duration_secs: forDurationSecs,
  },
  label({ available, for_duration_secs, ...spec }) {
    const what = available === undefined ? "goes online or offline" : available ? "goes online" : "goes offline";
    return `${whichDevices(spec)} ${what}${for_duration_secs ? ` for ${for_duration_secs} s` : ""}`;
  },
  check: checkDevices,
  contextKeys: [...DEVICE_CONTEXT_KEYS, "available"],
  interests: (spec) => deviceInterests("device_availability_changed", spec),
  match(spec, envelope, host: Pick<HouseReads, "device">) {
    const event = deviceEventOf("device_availability_changed", envelope, { spec, host });
    if (!event || event.after_restart || (spec.available !== undefined && spec.available !== event.available))
      return undefined;
    const { device_id, available } = event;
    return { ...deviceContext(host, device_id), attribute: "available", value: available, available };
  },
  hold: {
    durationMs: (spec) => (spec.for_duration_secs === undefined ? undefined : msOf(spec.for_duration_secs)),
    stillMatches: (_, context, host: Pick<HouseReads, "device">) =>
      host.device(String(context.device_id))?.available === context.available,
  },
  example: { device_ids: ["freezer", "boiler"], available: false, for_duration_secs: 300 },
});
