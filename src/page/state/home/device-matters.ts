// What devices ask somebody to look at: an alarm first, then what is out of reach, then low batteries.

import { computed, signal } from "@preact/signals";
import { type Device, propertyOf } from "../../model/device/device.ts";
import { alarmInWords, MAX_ALARMS } from "../../model/device/kinds.ts";
import { alarmsOf, batteryOf, isLow, isReported, meaningOf } from "../../model/device/sensor-words.ts";
import { language, t } from "../../texts/index.ts";
import { devices, shape } from "../house/devices.ts";
import type { HubEvent } from "../hub/live.ts";

export interface Matter {
  id: string;
  severity: "look" | "act";
  title: string;
  /** What to do, or what the hub says. */
  text: string;
  href: string;
  /** Each of what it is about, where it is several. */
  parts?: readonly { name: string; href: string }[];
  /** Takes it away, where nothing else does. */
  dismiss?: () => void;
}

/** Grows where a device may have become, or ceased to be, a matter. */
const devicesMoved = signal(0);

export function noteDevice(event: HubEvent): void {
  if (/^device_(availability|battery)/.test(event.type) || isOfNote(event)) devicesMoved.value++;
}

/** An alarm, or a battery, may have become another. */
function isOfNote({ type, device_id: id = "", changed }: HubEvent): boolean {
  const device = type === "device_state_changed" ? devices.peek().get(id)?.peek() : undefined;
  return device !== undefined && (changed as string[]).some((name) => isOfConcern(device, name));
}

export const ofDevices = computed((): Matter[] => {
  shape.value;
  devicesMoved.value;
  const all = [...devices.value.values()].map((one) => one.peek());
  // What the hub has of its own is reported with its reason, and is not out of reach.
  const offline = all.filter(({ available, plugin_id }) => !available && plugin_id !== "core");
  const low = all.filter((device) => device.available && isLow(device));
  return [
    ...ofSeveral(offline, {
      id: "offline",
      one: ({ name }) => t("attention.offline", { name }),
      many: "attention.offline",
      text: t("attention.offline_mend"),
    }),
    ...ofSeveral(low, {
      id: "battery",
      one: lowInWords,
      many: "attention.battery",
      text: t("attention.battery_mend"),
    }),
  ];
});

function lowInWords(device: Device): string {
  const { name } = device;
  const level = batteryOf(device);
  return level === undefined
    ? t("attention.battery_low", { name })
    : t("attention.battery", { name, percent: Math.round(level) });
}

const MAX_AT_ONCE = 50;

/** Each device whose alarm is on, also of one that is out of reach since: it may be on fire. */
export const ofAlarms = computed((): Matter[] => {
  shape.value;
  devicesMoved.value;
  return [...devices.value.values()].flatMap((one) => ofDevice(one.peek())).slice(0, MAX_AT_ONCE);
});

function ofDevice(device: Device): Matter[] {
  const { id, name, attributes } = device;
  const alarms = alarmsOf(device, attributes).filter(({ severity }) => severity !== "notify");
  if (alarms.length === 0) return [];
  const severity = alarms.some((alarm) => alarm.severity === "act") ? "act" : "look";
  const what = new Intl.ListFormat(language.value).format(alarms.slice(0, MAX_ALARMS).map(alarmInWords));
  return [
    {
      ...{ id: `alarm:${id}`, severity, href: hrefOf(device) },
      title: t("attention.alarm", { name, what }),
      text: severity === "act" ? t("attention.alarm_mend") : "",
    },
  ];
}

const hrefOf = ({ id }: Device): string => `/devices/${encodeURIComponent(id)}`;

interface Several {
  id: string;
  one: (device: Device) => string;
  many: "attention.offline" | "attention.battery";
  text: string;
}

/** One device has a line of its own; several share one. */
function ofSeveral(all: readonly Device[], { id, one, many, text }: Several): Matter[] {
  const [first] = all;
  if (!first) return [];
  if (all.length === 1) return [{ id, severity: "look", title: one(first), text, href: hrefOf(first) }];
  return [
    {
      ...{ id, severity: "look", text, href: "/devices" },
      title: t(`${many}_many`, { count: all.length }),
      parts: all.map((device) => ({ name: device.name, href: hrefOf(device) })),
    },
  ];
}

/** Whether a change of it may be a reason to look after the device. */
function isOfConcern(device: Device, name: string): boolean {
  const { word = name } = meaningOf(name, propertyOf(device, name)) ?? {};
  if (/^(alarm|locked|lock_state|battery|battery_low)$/.test(word) || isReported(word)) return true;
  return word === "on" && device.device_type === "siren";
}
