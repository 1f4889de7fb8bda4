// What a scene holds, device by device, beside what is now: so one sees what activating it would change.

import { useState } from "preact/hooks";
import { propertyOf } from "../../model/device/device.ts";
import type { Attributes, Json } from "../../model/device/json.ts";
import { DeviceChoice } from "../../parts/devices/device-choice.tsx";
import { attributeWords, deviceLink, deviceName, unitOf, valueWords } from "../../parts/devices/values.ts";
import { useAreas } from "../../state/house/areas.ts";
import { devices } from "../../state/house/devices.ts";
import { t, textFor } from "../../texts/index.ts";
import { changesOf, isOfScenes, type States, statesOf } from "./scenes.ts";
import { ValueField } from "./value-field.tsx";

interface SceneEditorProps {
  states: States;
  disabled: boolean;
  onChange: (states: States) => void;
}

export function SceneEditor({ states, disabled, onChange }: SceneEditorProps) {
  const ids = Object.keys(states);
  const changing = ids.filter((id) => changesOf(id, states[id] ?? {}).length > 0).length;
  const without = (id: string): States => Object.fromEntries(Object.entries(states).filter(([one]) => one !== id));
  return (
    <>
      <p>
        {t(changing === 0 ? "scene.preview_none" : "scene.preview", { changing: String(changing), all: ids.length })}
      </p>
      <ul class="things">
        {ids.map((id) => (
          <DeviceState
            key={id}
            id={id}
            wanted={states[id] ?? {}}
            disabled={disabled}
            onChange={(wanted) =>
              onChange(Object.keys(wanted).length === 0 ? without(id) : { ...states, [id]: wanted })
            }
            onRemove={ids.length > 1 ? () => onChange(without(id)) : undefined}
          />
        ))}
      </ul>
      {!disabled && <MoreDevices states={states} onChange={onChange} />}
    </>
  );
}

function nowInWords(id: string, name: string, now: Json): string {
  const known = typeof now === "boolean" ? textFor(`wanted.${name}.${now}`) : undefined;
  return known ?? valueWords(now, typeof now === "number" ? unitOf(id, name) : "");
}

interface DeviceStateProps {
  id: string;
  wanted: Attributes;
  disabled: boolean;
  onChange: (wanted: Attributes) => void;
  onRemove: (() => void) | undefined;
}

function DeviceState({ id, wanted, disabled, onChange, onRemove }: DeviceStateProps) {
  const device = devices.value.get(id)?.value;
  const link = deviceLink(id);
  const changing = changesOf(id, wanted);
  return (
    <li class="thing">
      <h2 class="about">
        {typeof link === "object" && (
          <a href={link.href}>
            <bdi>{link.text}</bdi>
          </a>
        )}
        {!device && <span class="hint act"> {t("scene.unknown_device")}</span>}
      </h2>
      {onRemove && !disabled && (
        <button type="button" aria-label={`${t("scene.take_out")}: ${deviceName(id)}`} onClick={onRemove}>
          {t("scene.take_out")}
        </button>
      )}
      {Object.entries(wanted).map(([name, value]) => {
        const property = device ? propertyOf(device, name) : {};
        const now = name === "command" ? undefined : device?.attributes[name];
        return (
          <div key={name} class="wide state-fields">
            <span class="name" dir="auto">
              {attributeWords(name)}
            </span>
            <ValueField
              label={`${deviceName(id)}: ${attributeWords(name)}`}
              value={value}
              property={property}
              disabled={disabled}
              onChange={(next: Json) => onChange({ ...wanted, [name]: next })}
            />
            <span class="now hint" dir="auto">
              {now !== undefined &&
                (changing.includes(name) ? t("scene.now", { value: nowInWords(id, name, now) }) : t("scene.same"))}
            </span>
            {!disabled && Object.keys(wanted).length > 1 && (
              <button
                type="button"
                class="bare"
                aria-label={`${t("scene.take_out")}: ${deviceName(id)}, ${attributeWords(name)}`}
                onClick={() => onChange(Object.fromEntries(Object.entries(wanted).filter(([one]) => one !== name)))}
              >
                ✕
              </button>
            )}
          </div>
        );
      })}
    </li>
  );
}

/** Devices come in as they are now. */
function MoreDevices({ states, onChange }: Pick<SceneEditorProps, "states" | "onChange">) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const { areaName } = useAreas();
  function add(): void {
    const added = [...chosen].flatMap((id): [string, Attributes][] => {
      const device = devices.peek().get(id)?.peek();
      return device ? [[id, statesOf(device)]] : [];
    });
    onChange({ ...states, ...Object.fromEntries(added) });
    setChosen(new Set());
  }
  return (
    <details>
      <summary>{t("scene.more_devices")}</summary>
      <DeviceChoice
        legend={t("scene.more_devices")}
        chosen={chosen}
        onChange={setChosen}
        fits={(device) => !Object.hasOwn(states, device.id) && isOfScenes(device)}
        areaName={areaName}
      />
      <p class="buttons">
        <button type="button" disabled={chosen.size === 0} onClick={add}>
          {t("scene.add_as_now")}
        </button>
      </p>
    </details>
  );
}
