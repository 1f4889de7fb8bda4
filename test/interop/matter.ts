// What matter.sh runs in a network of its own: bun test/interop/matter.ts HUB. A line for each check.
import { isDeepStrictEqual } from "node:util";
import { until } from "../support/wait.ts";
import { check, hasFailed, print, tellHowMany } from "./checks.ts";
import { type Controller, createController, prepareMatter } from "./matter/controller.ts";
import { furnish, type House } from "./matter/house.ts";

const LAMP = "Lamp over the long dining table";

/** Until the other home sees this. */
async function shows(home: Controller, label: string, cluster: string, wanted: object): Promise<void> {
  let seen: unknown;
  const isSo = async (): Promise<boolean> => {
    const state = await home.read(label, cluster);
    seen = Object.fromEntries(Object.keys(wanted).map((key) => [key, state[key]]));
    return JSON.stringify(seen) === JSON.stringify(wanted);
  };
  await until(`${label} shows ${JSON.stringify(wanted)}`, isSo).catch(() => {
    throw new Error(`${label} shows ${JSON.stringify(seen)} instead of ${JSON.stringify(wanted)}`);
  });
}

/** The action succeeds, and the device is told this, and once. */
async function told(house: House, id: string, command: object, act: () => Promise<void>): Promise<void> {
  const before = house.commands.length;
  const since = () => house.commands.slice(before).flatMap((one) => (one.id === id ? [one.command] : []));
  await act();
  await until(`${id} is told`, () => since().length > 0);
  if (!isDeepStrictEqual(since(), [command])) throw new Error(`told ${JSON.stringify(since())}`);
}

/** The action fails with this status of Matter, and the device was told `command`, or nothing. */
async function refused(
  house: House,
  id: string,
  { status, command }: { status: number; command?: object },
  act: () => Promise<void>,
): Promise<void> {
  const before = house.commands.length;
  const answer = await act().then(
    () => "success",
    (error: { code?: number }) => error.code ?? String(error),
  );
  if (answer !== status) throw new Error(`answered ${answer}`);
  const since = house.commands.slice(before).flatMap((one) => (one.id === id ? [one.command] : []));
  if (!isDeepStrictEqual(since, command ? [command] : [])) throw new Error(`told ${JSON.stringify(since)}`);
}

async function devicesAreThere(home: Controller): Promise<void> {
  await check("the chosen devices are there, and one that Matter has no type for is not", () => {
    const wanted = [
      ...[LAMP, "air", "blind", "ceiling", "front.door", "garage", "heater", "mixer", "plug", "pump", "shutter"],
      ...["slats", "sprinkler", "weather", "window"],
    ];
    if (!isDeepStrictEqual(home.labels(), wanted)) throw new Error(JSON.stringify(home.labels()));
  });
  await check("a socket", () => shows(home, "plug", "onOff", { onOff: false }));
  await check("a light's level", () => shows(home, LAMP, "levelControl", { currentLevel: 127 }));
  await check("… and colour", () =>
    shows(home, LAMP, "colorControl", { currentHue: 0, currentSaturation: 254, colorMode: 0 }),
  );
  await check("a blind", () => shows(home, "blind", "windowCovering", { currentPositionLiftPercent100ths: 0 }));
  await check("a lock that was named", () => shows(home, "front.door", "doorLock", { lockState: 1 }));
  await check("a thermostat", () =>
    shows(home, "heater", "thermostat", { localTemperature: 1850, occupiedHeatingSetpoint: 2000, systemMode: 4 }),
  );
  await check("a fan", () => shows(home, "ceiling", "fanControl", { percentCurrent: 40, fanMode: 2 }));
  await check("a thermometer below zero", () =>
    shows(home, "weather", "temperatureMeasurement", { measuredValue: -325 }),
  );
  await check("humidity", () => shows(home, "weather", "relativeHumidityMeasurement", { measuredValue: 8100 }));
  await check("illuminance", () => shows(home, "weather", "illuminanceMeasurement", { measuredValue: 30_001 }));
  await check("a battery", () =>
    shows(home, "weather", "powerSource", { batPercentRemaining: 180, batChargeLevel: 0, status: 1 }),
  );
  await check("pressure", () => shows(home, "weather", "pressureMeasurement", { measuredValue: 1013 }));
  await check("a presence", () => shows(home, "window", "occupancySensing", { occupancy: { occupied: false } }));
  await check("smoke", () => shows(home, "window", "smokeCoAlarm", { smokeState: 0 }));
  await check("the slats of a shutter", () =>
    shows(home, "shutter", "windowCovering", {
      ...{ currentPositionLiftPercent100ths: 2500, currentPositionTiltPercent100ths: 8000, type: 8 },
    }),
  );
  await check("slats alone", () =>
    shows(home, "slats", "windowCovering", { currentPositionTiltPercent100ths: 0, type: 7 }),
  );
  await check("what a plug uses", () =>
    shows(home, "plug", "electricalPowerMeasurement", { activePower: 12_500, rmsVoltage: 229_500, rmsCurrent: 55 }),
  );
  await check("… and has used", () =>
    shows(home, "plug", "electricalEnergyMeasurement", { cumulativeEnergyImported: { energy: 3_250_000 } }),
  );
  await check("the quality of the air", () => shows(home, "air", "airQuality", { airQuality: 3 }));
  await check("… its carbon dioxide", () =>
    shows(home, "air", "carbonDioxideConcentrationMeasurement", { measuredValue: 900, measurementUnit: 0 }),
  );
  await check("… and its fine dust", () =>
    shows(home, "air", "pm25ConcentrationMeasurement", { measuredValue: 22, measurementUnit: 4 }),
  );
  await check("a water valve", () =>
    shows(home, "sprinkler", "valveConfigurationAndControl", { currentState: 0, targetState: 0 }),
  );
  await check("… and how far one is open", () =>
    shows(home, "mixer", "valveConfigurationAndControl", { currentState: 1, currentLevel: 40 }),
  );
}

const FAILURE = 0x01;
const UNSUPPORTED_COMMAND = 0x81;
const CONSTRAINT_ERROR = 0x87;

async function coversAndValvesObey(house: House, home: Controller): Promise<void> {
  const covering = (label: string, command: string, args?: Record<string, unknown>) => () =>
    home.invoke(label, "windowCovering", command, args);
  await house.tell("shutter", { position: 90, moving: "closing" });
  await check("a shutter on its way down stops there", () =>
    told(house, "shutter", { command: "stop" }, covering("shutter", "stopMotion")),
  );
  await check("… and its slats turn", () =>
    told(
      house,
      "shutter",
      { tilt_pct: 60 },
      covering("shutter", "goToTiltPercentage", { tiltPercent100thsValue: 4000 }),
    ),
  );
  await check("slats alone turn", () => told(house, "slats", { tilt_pct: 0 }, covering("slats", "downOrClose")));
  await check("a blind that cannot stop says so, and is sent nowhere", () =>
    refused(house, "blind", { status: UNSUPPORTED_COMMAND }, covering("blind", "stopMotion")),
  );
  await check("a garage door without a position closes", () =>
    told(house, "garage", { command: "close" }, covering("garage", "downOrClose")),
  );
  await check("… and does not stop", () =>
    refused(house, "garage", { status: UNSUPPORTED_COMMAND }, covering("garage", "stopMotion")),
  );
  const valve = (label: string, command: string, args?: Record<string, unknown>) => () =>
    home.invoke(label, "valveConfigurationAndControl", command, args);
  await check("a valve opens", () => told(house, "sprinkler", { on: true }, valve("sprinkler", "open", {})));
  await check("… and says so", () => shows(home, "sprinkler", "valveConfigurationAndControl", { currentState: 1 }));
  await check("… but not for a time, after which nobody would close it", () =>
    refused(house, "sprinkler", { status: CONSTRAINT_ERROR }, valve("sprinkler", "open", { openDuration: 60 })),
  );
  await check("… and closes", () => told(house, "sprinkler", { on: false }, valve("sprinkler", "close")));
  await check("another valve opens by a quarter", () =>
    told(house, "mixer", { position: 25 }, valve("mixer", "open", { targetLevel: 25 })),
  );
}

async function refusalsAreHeard(house: House, home: Controller): Promise<void> {
  await check("what its plugin refuses fails", () =>
    refused(house, "pump", { status: FAILURE, command: { on: true } }, () => home.invoke("pump", "onOff", "on")),
  );
  await check("… and is not shown as done", () => shows(home, "pump", "onOff", { onOff: false }));
  await check("a thermostat is not set beyond what it takes", () =>
    refused(house, "heater", { status: CONSTRAINT_ERROR }, () =>
      home.write("heater", "thermostat", { occupiedHeatingSetpoint: 3400 }),
    ),
  );
  await check("… nor to a mode that it does not have", () =>
    refused(house, "heater", { status: CONSTRAINT_ERROR }, () => home.write("heater", "thermostat", { systemMode: 7 })),
  );
  await check("a fan does not find its speed by itself", () =>
    refused(house, "ceiling", { status: CONSTRAINT_ERROR }, () => home.write("ceiling", "fanControl", { fanMode: 5 })),
  );
  await check("a valve is not closed after a time that is set for later, either", () =>
    refused(house, "sprinkler", { status: CONSTRAINT_ERROR }, () =>
      home.write("sprinkler", "valveConfigurationAndControl", { defaultOpenDuration: 60 }),
    ),
  );
  for (const id of ["plug", "heater", "front.door", "shutter", "sprinkler", "ceiling"])
    await house.reachable(id, false);
  await until("they are away", () => home.reachable("ceiling") === false);
  const away: [string, string, () => Promise<void>][] = [
    ["a plug", "plug", () => home.invoke("plug", "onOff", "off")],
    ["a lock", "front.door", () => home.invoke("front.door", "doorLock", "lockDoor", {})],
    ["a shutter", "shutter", () => home.invoke("shutter", "windowCovering", "upOrOpen")],
    ["… to stop it", "shutter", () => home.invoke("shutter", "windowCovering", "stopMotion")],
    ["a valve", "sprinkler", () => home.invoke("sprinkler", "valveConfigurationAndControl", "open", {})],
    ["a thermostat", "heater", () => home.write("heater", "thermostat", { occupiedHeatingSetpoint: 1900 })],
    ["a fan", "ceiling", () => home.write("ceiling", "fanControl", { percentSetting: 10 })],
  ];
  for (const [what, id, act] of away)
    await check(`a command for what is away fails: ${what}`, () => refused(house, id, { status: FAILURE }, act));
  await check("… and is not shown as done", () => shows(home, "plug", "onOff", { onOff: true }));
  for (const id of ["plug", "heater", "front.door", "shutter", "sprinkler", "ceiling"]) await house.reachable(id, true);
  await until("they are back", () => home.reachable("ceiling") === true);
  await check("one that is back obeys", () =>
    told(house, "plug", { on: true }, () => home.invoke("plug", "onOff", "on")),
  );
}

async function commandsArrive(house: House, home: Controller): Promise<void> {
  await check("a socket is switched", () =>
    told(house, "plug", { on: true }, () => home.invoke("plug", "onOff", "on")),
  );
  await check("… and says so", () => shows(home, "plug", "onOff", { onOff: true }));
  await check("switched on once more, it is told once more: what is shown may be wrong", () =>
    told(house, "plug", { on: true }, () => home.invoke("plug", "onOff", "on")),
  );
  const level = { level: 254, transitionTime: null, optionsMask: {}, optionsOverride: {} };
  await check("a light's level", () =>
    told(house, "lamp", { brightness_pct: 100 }, () => home.invoke(LAMP, "levelControl", "moveToLevel", level)),
  );
  await check("… once more, though it is shown already", () =>
    told(house, "lamp", { brightness_pct: 100 }, () => home.invoke(LAMP, "levelControl", "moveToLevel", level)),
  );
  await check("… and at the same time as it is switched on, by another app", async () => {
    const half = { ...level, level: 127 };
    await house.tell("lamp", { on: false });
    await shows(home, LAMP, "onOff", { onOff: false });
    await Promise.all([
      home.invoke(LAMP, "onOff", "on"),
      home.invoke(LAMP, "levelControl", "moveToLevelWithOnOff", half),
      home.invoke(LAMP, "onOff", "on"),
    ]);
    await shows(home, LAMP, "levelControl", { currentLevel: 127 });
    await shows(home, LAMP, "onOff", { onOff: true });
  });
  await check("a socket that is switched on for a time is switched off by itself", async () => {
    const before = house.commands.length;
    await home.invoke("plug", "onOff", "onWithTimedOff", { onOffControl: {}, onTime: 3, offWaitTime: 0 });
    const isOff = () => house.commands.slice(before).some(({ id, command }) => id === "plug" && command.on === false);
    await until("it is switched off", isOff);
    await shows(home, "plug", "onOff", { onOff: false });
    await home.invoke("plug", "onOff", "on");
  });
  const hue = { hue: 85, saturation: 254, transitionTime: 0, optionsMask: {}, optionsOverride: {} };
  await check("… and colour, as one command", () =>
    told(house, "lamp", { color_rgb: "#00ff02" }, () =>
      home.invoke(LAMP, "colorControl", "moveToHueAndSaturation", hue),
    ),
  );
  await check("… once more, though it is shown already", () =>
    told(house, "lamp", { color_rgb: "#00ff02" }, () =>
      home.invoke(LAMP, "colorControl", "moveToHueAndSaturation", hue),
    ),
  );
  const white = { colorTemperatureMireds: 250, transitionTime: 0, optionsMask: {}, optionsOverride: {} };
  await check("… and its white", () =>
    told(house, "lamp", { color_temp_k: 4000 }, () =>
      home.invoke(LAMP, "colorControl", "moveToColorTemperature", white),
    ),
  );
  await check("a blind goes down to a third", () =>
    told(house, "blind", { position: 33 }, () =>
      home.invoke("blind", "windowCovering", "goToLiftPercentage", { liftPercent100thsValue: 6700 }),
    ),
  );
  await check("… and is there when the device says so", () =>
    shows(home, "blind", "windowCovering", { currentPositionLiftPercent100ths: 6700 }),
  );
  await check("a lock is opened", () =>
    told(house, "front.door", { locked: false }, () => home.invoke("front.door", "doorLock", "unlockDoor", {})),
  );
  await check("… and says so", () => shows(home, "front.door", "doorLock", { lockState: 2 }));
  await check("… and opened once more", () =>
    told(house, "front.door", { locked: false }, () => home.invoke("front.door", "doorLock", "unlockDoor", {})),
  );
  await check("a thermostat is set", () =>
    told(house, "heater", { target_temperature: 21.5 }, () =>
      home.write("heater", "thermostat", { occupiedHeatingSetpoint: 2150 }),
    ),
  );
  await check("… and switched off", () =>
    told(house, "heater", { mode: "off" }, () => home.write("heater", "thermostat", { systemMode: 0 })),
  );
  await check("a fan's speed", () =>
    told(house, "ceiling", { on: true, speed_pct: 75 }, () =>
      home.write("ceiling", "fanControl", { percentSetting: 75 }),
    ),
  );
}

async function reportsArrive(house: House, home: Controller): Promise<void> {
  await house.tell("window", { open: true, occupancy: true, water_leak: true, smoke: true });
  await check("a window that opens", () => shows(home, "window", "booleanState", { stateValue: false }));
  await check("… and somebody in the room", () =>
    shows(home, "window", "occupancySensing", { occupancy: { occupied: true } }),
  );
  await check("… and smoke", () => shows(home, "window", "smokeCoAlarm", { smokeState: 2 }));
  await house.tell("weather", { temperature: 21.4 });
  await check("a temperature", () => shows(home, "weather", "temperatureMeasurement", { measuredValue: 2140 }));
  await house.tell("lamp", { on: false });
  await check("a light that somebody else switched off", () => shows(home, LAMP, "onOff", { onOff: false }));
  await house.hub.request("PATCH", "/devices/weather", { body: { name: "Outside" } });
  await check("a new name", async () => {
    await until("it is shown", () => home.labels().includes("Outside"));
  });
  await house.tell("weather", { battery: 4 });
  await check("a battery that is nearly empty", () =>
    shows(home, "Outside", "powerSource", { batChargeLevel: 2, batReplacementNeeded: true }),
  );
  await check("what the hub shows is no command", () => {
    const wrong = house.commands.filter(({ id }) => id === "weather" || id === "window");
    if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
  });
}

const WHOLE = { areas: ["House"], devices: ["front.door"] };

async function configurationChanges(house: House, home: Controller): Promise<void> {
  const numbers = home.numbers();
  const labels = (): string => JSON.stringify(home.labels());
  const shown = (...wanted: string[]) =>
    until(`${wanted} are shown`, () => labels() === JSON.stringify([...wanted].sort()), { timeoutMs: 60_000 }).catch(
      () => {
        throw new Error(`shown: ${labels()}`);
      },
    );
  const made = await house.hub.request("POST", "/scenes", {
    body: { name: "Evening", states: { plug: { on: false }, lamp: { on: true } } },
  });
  if (made.status !== 201) throw new Error(made.text);
  await check("with another choice of devices, the others go at once", async () => {
    await house.configure({ devices: ["plug", "blind"], scenes: ["Evening"] });
    await shown("Evening", "blind", "plug");
  });
  await check("… it is still paired, and obeys", () => obeys(house, home, "on"));
  await check("a scene is activated by its switch, which goes off again", async () => {
    await told(house, "lamp", { on: true }, () => home.invoke("Evening", "onOff", "on"));
    await shows(home, "plug", "onOff", { onOff: false });
    await shows(home, "Evening", "onOff", { onOff: false });
  });
  await check("with the first choice all are there again; those that stayed have their numbers", async () => {
    await house.configure(WHOLE);
    await shown(...Object.keys(numbers));
    const changed = Object.entries(home.numbers()).filter(([label, number]) => numbers[label] !== number);
    const kept = changed.filter(([label]) => label === "plug" || label === "blind");
    if (kept.length > 0) throw new Error(JSON.stringify([numbers, home.numbers()]));
  });
  await check("what is wrong with a choice is said, and nothing changes", async () => {
    const answer = await house.hub.request("PUT", "/plugins/matter/config", { body: { port: 1 } });
    if (answer.status === 200) throw new Error(answer.text);
    await obeys(house, home, "on");
  });
  await check("with another name and port it is still paired, and obeys", async () => {
    await house.configure({ ...WHOLE, name: "The house", port: 5541 });
    await obeys(house, home, "off");
    await house.configure(WHOLE);
    await obeys(house, home, "on");
  });
}

/** The first try may still go to where the bridge was. */
async function obeys(house: House, home: Controller, command: "on" | "off"): Promise<void> {
  const before = house.commands.length;
  const isTold = async (): Promise<boolean> => {
    await home.invoke("plug", "onOff", command).catch(() => {});
    return house.commands.slice(before).some(({ id, command: { on } }) => id === "plug" && on === (command === "on"));
  };
  await until(`the plug is told to be ${command}`, isTold, { timeoutMs: 60_000, everyMs: 500 });
  // What it hears of, it hears of as before.
  await shows(home, "plug", "onOff", { onOff: command === "on" });
}

async function restartsAreSurvived(house: House, home: Controller): Promise<void> {
  const numbers = home.numbers();
  await house.restart();
  await check("after a restart it is still paired, and obeys", () => obeys(house, home, "off"));
  await check("… with the same numbers", () => {
    if (!isDeepStrictEqual(home.numbers(), numbers)) throw new Error(JSON.stringify([numbers, home.numbers()]));
  });
  await house.move();
  await check("on another machine, from a backup, it is still paired, and obeys", () => obeys(house, home, "on"));
  await check("… with the same numbers", () => {
    if (!isDeepStrictEqual(home.numbers(), numbers)) throw new Error(JSON.stringify([numbers, home.numbers()]));
  });
}

async function pairingEnds(house: House): Promise<void> {
  const homesOf = async () => (await house.act<{ homes: { home: number }[] }>("pairing")).homes;
  await check("the paired home is listed, without a code for others", async () => {
    const answer = await house.act<{ homes: unknown[]; code?: string }>("pairing");
    if (answer.homes.length !== 1 || answer.code !== undefined) throw new Error(JSON.stringify(answer));
  });
  await check("a further home may be let in", async () => {
    const { code } = await house.act<{ code: string }>("pair_another");
    await using second = await createController("second");
    await second.pair(code);
    await shows(second, "plug", "onOff", { onOff: true });
    if ((await homesOf()).length !== 2) throw new Error(JSON.stringify(await homesOf()));
  });
  await check("pairings are ended", async () => {
    for (const { home } of await homesOf()) await house.act("unpair", { home });
    // It begins anew then, with a code of its own.
    const isFree = async () =>
      (await house.act<{ code?: string }>("pairing").catch(() => ({ code: undefined }))).code !== undefined;
    await until("there is a code again", isFree);
  });
}

async function main(): Promise<number> {
  prepareMatter();
  await using house = await furnish(process.argv[2] ?? "bin/hub");
  try {
    await using home = await createController("first");
    await check("another home pairs by the code", async () => {
      const { code } = await house.act<{ code: string }>("pairing");
      await home.pair(code);
    });
    await devicesAreThere(home);
    await commandsArrive(house, home);
    await coversAndValvesObey(house, home);
    await refusalsAreHeard(house, home);
    await reportsArrive(house, home);
    await configurationChanges(house, home);
    await restartsAreSurvived(house, home);
    await pairingEnds(house);
  } finally {
    if (hasFailed()) print(house.hub.output.split("\n").slice(-40).join("\n"));
  }
  return tellHowMany();
}

process.exit(await main());
