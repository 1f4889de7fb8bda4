// A device as one sees it from across the room: what it is, how it is, and a touch switches it.
import type { Signal } from "@preact/signals";
import { command, pending, refused, shown } from "../state/command.ts";
import type { Device } from "../state/house.ts";
import { connection } from "../state/live.ts";
import { allows } from "../state/session.ts";
import { formatAge, t } from "../texts/index.ts";
import { Icon } from "./icon.tsx";
import { iconOf, isActive, stateInWords, toggleOf } from "./kinds.ts";
import { Problem } from "./problem.tsx";

export function Tile({ of }: { of: Signal<Device> }) {
  const device = of.value;
  const attributes = shown(device.id, device.attributes);
  const toggle = toggleOf(device);
  const locked = connection.value.state !== "live" || !allows("user");
  const state = device.available ? stateInWords(device, attributes) : offlineText(device);
  const look = [
    "tile",
    isActive(attributes) && device.available && "active",
    !device.available && "offline",
    pending.value.has(device.id) && "pending",
  ];
  return (
    <li class={look.filter(Boolean).join(" ")} style={colourOf(device)}>
      <a class="corner" href={`/devices/${encodeURIComponent(device.id)}`} aria-label={device.name}>
        <Icon name={iconOf(device)} />
      </a>
      <p class="name" dir="auto">
        {device.name}
      </p>
      <p class="state">{state}</p>
      {toggle && (
        <button
          type="button"
          role="switch"
          aria-checked={attributes[toggle] === true}
          aria-label={device.name}
          disabled={locked || !device.available}
          onClick={() => void command(device.id, { [toggle]: attributes[toggle] !== true })}
        />
      )}
      <Problem of={refused.value.get(device.id)} />
    </li>
  );
}

function offlineText({ last_seen }: Device): string {
  return last_seen === null ? t("device.offline") : t("device.offline_since", { time: formatAge(last_seen) });
}

/** A lamp's tile has the lamp's colour. */
function colourOf({ attributes: { on, color_rgb } }: Device): Record<string, string> | undefined {
  return on === true && typeof color_rgb === "string" && /^#[\da-f]{6}$/i.test(color_rgb)
    ? { "--lamp": color_rgb }
    : undefined;
}
