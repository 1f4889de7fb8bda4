// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation of the configuration.
import { expect, test } from "bun:test";
import { checkValue } from "../../../src/kit/schema/schema.ts";
import { PluginsSection, pluginProblems } from "../../../src/reach/plugins/config.ts";
import { entriesOf } from "./rig.ts";

test("an entry is filled in with its defaults", () => {
  expect(entriesOf([{ id: "zigbee", binary: "plugins/zigbee/bin/zigbee" }])).toMatchObject([
    {
      id: "zigbee",
      binary: "plugins/zigbee/bin/zigbee",
      enabled: true,
      args: [],
      env: {},
      heartbeat_timeout_secs: 90,
      confine: "auto",
      read: [],
      write: [],
      max_processes: 1000,
      publish: [],
      subscribe: [],
    },
  ]);
  expect(checkValue(PluginsSection, undefined)).toEqual({ ok: true, value: [] });
});

for (const id of ["", ".hidden", "../up", "a/b", "a b", "ä", "x".repeat(65), "a+b", "a#"]) {
  test(`the id ${JSON.stringify(id.slice(0, 10))} is refused`, () => {
    const checked = checkValue(PluginsSection, [{ id, binary: "x" }], "plugins");
    expect(checked.ok ? [] : checked.problems.map(({ path }) => path)).toEqual(["plugins[0].id"]);
  });
}

test("unknown keys and short timeouts are problems", () => {
  const checked = checkValue(PluginsSection, [{ id: "a", binary: "x", heartbeat_timeout_secs: 2, binry: "y" }]);
  expect(checked.ok ? [] : checked.problems.map(({ message }) => message)).toEqual([
    'unknown key "binry" – did you mean "binary"?',
    "must be a whole number from 5 to 86400",
  ]);
});

test("problems that the schema cannot express are found, all of them", () => {
  const problems = pluginProblems(
    entriesOf([
      { id: "a", binary: "x" },
      { id: "A", binary: "y" },
      { id: "core", binary: "z", env: { HUB_HOME: "/", "no-name": "x", URL: "mqtt://${HUB_MQTT_HOTS}" } },
    ]),
  );
  expect(problems.map(({ path }) => path)).toEqual([
    "plugins[1].id",
    "plugins[2].id",
    "plugins[2].env.HUB_HOME",
    "plugins[2].env.no-name",
    "plugins[2].env.URL",
  ]);
  expect(problems.at(-1)?.message).toContain('did you mean "HUB_MQTT_HOST"?');
});

test("paths that would open the hub's own folders, and wrong topic patterns, are problems", () => {
  const entry = {
    id: "p",
    binary: "x",
    read: ["/srv/music", "shared", "plugins/other/public", "config/hub.toml", "./data", "rules/..", "logs", "/"],
    write: ["/srv/out", "../rules/../config", "logs", "bin/hub", "."],
    publish: ["hub/devices/+/cmd", "a#"],
    subscribe: ["#", "+a"],
  };
  expect(pluginProblems(entriesOf([entry])).map(({ path }) => path)).toEqual([
    ...[3, 4, 5, 7].map((index) => `plugins[0].read[${index}]`),
    ...[2, 3, 4].map((index) => `plugins[0].write[${index}]`),
    ...["plugins[0].publish[1]", "plugins[0].subscribe[1]"],
  ]);
  const checked = checkValue(PluginsSection, [
    { id: "a", binary: "x", confine: "maybe", max_memory_mb: -1, password: "short" },
  ]);
  expect(checked.ok ? [] : checked.problems.map(({ path }) => path)).toEqual([
    ...["[0].confine", "[0].max_memory_mb", "[0].password"],
  ]);
});

test.each([
  ["con", "Windows"],
  ["NUL", "Windows"],
  ["com1.zigbee", "Windows"],
  ["lpt9", "Windows"],
  ["zigbee.", "Windows"],
  ["sdk", "the hub's own folder"],
  ["Core", "the hub's own name"],
  ["_probe", "tries out a broker"],
  ["anonymous", "without a password"],
])("the id %s is refused with whose name it is", (id, whose) => {
  const problems = pluginProblems(entriesOf([{ id, binary: "x" }]));
  expect(problems).toEqual([{ path: "plugins[0].id", message: expect.stringContaining(whose) }]);
  expect(problems[0]?.message).toContain("choose another");
});

test.each(["console", "com10", "auxiliary", "con-1", "sdk2", "lpt"])("the id %s is none of those", (id) => {
  expect(pluginProblems(entriesOf([{ id, binary: "x" }]))).toEqual([]);
});
