// All devices as a table: searched, filtered and sorted, with what filters it said loudly.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { useAddress } from "../../browser/address.ts";
import { now } from "../../browser/now.ts";
import type { Device } from "../../model/device/device.ts";
import { stateInWords } from "../../model/device/kinds.ts";
import { areas, readAreas } from "../../state/house/areas.ts";
import { deviceList, devices } from "../../state/house/devices.ts";
import { readInbox, waitingCount } from "../../state/house/discovery.ts";
import { isRead } from "../../state/house/house.ts";
import { connection } from "../../state/hub/live.ts";
import { t } from "../../texts/index.ts";
import { type DeviceFilter, filtered, filterIn, SORTS, sorted } from "./device-filter.ts";
import { DeviceRow } from "./device-row.tsx";
import { ActiveFilters, FilterFields } from "./filter-fields.tsx";

const ROW_PX = 56;

export function DevicesView() {
  const { query } = useAddress();
  const filter = filterIn(query);
  const isLive = connection.value.state === "live";
  useEffect(() => {
    if (!isLive) return;
    void readAreas().catch(() => {});
    void readInbox().catch(() => {});
  }, [isLive]);
  const list = useOrder(filter);
  const { size } = devices.value;
  return (
    <>
      <h1>{t("devices.title")}</h1>
      {waitingCount.value > 0 && (
        <p class="notice">
          <a href="/inbox">{t("devices.waiting", { count: waitingCount.value })}</a>
        </p>
      )}
      <FilterFields filter={filter} />
      <ActiveFilters filter={filter} count={list.length} all={size} />
      {size === 0 && isRead.value && <p class="empty">{t("devices.empty")}</p>}
      {list.length > 0 && <Table list={list} filter={filter} />}
    </>
  );
}

/** Values change all the time: the order follows them every few seconds, the rows at once. */
function useOrder(filter: DeviceFilter): Device[] {
  const wanted = JSON.stringify(filter);
  const { value: known } = devices;
  const { value: named } = areas;
  const { value: moment } = now;
  // `wanted` stands for the filter, the others say when to look again
  return useMemo(
    () => sorted(filtered(deviceList.peek(), filter), filter, (device) => stateInWords(device, device.attributes)),
    [wanted, known, named, moment],
  );
}

const COLUMNS = SORTS;

function Table({ list, filter }: { list: readonly Device[]; filter: DeviceFilter }) {
  const body = useRef<HTMLTableSectionElement>(null);
  const { first, end } = useWindow(body, list.length, ROW_PX);
  return (
    <table class="devices" aria-rowcount={list.length + 1} aria-label={t("devices.title")}>
      <thead>
        <tr aria-rowindex={1}>
          {COLUMNS.map((column) => (
            <SortHeader key={column} {...{ column, filter }} />
          ))}
        </tr>
      </thead>
      <tbody ref={body}>
        <Room rows={first} />
        {list.slice(first, end).map(({ id }, index) => {
          const device = devices.value.get(id);
          return device && <DeviceRow key={id} of={device} index={first + index + 2} />;
        })}
        <Room rows={list.length - end} />
      </tbody>
    </table>
  );
}

function Room({ rows }: { rows: number }) {
  return rows <= 0 ? null : (
    <tr class="room" style={{ height: `${rows * ROW_PX}px` }}>
      <td colSpan={2} />
    </tr>
  );
}

function SortHeader({ column, filter: { sort, down } }: { column: (typeof COLUMNS)[number]; filter: DeviceFilter }) {
  const { change } = useAddress();
  const isChosen = sort === column;
  return (
    <th scope="col" class={column} aria-sort={isChosen ? (down ? "descending" : "ascending") : "none"}>
      <button type="button" onClick={() => change({ sort: column, down: isChosen && !down ? "1" : undefined })}>
        {t(`devices.${column}`)}
        <span aria-hidden="true">{isChosen ? (down ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

interface Seen {
  first: number;
  /** Not included. */
  end: number;
}

/** Rows beyond the edges, so that keys and quick thumbs find some. */
const SPARE = 12;

/** Draws of a long list only what can be seen: rows of one height, with room above and below for the others. */
function useWindow(root: { current: HTMLElement | null }, count: number, rowPx: number): Seen {
  const [seen, setSeen] = useState<Seen>({ first: 0, end: Math.min(count, 40) });
  useLayoutEffect(() => {
    let frame = 0;
    function look(): void {
      frame = 0;
      const top = root.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / rowPx) - SPARE);
      const end = Math.min(count, Math.ceil((innerHeight - top) / rowPx) + SPARE);
      setSeen((before) =>
        before.first === first && before.end === end ? before : { first, end: Math.max(first, end) },
      );
    }
    function soon(): void {
      frame ||= requestAnimationFrame(look);
    }
    look();
    for (const name of ["scroll", "resize"]) addEventListener(name, soon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      for (const name of ["scroll", "resize"]) removeEventListener(name, soon);
    };
  }, [root, count, rowPx]);
  return { first: Math.min(seen.first, count), end: Math.min(seen.end, count) };
}
