// Several devices to choose from, each with its name and room.

import type { Device } from "../../model/device/device.ts";

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
