// Fills in a rule to start with, and says in a sentence what it will do.

import { useEffect, useState } from "preact/hooks";
import {
  type Filled,
  lampsOf,
  motionSensorsOf,
  openingsOf,
  rulesOf,
  type Starter,
} from "../../model/rules/rule-starters.ts";
import { Problem } from "../../parts/acting/problem.tsx";
import { useAct } from "../../parts/acting/use-act.tsx";
import { PickDevices } from "../../parts/devices/device-choice.tsx";
import { deviceList } from "../../state/house/devices.ts";
import { setup } from "../../state/house/setup.ts";
import { get, post } from "../../state/hub/api.ts";
import { language, t } from "../../texts/index.ts";

const LOG = "log";
const MINUTES = { motion: 5, door: 10, sunset: 0, battery: 0 } as const satisfies Record<Starter, number>;

interface Props {
  starter: Starter;
  onMade: (name: string) => void;
}

export function StarterForm({ starter, onMade }: Props) {
  const { locked, problem, run } = useAct();
  const sensors =
    starter === "motion" ? motionSensorsOf(deviceList.value) : starter === "door" ? openingsOf(deviceList.value) : [];
  const all = lampsOf(deviceList.value);
  const hasPlace = setup.value?.location.latitude !== null;
  const [filled, setFilled] = useState<Filled>({
    ...{ sensor: sensors[0], lamps: all.slice(0, 1).map(({ id }) => id), minutes: MINUTES[starter] },
    ...{ isDarkOnly: hasPlace, offAt: "23:00", channel: LOG },
  });
  const set = (changes: Partial<Filled>): void => setFilled((before) => ({ ...before, ...changes }));
  const needsLamps = starter === "motion" || starter === "sunset";
  const needsSensor = starter === "motion" || starter === "door";
  const rules = rulesOf(starter, filled);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const isMade = await run(async () => {
      for (const rule of rules ?? []) await post("/rules", rule);
    });
    if (isMade) onMade((rules ?? []).map(({ name }) => String(name)).join(", "));
  }

  if (needsSensor && sensors.length === 0) return <Missing text={t("starter.no_sensor")} to="/connect" />;
  if (needsLamps && all.length === 0) return <Missing text={t("starter.no_lamps")} to="/connect" />;
  if (starter === "sunset" && !hasPlace) return <Missing text={t("starter.needs_place")} to="/welcome?step=place" />;
  return (
    <form class="setup-form" onSubmit={submit}>
      {needsSensor && (
        <label>
          {t(starter === "door" ? "starter.contact" : "starter.sensor")}
          <select
            value={filled.sensor?.device.id}
            onChange={({ currentTarget: { value } }) =>
              set({ sensor: sensors.find(({ device }) => device.id === value) })
            }
          >
            {sensors.map(({ device }) => (
              <option key={device.id} value={device.id}>
                {device.name}
              </option>
            ))}
          </select>
        </label>
      )}
      {needsLamps && (
        <PickDevices
          legend={t("starter.lamps")}
          devices={all}
          picked={new Set(filled.lamps)}
          onChange={(picked) => set({ lamps: [...picked] })}
        />
      )}
      {needsSensor && (
        <label>
          {t("starter.minutes")}
          <input
            {...{ type: "number", min: 1, max: 720, required: true, value: filled.minutes }}
            onInput={(event) => set({ minutes: event.currentTarget.valueAsNumber })}
          />
        </label>
      )}
      {starter === "motion" &&
        (hasPlace ? (
          <label class="check">
            <input
              type="checkbox"
              checked={filled.isDarkOnly}
              onChange={(event) => set({ isDarkOnly: event.currentTarget.checked })}
            />
            {t("starter.dark")}
          </label>
        ) : (
          <p class="hint">{t("starter.needs_place")}</p>
        ))}
      {starter === "sunset" && (
        <label>
          {t("starter.off_at")}
          <input
            type="time"
            required
            value={filled.offAt}
            onInput={(event) => set({ offAt: event.currentTarget.value })}
          />
        </label>
      )}
      {!needsLamps && <Channel value={filled.channel} onChange={(channel) => set({ channel })} />}
      <p class="sentence">{sentence(starter, filled)}</p>
      <Problem of={problem} />
      <p class="buttons">
        <button type="submit" class="main" disabled={locked || !rules}>
          {t("starter.make")}
        </button>
      </p>
    </form>
  );
}

function Missing({ text, to }: { text: string; to: string }) {
  return (
    <p>
      {text} <a href={to}>{t(to === "/connect" ? "connect.to" : "welcome.place")}</a>
    </p>
  );
}

function Channel({ value, onChange }: { value: string; onChange: (channel: string) => void }) {
  const [names, setNames] = useState<readonly string[]>([LOG]);
  useEffect(() => {
    get<{ name: string; enabled: boolean }[]>("/notify/channels").then(
      (channels) => setNames([...new Set([LOG, ...channels.filter(({ enabled }) => enabled).map(({ name }) => name)])]),
      () => {},
    );
  }, []);
  return (
    <>
      <label>
        {t("starter.channel")}
        <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {names.map((name) => (
            <option key={name} value={name}>
              {channelName(name)}
            </option>
          ))}
        </select>
      </label>
      {names.length === 1 && <p class="hint">{t("starter.log_only")}</p>}
    </>
  );
}

function channelName(name: string): string {
  return name === LOG ? t("starter.log") : name;
}

function sentence(starter: Starter, { sensor, lamps: ids, minutes, isDarkOnly, offAt, channel }: Filled): string {
  const names = lampsOf(deviceList.value)
    .filter(({ id }) => ids.includes(id))
    .map(({ name }) => name);
  const values = {
    ...{ sensor: sensor?.device.name ?? "…", minutes: Number.isFinite(minutes) ? minutes : "…", time: offAt },
    channel: channelName(channel),
    lamps: names.length === 0 ? "…" : new Intl.ListFormat(language.value).format(names),
  };
  return t(starter === "motion" && isDarkOnly ? "starter.say_motion_dark" : `starter.say_${starter}`, values);
}
