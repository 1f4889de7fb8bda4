// homecore.toml into hub.toml: the new text is valid whatever the old one says, keeps comments and a person's own values.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { checkConfig } from "../../../src/config/load.ts";
import { parseToml } from "../../../src/core/toml.ts";
import { importConfig } from "../../../src/import/homecore/config.ts";
import { createReport } from "../../../src/import/report.ts";

const template = await Bun.file(join(import.meta.dir, "../../../config/hub.template.toml")).text();
const fresh = template.replace("@JWT_SECRET@", "a secret of this very hub, long enough to sign");

function run(homecoreToml: string, text = fresh) {
  const report = createReport();
  const edited = importConfig(homecoreToml, { text, untouched: template, plugins: new Map(), report });
  const { problems } = checkConfig(edited, { otherMqttAccounts: true });
  expect(problems.filter(({ warning }) => !warning)).toEqual([]);
  const read = parseToml(edited);
  return { edited, table: read.ok ? read.table : {}, entries: report.entries };
}

const outcomeOf = (entries: ReturnType<typeof run>["entries"], name: string) =>
  entries.find((entry) => entry.name === name)?.outcome;

test("values go where the template shows them, and every comment stays", () => {
  const { edited, table } = run("[location]\nlatitude = 1.5\nlongitude = 2.5\n[auth]\nwhitelist = ['10.0.0.0/8']\n");
  expect(table).toMatchObject({ location: { latitude: 1.5, longitude: 2.5 }, auth: { whitelist: ["10.0.0.0/8"] } });
  const comments = (text: string) => text.split("\n").filter((line) => line.trimStart().startsWith("#"));
  expect(comments(edited)).toEqual(comments(fresh));
});

test("what this hub would refuse is left out, alone, and said", () => {
  const { table, entries } = run(
    '[server]\nport = 99999\n[battery]\nthreshold_pct = 15\n[auth]\nwhitelist = ["everybody"]\n[broker]\nhost = "0.0.0.0"\n',
  );
  expect(outcomeOf(entries, "[server] port")).toBe("left");
  expect(outcomeOf(entries, "[auth] whitelist")).toBe("left");
  expect(outcomeOf(entries, "[battery] threshold_pct")).toBe("moved");
  expect(table).toMatchObject({ server: { port: 8080 }, battery: { threshold_pct: 15 } });
});

test("a person's value stays, the template's gives way", () => {
  const own = fresh.replace("port = 8080", "port = 9000");
  const { table, entries } = run('[server]\nhost = "127.0.0.1"\nport = 8088\n', own);
  expect(table).toMatchObject({ server: { host: "127.0.0.1", port: 9000 } });
  expect(outcomeOf(entries, "[server] port")).toBe("there");
});

test("an account of the broker that is a plugin's becomes the plugin's password", () => {
  const { table } = run(`
[[broker.clients]]
id = "plugin.hue"
password = "long enough"
[[broker.clients]]
id = "z2m"
password = "x"
[[plugins]]
id = "plugin.hue"
binary = "plugins/plugin.hue/bin/hc-hue"
config = "x.toml"
`);
  const users = (table.mqtt as { users: { username: string }[] }).users;
  expect(users).toEqual([{ username: "z2m", password: "x" }] as never);
  expect(table.plugins).toContainEqual(expect.objectContaining({ id: "plugin.hue", password: "long enough" }));
});

test.each([
  ["no TOML", "[server\nport"],
  ["nothing", ""],
  [
    "wrong types everywhere",
    'server = 1\nbroker = []\nplugins = "x"\nnotify = { channels = [1, {}] }\nlocation = { latitude = "n", longitude = {} }',
  ],
  ["entries without names", "[[plugins]]\n[[notify.channels]]\ntype = 'telegram'\n[[broker.clients]]\n"],
  ["a plugin of a forbidden name", "[[plugins]]\nid = 'core'\nbinary = '../../bin/sh'\n"],
])("%s leaves a valid hub.toml", (_, homecoreToml) => {
  run(homecoreToml);
});

test("a second time there is nothing left to change", () => {
  const old =
    '[server]\nport = 8088\n[[notify.channels]]\nname = "me"\ntype = "telegram"\nbot_token = "1:a"\nchat_id = "-5"\n';
  const first = run(old);
  const second = run(old, first.edited);
  expect(second.edited).toBe(first.edited);
  expect(second.entries.every(({ outcome }) => outcome === "there")).toBe(true);
});
