// Where a server sends requests of the hub on to: never to another host that a person has not named, nor to one without encryption.
import { expect, test } from "bun:test";
import { createHttpRequest } from "../../src/app/hub/http-request.ts";
import { systemClock } from "../../src/kit/time/clock.ts";
import { startTestHub } from "../support/test-hub.ts";
import { until } from "../support/wait.ts";

interface Asked {
  url: string;
  method: string;
  token: string | null;
  body: string;
}

/** What a rule's request asks, where this address answers with a redirect. */
async function asked(from: string, location: string, { status = 302, method = "GET" } = {}) {
  const requests: Asked[] = [];
  const send = (async (url: string, init: RequestInit) => {
    const request = new Request(url, init);
    const { headers } = request;
    requests.push({ url, method: request.method, token: headers.get("x-token"), body: await request.text() });
    return url === from ? new Response(null, { status, headers: { location } }) : new Response("done");
  }) as unknown as typeof fetch;
  const request = createHttpRequest({ fetch: send, clock: systemClock });
  const body = method === "POST" ? "{}" : undefined;
  const headers = { "x-token": "secret" };
  const answer = await request(
    { url: from, method, headers, body, timeoutMs: 5000 },
    new AbortController().signal,
  ).then(
    ({ status: got }) => `${got}`,
    (error: Error) => error.message,
  );
  return { answer, requests };
}

test.each([
  ["http://plug.lan/a", "https://attacker.example/", "sends on to https://attacker.example, which is not followed"],
  ["https://plug.lan/a", "http://plug.lan/a", "sends on to http://plug.lan, which is not followed"],
  ["https://plug.lan/a", "file:///etc/passwd", "sends on to file://, which is not followed"],
  ["https://hook.example/a", "https://192.168.1.1/", "sends on to https://192.168.1.1, which is not followed"],
])("a rule's request to %s that is sent on to %s goes no further", async (from, location, says) => {
  const { answer, requests } = await asked(from, location);
  expect(answer).toContain(says);
  expect(requests.map(({ url }) => url)).toEqual([from]);
});

test("within its host it is followed, with encryption where that is wanted, as browsers do", async () => {
  const upgraded = await asked("http://plug.lan/a", "https://plug.lan/b", { method: "POST" });
  expect(upgraded.answer).toBe("200");
  expect(upgraded.requests.at(-1)).toEqual({ url: "https://plug.lan/b", method: "GET", token: "secret", body: "" });
  const again = await asked("http://plug.lan/a", "/b", { method: "POST", status: 307 });
  expect(again.requests.at(-1)).toEqual({ url: "http://plug.lan/b", method: "POST", token: "secret", body: "{}" });
  expect((await asked("http://plug.lan/a", "/a")).answer).toContain("sends on more than 5 times");
});

test("a whole hub says that a calendar is sent on to a private address, and asks nothing there", async () => {
  const requests: string[] = [];
  const network = (async (url: string) => {
    requests.push(url);
    return new Response(null, { status: 302, headers: { location: "https://192.168.1.1/admin" } });
  }) as unknown as typeof fetch;
  const toml = '[[calendars]]\nid = "bins"\nurl = "https://calendar.example/bins.ics"\n';
  await using hub = await startTestHub({ toml, fetch: network });
  const problem = await until("it is said", async () => {
    const answer = await hub.request("GET", "/calendars/bins", { token: hub.adminToken });
    return ((await answer.json()) as { problem?: string }).problem;
  });
  expect(problem).toContain("192.168.1.1 leads to a private address, which is refused");
  expect(new Set(requests)).toEqual(new Set(["https://calendar.example/bins.ics"]));
});
