// Homes with rule files in them: some that the load sets off, one a device, and others of every kind beside them.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message } from "./mqtt-publisher.ts";
import { openPublisher } from "./mqtt-publisher.ts";
import { type PreparedHome, type PreparedHub, prepareHome } from "./prepared-hub.ts";

export interface RuleHomeOptions {
  folder: string;
  /** Rules that answer their own device's state with a command, from the first device on. */
  answering: number;
  /** Rules that this load never sets off. */
  others: number;
  /** See hub-under-test.ts. */
  asShipped?: boolean;
}

export const FEW = 50;
export const MANY = 5000;

export const benchDevice = (index: number): string => `bench_${index}`;
export const ruleFile = (number: number): string => `rule_${number}.ron`;
export const ruleId = (number: number): string => `rule_${number}`;

export function prepareRuleHome({ folder, answering, others, asShipped }: RuleHomeOptions): PreparedHome {
  const home = prepareHome(folder, '\n[location]\nlatitude = 52.52\nlongitude = 13.405\ntimezone = "Europe/Berlin"\n', {
    ...(asShipped !== undefined && { asShipped }),
  });
  mkdirSync(join(folder, "rules"), { recursive: true });
  for (let number = 0; number < answering + others; number++)
    writeFileSync(
      join(folder, "rules", ruleFile(number)),
      number < answering ? answeringRule(number) : otherRule(number),
    );
  return home;
}

function answeringRule(number: number): string {
  const device = benchDevice(number);
  return `// Whenever ${device} tells something new while it is on.
(
    id: "${ruleId(number)}",
    name: "Answer ${number}",
    trigger: DeviceStateChanged(device_id: "${device}", attribute: "counter"),
    conditions: [DeviceState(device_id: "${device}", attribute: "on", op: Eq, value: true)],
    actions: [SetDeviceState(device_id: "${device}", state: (on: true, brightness: 80))],
)
`;
}

// About devices of the load (other attributes, thresholds out of reach), the clock, modes, variables, events, expressions.
const OTHER_TRIGGERS: readonly ((device: string, number: number) => string)[] = [
  (device) => `DeviceStateChanged(device_id: "${device}", attribute: "color", to: "red")`,
  (device) => `NumericThreshold(device_id: "${device}", attribute: "power_w", above: 3000)`,
  (device) => `DeviceAvailabilityChanged(device_id: "${device}", available: false, for_duration_secs: 300)`,
  (_, number) => `TimeOfDay(time: "${String(number % 24).padStart(2, "0")}:30", days: ["mon", "fri"])`,
  (_, number) => `Cron(expression: "0 ${number % 60} 3 1 * *")`,
  () => `SunEvent(event: "sunset", offset_minutes: -15)`,
  (_, number) => `ModeChanged(mode_id: "mode_${number}", on: true)`,
  (_, number) => `HubVariableChanged(name: "variable_${number}")`,
  (_, number) => `CustomEvent(event_type: "event_${number}")`,
];

function otherRule(number: number): string {
  const device = benchDevice(number % 2000);
  const trigger = OTHER_TRIGGERS[number % OTHER_TRIGGERS.length]?.(device, number);
  return `// A rule of the house.
(
    id: "${ruleId(number)}",
    name: "Other ${number}",
    cooldown_secs: 60,
    trigger: ${trigger},
    conditions: [Or([ModeIs(mode_id: "night"), Expression(expression: "current_hour() >= 22")])],
    actions: [
        SetDeviceState(device_id: "${device}", state: (on: true)),
        Notify(channel: "log", title: "House", message: "it is {{device.temperature}} °C"),
    ],
)
`;
}

/** What a device of the load reports for the n-th time. */
export function counterMessage(device: number, count: number): Message {
  const payload = `{"counter":${count},"on":true,"brightness":254,"power_w":12.5}`;
  return { topic: `hub/devices/${benchDevice(device)}/state`, payload };
}

const MADE_WITHIN_MS = 30_000;

/** Makes the devices by their first state, and waits until all are known. */
export async function makeDevices(hub: PreparedHub, count: number): Promise<void> {
  using publisher = await openPublisher(hub.mqttPort);
  for (let device = 0; device < count; device += 100) {
    const batch = Math.min(100, count - device);
    publisher.publish(
      Array.from({ length: batch }, (_, index) => counterMessage(device + index, -1)),
      1,
    );
    await Bun.sleep(20);
  }
  for (const until = performance.now() + MADE_WITHIN_MS; ; await Bun.sleep(100)) {
    const { devices } = await hub.get<{ devices: number }>("/system/status");
    if (devices >= count) return;
    if (performance.now() > until) throw new Error(`${devices} of ${count} devices are known`);
  }
}
