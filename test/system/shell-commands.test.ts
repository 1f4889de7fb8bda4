// `hub device`, `hub scene` and `hub events` of the compiled hub: devices by their names, what became of a command, and a stream that
// ends when it is asked to, when nobody reads it any more, and not when the hub restarts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { MqttClient } from "mqtt";
import { freePort } from "../support/free-port.ts";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { soon, until } from "../support/wait.ts";

const place = createHubPlace();
let hub: HubProcess;
let here: string[];
let lamps: MqttClient;

const capabilities = {
  type: "object",
  properties: {
    on: { type: "boolean" },
    brightness: { type: "integer", minimum: 0, maximum: 254 },
    position: { type: "number", minimum: 0, maximum: 100 },
  },
};
const NAMES = {
  hall_lamp: "Hall lamp",
  attic_lamp: "Lamp",
  cellar_lamp: "Lamp",
  hot_lamp: "Hot lamp",
  mute_lamp: "Mute lamp",
};

/** What each lamp does with a command. */
const ACTS: Record<string, (command: Record<string, unknown>, id: string) => Promise<void>> = {
  hall_lamp: (command) => say("devices/hall_lamp/state/partial", command),
  attic_lamp: () => say("devices/attic_lamp/state/partial", { position: 12 }),
  hot_lamp: (_, correlation_id) =>
    say("events/command_refused", { device_id: "hot_lamp", correlation_id, reason: "it is too hot" }),
  mute_lamp: async () => {},
};

async function say(topic: string, body: unknown): Promise<void> {
  const payload = typeof body === "string" ? body : JSON.stringify(body);
  await lamps.publishAsync(`hub/${topic}`, payload, { qos: 1 });
}

beforeAll(async () => {
  place.configure({ toml: "[devices]\ncommand_timeout_secs = 2\n" });
  hub = await place.start();
  here = ["--url", `http://127.0.0.1:${hub.port}`];
  lamps = await hub.mqtt({ username: "lamps", password: "mqtt-password-of-lamps" });
  lamps.on("message", (topic, payload) => {
    const { _hc, ...wanted } = JSON.parse(payload.toString()) as { _hc: { command: { correlation_id: string } } };
    void ACTS[topic.split("/")[2] ?? ""]?.(wanted, _hc.command.correlation_id);
  });
  await lamps.subscribeAsync("hub/devices/+/cmd", { qos: 1 });
  for (const [device_id, name] of Object.entries(NAMES)) {
    await say("plugins/lamps/register", { device_id, plugin_id: "lamps", name, device_type: "light", capabilities });
    await say(`devices/${device_id}/availability`, "online");
    await say(`devices/${device_id}/state`, { on: false, brightness: 0, position: 0 });
  }
  const known = async () =>
    (await hub.get<{ attributes: object }[]>("/devices")).filter((one) => "on" in one.attributes);
  await until("the lamps are there", async () => (await known()).length === Object.keys(NAMES).length);
  const states = { hall_lamp: { on: true }, gone: { on: true } };
  await hub.request("POST", "/scenes", { body: { id: "evening", name: "Evening", states } });
  await hub.request("POST", "/scenes", { body: { id: "night", name: "Night", states: { hall_lamp: { on: false } } } });
});
afterAll(() => place[Symbol.asyncDispose]());

const run = (...words: string[]) => place.run([...words, ...here]);

describe("a device", () => {
  test("is found by its id or name; of two with a name both are listed", async () => {
    for (const name of ["hall_lamp", "Hall lamp", "hall LAMP"])
      expect((await run("device", "get", name)).stdout).toContain("hall_lamp");
    const both = await run("device", "get", "lamp");
    expect(both).toMatchObject({ code: 1, stdout: "" });
    expect(both.stderr).toMatch(
      /^hub: "lamp" is the name of 2 devices; say which by its id:\n.*attic_lamp.*\n.*cellar_lamp/,
    );
    const none = await run("device", "get", "hall_lmap");
    expect(none).toMatchObject({ code: 1, stdout: "" });
    expect(none.stderr).toContain('there is no device "hall_lmap" – did you mean "hall_lamp"?');
  });

  test("is shown with its values, one value alone, or as JSON", async () => {
    const { stdout } = await run("device", "get", "cellar_lamp");
    expect(stdout).toMatch(/^Name +Lamp\nId +cellar_lamp\n/);
    expect(stdout).toMatch(/^brightness +0 +a whole number from 0 to 254$/m);
    expect((await run("device", "get", "cellar_lamp", "on")).stdout).toBe("false\n");
    expect(JSON.parse((await run("device", "get", "cellar_lamp", "--json")).stdout)).toMatchObject({
      id: "cellar_lamp",
    });
    expect((await run("device", "get", "cellar_lamp", "brightnes")).stderr).toContain('did you mean "brightness"?');
  });

  test("can be filtered in the list, and no device is no error", async () => {
    const found = await run("devices", "hall", "--json");
    expect((JSON.parse(found.stdout) as { id: string }[]).map(({ id }) => id)).toEqual(["hall_lamp"]);
    expect(await run("devices", "nowhere", "--json")).toEqual({ code: 0, stdout: "[]\n", stderr: "" });
  });
});

describe("a command", () => {
  test("that the device confirms", async () => {
    const said = await run("device", "set", "hall lamp", "on=on", "brightness=40");
    expect(said).toEqual({
      ...{ code: 0, stderr: "" },
      stdout: "Hall lamp (hall_lamp): on=true brightness=40: confirmed\n",
    });
    const again = await run("device", "set", "hall_lamp", "on=true");
    expect(again).toMatchObject({ code: 0, stdout: "Hall lamp (hall_lamp): on=true: sent; it was so before\n" });
  });

  test("that the device takes, and is on its way", async () => {
    const { code, stdout } = await run("device", "set", "attic_lamp", "position=40");
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "Lamp (attic_lamp): position=40: taken; now it reports position=12\n",
    });
  });

  test("that the device refuses, with its words", async () => {
    const { code, stdout } = await run("device", "set", "hot_lamp", "on=true");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "Hot lamp (hot_lamp): on=true: refused: it is too hot\n" });
  });

  test("that nobody answers", async () => {
    const { code, stdout } = await run("device", "set", "mute_lamp", "on=true", "--json");
    expect(code).toBe(5);
    expect(JSON.parse(stdout)).toMatchObject({
      command: { on: true },
      outcome: "unanswered",
      message: expect.stringContaining("2 s"),
    });
    const hasty = await run("device", "set", "mute_lamp", "on=true", "--wait", "0.3");
    expect(hasty).toMatchObject({ code: 5, stdout: expect.stringContaining("sent, and not confirmed") });
    expect(await run("device", "set", "mute_lamp", "on=true", "--wait", "0")).toMatchObject({
      ...{ code: 0, stdout: "Mute lamp (mute_lamp): on=true: sent\n" },
    });
  });

  test("that the hub refuses, with its words", async () => {
    expect(await run("device", "set", "hall_lamp", "brightness=300")).toEqual({
      ...{ code: 1, stdout: "" },
      stderr: "hub: brightness: must be from 0 to 254, not 300\n",
    });
    await say("devices/cellar_lamp/availability", "offline");
    await until("it is away", async () => !(await hub.get<{ available: boolean }>("/devices/cellar_lamp")).available);
    const away = await run("device", "set", "cellar_lamp", "on=true");
    expect(away).toMatchObject({ code: 1, stderr: expect.stringContaining("not available") });
  });
});

test("scenes are listed and activated by their names, and what was not commanded is said", async () => {
  expect((await run("scene")).stdout).toMatch(
    /^SCENE +ID +COMMANDS\nEvening +evening +2 devices\nNight +night +1 device\n$/,
  );
  expect(await run("scene", "activate", "NIGHT")).toEqual({ code: 0, stdout: "Night: sent to 1 device\n", stderr: "" });
  const { code, stdout } = await run("scene", "activate", "evening");
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Evening: sent to 1 device; not to 1 device:\n {2}gone: .+\n$/);
  expect(JSON.parse((await run("scene", "activate", "night", "--json")).stdout)).toMatchObject({ failed: [] });
  expect((await run("scene", "activate", "morning")).stderr).toContain('there is no scene "morning"');
});

describe("events", () => {
  /** `hub events --follow …`, and what it has written so far. */
  function follow(...words: string[]) {
    const child = Bun.spawn([place.binary, "events", "--follow", ...words], {
      ...{
        cwd: place.cwd,
        env: { PATH: process.env.PATH ?? "", HUB_HOME: place.home },
        stdout: "pipe",
        stderr: "pipe",
      },
    });
    const followed = { child, out: "", err: "" };
    const read = async (stream: ReadableStream<Uint8Array>, key: "out" | "err") => {
      for await (const bytes of stream) followed[key] += new TextDecoder().decode(bytes);
    };
    return Object.assign(followed, { read: Promise.all([read(child.stdout, "out"), read(child.stderr, "err")]) });
  }
  const fire = async (name: string): Promise<void> => say("events/rang", { device_id: "hall_lamp", name });

  test("the latest are listed, the oldest first, and none is no error", async () => {
    await run("device", "set", "hall_lamp", "brightness=41");
    const { code, stdout } = await run(
      "events",
      "--device",
      "hall lamp",
      "--type",
      "device_state_changed",
      "--last",
      "1",
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}device_state_changed +device_id=hall_lamp brightness=41\n$/,
    );
    const [line, ...more] = (await run("events", "--json", "--last", "1")).stdout.trimEnd().split("\n");
    expect({ more, event: JSON.parse(line ?? "") }).toMatchObject({ more: [], event: { seq: expect.any(Number) } });
    expect(await run("events", "--type", "backup_failed")).toEqual({ code: 0, stdout: "", stderr: "" });
    const wrong = await run("events", "--type", "rule_fird");
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('did you mean "rule_fired"?') });
  });

  test("what comes is shown as it comes, only what was asked for, until Ctrl-C", async () => {
    const followed = follow("--type", "custom_rang", "--json", ...here);
    await until("it receives the bell", async () => {
      await fire("front");
      return followed.out.includes("\n");
    });
    const [first = ""] = followed.out.split("\n");
    expect(JSON.parse(first)).toMatchObject({ type: "custom_rang", name: "front" });
    followed.child.kill("SIGINT");
    expect(await soon("it ends", followed.child.exited)).toBe(0);
    await followed.read;
    expect(followed.err).toBe("");
  });

  test("it ends when nobody reads any more, also while nothing happens", async () => {
    const words = ["events", "--follow", "--type", "backup_failed", ...here];
    const script = `"$HUB" ${words.join(" ")} | true; echo "ended with \${PIPESTATUS[0]}"`;
    const child = Bun.spawn(["bash", "-c", script], {
      env: { PATH: process.env.PATH ?? "", HUB: place.binary, HUB_HOME: place.home },
      stdout: "pipe",
    });
    expect(await soon("it ends", new Response(child.stdout).text())).toBe("ended with 0\n");
  });

  test("it goes on where it was when the hub restarts", async () => {
    await using restarted = createHubPlace();
    const port = freePort();
    restarted.put("config/hub.toml", restarted.read("config", "hub.toml").replace("port = 0", `port = ${port}`), 0o600);
    const before = await restarted.start();
    const child = Bun.spawn([restarted.binary, "events", "--follow", "--json", "--type", "system_started"], {
      ...{
        cwd: restarted.cwd,
        env: { PATH: process.env.PATH ?? "", HUB_HOME: restarted.home },
        stdout: "pipe",
        stderr: "pipe",
      },
    });
    let [out, err] = ["", ""];
    const decoder = new TextDecoder();
    const reading = [
      (async () => {
        for await (const bytes of child.stdout) out += decoder.decode(bytes);
      })(),
      (async () => {
        for await (const bytes of child.stderr) err += decoder.decode(bytes);
      })(),
    ];
    await until(
      "it follows",
      async () => (await before.get<{ stream_clients: number }>("/system/status")).stream_clients === 1,
    );
    await before.end();
    await until("it says that the hub is away", () => err.includes("does not answer now"));
    await restarted.start();
    await until("it learns of the start", () => out.includes('"system_started"'));
    child.kill("SIGTERM");
    expect(await soon("it ends", child.exited)).toBe(0);
    await Promise.all(reading);
    expect(err).toBe("hub: it does not answer now; waiting for it\n");
  });
});

test("without a hub, each says so in one sentence, with the same exit code", async () => {
  await using stopped = createHubPlace();
  for (const words of [
    ...[
      ["devices"],
      ["device", "get", "lamp"],
      ["device", "set", "lamp", "on=true"],
      ["scene"],
      ["events", "--follow"],
    ],
    ...[
      ["rules", "why", "night"],
      ["export", "list"],
    ],
  ]) {
    const { code, stdout, stderr } = await stopped.run(words);
    expect({ words, code, stdout }).toEqual({ words, code: 3, stdout: "" });
    expect(stderr).toMatch(/^hub: the hub in \S+ is not running\b[^\n]*: start it with `hub serve`[^\n]*\n$/);
  }
});

test("what was done is one JSON document where that is asked for", async () => {
  await using made = createHubPlace(null);
  const json = async (code: number, ...words: string[]): Promise<unknown> => {
    const ran = await made.run([...words, "--json"]);
    expect({ words, code: ran.code }).toEqual({ words, code });
    return JSON.parse(ran.stdout);
  };
  expect(await json(0, "init")).toMatchObject({
    home: made.home,
    created: expect.arrayContaining([expect.any(String)]),
  });
  expect(await json(0, "check")).toMatchObject({ valid: true, problems: [] });
  made.put("rules/broken.ron", "(id: 5)\n");
  expect(await json(1, "check")).toMatchObject({
    valid: false,
    problems: expect.arrayContaining([expect.objectContaining({ file: made.at("rules/broken.ron"), line: 1 })]),
  });
  made.configure({});
  await (await made.start()).end();
  expect(await json(0, "passwd")).toEqual({ username: "admin", created: false, password: expect.any(String) });
  const archive = made.at("house.zip");
  expect(await json(0, "backup", archive)).toMatchObject({ file: archive, encrypted: false, counts: { users: 1 } });
  expect(await json(0, "restore", archive, "--dry-run")).toMatchObject({ restored: false, counts: { users: 1 } });
  expect(await json(0, "restore", archive)).toMatchObject({
    restored: true,
    home: made.home,
    kept: expect.any(String),
  });
  expect(await json(0, "restore", "--undo")).toMatchObject({ home: made.home, counts: { users: 1 } });
  expect((await made.run(["backup", "-", "--json"])).stderr).toContain("--json does not go with -");
});
