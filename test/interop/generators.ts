// Generators of clients and readers of figures, other people's: openapi-python-client makes a client from the hub's document, which makes
// a rule of nested types and reads it back; openapi-generator makes one in Go, which is compiled; Prometheus's own library and promtool
// read /metrics in both formats, with figures of devices, after there was something to measure.
// Usage: bun test/interop/generators.ts [HUB]. Needs python3-venv and PyPI; for Go also java and go, and promtool where it is installed.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { createHubPlace } from "../support/hub-place.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { broke, check, compare, print, printTotals } from "./checks.ts";

const PACKAGES = ["openapi-python-client==0.29.1", "prometheus-client==0.26.0"];
const GENERATOR = "openapi-generator-cli==7.26.0";
/** Bodies that are no JSON: the generator for Python has no word for them, and leaves their operations out. */
const MAX_LEFT_OUT = 12;

interface Ran {
  code: number;
  said: string;
}

/** Both outputs of the command; what `stdin` is given it reads. */
function run(
  command: readonly string[],
  { cwd, stdin, env = {} }: { cwd?: string; stdin?: string; env?: object } = {},
): Ran {
  const ran = Bun.spawnSync([...command], {
    ...(cwd !== undefined && { cwd }),
    ...(stdin !== undefined && { stdin: Buffer.from(stdin) }),
    env: { ...process.env, ...env },
    stdout: "pipe",
    stderr: "pipe",
    timeout: 600_000,
  });
  return { code: ran.exitCode, said: `${ran.stdout}${ran.stderr}` };
}

function mustRun(...given: Parameters<typeof run>): string {
  const { code, said } = run(...given);
  if (code !== 0) throw new Error(`${given[0].join(" ")}: ${code}\n${said.slice(-2000)}`);
  return said;
}

function python(work: string, document: string, hub: readonly string[]): void {
  const bin = join(work, "venv", "bin");
  const client = join(work, "python");
  const made = mustRun(
    [
      join(bin, "openapi-python-client"),
      "generate",
      "--path",
      document,
      "--output-path",
      client,
      "--config",
      config(work),
    ],
    { env: { PATH: `${bin}:${process.env.PATH}` } },
  );
  compare("Python: no schema is left out", made.match(/Unable to (?:process|parse) schema[^\n]*/g) ?? [], []);
  const left = made.match(/Endpoint will not be generated/g) ?? [];
  compare("Python: only what is sent as other than JSON is left out", left.length <= MAX_LEFT_OUT, true);
  const script = join(import.meta.dir, "generators.py");
  const used = run([join(bin, "python"), script, client, ...hub]);
  compare("Python: a rule of nested types is made and read back", used, {
    code: 0,
    said: "made 201\nread HubVariableChangedTrigger SunCondition LogMessageAction\ndevices list\n",
  });
}

function config(work: string): string {
  const path = join(work, "python.yaml");
  writeFileSync(path, "package_name_override: hub_client\nproject_name_override: hub-client\npost_hooks: []\n");
  return path;
}

function go(work: string, document: string): void {
  const missing = ["java", "go"].filter((name) => !Bun.which(name));
  if (missing.length > 0) {
    print(`NOT RUN: a client in Go: there is no ${missing.join(" and no ")}`);
    return;
  }
  mustRun([join(work, "venv", "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", GENERATOR]);
  const generator = join(work, "venv", "bin", "openapi-generator-cli");
  compare(
    "the document is valid",
    mustRun([generator, "validate", "-i", document]).includes("No validation issues"),
    true,
  );
  const client = join(work, "go");
  const more = [
    "--additional-properties=packageName=hub,withGoMod=true",
    "--global-property=apiTests=false,modelTests=false",
  ];
  mustRun([generator, "generate", "-i", document, "-g", "go", "-o", client, ...more]);
  compare("Go: the client is compiled", run(["go", "build", "./..."], { cwd: client }).code, 0);
}

interface Scraped {
  type: string;
  text: string;
}

async function metrics(work: string, scrape: (accept: string) => Promise<Scraped>): Promise<void> {
  const reader = [join(work, "venv", "bin", "python"), join(import.meta.dir, "metrics.py")];
  const plain = await scrape("text/plain");
  const open = await scrape("application/openmetrics-text;version=1.0.0,text/plain;q=0.5");
  compare("OpenMetrics for who asks for it", open.type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
  const families = (name: string, { text }: Scraped): string[] => {
    const { code, said } = run([...reader, name], { stdin: text });
    compare(`${name}: Prometheus's own library reads it`, code === 0 || said, true);
    return said
      .trim()
      .split("\n")
      .map((line) => line.split(" ").slice(0, 2).join(" "));
  };
  const all = families("openmetrics", open);
  compare("both formats have the same families", families("prometheus", plain), all);
  for (const family of ["process_cpu_seconds counter", "hub_device_value gauge", ...HISTOGRAMS])
    compare(`there is ${family}`, all.includes(family), true);
  if (Bun.which("promtool"))
    compare("promtool has nothing to say", run(["promtool", "check", "metrics"], { stdin: plain.text }), {
      code: 0,
      said: "",
    });
  else print("NOT RUN: promtool is not installed");
}

const HISTOGRAMS = [
  "hub_http_request_seconds",
  "hub_command_seconds",
  "hub_rule_decision_seconds",
  "hub_rule_run_seconds",
].map((name) => `${name} histogram`);

try {
  using folder = createTemporaryFolder();
  const work = folder.path;
  mustRun(["python3", "-m", "venv", join(work, "venv")]);
  mustRun([join(work, "venv", "bin", "pip"), "install", "--quiet", "--disable-pip-version-check", ...PACKAGES, "ruff"]);
  await using place = createHubPlace({}, undefined, resolve(process.argv[2] ?? "bin/hub"));
  const hub = await place.start();
  const { origin } = new URL(hub.api);
  const { username = "", password = "" } = place.admin ?? {};
  const document = join(work, "openapi.json");
  writeFileSync(document, await (await fetch(`${hub.api}/openapi.json`)).text());
  await check("Python", () => python(work, document, [origin, username, password]));
  await check("Go", () => go(work, document));
  await check("a device answers a command", async () => {
    const lamp = await hub.mqtt();
    await lamp.subscribeAsync("hub/devices/lamp/cmd");
    lamp.on("message", () => void lamp.publish("hub/devices/lamp/state", JSON.stringify({ on: true })));
    await lamp.publishAsync("hub/devices/lamp/state", JSON.stringify({ on: false }), { qos: 1 });
    await hub.request("PATCH", "/devices/lamp/state", { body: { on: true } });
    await hub.request("PUT", "/variables/x", { body: { value: 1 } });
  });
  const token = await hub.adminToken();
  await metrics(work, async (accept) => {
    const headers = { authorization: `Bearer ${token}`, accept };
    const answer = await fetch(`${origin}/metrics?devices=true`, { headers });
    return { type: String(answer.headers.get("content-type")), text: await answer.text() };
  });
} catch (error) {
  broke(error);
}
process.exit(printTotals());
