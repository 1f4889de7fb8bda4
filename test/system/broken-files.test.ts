// The compiled hub with files that are wrong, missing, or not readable: it reports them, and runs.
import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createCertificates } from "../reach/notify/certificates.ts";
import { giveAway, OWNER, startAsOwner } from "../support/home-owner.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/wait.ts";

const RULE = 'Rule(id: "good", name: "Good", trigger: ManualTrigger, actions: [LogMessage("it runs")])\n';
const DIGITS = "9".repeat(309);

const problemsOf = async (hub: HubProcess): Promise<string> => {
  const { problems } = await hub.get<{ problems: { part: string; message: string }[] }>("/system/status");
  return problems.map(({ part, message }) => `${part}: ${message}`).join("\n");
};

test("check lists each with its line; the hub runs everything else", async () => {
  await using place = createHubPlace({
    server: 'tls_cert = "config/cert.pem"\ntls_key = "config/key.pem"',
    toml: `[[plugins]]\nid = "wrong"\nbinary = 5\n[[plugins]]\nid = "absent"\nbinary = "plugins/absent/bin/absent"\n[[plugins]]\nid = "unset"\nbinary = "/bin/sleep"\nconfig = "plugins/unset/config.toml"\n`,
  });
  place.put("config/modes.toml", `[[modes]]\nid = "a"\nkind = "manual"\non_offset_minutes = ${DIGITS}\n`);
  place.put("rules/good.ron", RULE);
  place.put("rules/digits.toml", `name = "x"\npriority = ${DIGITS}\n`);
  place.put("rules/digits.ron", `(name: "x", priority: ${DIGITS})\n`);
  const toml = place.read("config/hub.toml").split("\n");
  const line = (text: string, from = 0): number => toml.indexOf(text, from) + 1;
  const checked = await place.run(["check"]);
  expect(checked.code).toBe(1);
  const absent = line('id = "absent"');
  for (const problem of [
    `hub.toml:${line('tls_cert = "config/cert.pem"')}: server.tls_cert: ${place.at("config/cert.pem")} does not exist`,
    `hub.toml:${line("binary = 5")}: plugins[0].binary: must be text`,
    `hub.toml:${absent + 1}: warning: plugins[1].binary: plugins/absent/bin/absent does not exist`,
    `hub.toml:${line('config = "plugins/unset/config.toml"')}: warning: plugins[2].config: plugins/unset/config.toml does not exist`,
    "modes.toml:4: modes[0].on_offset_minutes: must be a whole number",
    "digits.toml:2:12: this number cannot be held exactly",
    "digits.ron:1:23: 9999999999999999999999999999999999999999… is too large for a number",
  ])
    expect(checked.stderr).toContain(problem);
  expect(checked.stderr).not.toMatch(/\bat \S+ \(/);

  const hub = await place.start();
  const problems = await problemsOf(hub);
  for (const [part, text] of [
    ["server", "this machine only, at http://127.0.0.1"],
    ["plugins", "plugins[0].binary: must be text"],
    ["modes", "modes[0].on_offset_minutes"],
    ["rules", "digits.toml:2"],
    ["rules", "digits.ron:1"],
  ])
    expect(problems).toMatch(new RegExp(`^${part}: .*${RegExp.escape(text ?? "")}`, "m"));
  const plugins = await hub.get<{ id: string; status: string }[]>("/plugins");
  expect(Object.fromEntries(plugins.map(({ id, status }) => [id, status]))).toEqual({
    wrong: "stopped",
    absent: "offline",
    unset: "offline",
  });
  expect((await hub.request("POST", "/rules/good/run", { body: {} })).json()).toMatchObject({ outcome: "fired" });

  // Mended while it runs.
  using made = createTemporaryFolder();
  const { cert, key } = createCertificates(made);
  place.put("config/cert.pem", cert);
  place.put("config/key.pem", key, 0o600);
  await until(
    "the API answers over TLS",
    () =>
      fetch(`https://localhost:${hub.port}/api/v1/health`, { tls: { rejectUnauthorized: false } }).then(
        ({ ok }) => ok,
        () => false,
      ),
    { timeoutMs: 25_000 },
  );
});

test("folders that the hub may not enter are reported, and the house goes on", async () => {
  await using place = createHubPlace();
  place.configure({
    toml: '[[plugins]]\nid = "shut"\nbinary = "plugins/shut/bin/run"\n[[plugins]]\nid = "open"\nbinary = "plugins/open/run"\n',
  });
  place.put("rules/good.ron", RULE);
  for (const file of ["plugins/shut/bin/run", "plugins/open/run"])
    place.put(file, "#!/bin/sh\nexec sleep 600\n", 0o755);
  mkdirSync(place.at("config/profiles"), { recursive: true });
  await place.layOut();
  giveAway(place);
  {
    await using first = await startAsOwner(place);
    await until(
      "the open one runs",
      async () => (await first.get<{ pid: number | null }>("/plugins/open")).pid !== null,
    );
    await first.end();
  }
  const shut = ["rules", "plugins/shut", "config/profiles"];
  for (const path of shut) chmodSync(place.at(path), 0o000);
  await using hub = await startAsOwner(place);
  expect(await problemsOf(hub)).toContain("the folder of the rules cannot be read (EACCES)");
  await until("the open one runs", async () => (await hub.get<{ pid: number | null }>("/plugins/open")).pid !== null);
  expect(await hub.get("/plugins/shut")).toMatchObject({
    status: "offline",
    last_exit: { reason: expect.any(String) },
  });
  expect((await hub.request("POST", "/timers", { body: { id: "tea" } })).status).toBe(201);
  const checked = await place.run(["check"], { uid: OWNER });
  expect(checked.code).toBe(1);
  expect(checked.stderr).toContain("EACCES");
  // Given back, its rules run.
  for (const path of shut) chmodSync(place.at(path), 0o755);
  await until("the rule runs", async () => (await hub.request("POST", "/rules/good/run", { body: {} })).status === 200);
  await hub.end();
});

test("what the hub logs is soon in hub.log, though nothing follows it", async () => {
  await using place = createHubPlace();
  const hub = await place.start();
  const path = place.at("logs/hub.log");
  const file = (): string => (existsSync(path) ? readFileSync(path, "utf8") : "");
  await until("the last line is in the file", () => file().includes("the hub is up"));
  const before = file().length;
  place.put("rules/broken.ron", "(");
  await hub.said("a rule file has problems");
  await until("the warning is in the file", () => file().includes("a rule file has problems"));
  expect(file().length).toBeGreaterThan(before);
});
