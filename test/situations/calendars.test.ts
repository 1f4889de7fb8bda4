// A calendar in a whole hub: its device, its rules, what the API and the configuration say of it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { startTestHub, type TestHub } from "../support/test-hub.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { until } from "../support/wait.ts";

const TOML = `
[[calendars]]
id = "bins"
name = "Rubbish"
file = "config/bins.ics"

[[calendars]]
id = "moved"
file = "config/moved.ics"

[[calendars]]
id = "work"
url = "https://127.0.0.1:1/private-token/basic.ics"
`;

/** A file with an event that begins then. */
const paper = (start: string): string =>
  [
    ...["BEGIN:VCALENDAR", "BEGIN:VEVENT", "UID:1", "SUMMARY:Paper"],
    ...[`DTSTART:${start.replace(/[-:]|\.\d+/g, "")}`, "DURATION:PT1H", "END:VEVENT", "END:VCALENDAR", ""],
  ].join("\r\n");

const folder = createTemporaryFolder();
const clock = createVirtualClock();
let hub: TestHub;

beforeAll(async () => {
  mkdirSync(folder.at("config"), { recursive: true });
  writeFileSync(folder.at("config", "bins.ics"), paper("2026-01-15T14:00:00Z"));
  writeFileSync(folder.at("config", "moved.ics"), paper("2026-01-15T20:00:00Z"));
  hub = await startTestHub({ folder, clock, toml: TOML });
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function ask<T = Record<string, unknown>>(method: string, path: string, body?: unknown) {
  const answer = await hub.request(method, path, { token: hub.adminToken, ...(body === undefined ? {} : { body }) });
  return { status: answer.status, body: (await answer.json()) as T };
}
const calendar = async (id: string) =>
  (
    await ask<{ problem: string | null; events: number; next: { title: string; start: string } | null }>(
      "GET",
      `/calendars/${id}`,
    )
  ).body;

test("it is a device, and lists its events", async () => {
  await until("it is read", async () => (await calendar("bins")).events === 1);
  expect(await calendar("bins")).toMatchObject({
    name: "Rubbish",
    source: "config/bins.ics",
    next: { title: "Paper" },
  });
  expect((await ask("GET", "/devices/bins")).body).toMatchObject({
    ...{ plugin_id: "core", device_type: "calendar", name: "Rubbish", available: true },
    attributes: { on: false, next_title: "Paper", next_start: "2026-01-15T14:00:00.000Z" },
  });
  expect((await ask<object[]>("GET", "/calendars/bins/events")).body).toMatchObject([
    { title: "Paper", all_day: false },
  ]);
  expect((await ask<object[]>("GET", "/calendars/bins/events?from=2026-01-16T00:00:00Z")).body).toEqual([]);
  expect((await ask("GET", "/calendars/none/events")).status).toBe(404);
  for (const query of ["from=2025-12-01", "from=2026-01-10&to=2027-01-01", "from=2028-01-01"]) {
    const { status, body } = await ask("GET", `/calendars/bins/events?${query}`);
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toMatch(/its events are known from 2026-01-\S+ to 2026-05-\S+ alone/);
  }
  expect((await ask("PATCH", "/devices/bins/state", { on: true })).status).toBe(409);
});

test("a rule runs before its event, and follows when the event is moved", async () => {
  const trigger = { type: "calendar_event", calendar: "moved", offset_minutes: -30, title: "paper" };
  const condition = { type: "not", condition: { type: "calendar_active", calendar: "moved" } };
  const actions = [{ type: "set_hub_variable", name: "paper", expression: "trigger.title + ' ' + trigger.start" }];
  const made = await ask("POST", "/rules", { id: "paper", name: "Paper", trigger, conditions: [condition], actions });
  expect(made.status).toBe(201);
  await clock.advance(60_000);
  // The format knows whole seconds.
  const start = new Date(Math.ceil(clock.now() / 1000) * 1000 + 60 * 60_000).toISOString();
  writeFileSync(folder.at("config", "moved.ics"), paper(start));
  await until("it has moved", async () => {
    await clock.advance(100);
    return (await calendar("moved")).next?.start === start;
  });
  await clock.advance(30 * 60_000);
  expect((await ask("GET", "/variables/paper")).body).toMatchObject({ value: `Paper ${start}` });
});

test("one that cannot be read is a problem and later an alert, and never shows its address", async () => {
  await until("it has a problem", async () => (await calendar("work")).problem);
  await clock.advance(40 * 60_000);
  const alerts = await until("there is an alert", async () => {
    const { body } = await ask<{ id: string; message: string }[]>("GET", "/system/alerts");
    return body.find(({ id }) => id === "calendar:work");
  });
  expect(alerts.message).toStartWith("The calendar work cannot be read: 127.0.0.1:1 ");
  const said = [
    (await ask("GET", "/system/status")).body,
    (await ask("GET", "/calendars")).body,
    (await ask("GET", "/system/config")).body,
    (await ask("GET", "/events?limit=1000")).body,
  ];
  expect(JSON.stringify(said[0])).toContain("work: 127.0.0.1:1 ");
  expect(JSON.stringify(said)).not.toContain("private-token");
});
