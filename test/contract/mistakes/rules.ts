// Forty mistakes that people make in rules, in RON and in TOML. ◀ marks the line that is to be named.
import type { Mistake } from "./mistake.ts";

const ron = (rest: string): string => `(\n    name: "Lamp",\n${rest}\n)\n`;
const TRIGGER = '    trigger: DeviceStateChanged(device_id: "door", attribute: "open"),\n';
const ACTIONS = '    actions: [SetDeviceState(device_id: "lamp", state: (on: true))],';
const toml = (rest: string): string => `name = "Lamp"\n${rest}`;
const TRIGGER_TABLE = '[trigger]\ntype = "device_state_changed"\ndevice_id = "door"\n';

const RON: readonly Mistake[] = [
  // What is not RON.
  [`(\n    name = "Lamp", ◀\n${ACTIONS}\n)\n`, "", "RON writes `name: value`, with `:` and not `=`"],
  [`(\n    name: "Lamp" ◀\n${TRIGGER}${ACTIONS}\n)\n`, "", "`,` or `)` is missing after this value"],
  [`(\n    name: 'Lamp', ◀\n${ACTIONS}\n)\n`, "", "a text needs double quotes"],
  [`(\n    name: “Lamp”, ◀\n${ACTIONS}\n)\n`, "", "a text needs straight ones"],
  [`(\n    name: "Lamp, ◀\n    enabled: true,\n${ACTIONS}\n)\n`, "", 'its closing `"` seems to be missing here'],
  [`( ◀\n    name: "Lamp",\n${ACTIONS}\n`, "", "`)` is missing"],
  [ron("    actions: [Delay(300)), ◀"), "", "must be closed with `]`"],
  [`name: "Lamp", ◀\n${ACTIONS}\n`, "", "a rule is written in parentheses"],
  [ron(`    # at night ◀\n${ACTIONS}`), "", "a comment begins with `//` in RON"],
  [ron(`    enabled: True, ◀\n${ACTIONS}`), "", "is written in small letters: true"],
  [ron(`    cooldown_secs: 5min, ◀\n${ACTIONS}`), "", "a number has no unit: write 5 alone"],
  [ron(`    trigger: TimeOfDay(time: 07:30), ◀\n${ACTIONS}`), "", "a time or date is a text in quotes"],
  [`(\n    name: "Lamp",\n    name: "Light", ◀\n${ACTIONS}\n)\n`, "", "is twice in these brackets: keep one of them"],
  [`${ron(ACTIONS)}${ron(ACTIONS).replace("(\n", "( ◀\n")}`, "", "a file holds one rule"],
  ['[ ◀\n    (name: "Lamp"),\n]\n', "", "write each into a file of its own"],
  // What is not a rule.
  [`( ◀\n${TRIGGER}${ACTIONS}\n)\n`, "name", "missing: must be text"],
  [ron(`    nam: "x", ◀\n${ACTIONS}`), "nam", 'did you mean "name"?'],
  [
    ron(`    trigger: DeviceStateChange(device_id: "door"), ◀\n${ACTIONS}`),
    "trigger.type",
    'did you mean "device_state_changed"?',
  ],
  [ron(`    trigger: Sunset, ◀\n${ACTIONS}`), "trigger.type", "must be one of"],
  [ron(`    trigger: [Cron(expression: "0 0 7 * * *")], ◀\n${ACTIONS}`), "trigger", "`triggers: [ … ]` for several"],
  [ron(`    trigger: Cron(expression: "0 7 * * *"), ◀\n${ACTIONS}`), "trigger.expression", 'put "0 " in front'],
  [
    ron(`    trigger: Cron(expression: "0 0 25 * * *"), ◀\n${ACTIONS}`),
    "trigger.expression",
    'a wrong hour "25": it takes 0 to 23',
  ],
  [ron(`    trigger: TimeOfDay(time: "7 Uhr"), ◀\n${ACTIONS}`), "trigger.time", 'such as "07:30"'],
  [ron(`    trigger: SunEvent(event: "sundown"), ◀\n${ACTIONS}`), "trigger.event", "must be one of"],
  [ron(`    run_mode: "once", ◀\n${ACTIONS}`), "run_mode", 'must be one of "parallel", "single"'],
  [ron(`    cooldown_secs: -5, ◀\n${ACTIONS}`), "cooldown_secs", "a whole number of seconds from 0"],
  [
    ron(`    conditions: [DeviceState(device_id: "lamp", attribute: "on", op: Equals, value: true)], ◀\n${ACTIONS}`),
    "conditions[0].op",
    '"Eq"',
  ],
  [
    ron('    actions: [SetDeviceState(device: "lamp", state: (on: true))], ◀'),
    "actions[0].device",
    'did you mean "device_id"?',
  ],
  [ron('    actions: [Notify(channel: "log")], ◀'), "actions[0].message", "missing: must be text"],
  [ron('    actions: [Delay("5 minutes")], ◀'), "actions[0].duration_secs", "a number of seconds"],
  [ron(`    conditions: [Expression("current_hour() = 7")], ◀\n${ACTIONS}`), "conditions[0].expression", "write =="],
  [
    ron(`    conditions: [Expression("hour() > 7")], ◀\n${ACTIONS}`),
    "conditions[0].expression",
    'did you mean "current_hour"?',
  ],
];

const TOML: readonly Mistake[] = [
  [toml("enabled: true ◀\n"), "", "TOML writes `name = value`"],
  [toml("enabled = True ◀\n"), "", "true and false are written in small letters"],
  [toml('[[actions] ◀\ntype = "delay"\n'), "", "`]]` is missing"],
  [toml(`${TRIGGER_TABLE}attribute = open ◀\n`), "", "a text needs quotes"],
  [toml('[actions] ◀\ntype = "delay"\nduration_secs = 5\n'), "actions", "write [[actions]]"],
  [toml('[[trigger]] ◀\ntype = "manual_trigger"\n'), "trigger", "[trigger], or [[triggers]] for several"],
  [toml('[trigger] ◀\ntyp = "cron"\nexpression = "0 0 7 * * *"\n'), "trigger.type", "missing: must be one of"],
  [
    toml('[[actions]]\ntype = "notify"\nchanel = "log" ◀\nmessage = "x"\n'),
    "actions[0].chanel",
    'did you mean "channel"?',
  ],
];

/** By the path of the file in the home. */
export const RULES: Readonly<Record<string, readonly Mistake[]>> = { "rules/lamp.ron": RON, "rules/lamp.toml": TOML };
