// One device: how it is, what it can do, what it was, what uses it, and what a person may change about it.

import { useEffect } from "preact/hooks";
import { useRoute } from "preact-iso";
import { Age } from "../components/age.tsx";
import { deviceAddress, MembersOf } from "../components/group-members.tsx";
import { Icon } from "../components/icon.tsx";
import { iconOf, stateInWords } from "../components/kinds.ts";
import { Pictures } from "../components/pictures.tsx";
import { alarmsOf, isMain, readingsOf } from "../components/sensor-words.ts";
import { areaName, areas, readAreas } from "../state/areas.ts";
import { shown } from "../state/command.ts";
import { isGroup } from "../state/device.ts";
import { type Device, devices, isRead } from "../state/house.ts";
import { t } from "../texts/index.ts";
import { About } from "./device/about.tsx";
import { Controls } from "./device/controls.tsx";
import { EventList } from "./device/event-list.tsx";
import { Family } from "./device/family.tsx";
import { History } from "./device/history.tsx";
import { RawValues } from "./device/raw-values.tsx";
import { outagesOf, useEvents } from "./device/use-events.ts";
import { Uses } from "./device/uses.tsx";
import { NotFound } from "./not-found.tsx";

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
