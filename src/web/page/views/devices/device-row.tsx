// One device as a row. It draws itself anew when its device changes, and only then.
import type { Signal } from "@preact/signals";
import { mainOf } from "../../components/attribute-parts.ts";
import { leadInWords } from "../../components/attribute-words.ts";
import { Icon } from "../../components/icon.tsx";
import { iconOf } from "../../components/kinds.ts";
import { areaName } from "../../state/areas.ts";
import { shown } from "../../state/command.ts";
import type { Device } from "../../state/house.ts";
import { now } from "../../state/now.ts";
import { formatAge, formatMoment, formatNumber, t } from "../../texts/index.ts";
import { batteryOf, isLow, typeInWords } from "./device-filter.ts";

export function DeviceRow({ of, index }: { of: Signal<Device>; index: number }) {
  const device = of.value;
  const { id, name, area, device_type: type, available } = device;
  const state = available ? leadInWords(device, shown(id, device.attributes), mainOf(device)) : t("device.offline");
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
  const level = batteryOf(device);
  const { area, last_seen: seen } = device;
  const battery = level !== undefined && isLow(device) ? `${t("devices.battery")} ${formatNumber(level, 0)} %` : "";
  const parts = [area === null ? "" : areaName(area), battery, seen === null ? "" : ageOf(seen)];
  return parts.filter(Boolean).join(" · ");
}

function ageOf(at: string): string {
  return formatAge(at, Math.max(now.value, Date.parse(at)));
}

function Battery({ device }: { device: Device }) {
  const level = batteryOf(device);
  if (level === undefined) return null;
  const low = isLow(device);
  return (
    <span class={low ? "low" : ""}>
      {formatNumber(level, 0)} %{low && ` · ${t("devices.low")}`}
    </span>
  );
}

function Seen({ at }: { at: string | null }) {
  if (at === null) return <>{t("devices.never")}</>;
  return (
    <time dateTime={at} title={formatMoment(at)}>
      {ageOf(at)}
    </time>
  );
}
