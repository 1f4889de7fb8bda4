// `hub check` on rules: problems and warnings, with their places.
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { createRuleExpressions } from "../../src/rules/read/expressions.ts";
import { checkRuleFiles, formatFinding } from "../../src/rules/store/check.ts";
import { openStateDb } from "../../src/server/db/state-db.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { toml } from "./store/rig.ts";

const expressions = createRuleExpressions();

const HUB_TOML = `[auth]
jwt_secret = "tests-sign-with-this-secret-and-nobody-else-does"

[[notify.channels]]
name = "mail"
type = "email"
from = "hub@example.org"
to = ["ann@example.org"]
smtp = { host = "mail.example.org", port = 465, username = "", password = "", tls = true, tls_ca = "config/ca.pem" }
`;
const RULE = `(
  name: "Damp",
  trigger: DeviceStateChanged(device_id: "sensor", attribute: "humidty"),
  actions: [
    Notify(channel: "mail", message: "{{device.humidity}} % {{vars.gusts}}, {{trigger.valeu}}"),
  ],
)
`;

test("misspelt attributes and placeholders, missing files and rules without actions are warnings", () => {
  using folder = createTemporaryFolder();
  for (const name of ["config", "data", "rules"]) mkdirSync(folder.at(name));
  writeFileSync(folder.at("config", "hub.toml"), HUB_TOML, { mode: 0o600 });
  writeFileSync(folder.at("rules", "damp.ron"), RULE);
  writeFileSync(
    folder.at("rules", "warm.toml"),
    'id = "w"\nname = "Warm"\n[[actions]]\ntype = "set_device_state"\ndevice_id = "trv"\nstate = { mode = "heatt" }\n',
  );
  writeFileSync(folder.at("rules", "empty.toml"), 'id = "e"\nname = "Empty"\nactions = []\n');
  {
    using db = openStateDb(folder.at("data", "state.redb"), () => 0);
    db.durable.run("INSERT INTO devices (id, plugin_id, name, created_at) VALUES ('sensor', 'p', 'Sensor', 0)");
    const schema = { properties: { mode: { type: "string", enum: ["off", "heat"] } } };
    db.durable.run("INSERT INTO devices (id, plugin_id, name, details, created_at) VALUES ('trv', 'p', 'TRV', ?, 0)", [
      JSON.stringify({ schema }),
    ]);
    db.durable.run(
      "INSERT INTO device_state (device_id, available, attributes, last_changed) VALUES ('sensor', 1, '{\"humidity\":50}', '{}')",
    );
  }
  const main = resolve(import.meta.dir, "../../src/main.ts");
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, main, "check", "--home", folder.path], {
    stderr: "pipe",
    stdout: "pipe",
  });
  const lines = String(stderr)
    .split("\n")
    .filter((line) => line.includes("warning: "))
    .map((line) => line.replaceAll(`${folder.path}/`, ""));
  expect({ exitCode, lines }).toEqual({
    exitCode: 0,
    lines: [
      "config/hub.toml:9: warning: notify.channels[0].smtp.tls_ca: config/ca.pem does not exist",
      'rules/damp.ron:3:52: warning: trigger.attribute: the device "sensor" has no attribute "humidty" at present – did you mean "humidity"?',
      'rules/damp.ron:5:29: warning: actions[0].message: {{vars.gusts}}: neither the rule nor the hub has a variable "gusts" at present',
      'rules/damp.ron:5:29: warning: actions[0].message: {{trigger.valeu}}: the triggers of this rule have no "valeu" – did you mean "value"?',
      "rules/empty.toml:3:1: warning: actions: the rule has no actions: nothing happens when it fires",
      'rules/warm.toml:6:11: warning: actions[0].state.mode: "mode" of the device "trv": it is never "heatt", only "off", "heat" – did you mean "heat"?',
    ],
  });
});

test("all problems of all files are reported with their places, and nothing is changed", () => {
  using folder = createTemporaryFolder();
  const put = (name: string, code: string): void => writeFileSync(folder.at(name), code);
  const good = toml("A", { id: "a", action: 'type = "notify"\nchannel = "phone"\nmessage = "x"' });
  put("a.toml", good);
  put("b.toml", toml("B", { id: "a" }));
  put("c.ron", '(\n  name: "C",\n  trigger: Cronn(expression: "0 * * * * *"),\n  actions: [],\n)');
  put("d.toml", toml("D"));
  const { files, findings } = checkRuleFiles(folder.path, { exists: { channel: () => false }, expressions });
  expect(files).toBe(4);
  expect(
    findings.map(
      ({ file, line, column, warning }) => `${file.slice(folder.path.length + 1)}:${line}:${column} ${warning}`,
    ),
  ).toEqual(["a.toml:10:1 true", "b.toml:1:1 false", "c.ron:3:12 false"]);
  const lines = findings.map(formatFinding);
  expect(lines[0]).toContain('a.toml:10:1: warning: actions[0].channel: there is no channel "phone"');
  expect(lines[2]).toContain('did you mean "cron"?');
  expect(lines[2]).toContain("> 3 |");
  expect(readFileSync(folder.at("d.toml"), "utf8")).toBe(toml("D"));
});

test("a missing folder has no rules", () => {
  expect(checkRuleFiles("/nowhere/rules", { exists: {}, expressions })).toEqual({ files: 0, findings: [] });
});

test("blueprints are checked as well, and what is wrong with a rule that uses one stands at its input", () => {
  using folder = createTemporaryFolder();
  mkdirSync(folder.at("rules", "blueprints"), { recursive: true });
  const lamp = 'name = "Lamp"\n[inputs.lamp]\ntype = "devise"\nname = "Lamp"\n';
  writeFileSync(folder.at("rules", "blueprints", "lamp.toml"), lamp);
  const hall = `id = "h"\nname = "Hall"\nuse = "motion-light"\n[inputs]\nsensors = ["m"]\nlamps = ["l"]\nof_after = 3\n`;
  writeFileSync(folder.at("rules", "hall.toml"), hall);
  writeFileSync(folder.at("rules", "desk.toml"), 'id = "d"\nname = "Desk"\nuse = "lamp"\n');
  const exists = { device: (id: string) => id === "m" };
  const { files, findings } = checkRuleFiles(folder.at("rules"), { exists, expressions });
  expect(files).toBe(2);
  expect(
    findings.map((one) =>
      formatFinding(one)
        .split("\n")[0]
        ?.replace(`${folder.at("rules")}/`, ""),
    ),
  ).toEqual([
    expect.stringMatching(/^blueprints\/lamp\.toml:3:1: inputs\.lamp\.type: must be one of .*did you mean "device"\?$/),
    expect.stringMatching(/^desk\.toml:3:1: use: the blueprint "lamp" has problems \(line 3: /),
    expect.stringMatching(/^hall\.toml:7:1: inputs\.of_after: .*did you mean "off_after"\?$/),
  ]);
  writeFileSync(folder.at("rules", "hall.toml"), hall.replace("of_after", "off_after"));
  const warned = checkRuleFiles(folder.at("rules"), { exists, expressions }).findings.filter(({ warning }) => warning);
  expect(warned).toMatchObject([{ path: "inputs.lamps[0]", line: 6 }]);
});
