// What a device can do and what it measures; settings and how it fares have places of their own.

import { useState } from "preact/hooks";
import { partsOf } from "../../../model/device/attribute-parts.ts";
import { labelOf, valueInWords } from "../../../model/device/attribute-words.ts";
import { type Device, propertyOf } from "../../../model/device/device.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { command, pending, refused, shown } from "../../../state/house/command.ts";
import { ownValue } from "../../../state/house/history.ts";
import { connection } from "../../../state/hub/live.ts";
import { allows } from "../../../state/hub/session.ts";
import { formatTime, t } from "../../../texts/index.ts";
import { Age } from "../../../ui/moment.tsx";
import { Control } from "./control.tsx";
import { TimerControls } from "./timer-controls.tsx";

export function Controls({ device }: { device: Device }) {
  const { controls, readings, settings, diagnostics } = partsOf(device);
  const isTimer = device.device_type === "timer" && device.plugin_id === "core";
  return (
    <div class="values">
      {isTimer && <TimerControls device={device} />}
      {controls.length > 0 && (
        <section class="card" aria-labelledby="controls">
          <h2 id="controls">{t("device.controls")}</h2>
          <Inputs device={device} names={controls} />
        </section>
      )}
      {readings.length > 0 && (
        <section class="card" aria-labelledby="readings">
          <h2 id="readings">{t("device.readings")}</h2>
          <Readings device={device} names={readings} />
        </section>
      )}
      {settings.length > 0 && (
        <details class="card" open={settings.length <= 4}>
          <summary>
            <h2>{t("device.settings")}</h2>
          </summary>
          <Mixed device={device} names={settings} />
        </details>
      )}
      {diagnostics.length > 0 && (
        <details class="card">
          <summary>
            <h2>{t("device.diagnostics")}</h2>
          </summary>
          <Mixed device={device} names={diagnostics} />
        </details>
      )}
    </div>
  );
}

interface NamesProps {
  device: Device;
  names: readonly string[];
}

/** Settings may be changed or only read. */
function Mixed({ device, names }: NamesProps) {
  const isRead = (name: string): boolean => propertyOf(device, name).readOnly === true;
  const readings = names.filter(isRead);
  const inputs = names.filter((name) => !isRead(name));
  return (
    <>
      {inputs.length > 0 && <Inputs device={device} names={inputs} />}
      {readings.length > 0 && <Readings device={device} names={readings} />}
    </>
  );
}

function Inputs({ device, names }: NamesProps) {
  const [asked, setAsked] = useState<string>();
  const { id, available, attributes } = device;
  const present = shown(id, attributes);
  const wanted = pending.value.get(id) ?? {};
  const why = refused.value.get(id);
  const isLocked = connection.value.state !== "live" || !available || !allows("user");
  return (
    <>
      {!allows("user") && <p class="hint">{t("device.only_look")}</p>}
      <div class="controls">
        {names.map((name) => (
          <Control
            key={name}
            {...{ device, name }}
            value={ownValue(present, name)}
            isPending={Object.hasOwn(wanted, name)}
            disabled={isLocked}
            problem={asked === name ? why : undefined}
            onChange={(value) => {
              setAsked(name);
              void command(id, Object.fromEntries([[name, value]]));
            }}
          />
        ))}
      </div>
      {asked === undefined && <Problem of={why} />}
    </>
  );
}

function Readings({ device, names }: NamesProps) {
  const { last_changed } = device;
  return (
    <dl class="readings">
      {names.map((name) => {
        const at = Object.hasOwn(last_changed, name) ? last_changed[name] : undefined;
        return (
          <div key={name}>
            <dt dir="auto">{labelOf(device, name)}</dt>
            <dd>
              <span class="value" dir="auto">
                {readingInWords(device, name)}
              </span>
              {at !== undefined && (
                <span class="hint">
                  <Age at={at} atEnd />
                </span>
              )}
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

function readingInWords(device: Device, name: string): string {
  const value = ownValue(device.attributes, name);
  const property = propertyOf(device, name);
  const isMoment = property.class === "timestamp" && typeof value === "string" && Date.parse(value);
  return isMoment ? formatTime(value) : valueInWords(name, value, property);
}
