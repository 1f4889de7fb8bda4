// One attribute that can be changed: its name, what the device reports, and the control its schema asks for.

import { useId, useState } from "preact/hooks";
import { kindIn } from "../../../model/device/attribute-parts.ts";
import { labelOf, valueInWords } from "../../../model/device/attribute-words.ts";
import { stepOf } from "../../../model/device/control-kind.ts";
import { type Device, propertyOf } from "../../../model/device/device.ts";
import type { Json } from "../../../model/device/json.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { t } from "../../../texts/index.ts";
import { ChoiceButtons, ColorInput, SendField, Slider, Switch, ValueSelect } from "./control-inputs.tsx";

export interface ControlProps {
  device: Device;
  name: string;
  /** What is, or was just asked for; undefined where nothing is known. */
  value: Json | undefined;
  isPending: boolean;
  disabled: boolean;
  problem: unknown;
  onChange: (value: Json) => void;
}

export function Control(props: ControlProps) {
  const { device, name, value, isPending, problem } = props;
  const property = propertyOf(device, name);
  const id = useId();
  const kind = kindIn(device, name);
  const words = property.writeOnly ? "" : valueInWords(name, value, property);
  return (
    <fieldset class={`control ${kind ?? ""}${isPending ? " pending" : ""}`} aria-labelledby={`${id}-name`}>
      <div class="head">
        <span class="name" id={`${id}-name`} dir="auto">
          {labelOf(device, name)}
        </span>
        {words !== "" && (
          <span class="value" dir="auto">
            {words}
          </span>
        )}
      </div>
      <Input {...props} labelId={`${id}-name`} />
      {property.description !== undefined && (
        <p class="hint" dir="auto">
          {property.description.slice(0, 300)}
        </p>
      )}
      <Problem of={problem} />
    </fieldset>
  );
}

function Input({ labelId, ...props }: ControlProps & { labelId: string }) {
  const { device, name, value, isPending, disabled, problem, onChange } = props;
  const property = propertyOf(device, name);
  const shared = { labelId, disabled, onChange };
  switch (kindIn(device, name)) {
    case "switch":
      return name === "locked" ? (
        <Confirmed isOn={value === true} {...shared} />
      ) : (
        <Switch isOn={value === true} {...shared} />
      );
    case "slider": {
      const { minimum = 0, maximum = 100, unit } = property;
      const range = { min: minimum, max: maximum, step: stepOf(property), unit };
      return <Slider value={typeof value === "number" ? value : undefined} {...range} {...shared} />;
    }
    case "select":
      return <ValueSelect value={value} options={property.enum ?? []} {...shared} />;
    case "color":
      return <ColorInput value={typeof value === "string" ? value : undefined} {...shared} />;
    case "buttons":
      return <ChoiceButtons options={property.enum ?? [true]} name={labelOf(device, name)} {...shared} />;
    case "number":
    case "text":
    case "send":
      return (
        <SendField
          value={property.writeOnly ? undefined : value}
          {...{ property, isPending }}
          isRefused={problem !== undefined}
          {...shared}
        />
      );
    default:
      return null;
  }
}

interface SwitchProps {
  isOn: boolean;
  labelId: string;
  disabled: boolean;
  onChange: (value: boolean) => void;
}

/** What lets people in asks once more. */
function Confirmed({ isOn, onChange, ...rest }: SwitchProps) {
  const [asks, setAsks] = useState(false);
  return (
    <div class="confirmed">
      <Switch
        isOn={isOn}
        {...rest}
        onChange={(next) => {
          if (next) onChange(true);
          else setAsks(true);
        }}
      />
      {asks && (
        <p class="row">
          {t("device.unlock_sure")}
          <button
            type="button"
            class="main"
            disabled={rest.disabled}
            onClick={() => {
              setAsks(false);
              onChange(false);
            }}
          >
            {t("device.unlock")}
          </button>
          <button type="button" onClick={() => setAsks(false)}>
            {t("device.cancel")}
          </button>
        </p>
      )}
    </div>
  );
}
