// What happened with a device lately, in sentences.

import { useState } from "preact/hooks";
import { labelOf, shortened, valueInWords } from "../../../model/device/attribute-words.ts";
import { type Device, propertyOf } from "../../../model/device/device.ts";
import type { Attributes } from "../../../model/device/json.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { ownValue } from "../../../state/house/history.ts";
import type { HubEvent } from "../../../state/hub/live.ts";
import { t, textFor } from "../../../texts/index.ts";
import { Age } from "../../../ui/moment.tsx";
import type { DeviceEvents } from "./use-events.ts";

const FEW = 8;
const MAX_CHANGES = 4;

export function EventList({ device, events, problem }: DeviceEvents & { device: Device }) {
  const [all, setAll] = useState(false);
  return (
    <section class="card" aria-labelledby="events">
      <h2 id="events">{t("device.events")}</h2>
      <Problem of={problem} />
      {events.length === 0 && problem === undefined && <p class="hint">{t("device.events_none")}</p>}
      <ol class="plain device-events">
        {events.slice(0, all ? undefined : FEW).map((event) => (
          <li key={event.seq}>
            <span dir="auto">{sentence(device, event)}</span>{" "}
            <span class="hint">
              <Age at={event.timestamp} atEnd />
            </span>
          </li>
        ))}
      </ol>
      {!all && events.length > FEW && (
        <button type="button" onClick={() => setAll(true)}>
          {t("device.events_more", { count: events.length - FEW })}
        </button>
      )}
    </section>
  );
}

function sentence(device: Device, event: HubEvent): string {
  switch (event.type) {
    case "device_state_changed":
      return changes(device, event);
    case "device_availability_changed":
      return t(event.available === true ? "device.event_back" : "device.event_gone");
    case "device_name_changed":
      return t("device.event_named", { name: String(event.name) });
    case "device_command_sent": {
      const wanted = values(device, tableIn(event.command));
      const who = typeof event.actor_name === "string" ? event.actor_name : String(event.source ?? "");
      return t("device.event_command", { who, wanted });
    }
    case "device_action":
      return t("device.event_action", { action: String(event.action) });
    case "device_command_failed":
      return t("device.event_failed", { reason: String(event.message ?? event.reason) });
    default:
      return textFor(`device.event_${event.type}`) ?? event.type.replace(/^custom_/, "").replaceAll("_", " ");
  }
}

function changes(device: Device, { previous, current, changed }: HubEvent): string {
  const [before, after] = [tableIn(previous), tableIn(current)];
  const names = Array.isArray(changed) ? changed.map(String) : [];
  const parts = names.slice(0, MAX_CHANGES).map((name) => {
    const property = propertyOf(device, name);
    const old = ownValue(before, name);
    const from = old === undefined ? "" : `${valueInWords(name, old, property)} → `;
    return shortened(`${labelOf(device, name)}: ${from}${valueInWords(name, ownValue(after, name), property)}`, 200);
  });
  return parts.join(", ") + (names.length > MAX_CHANGES ? ` +${names.length - MAX_CHANGES}` : "");
}

function values(device: Device, wanted: Attributes): string {
  return Object.entries(wanted)
    .slice(0, MAX_CHANGES)
    .map(([name, value]) => `${labelOf(device, name)}: ${valueInWords(name, value, propertyOf(device, name))}`)
    .join(", ");
}

function tableIn(value: unknown): Attributes {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Attributes) : {};
}
