// States of devices that somebody makes up to try a rule out: first those that it asks for, then any other.

import { useState } from "preact/hooks";
import type { Attributes, Json } from "../../../model/device/json.ts";
import type { Part, WholeRule } from "../../../model/rules/rule.ts";
import { attributeWords, devicesOf, text } from "../../../model/rules/rule-text.ts";
import { deviceList, devices } from "../../../state/house/devices.ts";
import { t } from "../../../texts/index.ts";
import { Icon } from "../../../ui/icon.tsx";
import { ValueInput } from "../guide/rule-value.tsx";
import { deviceName } from "../words/rule-names.ts";

/** Attributes by device. */
export type Assumed = Readonly<Record<string, Attributes>>;

interface RuleAssumeProps {
  rule: WholeRule;
  value: Assumed;
  onChange: (value: Assumed) => void;
}

export function RuleAssume({ rule, value, onChange }: RuleAssumeProps) {
  const [more, setMore] = useState<string>();
  const rows = Object.entries(value).flatMap(([device, attributes]) =>
    Object.entries(attributes).map(([attribute, held]) => ({ device, attribute, held })),
  );

  function set(device: string, attribute: string, next: Json | undefined): void {
    const { [attribute]: _, ...others } = value[device] ?? {};
    const made = next === undefined ? others : { ...others, [attribute]: next };
    const { [device]: __, ...rest } = value;
    onChange(Object.keys(made).length === 0 ? rest : { ...rest, [device]: made });
  }
  /** It begins with what is now. */
  function add(device: string, attribute: string): void {
    set(device, attribute, devices.value.get(device)?.peek().attributes[attribute] ?? true);
    setMore(undefined);
  }

  const asked = askedFor(rule).filter(({ device, attribute }) => value[device]?.[attribute] === undefined);
  return (
    <fieldset>
      <legend>{t("try.devices")}</legend>
      <p class="hint">{t("try.device_hint")}</p>
      {rows.map(({ device, attribute, held }) => {
        const name = t("try.value", { name: attributeWords(attribute), device: deviceName(device) });
        return (
          <div key={`${device} ${attribute}`} class="state-row">
            <span dir="auto">{name}</span>
            <ValueInput
              label={name}
              about={{ device, attribute }}
              value={held}
              onChange={(next) => set(device, attribute, next ?? null)}
            />
            <button
              type="button"
              class="bare"
              aria-label={`${t("try.remove")}: ${name}`}
              onClick={() => set(device, attribute, undefined)}
            >
              <Icon name="cross" size={16} />
            </button>
          </div>
        );
      })}
      <select
        aria-label={t("try.add_device")}
        value=""
        onChange={({ currentTarget: { value: chosen } }) => {
          const one = asked[Number(chosen)];
          if (chosen.startsWith("=")) setMore(chosen.slice(1));
          else if (one) add(one.device, one.attribute);
        }}
      >
        <option value="">{t("try.add_device")}</option>
        {asked.map(({ device, attribute }, index) => (
          <option key={`${device} ${attribute}`} value={String(index)}>
            {t("try.value", { name: attributeWords(attribute), device: deviceName(device) })}
          </option>
        ))}
        {deviceList.peek().map(({ id, name }) => (
          <option key={id} value={`=${id}`}>
            {name} …
          </option>
        ))}
      </select>
      {more !== undefined && <AttributeChoice device={more} onChosen={(attribute) => add(more, attribute)} />}
    </fieldset>
  );
}

function AttributeChoice({ device, onChosen }: { device: string; onChosen: (attribute: string) => void }) {
  const names = Object.keys(devices.value.get(device)?.peek().attributes ?? {}).sort();
  const label = t("try.devices");
  return (
    <select
      aria-label={`${label}: ${deviceName(device)}`}
      value=""
      onChange={({ currentTarget }) => onChosen(currentTarget.value)}
    >
      <option value="">{deviceName(device)} …</option>
      {names.map((name) => (
        <option key={name} value={name}>
          {attributeWords(name)}
        </option>
      ))}
    </select>
  );
}

/** Which values the rule's conditions look at, those inside others included. */
function askedFor(rule: WholeRule): { device: string; attribute: string }[] {
  const found = new Map<string, { device: string; attribute: string }>();
  const look = (part: Part): void => {
    const attribute = text(part.attribute);
    for (const device of attribute === "" ? [] : (devicesOf(part) ?? []))
      found.set(`${device} ${attribute}`, { device, attribute });
    for (const inner of [part.conditions, part.condition, part.actions, part.then_actions, part.else_actions])
      for (const one of [inner].flat()) if (typeof one === "object" && one !== null) look(one as unknown as Part);
  };
  for (const part of [...rule.conditions, ...rule.actions]) look(part);
  return [...found.values()];
}
