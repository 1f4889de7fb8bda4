// The search and the filters of the device table, and what of them is in force.

import { computed } from "@preact/signals";
import { useAddress } from "../../browser/address.ts";
import { areaName } from "../../state/house/areas.ts";
import { deviceList } from "../../state/house/devices.ts";
import { formatNumber, t } from "../../texts/index.ts";
import { type DeviceFilter, NONE, SORTS, STATES, typeInWords } from "./device-filter.ts";

interface Choice {
  name: "area" | "type" | "state";
  options: [value: string, text: string][];
}

// As texts: they stay the same however often devices report, and so nothing is drawn anew.
const areasKey = computed(() => keyOf(deviceList.value.map(({ area }) => area)));
const typesKey = computed(() => keyOf(deviceList.value.map(({ device_type }) => device_type)));

function keyOf(values: readonly (string | null)[]): string {
  return JSON.stringify([...new Set(values.map((one) => one ?? NONE))]);
}

function choices({ type }: DeviceFilter): Choice[] {
  const distinct = (key: string, text: (value: string) => string): [string, string][] =>
    (JSON.parse(key) as string[])
      .map((one): [string, string] => [one, one === NONE ? t("devices.none") : text(one)])
      .sort(([, a], [, b]) => a.localeCompare(b));
  const kinds = distinct(typesKey.value, typeInWords);
  // One line for a kind that several types are; that of the address where it has one of them.
  const shown = kinds.filter(
    ([one, text], index) =>
      one === type ||
      (kinds.findIndex(([, other]) => other === text) === index &&
        !kinds.some(([other, its]) => other === type && its === text)),
  );
  return [
    { name: "area", options: distinct(areasKey.value, areaName) },
    { name: "type", options: shown },
    { name: "state", options: STATES.map((state) => [state, t(`devices.is_${state}`)]) },
  ];
}

export function FilterFields({ filter }: { filter: DeviceFilter }) {
  const { change } = useAddress();
  return (
    <search class="filters">
      <input
        type="search"
        value={filter.q}
        aria-label={t("devices.search")}
        placeholder={t("devices.search")}
        dir="auto"
        onInput={({ currentTarget }) => change({ q: currentTarget.value })}
      />
      {choices(filter).map(({ name, options }) => (
        <select
          key={name}
          value={filter[name]}
          aria-label={t(`devices.${name}`)}
          onChange={({ currentTarget }) => change({ [name]: currentTarget.value })}
        >
          <option value="">{t(`devices.any_${name}`)}</option>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      ))}
      <select
        class="sort"
        value={filter.sort}
        aria-label={t("devices.sort")}
        onChange={({ currentTarget }) => change({ sort: currentTarget.value, down: undefined })}
      >
        {SORTS.map((sort) => (
          <option key={sort} value={sort}>
            {t("devices.sorted_by", { column: t(`devices.${sort}`) })}
          </option>
        ))}
      </select>
    </search>
  );
}

/** Whoever sees few devices must see why. */
export function ActiveFilters({ filter, count, all }: { filter: DeviceFilter; count: number; all: number }) {
  const { change } = useAddress();
  const active = [
    ...(filter.q === "" ? [] : [{ name: "q", text: `“${filter.q}”` }]),
    ...choices(filter).flatMap(({ name, options }) => {
      const text = options.find(([value]) => value === filter[name])?.[1] ?? filter[name];
      return filter[name] === "" ? [] : [{ name, text: `${t(`devices.${name}`)}: ${text}` }];
    }),
  ];
  const counted = { count: formatNumber(count, 0), all: formatNumber(all, 0) };
  if (active.length === 0)
    return (
      <p class="hint" role="status">
        {t("devices.count", counted)}
      </p>
    );
  return (
    <div class="active-filters">
      <p role="status">{t("devices.some", counted)}</p>
      {active.map(({ name, text }) => (
        <button key={name} type="button" onClick={() => change({ [name]: undefined })}>
          <span dir="auto">{text}</span> <span aria-hidden="true">×</span>
          <span class="visually-hidden">{t("devices.clear_one")}</span>
        </button>
      ))}
      <button
        type="button"
        class="main"
        onClick={() => change({ q: undefined, area: undefined, type: undefined, state: undefined })}
      >
        {t("devices.clear")}
      </button>
    </div>
  );
}
