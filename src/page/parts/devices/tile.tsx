// A device as one sees it from across the room: what it is, how it is, and its main control.

import { type ReadonlySignal, type Signal, useSignal } from "@preact/signals";
import { sheetAddress } from "../../browser/start-address.ts";
import { controlsOf, type Range } from "../../model/device/controls.ts";
import type { Device } from "../../model/device/device.ts";
import type { Attributes } from "../../model/device/json.ts";
import { capitalized, iconOf, isActive, isCamera, plottedOf, stateInWords } from "../../model/device/kinds.ts";
import { alarmsOf, isLow } from "../../model/device/sensor-words.ts";
import { formatTime, t } from "../../texts/index.ts";
import { Icon } from "../../ui/icon.tsx";
import { later, laterWithTexts } from "../acting/later.tsx";
import { Problem } from "../acting/problem.tsx";
import { drawnOver, TileControls } from "./tile-controls.tsx";
import { TimerState } from "./timer.tsx";
import { useCommand } from "./use-command.ts";

const Sparkline = later(() => import("./sparkline.tsx").then(({ Sparkline }) => Sparkline));

const TilePicture = laterWithTexts(() => import("./pictures.tsx").then(({ loadTilePicture }) => loadTilePicture()));

interface TileProps {
  of: Signal<Device>;
  /** False while it is far from being seen; then it only takes its place. */
  isAwake?: ReadonlySignal<boolean>;
  /** Where its corner leads: to its sheet on the start, when absent. */
  href?: string;
}

export function Tile({ isAwake, ...shown }: TileProps) {
  return isAwake?.value === false ? <SleepingTile of={shown.of} /> : <AwakeTile {...shown} />;
}

function SleepingTile({ of }: { of: Signal<Device> }) {
  return (
    <li class={isCamera(of.value) ? "tile camera" : "tile"}>
      <span class="corner" />
      <p class="name" dir="auto">
        {of.value.name}
      </p>
    </li>
  );
}

function AwakeTile({ of, href }: Omit<TileProps, "isAwake">) {
  const device = of.value;
  const commanding = useCommand(of);
  const { attributes, isPending, problem } = commanding;
  const controls = controlsOf(device, attributes);
  const range = drawnOver(controls);
  const dragged = useSignal<number | undefined>(undefined);
  const shown =
    dragged.value !== undefined && range ? { ...attributes, on: true, [range.attribute]: dragged.value } : attributes;
  const active = isActive(shown) && device.available;
  const isAlarm = alarmsOf(device, attributes).some(({ severity }) => severity === "act");
  const isShowing = isCamera(device);
  const look = [
    "tile",
    isShowing && "camera",
    active && "active",
    isAlarm && "alarm",
    !device.available && "offline",
    isPending && "pending",
  ];
  const address = href ?? sheetAddress(device.id);
  const state = stateText(device, shown);
  const plotted = device.available ? plottedOf(device) : undefined;
  return (
    <li class={look.filter(Boolean).join(" ")} style={styleOf(shown, active ? range : undefined, dragged.value)}>
      <a class="corner" href={address} aria-label={t("tile.details", { name: device.name })}>
        <Icon name={iconOf(device)} />
      </a>
      {isLow(device) && <LowBattery />}
      <p class="name" dir="auto">
        {device.name}
      </p>
      {isShowing ? (
        <TilePicture of={device} href={address}>
          {state}
        </TilePicture>
      ) : (
        <p class="state">{state}</p>
      )}
      <TileControls device={device} controls={controls} commanding={commanding} dragged={dragged} />
      {plotted !== undefined && controls.length === 0 && <Sparkline id={device.id} attribute={plotted} />}
      <Problem of={problem} />
    </li>
  );
}

function LowBattery() {
  const words = capitalized(t("kind.battery_low.true"));
  return (
    <span class="low-battery" role="img" aria-label={words} title={words}>
      <Icon name="battery_low" />
    </span>
  );
}

function stateText(device: Device, attributes: Attributes) {
  if (!device.available) return offlineText(device);
  return device.device_type === "timer" && typeof attributes.state === "string" ? (
    <TimerState attributes={attributes} />
  ) : (
    stateInWords(device, attributes)
  );
}

export function offlineText({ last_seen }: Device): string {
  return last_seen === null ? t("device.offline") : t("device.offline_since", { time: formatTime(last_seen) });
}

/** A lamp's tile has the lamp's colour, as far up as the lamp is bright. */
function styleOf(
  { on, color_rgb: colour }: Attributes,
  range: Range | undefined,
  dragged: number | undefined,
): Record<string, string> {
  const style: Record<string, string> = {};
  if (on === true && typeof colour === "string" && /^#[\da-f]{6}$/i.test(colour)) style["--lamp"] = colour;
  const level = dragged ?? range?.value;
  if (range && level !== undefined) {
    style["--level"] = `${Math.round(((level - range.min) / (range.max - range.min)) * 100)}%`;
  }
  return style;
}
