import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { bugResponse, problemResponse, toHubError } from "../../../../src/api/http/errors.ts";
import { outboxRoutes } from "../../../../src/api/http/routes/outbox.ts";
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { type OutboxRig, openOutboxRig, push } from "./rig.ts";

function apiOf({ outbox }: OutboxRig) {
  const app = new Elysia({ normalize: false })
    .onError(({ code, error }) => {
      const refusal = toHubError({ code, error }, { log: silentLog, path: "/", storageFault: () => undefined });
      return refusal ? problemResponse(refusal, "/") : bugResponse("/");
    })
    .use(outboxRoutes({ outbox }));
  return (method: string, path = "") => app.handle(new Request(`http://localhost/notify/outbox${path}`, { method }));
}

test("lists the waiting messages with the beginning of their texts", async () => {
  await using rig = await openOutboxRig([push("phone"), push("tablet")]);
  const api = apiOf(rig);
  expect(await (await api("GET")).json()).toEqual([]);
  rig.react("phone", { status: 503 });
  await rig.say("phone", "x".repeat(5000), "Cellar");
  await rig.say("phone", "2");
  rig.react("tablet", "down");
  await rig.say("tablet", "3");
  const list = (await (await api("GET")).json()) as Record<string, unknown>[];
  expect(list).toEqual([
    {
      id: expect.stringMatching(/^\d+$/),
      channel: "phone",
      title: "Cellar",
      message: `${"x".repeat(200)}…`,
      at: "2026-01-15T12:00:00Z",
      tries: 1,
      next_try: expect.stringMatching(/^2026-01-15T12:00:0[4567]Z$/),
      last_error: "the Pushover server has an error: no",
      count: 1,
      state: "waiting",
    },
    expect.objectContaining({ message: "2", tries: 0, next_try: null, last_error: null, state: "queued" }),
    expect.objectContaining({ message: "3", channel: "tablet", state: "waiting" }),
  ]);
  expect(await (await api("GET", "?channel=tablet")).json()).toHaveLength(1);
  expect(await (await api("GET", "?limit=2")).json()).toHaveLength(2);
  expect((await api("GET", "?limit=0")).status).toBe(400);
});

test("retries at once on request, the oldest first", async () => {
  await using rig = await openOutboxRig();
  const api = apiOf(rig);
  rig.react("phone", "down");
  await rig.say("phone", "1");
  await rig.say("phone", "2");
  await rig.clock.advance(3_600_000);
  const [, second] = rig.outbox.list();
  rig.react("phone", "ok");
  expect((await api("POST", `/${second?.id}/retry`)).status).toBe(202);
  await rig.clock.advance(0);
  expect(rig.texts("phone")).toEqual(["1", "2"]);
  expect((await api("POST", `/${second?.id}/retry`)).status).toBe(404);
});

test("drops a message, also while it is being sent", async () => {
  await using rig = await openOutboxRig();
  const api = apiOf(rig);
  rig.react("phone", "hang");
  const enqueued = rig.say("phone", "1");
  for (const text of ["2", "3"]) await rig.say("phone", text);
  const [first, second] = rig.outbox.list();
  expect((await api("DELETE", `/${second?.id}`)).status).toBe(204);
  rig.react("phone", "ok");
  expect((await api("DELETE", `/${first?.id}`)).status).toBe(204);
  await rig.clock.advance(0);
  expect(rig.texts("phone")).toEqual(["3"]);
  expect((await api("DELETE", `/${first?.id}`)).status).toBe(404);
  expect(await enqueued).toMatchObject([{ state: "failed", error: "it was dropped" }]);
  await rig.clock.advance(60_000);
  await rig.restart();
  await rig.clock.advance(60_000);
  expect(rig.texts("phone")).toEqual(["3"]);
  for (const id of ["nobody", "1.5", "__proto__", "0"]) expect((await api("DELETE", `/${id}`)).status).toBe(404);
});

test("says why nothing can be sent", async () => {
  await using rig = await openOutboxRig();
  rig.react("phone", "down");
  await rig.say("phone", "1");
  await rig.restart({ channels: [] });
  const api = apiOf(rig);
  const [waiting] = rig.outbox.list();
  expect(waiting).toMatchObject({ state: "blocked", lastError: "the channel is not in the configuration" });
  const refused = await api("POST", `/${waiting?.id}/retry`);
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain("the channel is not in the configuration");
});
