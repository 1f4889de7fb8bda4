// Picking a device, one of its attributes, or something else of the house that has a name.

import type { Json } from "../../../model/device/json.ts";
import { attributeWords, text, typeWords } from "../../../model/rules/rule-text.ts";
import { deviceList, devices } from "../../../state/house/devices.ts";
import { t } from "../../../texts/index.ts";
import { TypedInput } from "../../../ui/fields.tsx";
import { known, type Named } from "../words/rule-names.ts";

interface PickProps {
  id?: string;
  label?: string;
  /** Instead of "Choose …". */
  empty?: string | undefined;
  value: string;
  onChange: (value: string | undefined) => void;
}

/** By area; `fits`: only of this type. What is not there any more stays as it is. */
export function DevicePick({ id, label, value, fits, onChange }: PickProps & { fits?: string | undefined }) {
  const areas = new Map<string, { id: string; name: string }[]>();
  const fitting = deviceList.peek().filter(({ device_type: type }) => fits === undefined || type === fits);
  for (const { area, id: device, name } of fitting)
    areas.set(area ?? "", [...(areas.get(area ?? "") ?? []), { id: device, name }]);
  const isKnown = value === "" || devices.value.has(value);
  const isLeftOut = isKnown && value !== "" && !fitting.some((one) => one.id === value);
  return (
    <select
      id={id}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    >
      <option value="">{t("guide.pick_device")}</option>
      {!isKnown && <option value={value}>{t("guide.unknown", { id: value })}</option>}
      {isLeftOut && <option value={value}>{devices.value.get(value)?.peek().name}</option>}
      {[...areas]
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([area, inside]) => (
          <optgroup key={area} label={area || t("home.no_area")}>
            {inside
              .sort((a, b) => a.name.localeCompare(b.name))
              .map((device) => (
                <option key={device.id} value={device.id}>
                  {device.name}
                </option>
              ))}
          </optgroup>
        ))}
    </select>
  );
}

export function DeviceList({ value, onChange }: { value: Json | undefined; onChange: (value: Json) => void }) {
  const ids = Array.isArray(value) ? value.map(text) : [];
  const changed = (at: number, next: string | undefined): string[] =>
    ids.flatMap((one, index) => (index === at ? (next ?? []) : [one]));
  return (
    <>
      {ids.map((one, at) => (
        <DevicePick
          key={one}
          label={t("guide.device", { number: at + 1 })}
          value={one}
          onChange={(next) => onChange(changed(at, next))}
        />
      ))}
      <DevicePick
        key={ids.length}
        label={t("guide.another_device")}
        value=""
        onChange={(next) => next !== undefined && onChange([...ids, next])}
      />
    </>
  );
}

export function AttributePick({ id, device, value, onChange }: PickProps & { device: string | undefined }) {
  const found = device === undefined ? undefined : devices.value.get(device)?.peek();
  if (!found) return <TypedInput id={id} value={value} onTaken={(typed) => onChange(typed || undefined)} />;
  const names = [...new Set([...Object.keys(found.attributes), ...(value === "" ? [] : [value])])];
  return (
    <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}>
      <option value="">{t("guide.pick")}</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {attributeWords(name)}
        </option>
      ))}
    </select>
  );
}

export function NamePick({ id, label, empty, kind, value, onChange }: PickProps & { kind: string }) {
  const names = namesOf(kind);
  if (kind === "channel")
    for (const fixed of ["log", "all"]) names.set(fixed, t(`do.channel_${fixed as "log" | "all"}`));
  if (value !== "" && !names.has(value)) names.set(value, value);
  return (
    <select
      id={id}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    >
      <option value="">{empty ?? t("guide.pick")}</option>
      {[...names].map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** Areas may also be named by plugins alone; tags and types are what devices have. */
function namesOf(kind: string): Map<string, string> {
  const all = deviceList.peek();
  const plain = (names: Iterable<string>): [string, string][] => [...new Set(names)].sort().map((one) => [one, one]);
  if (kind === "tag") return new Map(plain(all.flatMap(({ tags = [] }) => tags)));
  if (kind === "device_type")
    return new Map(plain(all.flatMap(({ device_type: type }) => type ?? [])).map(([type]) => [type, typeWords(type)]));
  const own = Object.hasOwn(known.value, kind) ? known.value[kind as Named] : [];
  return kind === "area" ? new Map([...plain(all.flatMap(({ area }) => area ?? [])), ...own]) : new Map(own);
}
