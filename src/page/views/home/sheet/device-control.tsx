// One control of a device at its full size, with its name.

import type { ComponentChildren } from "preact";
import { type Control, commandFor, type Range, shareOf } from "../../../model/device/controls.ts";
import type { Device } from "../../../model/device/device.ts";
import { attributeName, wordFor } from "../../../model/device/kinds.ts";
import { CoverButtons, LockButton, OrderButtons } from "../../../parts/devices/buttons.tsx";
import type { Commanding } from "../../../parts/devices/use-command.ts";
import { formatNumber, t } from "../../../texts/index.ts";
import { Slider } from "../../../ui/slider.tsx";
import { Stepper } from "../../../ui/stepper.tsx";
import { ColourPicker } from "./colour.tsx";
import { TimerStarter } from "./timer-starter.tsx";

interface DeviceControlProps {
  device: Device;
  control: Control;
  commanding: Commanding;
}

export function DeviceControl({ device, control, commanding }: DeviceControlProps) {
  const { attributes, isLocked: disabled, send } = commanding;
  const { name } = device;
  switch (control.kind) {
    case "switch": {
      const label = attributeName(device, control.attribute);
      return (
        <Row label={label}>
          <button
            type="button"
            role="switch"
            aria-checked={control.on}
            aria-label={`${name}: ${label}`}
            disabled={disabled}
            onClick={() => send({ [control.attribute]: !control.on })}
          />
        </Row>
      );
    }
    case "range":
      return <RangeRow {...{ device, control, commanding }} />;
    case "colour":
      return (
        <ColourPicker
          value={control.value}
          disabled={disabled}
          onSet={(value) => send({ ...(attributes.on === false && { on: true }), [control.attribute]: value })}
        />
      );
    case "target":
      return (
        <Row label={attributeName(device, control.attribute)}>
          <Stepper
            {...control}
            label={attributeName(device, control.attribute)}
            disabled={disabled}
            onSet={(value) => send({ [control.attribute]: value })}
          />
        </Row>
      );
    case "choice":
      return (
        <Row label={attributeName(device, control.attribute)}>
          <select
            aria-label={attributeName(device, control.attribute)}
            disabled={disabled}
            value={control.value ?? ""}
            onChange={({ currentTarget }) => send({ [control.attribute]: currentTarget.value })}
          >
            {control.value === undefined && <option value="" />}
            {control.options.map((option) => (
              <option key={option} value={option}>
                {wordFor(option)}
              </option>
            ))}
          </select>
        </Row>
      );
    case "cover":
      return <CoverButtons {...{ control, name, disabled, send }} />;
    case "lock":
      return <LockButton {...{ control, name, disabled, send }} />;
    case "orders":
      return <OrderButtons {...{ control, name, disabled, send }} />;
    case "timer":
      return <TimerStarter {...{ attributes, name, disabled, send }} />;
  }
}

function RangeRow({ device, control, commanding }: Omit<DeviceControlProps, "control"> & { control: Range }) {
  const { attributes, isLocked, send } = commanding;
  const label = control.say === "other" ? attributeName(device, control.attribute) : t(`range.${control.say}`);
  const text = (value: number): string =>
    `${formatNumber(shareOf(control, value), 1)} ${control.unit ?? "%"}`.trimEnd();
  return (
    <Row label={label} value={control.value === undefined ? "" : text(control.value)}>
      <Slider
        {...control}
        label={`${device.name}: ${label}`}
        text={text}
        disabled={isLocked}
        look={control.say === "white" ? (control.unit === "K" ? "white" : "white mired") : "wide"}
        onSet={(value) => send(commandFor(control, value, attributes))}
      />
    </Row>
  );
}

function Row({ label, value, children }: { label: string; value?: string; children: ComponentChildren }) {
  return (
    <div class="control">
      <p>
        <span>{label}</span> {value !== undefined && <output>{value}</output>}
      </p>
      {children}
    </div>
  );
}
