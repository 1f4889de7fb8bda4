// Commands of another home: each kind of device is sent them as they are meant, and what comes to nothing fails.
import { until } from "../../support/wait.ts";
import { check } from "../checks.ts";
import type { Controller } from "./controller.ts";
import { commanded, LAMP, refused, shows } from "./expect.ts";
import type { House } from "./house.ts";

const FAILURE = 0x01;
const UNSUPPORTED_COMMAND = 0x81;
const CONSTRAINT_ERROR = 0x87;

export async function coversAndValvesObey(house: House, home: Controller): Promise<void> {
  const covering = (label: string, command: string, args?: Record<string, unknown>) => () =>
    home.invoke(label, "windowCovering", command, args);
  await house.publishState("shutter", { position: 90, moving: "closing" });
  await check("a shutter on its way down stops there", () =>
    commanded(house, "shutter", { command: "stop" }, covering("shutter", "stopMotion")),
  );
  await check("… and its slats turn", () =>
    commanded(
      house,
      "shutter",
      { tilt_pct: 60 },
      covering("shutter", "goToTiltPercentage", { tiltPercent100thsValue: 4000 }),
    ),
  );
  await check("slats alone turn", () => commanded(house, "slats", { tilt_pct: 0 }, covering("slats", "downOrClose")));
  await check("a blind that cannot stop says so, and is sent nowhere", () =>
    refused(house, "blind", { status: UNSUPPORTED_COMMAND }, covering("blind", "stopMotion")),
  );
  await check("a garage door without a position closes", () =>
    commanded(house, "garage", { command: "close" }, covering("garage", "downOrClose")),
  );
  await check("… and does not stop", () =>
    refused(house, "garage", { status: UNSUPPORTED_COMMAND }, covering("garage", "stopMotion")),
  );
  const valve = (label: string, command: string, args?: Record<string, unknown>) => () =>
    home.invoke(label, "valveConfigurationAndControl", command, args);
  await check("a valve opens", () => commanded(house, "sprinkler", { on: true }, valve("sprinkler", "open", {})));
  await check("… and says so", () => shows(home, "sprinkler", "valveConfigurationAndControl", { currentState: 1 }));
  await check("… but not for a time, after which nobody would close it", () =>
    refused(house, "sprinkler", { status: CONSTRAINT_ERROR }, valve("sprinkler", "open", { openDuration: 60 })),
  );
  await check("… and closes", () => commanded(house, "sprinkler", { on: false }, valve("sprinkler", "close")));
  await check("another valve opens by a quarter", () =>
    commanded(house, "mixer", { position: 25 }, valve("mixer", "open", { targetLevel: 25 })),
  );
}

export async function refusalsArrive(house: House, home: Controller): Promise<void> {
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
    commanded(house, "plug", { on: true }, () => home.invoke("plug", "onOff", "on")),
  );
}

async function lightsObey(house: House, home: Controller): Promise<void> {
  const level = { level: 254, transitionTime: null, optionsMask: {}, optionsOverride: {} };
  await check("a light's level", () =>
    commanded(house, "lamp", { brightness_pct: 100 }, () => home.invoke(LAMP, "levelControl", "moveToLevel", level)),
  );
  await check("… once more, though it is shown already", () =>
    commanded(house, "lamp", { brightness_pct: 100 }, () => home.invoke(LAMP, "levelControl", "moveToLevel", level)),
  );
  await check("… and at the same time as it is switched on, by another app", async () => {
    const half = { ...level, level: 127 };
    await house.publishState("lamp", { on: false });
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
    commanded(house, "lamp", { color_rgb: "#00ff02" }, () =>
      home.invoke(LAMP, "colorControl", "moveToHueAndSaturation", hue),
    ),
  );
  await check("… once more, though it is shown already", () =>
    commanded(house, "lamp", { color_rgb: "#00ff02" }, () =>
      home.invoke(LAMP, "colorControl", "moveToHueAndSaturation", hue),
    ),
  );
  const white = { colorTemperatureMireds: 250, transitionTime: 0, optionsMask: {}, optionsOverride: {} };
  await check("… and its white", () =>
    commanded(house, "lamp", { color_temp_k: 4000 }, () =>
      home.invoke(LAMP, "colorControl", "moveToColorTemperature", white),
    ),
  );
}

export async function commandsArrive(house: House, home: Controller): Promise<void> {
  await check("a socket is switched", () =>
    commanded(house, "plug", { on: true }, () => home.invoke("plug", "onOff", "on")),
  );
  await check("… and says so", () => shows(home, "plug", "onOff", { onOff: true }));
  await check("switched on once more, it is commanded once more: what is shown may be wrong", () =>
    commanded(house, "plug", { on: true }, () => home.invoke("plug", "onOff", "on")),
  );
  await lightsObey(house, home);
  await check("a blind goes down to a third", () =>
    commanded(house, "blind", { position: 33 }, () =>
      home.invoke("blind", "windowCovering", "goToLiftPercentage", { liftPercent100thsValue: 6700 }),
    ),
  );
  await check("… and is there when the device says so", () =>
    shows(home, "blind", "windowCovering", { currentPositionLiftPercent100ths: 6700 }),
  );
  await check("a lock is opened", () =>
    commanded(house, "front.door", { locked: false }, () => home.invoke("front.door", "doorLock", "unlockDoor", {})),
  );
  await check("… and says so", () => shows(home, "front.door", "doorLock", { lockState: 2 }));
  await check("… and opened once more", () =>
    commanded(house, "front.door", { locked: false }, () => home.invoke("front.door", "doorLock", "unlockDoor", {})),
  );
  await check("a thermostat is set", () =>
    commanded(house, "heater", { target_temperature: 21.5 }, () =>
      home.write("heater", "thermostat", { occupiedHeatingSetpoint: 2150 }),
    ),
  );
  await check("… and switched off", () =>
    commanded(house, "heater", { mode: "off" }, () => home.write("heater", "thermostat", { systemMode: 0 })),
  );
  await check("a fan's speed", () =>
    commanded(house, "ceiling", { on: true, speed_pct: 75 }, () =>
      home.write("ceiling", "fanControl", { percentSetting: 75 }),
    ),
  );
}
