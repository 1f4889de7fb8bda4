// Chooses devices out of all: checkboxes by area, and a search.

import { useState } from "preact/hooks";
import type { Device } from "../../model/device/device.ts";
import { t } from "../../texts/index.ts";
import { useDevices } from "./use-devices.ts";

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
