// Chooses devices out of all: checkboxes by area, and a search.
import { useState } from "preact/hooks";
import { secondsNow } from "../../browser/now.ts";
import type { Device } from "../../model/device/device.ts";
import { devices } from "../../state/house/devices.ts";
import { t } from "../../texts/index.ts";

interface DeviceChoiceProps {
  legend: string;
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  /** Which can be chosen; all, when absent. */
  fits?: (device: Device) => boolean;
  /** What stands beside a device. */
  note?: (device: Device) => string;
  areaName: (id: string) => string;
}

export function DeviceChoice({ legend, chosen, onChange, fits, note, areaName }: DeviceChoiceProps) {
  const [search, setSearch] = useState("");
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, Device[]>();
  for (const device of useDevices()) {
    const area = device.area === null ? t("home.no_area") : areaName(device.area);
    const text = `${device.name} ${area} ${device.id}`.toLowerCase();
    if ((fits && !fits(device)) || !words.every((word) => text.includes(word))) continue;
    groups.set(area, [...(groups.get(area) ?? []), device]);
  }
  const toggle = (id: string, on: boolean): void => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    onChange(next);
  };

  return (
    <fieldset class="device-choice">
      <legend>
        {legend} <span class="hint">{t("house.chosen", { count: chosen.size })}</span>
      </legend>
      <input
        type="search"
        aria-label={t("house.search_devices")}
        placeholder={t("house.search_devices")}
        value={search}
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
      />
      <div class="groups">
        {[...groups]
          .sort(([a], [b]) => a.localeCompare(b))
          .map(([area, inside]) => (
            <fieldset key={area}>
              <legend dir="auto">{area}</legend>
              {inside.map((device) => (
                <label key={device.id} class="choice">
                  <input
                    type="checkbox"
                    checked={chosen.has(device.id)}
                    onChange={({ currentTarget }) => toggle(device.id, currentTarget.checked)}
                  />
                  <span>
                    <bdi>{device.name}</bdi> {note && <span class="hint">{note(device)}</span>}
                  </span>
                </label>
              ))}
            </fieldset>
          ))}
        {groups.size === 0 && <p class="hint">{t("house.no_device_found")}</p>}
      </div>
    </fieldset>
  );
}

// Several devices to choose from, each with its name and room.
interface Props {
  legend: string;
  devices: readonly Device[];
  picked: ReadonlySet<string>;
  onChange: (picked: ReadonlySet<string>) => void;
}

export function PickDevices({ legend, devices, picked, onChange }: Props) {
  function turn(id: string, isIn: boolean): void {
    onChange(new Set(isIn ? [...picked, id] : [...picked].filter((one) => one !== id)));
  }
  return (
    <fieldset class="picks">
      <legend>{legend}</legend>
      {devices.map(({ id, name, area }) => (
        <label key={id} class="check">
          <input type="checkbox" checked={picked.has(id)} onChange={(event) => turn(id, event.currentTarget.checked)} />
          <span dir="auto">{name}</span>
          {area !== null && <small dir="auto">{area}</small>}
        </label>
      ))}
    </fieldset>
  );
}

// All devices, for lists that are drawn anew each second.
/** All devices, as they are each second: for lists of them, which their values must not draw anew each time. */
export function useDevices(): Device[] {
  secondsNow.value;
  return [...devices.value.values()].map((one) => one.peek());
}
