// `hub status`, `hub devices` and `hub logs` of the compiled hub: against a stopped home, the hub that runs there, and one that is
// asked with a key; and the words that shells offer.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { closeSync, openSync, rmSync } from "node:fs";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { soon, until } from "../support/wait.ts";

const place = createHubPlace();
const folder = createTemporaryFolder();
let hub: HubProcess;
let here: string[];
let key: string;
const environment = { HOME: folder.path, PATH: process.env.PATH ?? "" };

beforeAll(async () => {
  hub = await place.start();
  here = ["--url", `http://127.0.0.1:${hub.port}`];
  place.put(
    "rules/night.ron",
    '(id: "11111111-1111-4111-8111-111111111111", name: "Night", trigger: ManualTrigger, actions: [])\n',
  );
  await until("the rule is there", async () => (await hub.get<unknown[]>("/rules")).length === 1);
  await hub.request("POST", "/areas", { body: { id: "hall", name: "Entrance hall" } });
  const client = await hub.mqtt();
  for (const [device_id, device_type, area] of [
    ["hall_lamp", "light", "hall"],
    ["hall_sensor", "sensor", "hall"],
    ["attic_lamp", "light", "attic"],
  ])
    await client.publishAsync(
      "hub/plugins/zigbee/register",
      JSON.stringify({ device_id, plugin_id: "zigbee", name: `The ${device_id}`, device_type, area }),
      { qos: 1 },
    );
  await client.publishAsync("hub/devices/hall_lamp/availability", "online", { qos: 1 });
  await client.publishAsync("hub/devices/hall_lamp/state", JSON.stringify({ on: true, note: "\u001b[31mred" }), {
    qos: 1,
  });
  await until("the devices are there", async () => (await hub.get<unknown[]>("/devices")).length >= 3);
  await until(
    "the lamp has said something",
    async () => (await hub.get<{ attributes: { on?: boolean } }>("/devices/hall_lamp")).attributes.on,
  );
  await hub.request("POST", "/scenes", {
    body: { id: "evening", name: "Evening", states: { hall_lamp: { on: true } } },
  });
  const body = { label: "shell", role: "viewer" };
  key = (await hub.request("POST", "/auth/api-keys", { body })).json<{ key: string }>().key;
});
afterAll(async () => {
  await place[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

test("what could not be written whole is no success, and said in a sentence", async () => {
  const file = openSync("/dev/full", "w");
  try {
    const from = (words: string[]) => {
      const child = Bun.spawn([place.binary, ...words], {
        env: { ...environment, HUB_HOME: place.home },
        stdin: "ignore",
        stdout: file,
        stderr: "pipe",
      });
      return Promise.all([child.exited, new Response(child.stderr).text()]);
    };
    for (const words of [["devices", "--json", ...here], ["status", ...here], ["version"], ["backup", "-"]]) {
      const [code, stderr] = await from(words);
      expect({ words, code, stderr }).toEqual({
        ...{ words, code: 1 },
        stderr: expect.stringMatching(/^hub: the (?:output|archive) is not whole: ENOSPC.*\n$/),
      });
    }
  } finally {
    closeSync(file);
  }
});

describe("status", () => {
  test("of a running hub, for people and for programs", async () => {
    const { code, stdout, stderr } = await place.run(["status", ...here]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toStartWith("The hub is well.\n");
    expect(stdout).toMatch(/^Devices +\d+$/m);
    // Colours are for terminals.
    expect(stdout).not.toContain("\u001b");
    const asked = await place.run(["status", "--json", ...here]);
    const rules = (await hub.get<unknown[]>("/rules")).length;
    expect(rules).toBeGreaterThan(0);
    expect(JSON.parse(asked.stdout)).toMatchObject({ running: true, ready: true, alerts: [], rules });
  });

  test("with problems it is 4, and they are printed", async () => {
    place.put("rules/broken.ron", "(id: 5)\n");
    const { stdout } = await until("the broken rule is seen", async () => {
      const ran = await place.run(["status", ...here]);
      return ran.code === 4 ? ran : undefined;
    });
    expect(stdout).toStartWith("The hub is running, with problems:\n");
    expect(stdout).toContain("broken.ron");
    rmSync(place.at("rules/broken.ron"));
    await until("it is mended", async () => (await place.run(["status", ...here])).code === 0);
  });

  test("what is only reported is no problem, in words and in the code", async () => {
    await using killed = createHubPlace();
    const first = await killed.start();
    first.kill("SIGKILL");
    await first.exited;
    const again = await killed.start();
    const { code, stdout } = await killed.run(["status", "--url", `http://127.0.0.1:${again.port}`]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("did not stop properly") });
    expect(stdout).toStartWith("The hub is well.\n");
  });

  test("of a stopped hub it is 3", async () => {
    await using stopped = createHubPlace();
    const reported = await stopped.run(["status"]);
    expect(reported).toMatchObject({ code: 3, stdout: "" });
    expect(reported.stderr).toContain("is not running");
    const asked = await stopped.run(["status", "--json"]);
    expect(asked.code).toBe(3);
    expect(JSON.parse(asked.stdout)).toMatchObject({ running: false });
    expect((await stopped.run(["devices"])).code).toBe(3);
  });
});

describe("devices", () => {
  test("are listed with their values, and narrowed down", async () => {
    const { code, stdout } = await place.run(["devices", ...here]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^DEVICE +ID +TYPE +AREA +VALUES\n/);
    expect(stdout).toMatch(/^The hall_lamp +hall_lamp +light +hall +on=true note=/m);
    // What devices say does not reach the terminal.
    expect(stdout).not.toContain("\u001b");
    const inHall = await place.run(["devices", "--area", "entrance hall", "--type", "light", "--json", ...here]);
    expect((JSON.parse(inHall.stdout) as { id: string }[]).map(({ id }) => id)).toEqual(["hall_lamp"]);
    expect((await place.run(["devices", "--type", "toaster", ...here])).stdout).toBe("there are no such devices\n");
  });
});

describe("a hub that is asked with a key", () => {
  test("needs no home", async () => {
    await using elsewhere = createHubPlace(null);
    const { code, stdout } = await elsewhere.run(["devices", ...here], { env: { HUB_TOKEN: key } });
    expect(code).toBe(0);
    expect(stdout).toContain("hall_lamp");
    const wrong = await elsewhere.run(["status", ...here, "--token", "hub_wrong"]);
    expect(wrong.code).toBe(1);
    expect(wrong.stderr).toContain("wrong, expired or withdrawn");
    expect(wrong.stderr).not.toContain("hub_wrong");
    const away = await elsewhere.run(["status", "--url", "http://127.0.0.1:1", "--token", key]);
    expect(away.code).toBe(3);
    const refused = await elsewhere.run(["logs", ...here, "--token", key]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("role admin");
  });

  test("of another machine without a key is refused: the home's secret stays here", async () => {
    const { code, stderr } = await place.run(["status", "--url", "http://hub.example"]);
    expect(code).toBe(1);
    expect(stderr).toContain("needs a token");
  });
});

describe("logs", () => {
  test("the last lines, as text and as JSON", async () => {
    const { code, stdout } = await place.run(["logs", ...here]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\d [^ ]+ [^ ]+ info +hub.*: the hub is up/m);
    const asked = await place.run(["logs", "--json", "--last", "1", ...here]);
    const [line, ...more] = asked.stdout.trimEnd().split("\n");
    expect(more).toEqual([]);
    expect(JSON.parse(line ?? "")).toMatchObject({ level: expect.any(String), message: expect.any(String) });
    expect((await place.run(["logs", "--level", "error", ...here])).stdout).toBe("");
    expect((await place.run(["logs", "--level", "loud", ...here])).stderr).toContain("--level must be one of");
  });

  test("what comes later is shown as it comes, until it is stopped", async () => {
    const child = Bun.spawn([place.binary, "logs", "--follow", "--lines", "1", ...here], {
      cwd: place.cwd,
      env: { ...environment, HUB_HOME: place.home },
      stdout: "pipe",
      stderr: "pipe",
    });
    let shown = "";
    const reading = (async () => {
      for await (const bytes of child.stdout) shown += new TextDecoder().decode(bytes);
    })();
    await until("it began", () => shown.includes("\n"));
    place.put(
      "rules/later.ron",
      '(id: "22222222-2222-4222-8222-222222222222", name: "Later on", trigger: ManualTrigger, actions: [])\n',
    );
    await until("the new rule is in the log", () => shown.includes("Later on"));
    child.kill("SIGINT");
    expect(await soon("it ends", child.exited)).toBe(0);
    await reading;
  });

  test("of a stopped hub are read from its file", async () => {
    await using stopped = createHubPlace();
    const run = await stopped.start();
    await run.end();
    const { code, stdout } = await stopped.run(["logs"]);
    expect(code).toBe(0);
    expect(stdout).toContain("stopped");
  });
});

describe("completion", () => {
  /** What bash offers for this line, as it would after Tab: it parts words at `:` and `=` as well. */
  async function offered(...words: string[]): Promise<string[]> {
    const parts = words.flatMap((word) => (word === "" ? [""] : (word.match(/[:=]+|[^:=]+/g) ?? [])));
    const script = `
      hub() { "$HUB" "$@"; }
      source <("$HUB" completion bash)
      COMP_LINE="$HUB $LINE"; COMP_WORDS=("$HUB" "$@"); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
      complete -p hub >/dev/null || exit 9
      _hub
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const child = Bun.spawn(["bash", "--norc", "-c", script, "bash", ...parts], {
      cwd: place.cwd,
      env: { ...environment, HUB: place.binary, HUB_HOME: place.home, LINE: words.join(" ") },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [text, errors] = [await new Response(child.stdout).text(), await new Response(child.stderr).text()];
    expect({ errors, code: await child.exited }).toEqual({ errors: "", code: 0 });
    return text.split("\n").filter(Boolean);
  }

  test("bash offers commands, options, values, and what is in the house", async () => {
    expect(await offered("de")).toEqual(["device", "device-account", "devices"]);
    expect(await offered("man", "sta")).toEqual(["standby", "status"]);
    expect(await offered("rules", "")).toEqual(["check", "list", "test", "turn", "why"]);
    expect(await offered("logs", "--l")).toEqual(["--last", "--level", "--lines"]);
    expect(await offered("logs", "--level", "")).toEqual(["debug", "error", "info", "warning"]);
    expect(await offered("rules", "why", "n")).toEqual(["night"]);
    expect(await offered("devices", ...here, "--area", "")).toEqual(expect.arrayContaining(["attic", "hall"]));
    expect(await offered("devices", ...here, "--type", "l")).toEqual(["light"]);
    expect(await offered("rules", "test", "night", ...here, "--set", "hall_lamp.o")).toEqual(["hall_lamp.on="]);
    expect(await offered("device", "get", ...here, "hall_l")).toEqual(["hall_lamp"]);
    expect(await offered("device", "get", ...here, "hall_lamp", "o")).toEqual(["on"]);
    expect(await offered("device", "set", ...here, "hall_lamp", "o")).toEqual(["on=false", "on=true"]);
    // What bash took for a word of its own, behind the equals sign.
    expect(await offered("device", "set", ...here, "hall_lamp", "on=t")).toEqual(["true"]);
    expect(await offered("scene", "activate", ...here, "ev")).toEqual(["evening"]);
    expect(await offered("events", "--type", "rule_f")).toEqual(["rule_fired"]);
    expect(await offered("logs", "--level=w")).toEqual(["warning"]);
    expect(await offered("devices", ...here, "--area=")).toEqual(expect.arrayContaining(["attic", "hall"]));
    expect(await offered("device-account", "x", "--for", "t")).toEqual(["tasmota"]);
    expect(await offered("--h")).toEqual(["--help", "--home"]);
    expect(await offered("completion", "")).toEqual(["bash", "fish", "zsh"]);
    expect(await offered("nonsense", "")).toEqual([]);
  });

  test("bash offers files where a file is wanted, and nothing without a hub", async () => {
    place.put("archive.zip", "");
    expect(await offered("restore", `${place.home}/arch`)).toEqual([`${place.home}/archive.zip`]);
    expect(await offered("devices", "--url", "http://127.0.0.1:1", "--area", "")).toEqual([]);
  });

  test("bash offers the names of exports and of places for backups, also of a hub that does not run", async () => {
    await using away = createHubPlace({
      toml: `[[history.export]]
name = "tsdb"
kind = "line_protocol"
url = "http://127.0.0.1:1"
[[backup.targets]]
type = "folder"
name = "stick"
directory = "/nowhere"
allow_unencrypted = true
`,
    });
    const home = ["--home", away.home];
    expect(await offered("export", "backfill", ...home, "")).toEqual(["tsdb"]);
    expect(await offered("restore", ...home, "--from", "")).toEqual(["stick"]);
    expect(await offered("backup", "list", ...home, "--target", "s")).toEqual(["stick"]);
    place.put("sheet.toml", "");
    expect(await offered("restore", "--sheet", `${place.home}/sh`)).toEqual([`${place.home}/sheet.toml`]);
  });

  test("the scripts for other shells ask for the same words", async () => {
    for (const shell of ["zsh", "fish"]) {
      const { code, stdout } = await place.run(["completion", shell]);
      expect(code).toBe(0);
      expect(stdout).toContain("completion words");
    }
    expect((await place.run(["completion", "tcsh"])).stderr).toContain("`zsh` or `fish`");
  });
});
