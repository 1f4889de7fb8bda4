// Picking a device, one of its attributes, or something else of the house that has a name.
import { deviceList, devices, type Json } from "../state/house.ts";
import { t } from "../texts/index.ts";
import { known, type Named } from "./rule-names.ts";
import { attributeWords, text } from "./rule-words.ts";

interface PickProps {
  id?: string;
  label?: string;
  value: string;
  onChange: (value: string | undefined) => void;
}

/** By area. What is not there any more stays as it is. */
export function DevicePick({ id, label, value, onChange }: PickProps) {
  const areas = new Map<string, { id: string; name: string }[]>();
  for (const { area, id: device, name } of deviceList.peek())
    areas.set(area ?? "", [...(areas.get(area ?? "") ?? []), { id: device, name }]);
  const isKnown = value === "" || devices.value.has(value);
  return (
    <select
      id={id}
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    >
      <option value="">{t("guide.pick_device")}</option>
      {!isKnown && <option value={value}>{t("guide.unknown", { id: value })}</option>}
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
  if (!found)
    return <input id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)} />;
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

export function NamePick({ id, kind, value, onChange }: PickProps & { kind: string }) {
  const names = new Map(Object.hasOwn(known.value, kind) ? known.value[kind as Named] : []);
  if (kind === "channel")
    for (const fixed of ["log", "all"]) names.set(fixed, t(`do.channel_${fixed as "log" | "all"}`));
  if (value !== "" && !names.has(value)) names.set(value, value);
  return (
    <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}>
      <option value="">{t("guide.pick")}</option>
      {[...names].map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  );
}
