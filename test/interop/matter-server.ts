// What matter-server.sh runs in a network of its own: bun test/interop/matter-server.ts HUB MATTER_SERVER. A line for each check.
import { isDeepStrictEqual } from "node:util";
import { until } from "../support/wait.ts";
import { check, hasFailed, print, tellHowMany } from "./checks.ts";
import { ANNOUNCED, ANNOUNCEMENTS, AT_REST, type Kept } from "./matter/announced.ts";
import { furnish, type House } from "./matter/house.ts";
import { type PythonHome, startPythonHome } from "./matter/python-home.ts";

/** `cluster/attribute`, as the Matter specification numbers them. */
const AT = {
  contactIsClosed: "69/0",
  smoke: "92/1",
  carbonMonoxide: "92/2",
  alarmFeatures: "92/65532",
  /** Hundredths of a degree Celsius. */
  temperature: "1026/0",
  /** Tenths of a kilopascal. */
  pressure: "1027/0",
  /** Hundredths of a percent. */
  humidity: "1029/0",
  /** Halves of a percent. */
  battery: "47/12",
  batteryLevel: "47/14",
  on: "6/0",
  lockState: "257/0",
};
const CRITICAL = 2;
const SMOKE_AND_CO = 3;

async function publish(house: House, messages: readonly Kept[]): Promise<void> {
  const client = await house.hub.mqtt();
  for (const { topic, payload } of messages)
    await client.publishAsync(topic, typeof payload === "string" ? payload : JSON.stringify(payload), {
      qos: 1,
      retain: true,
    });
  await client.endAsync();
}

async function shows(
  home: PythonHome,
  label: string,
  values: Partial<Record<keyof typeof AT, unknown>>,
): Promise<void> {
  const wanted = Object.entries(values);
  const seen = () => Object.fromEntries(wanted.map(([name]) => [name, home.read(label, AT[name as keyof typeof AT])]));
  const isSo = () =>
    home.labels().includes(label) && wanted.every(([name, value]) => isDeepStrictEqual(seen()[name], [value].flat()));
  await until(`${label} is so`, isSo).catch(() => {
    throw new Error(`${label} shows ${JSON.stringify(seen())} instead of ${JSON.stringify(values)}`);
  });
}

async function readsTheHouse(house: House, home: PythonHome): Promise<void> {
  await check("a door contact that is shut is closed", () =>
    shows(home, "Door", { contactIsClosed: true, battery: 150, batteryLevel: 0 }),
  );
  await check("an alarm for smoke and carbon monoxide is one, and calm", () =>
    shows(home, "Alarm", { alarmFeatures: SMOKE_AND_CO, smoke: 0, carbonMonoxide: 0 }),
  );
  await check("101.3 kPa are 1013 hPa", () => shows(home, "Barometer", { pressure: 1013 }));
  await check("… beside a temperature below zero and humidity", () =>
    shows(home, "Barometer", { temperature: -325, humidity: 8100 }),
  );
  await check("70.7 °F are 21.5 °C", () => shows(home, "Greenhouse", { temperature: 2150, humidity: 4520 }));
  await check("a light within an alarm is off", () => shows(home, "Alarm", { on: false }));
  await check("a plug of a plugin", () => shows(home, "plug", { on: false }));

  await publish(house, [
    { topic: "zigbee2mqtt/Door", payload: { contact: false, battery: 75, battery_low: true } },
    { topic: "zigbee2mqtt/Alarm", payload: { smoke: false, carbon_monoxide: true, state_light: "ON" } },
    { topic: "zigbee2mqtt/Barometer", payload: { pressure: 98.72, temperature: 21.4 } },
  ]);
  await check("a door that is opened is not closed, and its low battery is a warning", () =>
    shows(home, "Door", { contactIsClosed: false, batteryLevel: 1 }),
  );
  await check("carbon monoxide is an alarm, and no smoke", () =>
    shows(home, "Alarm", { carbonMonoxide: CRITICAL, smoke: 0, on: true }),
  );
  await check("a lower pressure", () => shows(home, "Barometer", { pressure: 987, temperature: 2140 }));
  await house.tell("front.door", { locked: null, lock_state: "jammed" });
  await check("a lock that jams is not locked", () => shows(home, "front.door", { lockState: 0 }));
}

async function main(): Promise<number> {
  const [binary = "bin/hub", program = "matter-server"] = process.argv.slice(2);
  await using house = await furnish(binary);
  await publish(house, [...ANNOUNCEMENTS, ...AT_REST]);
  await house.configure({ devices: [...ANNOUNCED, "plug", "front.door"] });
  await using home = await startPythonHome(program, "matter0");
  await check("another home pairs by the code", async () => {
    const { code } = await house.act<{ code: string }>("pairing");
    await home.pair(code);
  });
  if (!hasFailed()) await readsTheHouse(house, home);
  if (hasFailed()) print([house.hub.output.split("\n").slice(-30).join("\n"), home.log].join("\n"));
  return tellHowMany();
}

process.exit(await main());
