// What a person may change about a device: its name, its area, whether it is recorded; and what it says of itself.

import { useState } from "preact/hooks";
import type { Device } from "../../../model/device/device.ts";
import { Problem } from "../../../parts/acting/problem.tsx";
import { areaCalled, areaName, areas } from "../../../state/house/areas.ts";
import { putDevice } from "../../../state/house/devices.ts";
import { patch } from "../../../state/hub/api.ts";
import { connection } from "../../../state/hub/live.ts";
import { allows } from "../../../state/hub/session.ts";
import { t } from "../../../texts/index.ts";
import { Age } from "../../../ui/moment.tsx";
import { toast } from "../../../ui/toast.ts";
import { typeInWords } from "../device-filter.ts";
import { RemoveDevice } from "./remove-device.tsx";
import { RenameAttribute } from "./rename-attribute.tsx";

type Edit = Partial<Pick<Device, "name" | "area" | "history">>;

/** Throws ApiError. */
async function edit({ id }: Device, change: Edit): Promise<void> {
  putDevice(await patch<Device>(`/devices/${encodeURIComponent(id)}`, change));
}

function editWithUndo(device: Device, change: Edit, done: string): Promise<void> {
  const before: Edit = { name: device.name, area: device.area, history: device.history };
  const back = Object.fromEntries(Object.keys(change).map((key) => [key, before[key as keyof Edit]])) as Edit;
  return edit(device, change).then(() => toast(done, () => void edit(device, back).catch(() => {})));
}

export function About({ device }: { device: Device }) {
  const { id, plugin_id, manufacturer, model, sw_version, device_type, last_seen } = device;
  const { hw_version = null, serial_number = null, configuration_url: page } = device;
  const facts: [string, string | null][] = [
    [t("device.manufacturer"), manufacturer],
    [t("device.model"), model],
    [t("device.version"), sw_version],
    [t("device.hardware"), hw_version],
    [t("device.serial"), serial_number],
    [t("device.type"), device_type && typeInWords(device_type)],
    [t("device.source"), plugin_id],
    [t("device.id"), id],
  ];
  const isLocked = connection.value.state !== "live";
  return (
    <section class="card" aria-labelledby="about">
      <h2 id="about">{t("device.about")}</h2>
      {allows("user") && (
        <div class="about-forms">
          <NameForm device={device} isLocked={isLocked} />
          <AreaForm device={device} isLocked={isLocked} />
          <HistoryForm device={device} isLocked={isLocked} />
        </div>
      )}
      <dl class="facts">
        {facts.map(([label, value]) =>
          value === null ? null : (
            <div key={label}>
              <dt>{label}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ),
        )}
        {page && /^https?:/.test(page) && (
          <div>
            <dt>{t("device.own_page")}</dt>
            <dd>
              <a href={page} target="_blank" rel="noreferrer">
                {page}
              </a>
            </dd>
          </div>
        )}
        {last_seen !== null && (
          <div>
            <dt>{t("device.last_heard")}</dt>
            <dd>
              <Age at={last_seen} />
            </dd>
          </div>
        )}
      </dl>
      {allows("admin") && (
        <>
          <RenameAttribute device={device} />
          <RemoveDevice device={device} isLocked={isLocked} />
        </>
      )}
    </section>
  );
}

interface FormProps {
  device: Device;
  isLocked: boolean;
}

function NameForm({ device, isLocked }: FormProps) {
  const [draft, setDraft] = useState<string>();
  const [problem, setProblem] = useState<unknown>();
  const name = draft ?? device.name;

  async function save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    try {
      await editWithUndo(device, { name: name.trim() }, t("device.renamed"));
      setDraft(undefined);
      setProblem(undefined);
    } catch (error) {
      setProblem(error);
    }
  }

  return (
    <form onSubmit={(event) => void save(event)}>
      <label>
        {t("device.name")}
        <input value={name} required dir="auto" onInput={({ currentTarget }) => setDraft(currentTarget.value)} />
      </label>
      <button
        type="submit"
        disabled={isLocked || draft === undefined || name.trim() === "" || name.trim() === device.name}
      >
        {t("device.save")}
      </button>
      <Problem of={problem} />
    </form>
  );
}

const NEW = "\u0000new";
const NONE = "\u0000none";

function AreaForm({ device, isLocked }: FormProps) {
  const [isNew, setNew] = useState(false);
  const [draft, setDraft] = useState("");
  const [problem, setProblem] = useState<unknown>();
  const isUnknown = device.area !== null && !areas.value.some(({ id }) => id === device.area);

  async function move(where: () => Promise<string | null>): Promise<void> {
    try {
      const area = await where();
      const done = area === null ? t("device.in_no_area") : t("device.moved", { area: areaName(area) });
      await editWithUndo(device, { area }, done);
      setNew(false);
      setDraft("");
      setProblem(undefined);
    } catch (error) {
      setProblem(error);
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void move(async () => (await areaCalled(draft.trim())).id);
      }}
    >
      <label>
        {t("device.area")}
        <select
          value={isNew ? NEW : (device.area ?? NONE)}
          disabled={isLocked}
          onChange={({ currentTarget: { value } }) => {
            setNew(value === NEW);
            if (value !== NEW) void move(async () => (value === NONE ? null : value));
          }}
        >
          <option value={NONE}>{t("device.no_area")}</option>
          {isUnknown && <option value={device.area ?? ""}>{device.area}</option>}
          {areas.value.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          <option value={NEW}>{t("device.new_area")}</option>
        </select>
      </label>
      {isNew && (
        <>
          <label>
            {t("device.new_area_name")}
            <input value={draft} required dir="auto" onInput={({ currentTarget }) => setDraft(currentTarget.value)} />
          </label>
          <button type="submit" disabled={isLocked || draft.trim() === ""}>
            {t("device.save")}
          </button>
        </>
      )}
      <Problem of={problem} />
    </form>
  );
}

function HistoryForm({ device, isLocked }: FormProps) {
  const [problem, setProblem] = useState<unknown>();
  const { history } = device;
  return (
    <form onSubmit={(event) => event.preventDefault()}>
      <label class="check">
        <input
          type="checkbox"
          checked={history}
          disabled={isLocked}
          onChange={({ currentTarget }) => {
            const wanted = currentTarget.checked;
            const done = t(wanted ? "device.recorded_on" : "device.recorded_off");
            editWithUndo(device, { history: wanted }, done).then(() => setProblem(undefined), setProblem);
          }}
        />
        {t("device.recorded")}
      </label>
      <p class="hint">{t("device.recorded_hint")}</p>
      <Problem of={problem} />
    </form>
  );
}
