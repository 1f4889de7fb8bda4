// All that can be done with one device, and what it reports.

import type { Signal } from "@preact/signals";
import { here } from "../../../browser/start-address.ts";
import { valueInWords } from "../../../model/device/attribute-words.ts";
import { controlsOf, isShown } from "../../../model/device/controls.ts";
import { type Device, isGroup, propertyOf } from "../../../model/device/device.ts";
import { attributeName, measureInWords, stateInWords, wordFor } from "../../../model/device/kinds.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { MembersOf } from "../../../parts/devices/group-members.tsx";
import { Pictures } from "../../../parts/devices/pictures.tsx";
import { offlineText } from "../../../parts/devices/tile.tsx";
import { useCommand } from "../../../parts/devices/use-command.ts";
import { devices } from "../../../state/house/devices.ts";
import { allows } from "../../../state/hub/session.ts";
import { formatAge, t } from "../../../texts/index.ts";
import { Sheet } from "../../../ui/sheet.tsx";
import { DeviceControl } from "./device-control.tsx";

const MAX_READINGS = 30;

export function DeviceSheet({ id }: { id: string }) {
  const device = devices.value.get(id);
  return device ? <Opened of={device} /> : null;
}

function Opened({ of }: { of: Signal<Device> }) {
  const device = of.value;
  const commanding = useCommand(of);
  const { attributes, problem } = commanding;
  const controls = controlsOf(device, attributes);
  const set = new Set(controls.flatMap((one) => ("attribute" in one ? one.attribute : [])));
  // A timer's attributes are how it counts: the control says it better.
  const isTimer = controls[0]?.kind === "timer";
  const readings = Object.entries(isTimer ? {} : attributes)
    .filter(([name, value]) => isShown(device, name) && !set.has(name) && typeof value !== "object")
    .slice(0, MAX_READINGS);
  return (
    <Sheet title={device.name} closed={here({ device: undefined })}>
      {!isTimer && <p class="state">{device.available ? stateInWords(device, attributes) : offlineText(device)}</p>}
      <Problem of={problem} />
      {attributes.picture_at !== undefined && <Pictures device={device} />}
      {commanding.isLocked && device.available && !allows("user") && <p class="hint">{t("sheet.not_yours")}</p>}
      {controls.map((control) => (
        <DeviceControl
          key={"attribute" in control ? control.attribute : control.kind}
          {...{ device, control, commanding }}
        />
      ))}
      {isGroup(device) && <MembersOf group={device.id} />}
      {readings.length > 0 && (
        <dl class="readings values">
          {readings.map(([name, value]) => (
            <div key={name}>
              <dt>{attributeName(device, name)}</dt>
              <dd dir="auto">{readingText(device, name, value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {device.last_seen !== null && <p class="hint">{t("sheet.seen", { time: formatAge(device.last_seen) })}</p>}
      <a class="button" href={`/devices/${encodeURIComponent(device.id)}`}>
        {t("sheet.more")}
      </a>
    </Sheet>
  );
}

function readingText(device: Device, name: string, value: unknown): string {
  if (typeof value === "number") return measureInWords(device, name, value);
  if (typeof value === "boolean") return valueInWords(name, value, propertyOf(device, name));
  return wordFor(String(value));
}
