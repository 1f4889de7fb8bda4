// The page out of the compiled hub, as a browser and a curious person ask for it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHubPlace } from "../support/hub-place.ts";
import type { HubProcess } from "../support/hub-process.ts";
import { soon } from "../support/wait.ts";

const place = createHubPlace();
let hub: HubProcess;
beforeAll(async () => {
  hub = await place.start();
});
afterAll(() => place[Symbol.asyncDispose]());
const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`http://127.0.0.1:${hub.port}${path}`, { method, headers });

test("the start, and any view's address, are the page, and all that it names is there", async () => {
  for (const path of ["/", "/devices/hall", "/rules"]) {
    const answer = await ask(path, { accept: "text/html" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    const html = await answer.text();
    const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file]) => file ?? "");
    expect(named.length).toBeGreaterThan(3);
    for (const file of named) expect((await ask(file)).status).toBe(200);
    // A policy that allows no inline script is kept only by a page without any.
    expect(html).not.toMatch(/<script(?![^>]*src=)|<style|style=|\son\w+=/);
  }
});

test("what is no page stays what it was", async () => {
  const nothing = await ask("/api/v1/nothing", { accept: "text/html" });
  expect([nothing.status, nothing.headers.get("content-type")]).toEqual([404, "application/problem+json"]);
  expect((await ask("/main-00000000.js")).status).toBe(404);
  expect((await ask("/", {}, "POST")).status).toBe(404);
});

test("the first view is small", async () => {
  const html = await (await ask("/")).text();
  const files = [...html.matchAll(/(?:src|href)="(\/(?:main|styles)[^"]+)"/g)].map(([, file]) => file ?? "");
  let bytes = 0;
  for (const file of ["/", ...files]) {
    const answer = await fetch(`http://127.0.0.1:${hub.port}${file}`, {
      headers: { "accept-encoding": "gzip" },
      decompress: false,
    } as RequestInit);
    bytes += (await answer.arrayBuffer()).byteLength;
  }
  expect(bytes).toBeLessThan(45 * 1024);
});

test("a page can ask the stream whether it lives", async () => {
  const socket = new WebSocket(`${hub.api.replace("http", "ws")}/events/stream?token=${await hub.adminToken()}`);
  const pong = new Promise<string>((resolve) => {
    socket.onopen = () => socket.send("ping");
    socket.onmessage = ({ data }) => String(data).includes("pong") && resolve(String(data));
  });
  expect(await soon("the pong", pong)).toBe('{"type":"stream_pong"}');
  socket.close();
});
