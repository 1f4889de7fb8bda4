// Plugins by upload, against the compiled hub: installed, replaced, gone back, removed, and what is refused.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { processesOf } from "../support/processes.ts";
import { story } from "../support/story.ts";
import { until } from "../support/wait.ts";

const lamp = (version: string): string => `import { runPlugin, Type } from "../../sdk/hub-sdk.js";
runPlugin({
  version: "${version}",
  configSchema: Type.Object({}),
  start(plugin) {
    plugin.device({ id: "up_lamp", name: "Lamp", onCommand: (wanted) => ({ on: wanted.on }) }).set({ on: false });
  },
});
`;
const MIB = 1024 * 1024;

let place: HubPlace;
let hub: HubProcess;
beforeAll(async () => {
  place = createHubPlace({ toml: "# the end of the file, without a line end" });
  hub = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());

interface Refusal {
  detail: string;
  problems?: { line: number; column: number }[];
}

async function upload(
  query: string,
  program: string | Uint8Array<ArrayBuffer>,
  type = "text/javascript",
  token?: string,
) {
  const answer = await fetch(`${hub.api}/plugins?${query}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token ?? (await hub.adminToken())}`,
      "content-type": type,
      ...(await hub.confirmed()),
    },
    body: program,
  });
  const body = (await answer.json()) as Refusal & { id: string; status: string };
  return { status: answer.status, body };
}

const plugin = (id: string) =>
  hub.get<{ status: string; version: string | null; pid: number | null; confined: boolean }>(`/plugins/${id}`);
const versionIs = (version: string) =>
  until(`the lamp is ${version}`, async () => {
    const now = await plugin("lamp");
    return now.version === version && now.status === "active";
  });
const uploads = () => hub.get<{ id: string; previous: object | null }[]>("/plugin-uploads");

const step = story("a plugin that comes by upload");

step("a plugin is installed without a restart, and hub.toml keeps every byte", async () => {
  const before = place.read("config/hub.toml");
  expect(await upload("id=lamp", lamp("1.0.0"))).toMatchObject({ status: 201, body: { id: "lamp" } });
  await versionIs("1.0.0");
  await until("its device is there", async () => (await hub.request("GET", "/devices/up_lamp")).status === 200);
  const after = place.read("config/hub.toml");
  expect(after).toBe(`${before}\n\n[[plugins]]\nid = "lamp"\nbinary = "plugins/lamp/bin/lamp.js"\nenabled = true\n`);
  expect(statSync(place.at("config/hub.toml")).mode & 0o777).toBe(0o600);
  expect(statSync(place.at("plugins/lamp/bin/lamp.js")).mode & 0o777).toBe(0o644);
  expect(existsSync(place.at("plugins/lamp/config/config.toml"))).toBe(true);
  expect(await uploads()).toMatchObject([{ id: "lamp", file: "lamp.js", previous: null }]);
});

step("its program is replaced only where that was said, and comes back", async () => {
  expect(await upload("id=lamp", lamp("2.0.0"))).toMatchObject({ status: 409 });
  const rollBack = async () =>
    (await hub.request("POST", "/plugins/lamp/rollback", { headers: await hub.confirmed() })).status;
  expect(await rollBack()).toBe(409);
  expect(await upload("id=lamp&replace=true", lamp("2.0.0"))).toMatchObject({ status: 200 });
  await versionIs("2.0.0");
  expect(await rollBack()).toBe(200);
  await versionIs("1.0.0");
  expect(place.read("plugins/lamp/bin/lamp.previous.js")).toContain("2.0.0");
  expect(await upload("id=lamp&replace=true", lamp("3"), "text/typescript")).toMatchObject({ status: 409 });
  expect(await upload("id=LAMP&replace=true", lamp("3"))).toMatchObject({ status: 409 });
  // One that was stopped stays so.
  await hub.request("POST", "/plugins/lamp/stop");
  expect(await upload("id=lamp&replace=true", lamp("3.0.0"))).toMatchObject({ body: { status: "stopped" } });
  await hub.request("POST", "/plugins/lamp/start");
  await versionIs("3.0.0");
});

test.each<[string, string, string | Uint8Array<ArrayBuffer>, string, number, RegExp]>([
  [
    "what does not parse",
    "id=a",
    "const ok = 1;\nlet x = ;\n",
    "text/javascript",
    400,
    /line 2, column 9: Unexpected ;/,
  ],
  ["types in JavaScript", "id=a", "let x: number = 1;", "text/javascript", 400, /line 1/],
  ["an import that is not there", "id=a", 'import { z } from "zod";\nz();', "text/javascript", 400, /"zod".*bun build/],
  ["a binary", "id=a", new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0xff, 0xfe]), "text/javascript", 400, /UTF-8/],
  ["zero bytes", "id=a", "var a;\0", "text/javascript", 400, /another kind/],
  ["nothing", "id=a", "", "text/javascript", 400, /empty/],
  ["blanks", "id=a", " \n", "text/javascript", 400, /empty/],
  ["another type", "id=a", "1", "application/zip", 415, /text\/javascript/],
  ["more than 8 MiB", "id=a", " ".repeat(8 * MIB + 1), "text/javascript", 413, /8388608/],
  ["an id that leads elsewhere", "id=..%2Fconfig", "1", "text/javascript", 400, /id/],
  ["no id", "", "1", "text/javascript", 400, /id/],
  ["the hub's own name", "id=Core", "1", "text/javascript", 409, /own/],
  ["the folder of the library", "id=sdk", "1", "text/javascript", 409, /own/],
  ["a folder that is there", "id=virtual", "1", "text/javascript", 409, /plugins\/virtual/],
  ["a name of an MQTT account", "id=lamps", "1", "text/javascript", 409, /choose another/],
])("%s is refused, and nothing is changed", async (_, query, program, type, status, words) => {
  const [toml, folders] = [place.read("config/hub.toml"), readdirSync(place.at("plugins"))];
  const answered = await upload(query, program, type);
  expect(answered).toMatchObject({ status, body: { detail: expect.stringMatching(words) } });
  expect([place.read("config/hub.toml"), readdirSync(place.at("plugins"))]).toEqual([toml, folders]);
});

step("a link that the plugin put into its folder leads the hub nowhere", async () => {
  await hub.request("POST", "/plugins/lamp/stop");
  const bin = place.at("plugins/lamp/bin");
  const kept = place.at("plugins/lamp/kept");
  Bun.spawnSync(["mv", bin, kept]);
  symlinkSync(place.at("config"), bin);
  const before = readdirSync(place.at("config"));
  expect(await upload("id=lamp&replace=true", lamp("4.0.0"))).toMatchObject({ status: 409 });
  expect(readdirSync(place.at("config"))).toEqual(before);
  rmSync(bin);
  Bun.spawnSync(["mv", kept, bin]);
  await hub.request("POST", "/plugins/lamp/start");
  await versionIs("3.0.0");
});

step("a file of 8 MiB is checked without holding up the hub", async () => {
  const line = 'export const f = (a, b) => (a > b ? { a, b, d: [1, 2, 3, "four"] } : b);\n';
  let program = "";
  for (let n = 0; program.length < 8 * MIB - 200; n++) program += line.replace("f =", `f${n} =`);
  let worst = 0;
  let done = false;
  const asked = (async () => {
    while (!done) {
      const begun = performance.now();
      await hub.request("GET", "/health", { token: null });
      worst = Math.max(worst, performance.now() - begun);
    }
  })();
  const uploaded = performance.now();
  const answered = await upload("id=large&enabled=false", program);
  const tookMs = performance.now() - uploaded;
  done = true;
  await asked;
  expect(answered.status).toBe(201);
  // A hub that is held up answers when the check is over.
  expect(worst).toBeLessThan(Math.max(700, tookMs / 2));
  expect((await hub.request("DELETE", "/plugins/large")).status).toBe(204);
});

step("only administrators may, and it is in the audit log", async () => {
  await hub.request("POST", "/auth/users", {
    body: { username: "anna", password: "the-password-of-anna", role: "user" },
  });
  const { token } = (await hub.login("anna", "the-password-of-anna")).json<{ token: string }>();
  expect(await upload("id=b", "1", "text/javascript", token)).toMatchObject({ status: 403 });
  const { text } = await hub.request("GET", "/system/audit?limit=200");
  for (const words of ["plugin.install", "plugin.rollback"]) expect(text).toContain(words);
});

step("after a restart of the hub it runs as before", async () => {
  hub.kill("SIGTERM");
  await hub.exited;
  hub = await place.start();
  await versionIs("3.0.0");
  expect(await uploads()).toMatchObject([{ id: "lamp", previous: { bytes: expect.any(Number) } }]);
});

step("two uploads of the same id at once: one wins", async () => {
  const both = await Promise.all([upload("id=twin&enabled=false", "1"), upload("id=twin&enabled=false", "2")]);
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect(await plugin("twin")).toMatchObject({ status: "stopped", pid: null });
  expect((await hub.request("DELETE", "/plugins/twin")).status).toBe(204);
});

step("a removed plugin ends, and its folder is kept aside", async () => {
  const { pid } = await plugin("lamp");
  expect((await hub.request("DELETE", "/plugins/lamp")).status).toBe(204);
  expect(processesOf(place.home)).not.toContain(Number(pid));
  expect((await hub.request("GET", "/plugins/lamp")).status).toBe(404);
  expect(await hub.get("/devices/up_lamp")).toMatchObject({ available: false });
  expect(place.read("config/hub.toml")).not.toContain("[[plugins]]");
  expect(existsSync(place.at("plugins/lamp"))).toBe(false);
  expect(readdirSync(place.at("plugins/.trash")).sort().at(-1)).toMatch(/^\d+-lamp$/);
  expect(await uploads()).toEqual([]);
  expect((await hub.request("DELETE", "/plugins/lamp")).status).toBe(404);
  expect(await upload("id=lamp", lamp("5.0.0"))).toMatchObject({ status: 201 });
  await versionIs("5.0.0");
});
