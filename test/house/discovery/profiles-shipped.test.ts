// The profiles that come with the hub, each with messages as such a device sends them, and the commands that it is sent.
import { describe, expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { shippedProfiles } from "../../../src/app/cli/profile-assets.ts";
import { formatProblem } from "../../../src/app/config/load.ts";
import type { Profile } from "../../../src/house/discovery/sources/profiles/profile.ts";
import { checkProfiles } from "../../../src/house/discovery/sources/profiles/profiles.ts";
import { createProfileReader } from "../../../src/house/discovery/sources/profiles/read-profile.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { messageExpressions } from "../../../src/rules/expression/messages.ts";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";
import { createProfilesRig, SHIPPED, shipped } from "./profiles-rig.ts";

// What may be announced as well is awaited for so long.
const ANNOUNCED_MS = 5000;

interface Case {
  profile: string;
  messages: readonly (readonly [topic: string, payload: unknown])[];
  device: string;
  is: JsonObject & { attributes: JsonObject };
  /** What a person wants, and the messages that the device is sent. */
  commands?: readonly (readonly [wanted: JsonObject, ...sent: [topic: string, payload: unknown][]])[];
  actions?: readonly string[];
}

const CASES: readonly Case[] = [
  {
    profile: "wled",
    messages: [
      ["wled/desk/status", "online"],
      ["wled/desk/g", "128"],
      ["wled/desk/c", "#FFA000"],
      ["wled/desk/v", "<vs><ac>128</ac></vs>"],
    ],
    device: "wled_desk",
    is: {
      ...{ name: "WLED desk", deviceType: "light", available: true },
      attributes: { on: true, brightness: 128, brightness_pct: 50, color_rgb: "#ffa000" },
    },
    commands: [
      [{ on: true, brightness_pct: 20 }, ["wled/desk/api", { on: true, bri: 51 }]],
      [{ on: "toggle" }, ["wled/desk/api", { on: "t" }]],
      [{ color_rgb: "#ff8000", on: true }, ["wled/desk/api", { seg: [{ col: [[255, 128, 0]] }], on: true }]],
      [{ effect: 73, brightness: 10 }, ["wled/desk/api", { seg: [{ fx: 73 }], bri: 10 }]],
    ],
  },
  {
    profile: "owntracks",
    messages: [
      [
        "owntracks/anna/pixel",
        { _type: "location", lat: 52.52, lon: 13.4, acc: 12, batt: 81, alt: 40, vel: 0, inregions: ["Home"], tst: 1 },
      ],
      ["owntracks/anna/pixel", { _type: "lwt", tst: 1 }],
      ["owntracks/anna/pixel/event", { _type: "transition", event: "leave", desc: "Home", tst: 2 }],
    ],
    device: "owntracks_anna_pixel",
    is: {
      ...{ name: "anna pixel", deviceType: "device_tracker" },
      attributes: {
        latitude: 52.52,
        longitude: 13.4,
        accuracy: 12,
        battery: 81,
        regions: ["Home"],
        action: "leave Home",
      },
    },
    actions: ["leave Home"],
  },
  {
    profile: "theengs-ble",
    messages: [
      [
        "home/OpenMQTTGateway/BTtoMQTT/A4C1386E4AE8",
        {
          ...{ id: "A4:C1:38:6E:4A:E8", name: "ATC_6E4AE8", rssi: -91, brand: "Xiaomi", model: "LYWSD03MMC" },
          ...{ model_id: "LYWSD03MMC_ATC", tempc: 14.2, tempf: 57.56, hum: 56, batt: 75, volt: 2.887 },
        },
      ],
      ["home/OpenMQTTGateway/BTtoMQTT/5C1122334455", { id: "5C:11:22:33:44:55", rssi: -70, name: "a phone" }],
    ],
    device: "ble_A4C1386E4AE8",
    is: {
      name: "ATC_6E4AE8",
      details: { manufacturer: "Xiaomi", model: "LYWSD03MMC_ATC" },
      attributes: { temperature: 14.2, humidity: 56, battery: 75, voltage: 2.887, rssi: -91 },
    },
  },
  {
    profile: "openmqttgateway-433",
    messages: [
      ["home/OMG/LWT", "online"],
      ["home/OMG/433toMQTT", { value: 5592332, protocol: 1, length: 24, delay: 350 }],
      ["home/OMG/433toMQTT", { value: 5592332, protocol: 1, length: 24, delay: 350 }],
    ],
    device: "433_OMG",
    is: { deviceType: "button", available: true, attributes: { action: "5592332" } },
    actions: ["5592332", "5592332"],
    commands: [[{ send: 1315156 }, ["home/OMG/commands/MQTTto433", { value: 1315156 }]]],
  },
  {
    profile: "rtl-433",
    messages: [
      [
        "rtl_433/pi/events",
        {
          ...{ time: "2024-01-01 10:00:00", model: "Acurite-Tower", id: 11524, channel: "A", battery_ok: 1 },
          ...{ temperature_C: 21.34, humidity: 45, mic: "CHECKSUM" },
        },
      ],
      ["rtl_433/pi/events", { model: "LaCrosse-TX141W", id: 7, temperature_F: 50, battery_ok: 0, wind_avg_m_s: 10 }],
      ["rtl_433/pi/events", { model: "Generic-Remote", id: 4242, cmd: 1 }],
    ],
    device: "rtl433_LaCrosse-TX141W_7",
    is: {
      name: "LaCrosse-TX141W 7",
      details: { model: "LaCrosse-TX141W" },
      attributes: { temperature: 10, wind_speed: 36, battery_low: true },
    },
  },
  {
    profile: "espresense",
    messages: [
      ["espresense/devices/watch/kitchen", { id: "watch", name: "Anna's watch", distance: 1.234, rssi: -60 }],
      ["espresense/devices/watch/cellar", { id: "watch", name: "Anna's watch", distance: 9.5, rssi: -90 }],
    ],
    device: "espresense_watch",
    is: { name: "Anna's watch", attributes: { room: "kitchen", distance: 9.5, rssi: -90 } },
  },
  {
    profile: "tasmota-before-9-2",
    messages: [
      ["tele/pump/LWT", "Online"],
      ["tele/pump/STATE", { Time: "2020-01-01T00:00:00", POWER: "ON", Wifi: { RSSI: 74 } }],
      ["stat/pump/POWER", "ON"],
      ["tele/pump/SENSOR", { Time: "2020-01-01T00:00:00", ENERGY: { Total: 3.185, Power: 47, Voltage: 229 } }],
    ],
    device: "tasmota_pump",
    is: {
      ...{ name: "pump", deviceType: "switch", available: true },
      attributes: { on: true, power: 47, energy: 3.185, voltage: 229, linkquality: 74 },
    },
    commands: [
      [{ on: false }, ["cmnd/pump/POWER", "OFF"]],
      [{ on: "toggle" }, ["cmnd/pump/POWER", "TOGGLE"]],
      [{ restart: true }, ["cmnd/pump/Restart", 1]],
    ],
  },
  {
    profile: "opendtu",
    messages: [
      ["solar/dtu/status", "online"],
      ["solar/114181234567/status/reachable", "1"],
      ["solar/114181234567/status/producing", "1"],
      ["solar/114181234567/0/power", "312.4"],
      ["solar/114181234567/0/yieldday", "1520"],
      ["solar/114181234567/status/limit_relative", "100.0"],
      ["solar/ac/power", "312.4"],
    ],
    device: "opendtu_114181234567",
    is: {
      available: true,
      attributes: { reachable: true, on: true, power: 312.4, energy_today: 1520, limit_relative: 100 },
    },
    commands: [
      [{ limit_relative: 60 }, ["solar/114181234567/cmd/limit_nonpersistent_relative", 60]],
      [{ on: false }, ["solar/114181234567/cmd/power", 0]],
      [{ restart: true }, ["solar/114181234567/cmd/restart", 1]],
    ],
  },
  {
    profile: "go-echarger",
    messages: [
      ["go-eCharger/072246/car", "2"],
      ["go-eCharger/072246/frc", "0"],
      ["go-eCharger/072246/alw", "true"],
      ["go-eCharger/072246/amp", "16"],
      ["go-eCharger/072246/nrg", [230, 231, 229, 0, 16, 16, 16, 3680, 3690, 3660, 0, 11030, 1, 1, 1, 0]],
      ["go-eCharger/072246/wh", "5321.5"],
      ["go-eCharger/072246/eto", "1234567"],
    ],
    device: "go-echarger_072246",
    is: {
      attributes: {
        ...{ state: "charging", force: "neutral", allowed: true, current_limit: 16, power: 11030 },
        ...{ energy_session: 5321.5, energy: 1234.567 },
      },
    },
    commands: [
      [{ current_limit: 10, force: "off" }, ["go-eCharger/072246/amp/set", 10], ["go-eCharger/072246/frc/set", 1]],
    ],
  },
  {
    profile: "evcc-loadpoint",
    messages: [
      ["evcc/status", "online"],
      ["evcc/loadpoints/1/mode", "pv"],
      ["evcc/loadpoints/1/connected", "true"],
      ["evcc/loadpoints/1/charging", "false"],
      ["evcc/loadpoints/1/chargePower", "0"],
      ["evcc/loadpoints/1/limitSoc", "80"],
    ],
    device: "evcc_loadpoint_1",
    is: {
      available: true,
      attributes: { charge_mode: "pv", connected: true, charging: false, power: 0, limit_soc: 80 },
    },
    commands: [
      [{ charge_mode: "now" }, ["evcc/loadpoints/1/mode/set", "now"]],
      [{ limit_soc: 90 }, ["evcc/loadpoints/1/limitSoc/set", 90]],
    ],
  },
  {
    profile: "evcc-site",
    messages: [
      ["evcc/site/homePower", "512"],
      ["evcc/site/pvPower", "4210.5"],
      ["evcc/site/grid/power", "-3100"],
      ["evcc/site/battery/soc", "67"],
    ],
    device: "evcc_site",
    is: { attributes: { home_power: 512, pv_power: 4210.5, grid_power: -3100, battery_soc: 67 } },
  },
  {
    profile: "frigate",
    messages: [
      ["frigate/available", "online"],
      ["frigate/drive/motion", "ON"],
      ["frigate/drive/person", "2"],
      ["frigate/drive/detect/state", "ON"],
      ["frigate/events", { type: "new", before: {}, after: {} }],
    ],
    device: "frigate_drive",
    is: { name: "drive", available: true, attributes: { motion: true, persons: 2, detect: true } },
    commands: [[{ detect: false }, ["frigate/drive/detect/set", "OFF"]]],
  },
  {
    profile: "dsmr-reader",
    messages: [
      ["dsmr/reading/electricity_currently_delivered", "0.312"],
      ["dsmr/reading/electricity_delivered_1", "4321.001"],
      ["dsmr/consumption/gas/delivered", "845.206"],
      ["dsmr/meter-stats/electricity_tariff", "2"],
    ],
    device: "dsmr-reader",
    is: {
      name: "Smart meter",
      attributes: { power: 312, power_kw: 0.312, energy_low: 4321.001, gas_consumed: 845.206, tariff: "high" },
    },
  },
  {
    profile: "ems-esp-boiler",
    messages: [
      ["ems-esp/status", "online"],
      [
        "ems-esp/boiler_data",
        {
          ...{ heatingactive: "off", tapwateractive: "on", selflowtemp: 45, curburnpow: 60, curflowtemp: 42.5 },
          ...{ rettemp: 38, syspress: 1.6, outdoortemp: 3.2 },
        },
      ],
    ],
    device: "ems-esp_boiler",
    is: {
      available: true,
      attributes: { heatingactive: false, tapwateractive: true, selflowtemp: 45, curflowtemp: 42.5, syspress: 1.6 },
    },
    commands: [[{ selflowtemp: 50 }, ["ems-esp/boiler/selflowtemp", 50]]],
  },
  {
    profile: "victron",
    messages: [
      ["N/c0619ab12345/system/0/Dc/Battery/Soc", { value: 76.5 }],
      ["N/c0619ab12345/system/0/Dc/Battery/Power", { value: -310 }],
      ["N/c0619ab12345/system/0/Ac/Grid/L1/Power", { value: 42 }],
      ["N/c0619ab12345/system/0/Dc/Pv/Power", { value: null }],
      ["N/c0619ab12345/settings/0/Settings/CGwacs/BatteryLife/MinimumSocLimit", { value: 10 }],
    ],
    device: "victron_c0619ab12345",
    is: { attributes: { battery_soc: 76.5, battery_power: -310, grid_power_l1: 42, minimum_soc: 10 } },
    commands: [
      [{ minimum_soc: 30 }, ["W/c0619ab12345/settings/0/Settings/CGwacs/BatteryLife/MinimumSocLimit", { value: 30 }]],
    ],
  },
  {
    profile: "espurna",
    messages: [
      ["sonoff2/status", "1"],
      ["sonoff2/relay/0", "1"],
      ["sonoff2/power", "38"],
    ],
    device: "espurna_sonoff2",
    is: { available: true, attributes: { on: true, power: 38 } },
    commands: [
      [{ on: false }, ["sonoff2/relay/0/set", 0]],
      [{ on: "toggle" }, ["sonoff2/relay/0/set", 2]],
    ],
  },
  {
    profile: "awtrix",
    messages: [
      [
        "awtrix_73f7a4/stats",
        {
          ...{ bat: 97, bat_raw: 670, type: 0, lux: 32, ldr_raw: 500, ram: 150000, bri: 51, temp: 22, hum: 41 },
          ...{ uptime: 99, wifi_signal: -61, messages: 3, version: "0.96", app: "Time", matrix: true },
        },
      ],
      ["awtrix_73f7a4/stats/buttonSelect", "1"],
      ["awtrix_73f7a4/stats/buttonSelect", "0"],
    ],
    device: "awtrix_73f7a4",
    is: {
      attributes: {
        ...{ on: true, brightness: 51, brightness_pct: 20, app: "Time", temperature: 22, humidity: 41 },
        ...{ illuminance: 32, battery: 97, wifi_signal: -61, action: "select" },
      },
    },
    actions: ["select"],
    commands: [
      [{ on: false }, ["awtrix_73f7a4/power", { power: false }]],
      [{ brightness_pct: 100 }, ["awtrix_73f7a4/settings", { BRI: 255 }]],
      [{ message: "Washed" }, ["awtrix_73f7a4/notify", { text: "Washed" }]],
    ],
  },
  {
    profile: "valetudo",
    messages: [
      ["valetudo/robot/$state", "ready"],
      ["valetudo/robot/StatusStateAttribute/status", "docked"],
      ["valetudo/robot/BatteryStateAttribute/level", "100"],
      ["valetudo/robot/FanSpeedControlCapability/preset", "low"],
    ],
    device: "valetudo_robot",
    is: { deviceType: "vacuum", available: true, attributes: { state: "docked", battery: 100, fan_speed: "low" } },
    commands: [
      [{ operation: "start" }, ["valetudo/robot/BasicControlCapability/operation/set", "START"]],
      [{ command: "return_to_base" }, ["valetudo/robot/BasicControlCapability/operation/set", "HOME"]],
      [{ fan_speed: "max" }, ["valetudo/robot/FanSpeedControlCapability/preset/set", "max"]],
      [{ locate: true }, ["valetudo/robot/LocateCapability/locate/set", "PERFORM"]],
    ],
  },
  {
    profile: "zwave-js-ui",
    messages: [
      ["zwave/nodeID_5/status", { time: 1700000000000, value: true, status: "Alive", nodeId: 5 }],
      ["zwave/nodeID_5/37/0/currentValue", { time: 1700000000000, value: true }],
      ["zwave/nodeID_5/38/0/currentValue", { time: 1700000000000, value: 99 }],
      ["zwave/nodeID_5/50/0/value/66049", { time: 1700000000000, value: 12.5 }],
      ["zwave/nodeID_5/49/0/Air_temperature", { time: 1700000000000, value: 20.1 }],
    ],
    device: "zwave_nodeID_5",
    is: { available: true, attributes: { on: true, level: 99, brightness_pct: 100, power: 12.5, temperature: 20.1 } },
    commands: [
      [{ on: false }, ["zwave/nodeID_5/37/0/targetValue/set", { value: false }]],
      [{ brightness_pct: 50 }, ["zwave/nodeID_5/38/0/targetValue/set", { value: 50 }]],
    ],
  },
  {
    profile: "example",
    messages: [
      ["garden/bed1/data", { temp: 21.4, soil: { moisture: 512 }, bat: 87 }],
      ["garden/bed1/valve", "OPEN"],
    ],
    device: "garden_bed1",
    is: { name: "Garden bed1", attributes: { temperature: 21.4, moisture: 50, battery: 87, dry: false, on: true } },
    commands: [
      [{ on: false }, ["garden/bed1/valve/set", "CLOSE"]],
      [{ restart: true }, ["garden/bed1/restart", "now"]],
    ],
  },
];

const names = readdirSync(SHIPPED).map((file) => file.replace(/\.toml$/, ""));
const switchedOn = (text: string): string => text.replace(/^enabled = false$/m, "");

test("there are a dozen and more, each is tested, and none has a problem", () => {
  expect(names.length).toBeGreaterThan(13);
  expect(CASES.map(({ profile }) => profile).sort()).toEqual([...names].sort());
  expect(checkProfiles(SHIPPED, messageExpressions).map(formatProblem)).toEqual([]);
});

describe.each(CASES.map((one) => [one.profile, one] as const))(
  "%s",
  (_, { profile, messages, device, is, commands = [], actions = [] }) => {
    async function openRadios() {
      const rig = createProfilesRig({ [`${profile}.toml`]: switchedOn(shipped(profile)) });
      for (const [topic, payload] of messages) rig.publish(topic, payload, { account: "things" });
      if (shipped(profile).includes("same_as")) await rig.clock.advance(ANNOUNCED_MS);
      return rig;
    }

    test("is a device with the right name and values", async () => {
      using rig = await openRadios();
      expect(rig.ids()).toContain(device);
      expect(rig.device(device)).toMatchObject({ pluginId: "things", ...is });
      expect(rig.actions).toEqual(actions.map((action) => ({ device_id: device, action })));
      expect(rig.discovery.problems()).toEqual([]);
    });

    test.each(commands.map((one) => [one] as const))("is commanded: %j", async ([wanted, ...sent]) => {
      using rig = await openRadios();
      await rig.discovery.command(device, wanted);
      expect(rig.sent() as unknown[]).toEqual(sent.map(([topic, payload]) => ({ topic, payload })));
    });
  },
);

test("a file that holds what came with the hub is read as any other, and one that was changed is checked", () => {
  using folder = createTemporaryFolder();
  const trusting = createProfileReader(messageExpressions, shippedProfiles);
  const checking = createProfileReader(messageExpressions);
  for (const [name, { text }] of shippedProfiles) {
    const path = folder.at(`${name}.toml`);
    writeFileSync(path, text);
    const [trusted, checked] = [trusting, checking].map((reader) => reader.readFile(name, path));
    expect(checked?.problems).toEqual([]);
    const plain = (profile: Profile | undefined) =>
      profile && { ...profile, makers: profile.makers.map(({ text }) => text), expressions: undefined };
    expect({ ...trusted, profile: plain(trusted?.profile) }).toEqual({ ...checked, profile: plain(checked?.profile) });
    writeFileSync(path, `${text}wrong = 1\n`);
    expect(trusting.readFile(name, path).problems).not.toEqual([]);
  }
  expect(() => trusting.readFile("wled", folder.at("missing.toml"))).toThrow("ENOENT");
});

test("together they make one device of each thing, and none of what another profile is for", async () => {
  using rig = createProfilesRig(Object.fromEntries(names.map((name) => [`${name}.toml`, switchedOn(shipped(name))])));
  for (const { messages } of CASES)
    for (const [topic, payload] of messages) rig.publish(topic, payload, { account: "things" });
  await rig.clock.advance(ANNOUNCED_MS);
  const expected = [...CASES.map(({ device }) => device), "rtl433_Acurite-Tower_11524"];
  expect(rig.ids()).toEqual(expected.sort());
});

test("as they come, those whose topics are shared with others are off, and the example is", async () => {
  using rig = createProfilesRig(Object.fromEntries(names.map((name) => [`${name}.toml`, shipped(name)])));
  for (const { messages } of CASES)
    for (const [topic, payload] of messages) rig.publish(topic, payload, { account: "things" });
  await rig.clock.advance(ANNOUNCED_MS);
  const off = ["tasmota_pump", "espurna_sonoff2", "garden_bed1"];
  expect(off.filter((id) => rig.ids().includes(id))).toEqual([]);
  expect(rig.ids().length).toBe(CASES.length + 1 - off.length);
});
