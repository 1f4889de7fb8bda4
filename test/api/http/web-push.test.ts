// /notify/web-push: a browser signs up for its person, at the door of a whole hub, and no address of the house is asked.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createBrowser } from "../../reach/notify/web-push/browser.ts";
import { startTestHub, type TestHub } from "../../support/test-hub.ts";

let hub: TestHub;
let user = "";
beforeAll(async () => {
  hub = await startTestHub({ toml: '[[notify.channels]]\nname = "browsers"\ntype = "web_push"\n' });
  user = await hub.tokenFor("user");
});
afterAll(() => hub[Symbol.asyncDispose]());

async function ask(method: string, path: string, token: string, body?: unknown) {
  const response = await hub.request(method, path, { token, ...(body !== undefined && { body }) });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

test("the key stays, and says which channels reach the person", async () => {
  const first = await ask("GET", "/notify/web-push/key", user);
  expect(first).toEqual({
    status: 200,
    body: { public_key: expect.stringMatching(/^B[\w-]{86}$/), channels: ["browsers"] },
  });
  expect(await ask("GET", "/notify/web-push/key", hub.adminToken)).toEqual(first);
});

test.each(["127.0.0.1:8123", "192.168.1.5", "[fd00::1]", "10.0.0.1", "localhost"])(
  "an address in the house (%s), where no message would be sent, is refused with that",
  async (host) => {
    const { keys } = await createBrowser();
    const given = { endpoint: `https://${host}/x`, expirationTime: null, keys };
    const { status, body } = await ask("POST", "/notify/web-push/subscriptions", user, given);
    expect([status, body.detail]).toEqual([
      400,
      `endpoint: ${host} leads to a private address, which is refused, so nothing would ever arrive: this browser needs a push service on the internet`,
    ]);
  },
);

test("a browser of a push service whose name nobody knows now is taken", async () => {
  const { keys } = await createBrowser();
  const endpoint = "https://push.invalid/x";
  const given = { endpoint, expirationTime: null, keys };
  for (const _ of [1, 2]) expect((await ask("POST", "/notify/web-push/subscriptions", user, given)).status).toBe(204);
  expect((await ask("DELETE", "/notify/web-push/subscriptions", user, { endpoint })).status).toBe(204);
  const nobody = await ask("POST", "/notify/test", user, { channel: "browsers", message: "x" });
  expect(nobody.body.detail).toContain("no device takes messages");
});

test.each([
  [{ endpoint: "http://push.example/x" }],
  [{ endpoint: "x" }],
  [{ keys: { p256dh: "x", auth: "y" } }],
  [{ keys: { p256dh: "A".repeat(87), auth: "A".repeat(22) } }],
])("%j is refused", async (more) => {
  const { keys } = await createBrowser();
  const given = { endpoint: "https://push.example/x", keys, ...more };
  expect((await ask("POST", "/notify/web-push/subscriptions", user, given)).status).toBe(400);
});
