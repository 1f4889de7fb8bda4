// Modes of the house, and switches that stand for something: both are on or off.

import { secondsNow } from "../browser/now.ts";
import type { Device } from "../model/device/device.ts";
import { formatAge } from "../model/text/formats.ts";
import {
  commandOwn,
  createOwn,
  NameEditor,
  NewThing,
  ownDevices,
  removeOwn,
  renameOwn,
} from "../parts/acting/name-editor.tsx";
import { Problem } from "../parts/acting/problem.tsx";
import { AskFirst, mayAct, useAct } from "../parts/acting/use-act.tsx";
import { refused, shown } from "../state/house/command.ts";
import { devices } from "../state/house/devices.ts";
import { useHubData } from "../state/hub/watched.ts";
import { formatTime, t, textFor } from "../texts/index.ts";
import { Toggle } from "../ui/fields.tsx";

interface Mode {
  id: string;
  name: string;
  kind: "manual" | "solar";
  on: boolean;
  overridden: boolean;
  available: boolean;
  on_event: string | null;
  off_event: string | null;
  on_offset_minutes: number | null;
  off_offset_minutes: number | null;
  next_on: string | null;
  next_off: string | null;
}

const AFTER = ["mode_changed", "device_availability_changed", "system_started"] as const;

export function ModesView() {
  const { value: modes, problem } = useHubData<Mode[]>("/modes", { after: AFTER });
  const switches = ownDevices("switch");
  return (
    <>
      <h1>{t("modes.title")}</h1>
      <p class="hint">{t("modes.hint")}</p>
      <Problem of={problem} />
      {modes?.length === 0 && <p>{t("modes.empty")}</p>}
      <ul class="things">
        {modes?.map((mode) => (
          <ModeRow key={mode.id} mode={mode} />
        ))}
      </ul>
      <h2>{t("switches.title")}</h2>
      <p class="hint">{t("switches.hint")}</p>
      <ul class="things">
        {switches.map((device) => (
          <SwitchRow key={device.id} device={device} />
        ))}
      </ul>
      <NewThing label={t("switches.new")} disabled={!mayAct("user")} onCreate={(name) => createOwn("switches", name)} />
    </>
  );
}

function ModeRow({ mode }: { mode: Mode }) {
  const { id, name } = mode;
  const device = devices.value.get(id)?.value;
  const on = shown(id, device?.attributes ?? { on: mode.on }).on === true;
  return (
    <li class="thing">
      <div class="about">
        <p>
          <strong dir="auto">{name}</strong> · {t(on ? "mode.on" : "mode.off")}
        </p>
        <p class="hint">
          {follows(mode)}
          {mode.overridden && ` ${t("mode.overridden")}`}
        </p>
        {!mode.available && <p class="look">{t("mode.no_place")}</p>}
        <NextMoment at={on ? mode.next_off : mode.next_on} on={!on} />
      </div>
      <Toggle
        label={name}
        on={on}
        disabled={!mayAct("user") || !mode.available}
        onChange={(on) => commandOwn(id, { on })}
      />
      <Problem of={refused.value.get(id)} />
    </li>
  );
}

function follows({ kind, on_event: on, off_event: off, on_offset_minutes, off_offset_minutes }: Mode): string {
  if (kind === "manual" || on === null || off === null) return t("mode.manual");
  return t("mode.solar", { on: moment(on, on_offset_minutes), off: moment(off, off_offset_minutes) });
}

/** `15 min after sunset`. */
function moment(event: string, minutes: number | null): string {
  const name = textFor(`sun.${event}`) ?? event.replaceAll("_", " ");
  if (!minutes) return name;
  return t(minutes > 0 ? "mode.after" : "mode.before", { minutes: Math.abs(minutes), event: name });
}

function NextMoment({ at, on }: { at: string | null; on: boolean }) {
  const now = secondsNow.value;
  if (at === null) return null;
  return (
    <p class="hint">{t(on ? "mode.next_on" : "mode.next_off", { time: formatTime(at), age: formatAge(at, now) })}</p>
  );
}

function SwitchRow({ device }: { device: Device }) {
  const { id, name } = device;
  const act = useAct();
  const on = shown(id, device.attributes).on === true;
  return (
    <li class="thing">
      <div class="about">
        <NameEditor name={name} disabled={!mayAct("user")} onSave={(next) => renameOwn("switches", id, next)} />
        <p class="hint">{t(on ? "state.on" : "state.off")}</p>
      </div>
      <AskFirst
        label={t("house.remove")}
        of={name}
        question={t("house.remove_of", { name })}
        disabled={!mayAct("user")}
        onYes={() => void act.run(() => removeOwn("switches", device))}
      />
      <Toggle label={name} on={on} disabled={!mayAct("user")} onChange={(on) => commandOwn(id, { on })} />
      <Problem of={act.problem ?? refused.value.get(id)} />
    </li>
  );
}
