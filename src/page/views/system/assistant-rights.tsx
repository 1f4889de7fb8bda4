// What an assistant's key may see and do: areas, devices that are named, and whether it commands.

import { DeviceChoice } from "../../parts/devices/device-choice.tsx";
import { areaName, areas } from "../../state/house/areas.ts";
import { t } from "../../texts/index.ts";

export interface AssistantRights {
  wholeHouse: boolean;
  areas: ReadonlySet<string>;
  devices: ReadonlySet<string>;
  /** Whether it may command. */
  acts: boolean;
}

export const NO_RIGHTS: AssistantRights = { wholeHouse: false, areas: new Set(), devices: new Set(), acts: false };

interface Props {
  value: AssistantRights;
  onChange: (value: AssistantRights) => void;
}

export function AssistantRightsFields({ value, onChange }: Props) {
  const change = (part: Partial<AssistantRights>): void => onChange({ ...value, ...part });
  return (
    <>
      <p class="hint">{t("keys.mcp_about")}</p>
      <fieldset class="picks">
        <legend>{t("keys.mcp_areas")}</legend>
        <Check checked={value.wholeHouse} onTurn={(wholeHouse) => change({ wholeHouse })}>
          {t("keys.mcp_whole_house")}
        </Check>
        {!value.wholeHouse &&
          areas.value.map(({ id, name }) => (
            <Check
              key={id}
              checked={value.areas.has(id)}
              onTurn={(on) => change({ areas: new Set(on ? [...value.areas, id] : without(value.areas, id)) })}
            >
              <span dir="auto">{name}</span>
            </Check>
          ))}
      </fieldset>
      <DeviceChoice
        legend={t("keys.mcp_devices")}
        chosen={value.devices}
        onChange={(devices) => change({ devices })}
        areaName={areaName}
      />
      <p class="hint">{t("keys.mcp_named")}</p>
      <Check checked={value.acts} onTurn={(acts) => change({ acts })}>
        {t("keys.mcp_acts")}
      </Check>
    </>
  );
}

interface CheckProps {
  checked: boolean;
  onTurn: (on: boolean) => void;
  children: preact.ComponentChildren;
}

function Check({ checked, onTurn, children }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={({ currentTarget }) => onTurn(currentTarget.checked)} />
      <span>{children}</span>
    </label>
  );
}

function without(names: ReadonlySet<string>, name: string): string[] {
  return [...names].filter((one) => one !== name);
}
