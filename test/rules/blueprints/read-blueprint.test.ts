// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of blueprints look like those of JavaScript.
// What a blueprint says, in TOML and in RON, and every mistake in one at its place.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { shippedBlueprints } from "../../../src/rules/blueprints/shipped.ts";
import { problemsOf, read } from "./read.ts";

const TOML = `name = "Lamp"
description = "It goes on"

[inputs.lamp]
type = "device"
name = "The lamp"
device_type = "light"

[inputs.after]
type = "duration"
name = "After"
default = "5m"

[[actions]]
type = "delay"
duration_secs = "\${after}"

[[actions]]
type = "set_device_state"
device_id = "\${lamp}"
state = { on = true }
`;
const RON = `(
    name: "Lamp",
    description: "It goes on",
    inputs: (
        lamp: (type: Device, name: "The lamp", device_type: "light"),
        after: (type: "duration", name: "After", default: "5m"),
    ),
    actions: [
        Delay(duration_secs: "\${after}"),
        SetDeviceState(device_id: "\${lamp}", state: (on: true)),
    ],
)`;

test("RON and TOML say the same", () => {
  const [toml, ron] = [read(TOML), read(RON, "lamp.ron")];
  expect(toml.problems).toEqual([]);
  expect(ron.problems).toEqual([]);
  expect(toml.blueprint?.inputs).toEqual(ron.blueprint?.inputs ?? []);
  expect(toml.blueprint?.inputs).toMatchObject([
    { id: "lamp", type: "device", required: true, schema: { "x-device-types": ["light"], "x-names": "device" } },
    { id: "after", type: "duration", required: false, default: "5m" },
  ]);
});

test("each mistake is shown at its place, with what would be right", () => {
  const after = (from: string, to: string): string[] => problemsOf(TOML.replace(from, to));
  expect(after('"${lamp}"', '"${lmap}"')).toEqual([
    '20 actions[1].device_id there is no input "lmap" – did you mean "lamp"?',
  ]);
  expect(after('type = "device"', 'type = "devise"')).toEqual([
    expect.stringMatching(/^5 inputs\.lamp\.type .*did you mean "device"/),
  ]);
  expect(after('default = "5m"', 'default = "never"')).toEqual([
    expect.stringMatching(/^12 inputs\.after\.default must be a duration/),
  ]);
  expect(after('"The lamp"', '"The lamp"\nmin = 3')).toEqual([
    expect.stringMatching(/^7 inputs\.lamp\.min unknown key "min"/),
  ]);
  expect(after('duration_secs = "${after}"', 'duration_secs = "in ${after}"')).toEqual([
    expect.stringMatching(/^16 actions\[0\]\.duration_secs must be a number of seconds/),
  ]);
  expect(after("[[actions]]", "[[acitons]]")).toEqual([
    expect.stringMatching(/unknown key "acitons" – did you mean "actions"/),
  ]);
  expect(after("state = { on = true }", "expression = \"{'on': device_state('${lamp}').on}\"")).toEqual([
    "21 actions[1].expression ${lamp} stands in quotes: leave the quotes away, in an expression it becomes a text by itself",
  ]);
});

test("a blueprint cannot use another one", () => {
  expect(problemsOf(`use = "motion-light"\n${TOML}`)).toEqual([
    "1 use a blueprint cannot use another blueprint: write here what that one says",
  ]);
});

test("a mistake that only some inputs show is found as well", () => {
  const optional = TOML.replace('device_type = "light"', "required = false");
  expect(problemsOf(optional)).toEqual([expect.stringMatching(/^18 actions\[1\] /)]);
});

test("what is in the folder is what comes with the hub, each without a problem and with all inputs used", () => {
  const folder = new URL("../../../rules/blueprints/", import.meta.url).pathname;
  expect(readdirSync(folder).sort()).toEqual([...shippedBlueprints.keys()].sort());
  for (const [file, text] of shippedBlueprints) {
    expect(text).toBe(readFileSync(`${folder}${file}`, "utf8"));
    const { problems, warnings, blueprint } = read(text, file);
    expect({ file, problems, warnings }).toEqual({ file, problems: [], warnings: [] });
    expect(blueprint?.description.length).toBeGreaterThan(20);
  }
});
