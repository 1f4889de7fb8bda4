// Calendars that are made to take the hub's memory and time, read by the compiled hub beside good ones.
// Over 10 s: an entry has five seconds of the processor before it is left out.
import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { listProcesses } from "../../src/reach/plugins/process/usage.ts";
import { createHubPlace } from "../support/hub-place.ts";
import { until } from "../support/wait.ts";

const calendar = (...lines: string[]): string => ["BEGIN:VCALENDAR", ...lines, "END:VCALENDAR", ""].join("\r\n");
const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10).replaceAll("-", "");
const event = (title: string, ...lines: string[]): string[] => [
  ...["BEGIN:VEVENT", `UID:${title}`, `SUMMARY:${title}`, `DTSTART:${tomorrow}T235900Z`, ...lines, "END:VEVENT"],
];
const FILES: Readonly<Record<string, string>> = {
  seconds: calendar(
    ...["BEGIN:VTIMEZONE", "TZID:X", "BEGIN:STANDARD", "DTSTART:20000101T000000", "TZOFFSETFROM:+0000"],
    ...["TZOFFSETTO:+0100", "RRULE:FREQ=SECONDLY", "END:STANDARD", "END:VTIMEZONE", ...event("Beside")],
  ),
  aeons: calendar(...event("Before"), ...event("Bad", "DURATION:P999999999999W"), ...event("After")),
  never: calendar(...event("Before"), ...event("Bad", "RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30"), ...event("After")),
  ...Object.fromEntries(Array.from({ length: 48 }, (_, index) => [`good${index}`, calendar(...event("Good"))])),
};

const place = createHubPlace({
  toml: Object.keys(FILES)
    .map((id) => `[[calendars]]\nid = "${id}"\nfile = "config/${id}.ics"\n`)
    .join(""),
});
afterAll(() => place[Symbol.asyncDispose]());

interface Read {
  id: string;
  events: number;
  problem: string | null;
  next: { title: string } | null;
}

function cellsOf(hub: number): string[] {
  const children = listProcesses().filter(({ parent }) => parent === hub);
  const commands = children.map(({ pid }) => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "));
  return commands.filter((command) => command.includes(" cell calendar"));
}

test("fifty go on beside what is hostile in some and too many, and no cell stays", async () => {
  for (const [id, text] of Object.entries(FILES)) place.put(`config/${id}.ics`, text);
  const hub = await place.start();
  const read = async () => (await hub.request("GET", "/calendars")).json<Read[]>();
  await until("all are read", async () => (await read()).every(({ events }) => events > 0));
  const all = new Map((await read()).map((one) => [one.id, one]));
  expect(all.size).toBe(50);
  expect(all.get("seconds")).toMatchObject({ next: { title: "Beside" }, problem: expect.stringContaining("SECONDLY") });
  expect(all.get("aeons")).toMatchObject({ events: 3, problem: expect.stringContaining("longer than 20 years") });
  // Looking for ever also leaves garbage: beside other load it can be the memory that ends it first.
  expect(all.get("never")).toMatchObject({
    events: 3,
    problem: expect.stringMatching(/takes (longer|more memory)/),
  });
  expect(all.get("good46")).toMatchObject({ next: { title: "Good" }, problem: null });
  const status = (await hub.request("GET", "/system/status")).json<{ problems: unknown[] }>();
  expect(JSON.stringify(status.problems)).toContain("aeons: 1 of its entries cannot be read and are left out");
  expect(JSON.stringify(status.problems)).toContain("there are 51 entries, and at most 50 count");
  expect(cellsOf(hub.pid)).toEqual([]);
}, 120_000);
