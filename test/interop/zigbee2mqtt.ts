// Zigbee2MQTT's own code, with a pretended radio, against the compiled hub: bun test/interop/zigbee2mqtt.ts [HUB]. It is installed
// from npm for the time of the test, or taken from the folder that ZIGBEE2MQTT_FOLDER names. A line for each check.
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";
import { check, hasFailed, print, printTotals } from "./checks.ts";
import { type Asked, type DeviceSeen, type House, startHouse } from "./zigbee2mqtt/house.ts";
import { BULB, REMOTE, SECOND_BULB, SENSOR } from "./zigbee2mqtt/network.ts";

const VERSION = "2.14.1";
const BRIDGE = "zigbee2mqtt_bridge";
const GROUP = "zigbee2mqtt_group_1";

async function install(folder: string): Promise<void> {
  const spec = `zigbee2mqtt@${VERSION}`;
  // Nothing of it is compiled here, and it needs no radio.
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder, spec];
  const child = Bun.spawn(["npm", ...args], { stdout: "ignore", stderr: "inherit" });
  if ((await child.exited) !== 0) throw new Error(`npm cannot install ${spec}`);
}

async function main(): Promise<number> {
  const [binary = join(import.meta.dir, "..", "..", "bin", "hub")] = process.argv.slice(2);
  using folder = createTemporaryFolder();
  const modules = process.env.ZIGBEE2MQTT_FOLDER ?? folder.path;
  if (process.env.ZIGBEE2MQTT_FOLDER === undefined) await install(modules);
  await using house = await startHouse(resolve(binary), modules);
  await devicesAppear(house);
  await devicesReport(house);
  await commandsArrive(house);
  await bridgeObeys(house);
  await groupsWork(house);
  await devicesGo(house);
  if (hasFailed()) print(house.log.split("\n").slice(-40).join("\n"));
  return printTotals();
}

/** Waits until the device is so. */
async function soon(house: House, id: string, wanted: Partial<DeviceSeen>): Promise<void> {
  let seen: DeviceSeen | undefined;
  const { attributes = {}, ...rest } = wanted;
  const isSo = async (): Promise<boolean> => {
    seen = await house.device(id);
    const has = (whole: object | undefined, part: object): boolean =>
      Object.entries(part).every(([key, value]) => isDeepStrictEqual((whole as Record<string, unknown>)?.[key], value));
    return has(seen, rest) && has(seen?.attributes, attributes);
  };
  await until("the device is so", isSo, { everyMs: 50 }).catch(() => {
    throw new Error(`${id} should be ${JSON.stringify(wanted)} but is ${JSON.stringify({ ...seen, schema: 0 })}`);
  });
}

/** Waits until the radio was asked, after the command was taken. */
async function commanded(house: House, id: string, wanted: object, isRight: (asked: Asked) => boolean): Promise<void> {
  const before = house.asked.length;
  const { status, detail } = await house.command(id, wanted);
  if (status !== 202) throw new Error(`${JSON.stringify(wanted)} is answered ${status}: ${detail}`);
  await until("the radio is asked", () => house.asked.slice(before).some(isRight)).catch(() => {
    throw new Error(`the radio was asked ${JSON.stringify(house.asked.slice(before))}`);
  });
}

async function devicesAppear(house: House): Promise<void> {
  await check("the bridge is a device with its version", () =>
    soon(house, BRIDGE, {
      ...{ name: "Zigbee2MQTT", device_type: "bridge", available: true },
      attributes: {
        version: VERSION,
        coordinator_type: "Pretended",
        channel: 11,
        permit_join: false,
        log_level: "info",
      },
    }),
  );
  await check("a bulb is a light behind it, with the name it has there", () =>
    soon(house, BULB, {
      ...{ name: "living/bulb", device_type: "light", manufacturer: "IKEA", model: "LED1624G9" },
      ...{ available: true, parent_device_id: BRIDGE },
    }),
  );
  await check("a remote and a sensor are there as well", async () => {
    await soon(house, REMOTE, { name: "remote", device_type: "button" });
    await soon(house, SENSOR, { name: "weather", device_type: "sensor", manufacturer: "Aqara" });
  });
}

async function devicesReport(house: House): Promise<void> {
  await check("what a sensor measures is its attribute", async () => {
    const payload = [{ attrId: 0, dataType: 0x29, attrData: 2150 }];
    house.speak(SENSOR, { cluster: "msTemperatureMeasurement", payload });
    await soon(house, SENSOR, { attributes: { temperature: 21.5, linkquality: 120 } });
  });
  await check("what is switched at the bulb itself is seen", async () => {
    house.speak(BULB, { cluster: "genOnOff", payload: [{ attrId: 0, dataType: 0x10, attrData: 1 }] });
    await soon(house, BULB, { attributes: { on: true } });
  });
  await check("a press is an event, and the same press again another one", async () => {
    const stream = await house.hub.openStream({ type: "device_action" });
    for (let press = 0; press < 2; press++) house.speak(REMOTE, { cluster: "genOnOff", command: "on", payload: {} });
    const presses = () => stream.frames.filter(({ device_id, action }) => device_id === REMOTE && action === "on");
    await until("two presses", () => presses().length === 2);
  });
}

async function commandsArrive(house: House): Promise<void> {
  await check("brightness in per cent reaches the bulb as its own level, and comes back", async () => {
    const isRight = ({ to, command, payload }: Asked): boolean =>
      to === BULB && command === "moveToLevelWithOnOff" && payload?.level === 127;
    await commanded(house, BULB, { on: true, brightness_pct: 50 }, isRight);
    await soon(house, BULB, { attributes: { on: true, brightness: 127, brightness_pct: 50 } });
  });
  await check("a colour temperature in kelvin reaches it in mired", async () => {
    const isRight = ({ command, payload }: Asked): boolean =>
      command === "moveToColorTemp" && payload?.colortemp === 370;
    await commanded(house, SECOND_BULB, { color_temp_k: 2700 }, isRight);
    await soon(house, SECOND_BULB, { attributes: { color_temp: 370, color_temp_k: 2703 } });
  });
  await check("a colour reaches it as x and y", async () => {
    await commanded(house, BULB, { color_rgb: "#ff0000" }, ({ command }) => command === "moveToColor");
    await soon(house, BULB, { attributes: { color_mode: "xy" } });
  });
  await check("a device that does not answer is reported, until it is seen again", async () => {
    const problem = async () =>
      (await house.hub.get<{ device_id: string; problem: string | null }[]>("/discovery")).find(
        ({ device_id }) => device_id === BULB,
      )?.problem;
    house.speak(BULB, { cluster: "", isSilent: true });
    // The command goes another way, and may be quicker.
    await until("it is silent", () => house.asked.some(({ silent }) => silent !== undefined));
    await house.command(BULB, { on: false });
    await until("it is reported", async () => (await problem())?.startsWith("it did not take state"));
    house.speak(BULB, { cluster: "genOnOff", payload: [{ attrId: 0, dataType: 0x10, attrData: 1 }] });
    await until("it is reported no more", async () => (await problem()) === null);
  });
  await check("what it cannot do is refused, and reaches nothing", async () => {
    const { status, detail } = await house.command(SENSOR, { temperature: 5 });
    if (status !== 400 || !detail.startsWith("temperature:")) throw new Error(`${status} ${detail}`);
  });
}

async function bridgeObeys(house: House): Promise<void> {
  await check("joining is permitted and ended", async () => {
    await commanded(house, BRIDGE, { permit_join: true }, ({ permitJoin }) => permitJoin === 254);
    await soon(house, BRIDGE, { attributes: { permit_join: true } });
    await commanded(house, BRIDGE, { permit_join: false }, ({ permitJoin }) => permitJoin === 0);
    await soon(house, BRIDGE, { attributes: { permit_join: false, permit_join_end: undefined } });
  });
  await check("joining is permitted for a time, through one device", async () => {
    const wanted = { command: "permit_join", time: 120, device: "living/bulb" };
    await commanded(house, BRIDGE, wanted, ({ permitJoin }) => permitJoin === 120);
    await commanded(house, BRIDGE, { command: "permit_join", time: 0 }, ({ permitJoin }) => permitJoin === 0);
  });
  await check("a rename there is the name here, and the device still obeys", async () => {
    await house.command(BRIDGE, { command: "rename", device: "living/bulb", to: "kitchen/bulb" });
    await soon(house, BULB, { name: "kitchen/bulb" });
    const isOff = ({ to, command }: Asked): boolean => to === BULB && command === "off";
    await commanded(house, BULB, { on: false }, isOff);
    await soon(house, BULB, { attributes: { on: false } });
  });
  await check("a rename that Zigbee2MQTT refuses is reported", async () => {
    await house.command(BULB, { command: "rename", to: "remote" });
    const problems = async () =>
      (await house.hub.get<{ problem: string | null }[]>("/discovery")).map((one) => one.problem);
    await until("it is reported", async () => (await problems()).some((one) => one?.includes("already in use")));
  });
  await check("its level of logging is set", async () => {
    await house.command(BRIDGE, { log_level: "warning" });
    await soon(house, BRIDGE, { attributes: { log_level: "warning" } });
  });
  await check("it is ordered to restart", () =>
    commanded(house, BRIDGE, { command: "restart" }, ({ restart }) => restart === true),
  );
}

async function groupsWork(house: House): Promise<void> {
  await check("a group is made, gets members and is a light", async () => {
    await house.command(BRIDGE, { command: "add_group", name: "all bulbs" });
    await soon(house, GROUP, { name: "all bulbs", attributes: { members: [] } });
    for (const device of ["kitchen/bulb", "hall bulb"]) await house.command(GROUP, { command: "add_member", device });
    const members = [
      { device_id: BULB, name: "kitchen/bulb" },
      { device_id: SECOND_BULB, name: "hall bulb" },
    ];
    await soon(house, GROUP, { device_type: "light", parent_device_id: BRIDGE, attributes: { members } });
  });
  await check("what the group is commanded reaches it in one message, and its members show it", async () => {
    const isRight = ({ toGroup, payload }: Asked): boolean => toGroup === 1 && payload?.level === 254;
    await commanded(house, GROUP, { on: true, brightness_pct: 100 }, isRight);
    for (const id of [GROUP, BULB, SECOND_BULB]) await soon(house, id, { attributes: { on: true, brightness: 254 } });
  });
}

async function devicesGo(house: House): Promise<void> {
  await check("a device that is removed keeps its name and is not available", async () => {
    await house.command(SECOND_BULB, { command: "remove", force: true });
    await soon(house, SECOND_BULB, { name: "hall bulb", available: false });
    await soon(house, GROUP, { attributes: { members: [{ device_id: BULB, name: "kitchen/bulb" }] } });
  });
  await check("a group that is removed goes as well", async () => {
    await house.command(BRIDGE, { command: "remove", device: "all bulbs", force: true });
    await soon(house, GROUP, { available: false });
  });
  await check("when Zigbee2MQTT stops, nothing of it is available", async () => {
    await house.stopBridge();
    for (const id of [BRIDGE, BULB, REMOTE, SENSOR]) await soon(house, id, { available: false });
  });
}

process.exit(await main());
