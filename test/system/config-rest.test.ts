// hub.toml changed over REST, and the restart in place: with it the hub runs as changed, or, where it cannot, as before.
import { expect, test } from "bun:test";
import { freePort } from "../support/free-port.ts";
import { createHubPlace, type HubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";

interface Held extends Disposable {
  port: number;
}

function holdPort(): Held {
  const held = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  return { port: held.port, [Symbol.dispose]: () => held.stop(true) };
}

async function start(place: HubPlace): Promise<{ hub: HubProcess; port: number }> {
  const [port, broker] = [freePort(), freePort()];
  const secret = "a secret of the house that nobody is shown";
  const text = `# Ours\n[server]\nhost = "127.0.0.1"\nport = ${port}\n[auth]\njwt_secret = "${secret}"\n[mqtt]\nport = ${broker}\n`;
  place.put("config/hub.toml", text, 0o600);
  return { hub: await place.start(), port };
}

async function change(hub: HubProcess, edit: (text: string) => string): Promise<void> {
  const headers = { authorization: `Bearer ${await hub.adminToken()}`, "content-type": "text/plain" };
  const path = `${hub.api}/system/config`;
  const read = await fetch(path, { headers });
  const body = edit(await read.text());
  const saved = await fetch(path, {
    method: "PUT",
    body,
    headers: { ...headers, "if-match": read.headers.get("etag") ?? "" },
  });
  expect({ status: saved.status, text: await saved.text() }).toMatchObject({ status: 200 });
  expect((await hub.request("POST", "/system/restart")).status).toBe(202);
  await hub.said("the hub is up again");
}

test("a change counts after the restart, and everybody stays signed in", async () => {
  await using place = createHubPlace();
  const { hub } = await start(place);
  await change(hub, (text) => `${text}[battery]\nthreshold_pct = 33\n`);
  const checked = await hub.request("GET", "/system/status");
  expect(checked.status).toBe(200);
  expect(place.read("config", "hub.toml")).toContain("# Ours");
  expect(place.read("config", "hub.toml")).not.toContain("•");
});

test("with a change that it cannot start with, the hub goes back and says so", async () => {
  await using place = createHubPlace();
  const { hub, port } = await start(place);
  using taken = holdPort();
  await change(hub, (text) => text.replace(`port = ${port}`, `port = ${taken.port}`));
  const { problems } = (await hub.request("GET", "/system/status")).json<{ problems: { part: string }[] }>();
  expect(problems).toMatchObject([{ part: "config" }]);
  expect(place.read("config", "hub.toml")).toContain(`port = ${port}`);
  expect(place.read("config", "hub.toml.refused")).toContain(`port = ${taken.port}`);
});
