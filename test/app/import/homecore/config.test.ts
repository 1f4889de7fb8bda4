// homecore.toml into hub.toml: the new text is valid whatever the old one says, keeps comments and a person's own values.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { checkConfig } from "../../../../src/app/config/load.ts";
import { importConfig } from "../../../../src/app/import/homecore/config.ts";
import { createReport } from "../../../../src/app/import/report.ts";
import { parseToml } from "../../../../src/kit/schema/toml.ts";

const template = await Bun.file(join(import.meta.dir, "../../../../config/hub.template.toml")).text();
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
  expect(second.entries.every(({ outcome }) => outcome === "there" || outcome === "left")).toBe(true);
});

test("a broker without accounts is named, and each plugin that this hub would not let in, with what to do", () => {
  const plugin = (id: string) => `[[plugins]]\nid = "${id}"\nbinary = "plugins/${id}/bin/${id}"\n`;
  const configs = new Map([
    ["hue", '[homecore]\nplugin_id = "hue"\npassword = ""\n'],
    ["short", '[homecore]\npassword = "abc"\n'],
    ["good", '[homecore]\npassword = "long enough for it"\n'],
  ]);
  const report = createReport();
  const toml = ["hue", "short", "good", "nothing"].map(plugin).join("");
  const edited = importConfig(toml, { text: fresh, untouched: template, plugins: configs, report });
  const noteOf = (name: string) => report.entries.find((entry) => entry.name === name)?.note ?? "";
  expect(noteOf("[[broker.clients]]")).toContain("this one lets nobody in so");
  expect(noteOf("[[broker.clients]]")).toContain("hub device-account");
  for (const id of ["hue", "nothing"]) {
    expect(noteOf(id)).toContain("has no password there");
    expect(noteOf(id)).toContain(`[homecore] of plugins/${id}/config/config.toml, and the same`);
  }
  expect(noteOf("short")).toContain("too short here: write one of 8 characters or more");
  expect(noteOf("good")).toBe("copy its program to plugins/good/bin/good");
  expect(edited).toContain('password = "long enough for it"');
});

test("a fingerprint is no password: whose it is, is named", () => {
  const hash = "$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW";
  const client = (id: string) => `[[broker.clients]]\nid = "${id}"\npassword = "${hash}"\n`;
  const { edited, entries } = run(`${client("z2m")}${client("hue")}[[plugins]]\nid = "hue"\nbinary = "x"\n`);
  const noteOf = (name: string) => entries.find((entry) => entry.name === name)?.note ?? "";
  expect(noteOf("[[mqtt.users]] z2m")).toContain("only the fingerprint of its password: give it an account");
  expect(noteOf("hue")).toContain("only the fingerprint of its password: write one of 8 characters");
  expect(outcomeOf(entries, "[[broker.clients]]")).toBeUndefined();
  expect(edited).not.toContain(hash);
});
