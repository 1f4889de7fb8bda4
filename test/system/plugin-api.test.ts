// A plugin that uses the hub's API: what its key may do, what it keeps in the hub's database, and when the key ends.
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { createHubPlace } from "../support/hub-place.ts";
import { until } from "../support/wait.ts";

const PLUGIN = `
const { HUB_API_URL: url, HUB_API_TOKEN: token } = process.env;
const ask = async (method, path, body) => {
  const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
  const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  return [response.status, await response.text()];
};
console.log("the key is " + token);
const said = {
  token,
  kept: await ask("GET", "/plugins/reader/storage"),
  keep: await ask("PUT", "/plugins/reader/storage", { text: "what it knows" }),
  others: await ask("GET", "/plugins/other/storage"),
  devices: await ask("GET", "/devices"),
  variable: await ask("PUT", "/variables/seen", { value: 1 }),
  users: await ask("GET", "/auth/users"),
  large: await ask("PUT", "/plugins/reader/storage", { text: "x".repeat(1_048_577) }),
};
await Bun.write("said.json", JSON.stringify(said));
setInterval(() => {}, 1000);
`;

const TOML = (api: string) => `
[[plugins]]
id = "reader"
binary = "plugins/reader/bin/reader.ts"
${api}

[[plugins]]
id = "other"
binary = "plugins/reader/bin/reader.ts"
enabled = false
`;

type Said = Record<string, [number, string]> & { token: string };

test("a plugin with `api` has a key of its own role, and keeps what it knows in the hub's database", async () => {
  await using place = createHubPlace({ toml: TOML('api = "user"') });
  place.put("plugins/reader/bin/reader.ts", PLUGIN);
  const path = place.at("plugins", "reader", "said.json");
  const read = async (): Promise<Said> => {
    await until("the plugin has asked", () => existsSync(path) && readFileSync(path, "utf8").endsWith("}"));
    return JSON.parse(readFileSync(path, "utf8"));
  };
  await using hub = await place.start();
  const said = await read();
  expect(said.kept?.[0]).toBe(404);
  expect(said.keep?.[0]).toBe(204);
  expect(said.devices?.[0]).toBe(200);
  expect(said.variable?.[0]).toBe(200);
  expect(said.users?.[0]).toBe(403);
  expect(said.others?.[0]).toBe(403);
  expect(said.large).toEqual([413, expect.stringContaining("1048576")]);
  // Not even an administrator reads it: there may be keys in it.
  expect((await hub.request("GET", "/plugins/reader/storage")).status).toBe(403);
  expect((await hub.request("GET", "/devices", { token: said.token })).status).toBe(200);
  await until("its output is logged", async () =>
    (await hub.get<string[]>("/plugins/reader/log")).some((line) => line.includes("the key is")),
  );
  const log = (await hub.get<string[]>("/plugins/reader/log")).join("\n");
  expect(log).toContain("the key is [redacted]");
  expect(log).not.toContain(said.token);
  // It is none of the keys that people make.
  expect(await hub.get("/auth/api-keys")).toEqual([]);

  await hub.request("POST", "/plugins/reader/stop");
  expect((await hub.request("GET", "/devices", { token: said.token })).status).toBe(401);
  place.put("plugins/reader/said.json", "");
  await hub.request("POST", "/plugins/reader/start");
  const again = await read();
  expect(again.kept).toEqual([200, JSON.stringify({ text: "what it knows" })]);
  expect(again.token).not.toBe(said.token);
  hub.kill("SIGKILL");
  await hub.exited;
  place.put("plugins/reader/said.json", "");
  await using later = await place.start();
  expect((await read()).kept).toEqual([200, JSON.stringify({ text: "what it knows" })]);
  expect((await later.request("GET", "/devices", { token: again.token })).status).toBe(401);
});

test("a plugin without `api` has no key", async () => {
  await using place = createHubPlace({ toml: TOML("") });
  place.put(
    "plugins/reader/bin/reader.ts",
    'console.log("url " + process.env.HUB_API_URL); setInterval(() => {}, 1000);',
  );
  await using hub = await place.start();
  await until("it has started", async () =>
    (await hub.get<string[]>("/plugins/reader/log")).some((line) => line.includes("url undefined")),
  );
});
