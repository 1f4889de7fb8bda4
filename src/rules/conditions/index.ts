// Every condition there is. A new one is a file in this folder and a line here.
import type { ConditionDefinition } from "../model/define.ts";
import { and } from "./and.ts";
import { calendarActive } from "./calendar-active.ts";
import { deviceLastChange } from "./device-last-change.ts";
import { deviceState } from "./device-state.ts";
import { expression } from "./expression.ts";
import { hubVariable } from "./hub-variable.ts";
import { modeIs } from "./mode-is.ts";
import { not } from "./not.ts";
import { or } from "./or.ts";
import { privateBooleanIs } from "./private-boolean-is.ts";
import { sun } from "./sun.ts";
import { timeElapsed } from "./time-elapsed.ts";
import { timeWindow } from "./time-window.ts";
import { triggerIs } from "./trigger-is.ts";
import { xor } from "./xor.ts";

export const conditions: readonly ConditionDefinition[] = [
  deviceState,
  timeElapsed,
  timeWindow,
  calendarActive,
  modeIs,
  triggerIs,
  hubVariable,
  privateBooleanIs,
  deviceLastChange,
  sun,
  and,
  or,
  xor,
  not,
  expression,
];
