// What the activity view lists: kinds of events and a device, as the stream itself filters. What is filtered stands there loudly.

import { useState } from "preact/hooks";
import { deviceName } from "../../parts/devices/values.ts";
import { devices } from "../../state/house/devices.ts";
import { t } from "../../texts/index.ts";
import { EVENT_TYPES, typeWords } from "./event-words.ts";
import type { FeedFilter } from "./feed.ts";

interface FeedFilterProps {
  filter: FeedFilter;
  onChange: (filter: FeedFilter) => void;
}

export function FilterFields({ filter, onChange }: FeedFilterProps) {
  const { types, deviceId } = filter;
  const own = types.filter((type) => !EVENT_TYPES.includes(type));
  const sorted = [...devices.value.values()].map((one) => one.peek()).sort((a, b) => a.name.localeCompare(b.name));
  return (
    <details class="filter-fields">
      <summary>{t("activity.filter")}</summary>
      <label class="field">
        {t("activity.device")}
        <select
          value={deviceId}
          onChange={({ currentTarget }) => onChange({ ...filter, deviceId: currentTarget.value })}
        >
          <option value="">{t("activity.all_devices")}</option>
          {deviceId !== "" && !sorted.some(({ id }) => id === deviceId) && <option value={deviceId}>{deviceId}</option>}
          {sorted.map(({ id, name }) => (
            <option key={id} value={id}>
              {name.slice(0, 80)}
            </option>
          ))}
        </select>
      </label>
      <fieldset class="choices">
        <legend>{t("activity.types")}</legend>
        {[...EVENT_TYPES, ...own].map((type) => (
          <label key={type} class="choice">
            <input
              type="checkbox"
              checked={types.includes(type)}
              onChange={({ currentTarget }) =>
                onChange({
                  ...filter,
                  types: currentTarget.checked ? [...types, type] : types.filter((one) => one !== type),
                })
              }
            />
            <span dir="auto">{typeWords(type)}</span>
          </label>
        ))}
      </fieldset>
      <CustomType onAdd={(type) => onChange({ ...filter, types: [...new Set([...types, type])] })} />
    </details>
  );
}

function CustomType({ onAdd }: { onAdd: (type: string) => void }) {
  const [type, setType] = useState("");
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        const name = type.trim().replaceAll(",", "");
        if (name !== "") onAdd(name);
        setType("");
      }}
    >
      <label class="field">
        {t("activity.custom")}
        <input
          value={type}
          placeholder={t("activity.custom_hint")}
          onInput={({ currentTarget }) => setType(currentTarget.value)}
        />
      </label>
      <button type="submit">{t("activity.add")}</button>
    </form>
  );
}

export function FilterBanner({ filter: { types, deviceId }, onChange }: FeedFilterProps) {
  if (types.length === 0 && deviceId === "") return null;
  const what = [...types.map(typeWords), ...(deviceId === "" ? [] : [deviceName(deviceId)])];
  return (
    <div class="banner">
      <p dir="auto">
        <strong>{t("activity.only")}</strong> {what.join(" · ")}
      </p>
      <button type="button" onClick={() => onChange({ types: [], deviceId: "" })}>
        {t("activity.clear")}
      </button>
    </div>
  );
}
