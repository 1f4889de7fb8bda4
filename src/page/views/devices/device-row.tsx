// One device as a row. It draws itself anew when its device changes, and only then.

import type { Signal } from "@preact/signals";
import { now } from "../../browser/now.ts";
import type { Device } from "../../model/device/device.ts";
import { iconOf, stateInWords } from "../../model/device/kinds.ts";
import { batteryOf, isLow } from "../../model/device/sensor-words.ts";
import { areaName } from "../../state/house/areas.ts";
import { shown } from "../../state/house/command.ts";
import { formatAge, formatMoment, formatNumber, t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";
import { typeInWords } from "./device-filter.ts";

export function DeviceRow({ of, index }: { of: Signal<Device>; index: number }) {
  const device = of.value;
  const { id, name, area, device_type: type, available } = device;
  const state = available ? stateInWords(device, shown(id, device.attributes)) : t("device.offline");
  return (
    <tr class={available ? "" : "offline"} aria-rowindex={index}>
      <th scope="row" class="name">
        <a href={`/devices/${encodeURIComponent(id)}`} title={name}>
          <Icon name={iconOf(device)} />
          <span dir="auto">{name}</span>
          <small aria-hidden="true" dir="auto">
            {shortly(device)}
          </small>
        </a>
      </th>
      <td class="area" dir="auto">
        {area === null ? "" : areaName(area)}
      </td>
      <td class="type">{typeInWords(type)}</td>
      <td class="state" dir="auto">
        {state}
      </td>
      <td class="battery">
        <Battery device={device} />
      </td>
      <td class="seen">
        <Seen at={device.last_seen} />
      </td>
    </tr>
  );
}

/** In the place of columns, on small screens. */
function shortly(device: Device): string {
  const { area, last_seen: seen } = device;
  const battery = isLow(device) ? `${t("devices.battery")} ${levelOf(device) ?? t("devices.low")}` : "";
  const parts = [area === null ? "" : areaName(area), battery, seen === null ? "" : ageOf(seen)];
  return parts.filter(Boolean).join(" · ");
}

function ageOf(at: string): string {
  return formatAge(at, Math.max(now.value, Date.parse(at)));
}

function levelOf(device: Device): string | undefined {
  const level = batteryOf(device);
  return level === undefined ? undefined : `${formatNumber(level, 0)} %`;
}

function Battery({ device }: { device: Device }) {
  const low = isLow(device);
  return <span class={low ? "low" : ""}>{[levelOf(device), low && t("devices.low")].filter(Boolean).join(" · ")}</span>;
}

function Seen({ at }: { at: string | null }) {
  if (at === null) return <>{t("devices.never")}</>;
  return (
    <time dateTime={at} title={formatMoment(at)}>
      {ageOf(at)}
    </time>
  );
}
