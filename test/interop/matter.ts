// What matter.sh runs in a network of its own: bun test/interop/matter.ts HUB. A line for each check.
import { isDeepStrictEqual } from "node:util";
import { until } from "../support/wait.ts";
import { check, hasFailed, print, printTotals } from "./checks.ts";
import { commandsArrive, coversAndValvesObey, refusalsArrive } from "./matter/commands.ts";
import { type Controller, createController, prepareMatter } from "./matter/controller.ts";
import { commanded, LAMP, shows } from "./matter/expect.ts";
import { furnish, type House } from "./matter/house.ts";

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

async function reportsArrive(house: House, home: Controller): Promise<void> {
  await house.publishState("window", { open: true, occupancy: true, water_leak: true, smoke: true });
  await check("a window that opens", () => shows(home, "window", "booleanState", { stateValue: false }));
  await check("… and somebody in the room", () =>
    shows(home, "window", "occupancySensing", { occupancy: { occupied: true } }),
  );
  await check("… and smoke", () => shows(home, "window", "smokeCoAlarm", { smokeState: 2 }));
  await house.publishState("weather", { temperature: 21.4 });
  await check("a temperature", () => shows(home, "weather", "temperatureMeasurement", { measuredValue: 2140 }));
  await house.publishState("lamp", { on: false });
  await check("a light that somebody else switched off", () => shows(home, LAMP, "onOff", { onOff: false }));
  await house.hub.request("PATCH", "/devices/weather", { body: { name: "Outside" } });
  await check("a new name", async () => {
    await until("it is shown", () => home.labels().includes("Outside"));
  });
  await house.publishState("weather", { battery: 4 });
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
    await commanded(house, "lamp", { on: true }, () => home.invoke("Evening", "onOff", "on"));
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
  const isReported = async (): Promise<boolean> => {
    await home.invoke("plug", "onOff", command).catch(() => {});
    return house.commands.slice(before).some(({ id, command: { on } }) => id === "plug" && on === (command === "on"));
  };
  await until(`the plug is told to be ${command}`, isReported, { timeoutMs: 60_000, everyMs: 500 });
  // What it learns of, it learns of as before.
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
    await refusalsArrive(house, home);
    await reportsArrive(house, home);
    await configurationChanges(house, home);
    await restartsAreSurvived(house, home);
    await pairingEnds(house);
  } finally {
    if (hasFailed()) print(house.hub.output.split("\n").slice(-40).join("\n"));
  }
  return printTotals();
}

process.exit(await main());
