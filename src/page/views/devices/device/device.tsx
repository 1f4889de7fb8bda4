// One device: how it is, what it can do, what it was, what uses it, and what a person may change about it.

import { useEffect, useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { type Device, isGroup } from "../../../model/device/device.ts";
import { iconOf, stateInWords } from "../../../model/device/kinds.ts";
import { alarmsOf, isMain, readingsOf } from "../../../model/device/sensor-words.ts";
import { deviceAddress, MembersOf } from "../../../parts/devices/group-members.tsx";
import { Pictures } from "../../../parts/devices/pictures.tsx";
import { areaName, areas, readAreas } from "../../../state/house/areas.ts";
import { shown } from "../../../state/house/command.ts";
import { devices } from "../../../state/house/devices.ts";
import { isRead } from "../../../state/house/house.ts";
import { t } from "../../../texts/index.ts";
import { CopyButton } from "../../../ui/copy-button.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Age } from "../../../ui/moment.tsx";
import { NotFound } from "../../../ui/not-found.tsx";
import { History } from "../history/history.tsx";
import { About } from "./about.tsx";
import { Controls } from "./controls.tsx";
import { EventList } from "./event-list.tsx";
import { Family } from "./family.tsx";
import { outagesOf, useEvents } from "./use-events.ts";
import { Uses } from "./uses.tsx";

export function DeviceView() {
  const { params } = useRoute();
  const device = devices.value.get(params.id ?? "")?.value;
  useEffect(() => {
    if (areas.peek().length === 0) void readAreas().catch(() => {});
  }, []);
  if (device) return <Shown key={device.id} device={device} />;
  return isRead.value ? <NotFound /> : <p role="status">{t("device.loading")}</p>;
}

function Shown({ device }: { device: Device }) {
  const found = useEvents(device);
  return (
    <>
      <Head device={device} />
      <div class="device-columns">
        <div>
          {device.attributes.picture_at !== undefined && <Pictures device={device} />}
          <Controls device={device} />
          {isGroup(device) && <Members group={device.id} />}
          <Family device={device} />
        </div>
        <div>
          <History device={device} outages={outagesOf(device, found.events)} />
          <Uses device={device} />
          <EventList device={device} {...found} />
        </div>
      </div>
      <About device={device} />
      <RawValues device={device} />
    </>
  );
}

function Members({ group }: { group: string }) {
  return (
    <section class="card" aria-labelledby="members">
      <h2 id="members">{t("device.members")}</h2>
      <MembersOf group={group} hrefOf={deviceAddress} />
    </section>
  );
}

function Head({ device }: { device: Device }) {
  const { id, name, area, available, last_seen } = device;
  const since = changedAt(device);
  const [state, ...rest] = stateInWords(device, shown(id, device.attributes)).split(" · ");
  return (
    <header class="device-head">
      <p class="crumbs">
        <a href="/devices">{t("devices.title")}</a>
        {area !== null && (
          <a href={`/devices?${new URLSearchParams({ area })}`} dir="auto">
            {areaName(area)}
          </a>
        )}
      </p>
      <h1 dir="auto">
        <Icon name={iconOf(device)} size={28} />
        <span title={name}>{name}</span>
      </h1>
      <p class="values lead">
        {state}
        {since?.isState === true && (
          <>
            {" "}
            {t("device.for")} <Age at={since.at} as="lasting" />
          </>
        )}
        {rest.map((part) => ` · ${part}`)}
        {since?.isState === false && (
          <span class="hint">
            {" "}
            <Age at={since.at} />
          </span>
        )}
      </p>
      {!available && (
        <p class="notice" role="status">
          <b>{t("device.offline")}</b>{" "}
          {last_seen !== null && (
            <>
              {t("device.last_heard")} <Age at={last_seen} />
            </>
          )}
        </p>
      )}
    </header>
  );
}

/** Since when its main state lasts; of what only measures, when it changed last. */
function changedAt(device: Device): { at: string; isState: boolean } | undefined {
  const { attributes, last_changed } = device;
  const readings = readingsOf(device, attributes);
  const states = [
    ...alarmsOf(device, attributes),
    ...readings.filter(({ name }) => ["on", "position", "alarm"].includes(name)),
    ...readings.filter((one) => isMain(one)),
    ...readings.filter(({ name }) => name === "state"),
  ];
  const state = states.find(({ name }) => Object.hasOwn(last_changed, name))?.name;
  const at = state === undefined ? Object.values(last_changed).sort().at(-1) : last_changed[state];
  return at === undefined ? undefined : { at, isState: state !== undefined };
}

/** All that the hub knows of a device, as it is. */
function RawValues({ device }: { device: Device }) {
  const [isOpen, setOpen] = useState(false);
  const text = isOpen ? JSON.stringify(device, null, 2) : "";
  return (
    <details class="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>{t("device.raw")}</h2>
      </summary>
      {isOpen && (
        <>
          <CopyButton text={text} />
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
          <section class="scrolls" tabIndex={0} aria-label={t("device.raw")}>
            <pre class="raw" dir="ltr">
              {text}
            </pre>
          </section>
        </>
      )}
    </details>
  );
}
