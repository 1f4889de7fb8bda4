// Who judges which component. Buttons, sirens and updates say nothing that a device reports.
import { judgeClimate, judgeCover, judgeFan, judgeLight, judgeLock } from "./actuators.ts";
import { judgeBinarySensor } from "./binary-sensor.ts";
import type { Judge } from "./finding.ts";
import { judgeOwn } from "./own.ts";
import { judgeSensor } from "./sensor.ts";

export const JUDGES: Readonly<Record<string, Judge>> = {
  binary_sensor: judgeBinarySensor,
  climate: judgeClimate,
  cover: judgeCover,
  fan: judgeFan,
  light: judgeLight,
  lock: judgeLock,
  number: judgeOwn,
  select: judgeOwn,
  sensor: judgeSensor,
  switch: judgeOwn,
  text: judgeOwn,
};
