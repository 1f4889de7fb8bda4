// Which devices a part of a rule is about: one, several, those that area, tag and type find, or any.

import { useState } from "preact/hooks";
import type { Json } from "../../../model/device/json.ts";
import type { Part } from "../../../model/rules/rule.ts";
import { text } from "../../../model/rules/rule-text.ts";
import { deviceList } from "../../../state/house/devices.ts";
import { t } from "../../../texts/index.ts";
import { NameList } from "./rule-lists.tsx";
import { DeviceList, DevicePick } from "./rule-picks.tsx";

export const TARGET_FIELDS = ["device_id", "device_ids", "area", "tag", "device_type"] as const;
const FOUND_BY = ["device_type", "area", "tag"] as const;

type Way = "one" | "several" | "found" | "any";

interface TargetProps {
  part: Part;
  /** A trigger may be about any device. */
  mayBeAny: boolean;
  onChange: (part: Part) => void;
}

export function TargetPick({ part, mayBeAny, onChange }: TargetProps) {
  const given = wayOf(part);
  // What was picked, until something is chosen for it.
  const [wanted, setWanted] = useState<Way>();
  const way = wanted ?? given ?? (mayBeAny ? "any" : "one");
  const ways: Way[] = ["one", "several", "found", ...(mayBeAny ? (["any"] as const) : [])];

  function put(changes: Readonly<Record<string, Json | undefined>>): void {
    setWanted(way);
    onChange({ ...untargeted(part), ...changes } as Part);
  }
  const found = Object.fromEntries(
    FOUND_BY.flatMap((key) => (part[key] === undefined ? [] : [[key, part[key]]])),
  ) as Record<string, Json>;

  return (
    <fieldset class="field">
      <legend>{t("field.device_ids")}</legend>
      <select
        aria-label={t("guide.which")}
        value={way}
        onChange={({ currentTarget }) => {
          const next = currentTarget.value as Way;
          setWanted(next);
          if (next === "any" && given !== undefined) onChange(untargeted(part));
        }}
      >
        {ways.map((one) => (
          <option key={one} value={one}>
            {t(`guide.which_${one}`)}
          </option>
        ))}
      </select>
      {way === "one" && (
        <DevicePick
          label={t("field.device_id")}
          value={text(part.device_id)}
          fits={fittingFor(part.type)}
          onChange={(device_id) => put(device_id === undefined ? {} : { device_id })}
        />
      )}
      {way === "several" && (
        <DeviceList
          value={part.device_ids ?? (part.device_id === undefined ? undefined : [part.device_id])}
          onChange={(ids) => put(Array.isArray(ids) && ids.length === 0 ? {} : { device_ids: ids })}
        />
      )}
      {way === "found" &&
        FOUND_BY.map((key) => (
          <div class="field" key={key}>
            <span>{t(`guide.by_${key}`)}</span>
            <NameList
              kind={key}
              label={t(`guide.by_${key}`)}
              value={part[key]}
              isList={false}
              onChange={(value) => {
                const { [key]: _, ...others } = found;
                put(value === undefined ? others : { ...others, [key]: value });
              }}
            />
          </div>
        ))}
    </fieldset>
  );
}

function wayOf(part: Part): Way | undefined {
  if (part.device_id !== undefined) return "one";
  if (part.device_ids !== undefined) return "several";
  return FOUND_BY.some((key) => part[key] !== undefined) ? "found" : undefined;
}

function untargeted(part: Part): Part {
  const { device_id: _id, device_ids: _ids, area: _area, tag: _tag, device_type: _type, ...rest } = part;
  return rest as Part;
}

/** A device it is about, which says what values there are; of those it finds, the first. */
export function exampleDevice(part: Part): string | undefined {
  if (typeof part.device_id === "string") return part.device_id;
  if (Array.isArray(part.device_ids)) return text(part.device_ids[0]);
  if (wayOf(part) !== "found") return undefined;
  const fits = (wanted: Json | undefined, values: readonly (string | null)[]): boolean =>
    wanted === undefined || [wanted].flat().some((one) => values.includes(text(one)));
  return deviceList
    .peek()
    .find(
      ({ area, device_type: type, tags = [] }) =>
        fits(part.area, [area]) && fits(part.device_type, [type]) && fits(part.tag, tags),
    )?.id;
}

function fittingFor(type: string): string | undefined {
  return type === "timer_state_changed" ? "timer" : undefined;
}
