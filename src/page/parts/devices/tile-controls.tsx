// The controls that have a place on a tile. A touch toggles, a drag dims; what takes more is in the sheet.

import type { Signal } from "@preact/signals";
import { type Control, commandFor, type Range, shareOf } from "../../model/device/controls.ts";
import type { Device } from "../../model/device/device.ts";
import { attributeName } from "../../model/device/kinds.ts";
import { formatNumber, t } from "../../texts/index.ts";
import { Slider } from "../../ui/slider.tsx";
import { Stepper } from "../../ui/stepper.tsx";
import { CoverButtons, LockButton, OrderButtons } from "./buttons.tsx";
import { TimerButtons } from "./timer.tsx";
import type { Commanding } from "./use-command.ts";
import { useDimming } from "./use-dimming.ts";

const MAX_SWITCHES = 3;
const MAX_ORDERS = 3;
const DRAWN_OVER = ["brightness", "speed", "volume"];

interface TileControlsProps {
  device: Device;
  controls: readonly Control[];
  commanding: Commanding;
  /** The level under the finger. */
  dragged: Signal<number | undefined>;
}

/** The level that a drag over the tile sets. */
export function drawnOver(controls: readonly Control[]): Range | undefined {
  return controls.find((one): one is Range => one.kind === "range" && DRAWN_OVER.includes(one.say));
}

export function TileControls({ device, controls, commanding, dragged }: TileControlsProps) {
  const { attributes, isLocked: disabled, send } = commanding;
  const { name } = device;
  const [first] = controls;
  switch (first?.kind) {
    case "timer":
      return <TimerButtons {...{ attributes, name, disabled, send }} />;
    case "lock":
      return <LockButton control={first} {...{ name, disabled, send }} />;
    case "cover":
      return <CoverButtons control={first} {...{ name, disabled, send }} />;
    case "orders":
      return <OrderButtons control={first} most={MAX_ORDERS} {...{ name, disabled, send }} />;
    case "target":
      return (
        <Stepper
          {...first}
          label={`${name}: ${attributeName(device, first.attribute)}`}
          disabled={disabled}
          onSet={(value) => send({ [first.attribute]: value })}
        />
      );
  }
  // Whether a schedule is on is up to the clock: what people switch is whether it follows its times, and not by touching the tile.
  const isSchedule = device.device_type === "schedule";
  const switches = controls
    .filter((one) => one.kind === "switch")
    .filter(({ attribute }) => (isSchedule ? attribute === "enabled" : /^on(_|$)/.test(attribute)));
  const [only] = switches;
  const level = drawnOver(controls);
  if (switches.length > 1 || (isSchedule && only)) {
    return (
      <div class="gangs">
        {switches.slice(0, MAX_SWITCHES).map(({ attribute, on }) => (
          <button
            key={attribute}
            type="button"
            role="switch"
            aria-checked={on}
            aria-label={`${name}: ${attributeName(device, attribute)}`}
            disabled={disabled}
            onClick={() => send({ [attribute]: !on })}
          />
        ))}
      </div>
    );
  }
  return (
    <>
      {only && <WholeTileSwitch {...{ device, control: only, level, commanding, dragged }} />}
      {level && (
        <Slider
          {...level}
          label={t(`level.${level.say}`, { name })}
          text={(value) => `${formatNumber(shareOf(level, value), 0)} %`}
          disabled={disabled}
          onMove={(value) => {
            dragged.value = value;
          }}
          onSet={(value) => send(commandFor(level, value, attributes))}
        />
      )}
    </>
  );
}

interface WholeTileSwitchProps extends Omit<TileControlsProps, "controls"> {
  control: Extract<Control, { kind: "switch" }>;
  level: Range | undefined;
}

/** Its hit area is the tile. */
function WholeTileSwitch({ device, control, level, commanding, dragged }: WholeTileSwitchProps) {
  const { attributes, isLocked, send } = commanding;
  const dimming = useDimming({
    level,
    isOn: control.on,
    dragged,
    onSet: (value) => level && send(commandFor(level, value, attributes)),
  });
  return (
    <button
      type="button"
      role="switch"
      class="whole"
      aria-checked={control.on}
      aria-label={device.name}
      disabled={isLocked}
      {...dimming.handlers}
      onClick={(event) => {
        if (!dimming.wasDrag(event)) send({ [control.attribute]: !control.on });
      }}
    />
  );
}
