// Calendars from a server and from files, read by real cells, with a virtual clock.
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { createCells } from "../../../src/app/hub/cells.ts";
import { type Calendars, openCalendars } from "../../../src/house/calendars/calendars.ts";
import type { CalendarEntry } from "../../../src/house/calendars/config.ts";
import { createReader } from "../../../src/house/calendars/reader.ts";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import type { JsonObject } from "../../../src/kit/schema/json.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";
import { until } from "../../support/wait.ts";

const ADDRESS = "https://calendar.example/private-abc/basic.ics";
const MINUTE = 60_000;

const calendar = (...events: [title: string, start: string, end: string][]): string =>
  [
    "BEGIN:VCALENDAR",
    ...events.flatMap(([title, start, end], index) => [
      ...["BEGIN:VEVENT", `UID:${index}`, `SUMMARY:${title}`, `DTSTART:${start}`, `DTEND:${end}`, "END:VEVENT"],
    ]),
    "END:VCALENDAR",
    "",
  ].join("\r\n");
const SCHOOL = calendar(
  ["School", "20260115T130000Z", "20260115T140000Z"],
  ["Sports", "20260115T150000Z", "20260115T160000Z"],
);

let folder: TemporaryFolder;
let clock: VirtualClock;
let answer: (request: Request) => Response | Promise<Response>;
let asked: Request[];
let elsewhere: string[];
let reports: JsonObject[];
let logged: string[];
let availability: boolean[];
let open: Calendars[];

beforeEach(() => {
  folder = createTemporaryFolder();
  clock = createVirtualClock(Date.UTC(2026, 0, 15, 12, 0, 0));
  [asked, elsewhere, reports, logged, availability, open] = [[], [], [], [], [], []];
  answer = () => new Response(SCHOOL, { headers: { etag: '"1"' } });
});
afterEach(async () => {
  for (const one of open) await one[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

function start(entry: Partial<CalendarEntry> = { url: ADDRESS }): Calendars {
  const note = (message: string, fields?: object): void => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const calendars = openCalendars({
    config: [{ id: "family", name: "Family", refresh_mins: 30, ...entry }],
    devices: {
      declare() {},
      report: (_, attributes) => void reports.push(attributes),
      available: (_, available) => void availability.push(available),
    },
    clock,
    log: { ...silentLog, warn: note, error: note },
    fetch: (async (url: string, init: RequestInit) => {
      const request = new Request(url, init);
      asked.push(request);
      return answer(request);
    }) as unknown as typeof fetch,
    fetchElsewhere: (async (url: string, init: RequestInit) => {
      const request = new Request(url, init);
      elsewhere.push(request.url);
      return answer(request);
    }) as unknown as typeof fetch,
    folder: folder.at("calendars"),
    resolve: (path) => folder.at(path),
    timezone: () => "Europe/Berlin",
    read: createReader(createCells({ execPath: process.execPath, clock: systemClock }).calendar),
  });
  open.push(calendars);
  calendars.start();
  return calendars;
}

const isRead = (calendars: Calendars) => until("it is read", async () => calendars.get("family").refreshedAt);
const hasProblem = (calendars: Calendars) => until("it has a problem", async () => calendars.get("family").problem);

describe("a calendar from an address", () => {
  test("is on during its events, and says what comes next", async () => {
    const calendars = start();
    await isRead(calendars);
    answer = () => new Response(null, { status: 304 });
    expect(reports.at(-1)).toMatchObject({
      on: false,
      title: null,
      next_title: "School",
      next_start: "2026-01-15T13:00:00.000Z",
    });
    await clock.advance(60 * MINUTE);
    expect(reports.at(-1)).toMatchObject({
      on: true,
      title: "School",
      end: "2026-01-15T14:00:00.000Z",
      next_title: "Sports",
    });
    await clock.advance(60 * MINUTE);
    expect(reports.at(-1)).toMatchObject({ on: false, next_title: "Sports" });
    expect(calendars.get("family")).toMatchObject({ source: "calendar.example", events: 2, problem: undefined });
    expect(availability.at(-1)).toBe(true);
  });

  test("follows the clock when that is set", async () => {
    await isRead(start());
    clock.step(70 * MINUTE);
    await clock.advance(30_000);
    expect(reports.at(-1)).toMatchObject({ on: true, title: "School" });
    clock.step(-70 * MINUTE);
    await clock.advance(30_000);
    expect(reports.at(-1)).toMatchObject({ on: false, next_title: "School" });
  });

  test("is asked again only whether it has changed", async () => {
    const calendars = start();
    await isRead(calendars);
    answer = () => new Response(null, { status: 304 });
    await clock.advance(31 * MINUTE);
    await until("it is asked again", async () => asked.length === 2);
    expect(asked[1]?.headers.get("if-none-match")).toBe('"1"');
    await until("it is confirmed", async () => (calendars.get("family").refreshedAt ?? 0) > clock.now() - 5 * MINUTE);
    expect(calendars.get("family").events).toBe(2);
  });

  test("works after a restart without a network", async () => {
    const first = start();
    await isRead(first);
    await first[Symbol.asyncDispose]();
    answer = () => {
      throw new Error("Unable to connect");
    };
    const calendars = start();
    await hasProblem(calendars);
    expect(calendars.get("family").problem).toBe("calendar.example Unable to connect");
    expect(calendars.occurrences("family").map(({ title }) => title)).toEqual(["School", "Sports"]);
  });

  test("is looked for on another host only by the guarded way, and on its own by its own", async () => {
    const calendars = start();
    await isRead(calendars);
    const sendTo = (location: string) => (request: Request) =>
      request.url === ADDRESS ? new Response(null, { status: 302, headers: { location } }) : new Response(SCHOOL);
    answer = sendTo("/moved.ics");
    await calendars.refresh("family");
    expect([asked.at(-1)?.url, elsewhere]).toEqual(["https://calendar.example/moved.ics", []]);
    answer = sendTo("https://192.168.1.1/admin");
    await calendars.refresh("family");
    expect([asked.at(-1)?.url, elsewhere]).toEqual([ADDRESS, ["https://192.168.1.1/admin"]]);
  });

  test("keeps what was read before when the answer is none, and tries again soon", async () => {
    const calendars = start();
    await isRead(calendars);
    const wrong: [() => Response, string][] = [
      [() => new Response("<html>Log in</html>"), "it is no iCalendar file"],
      [() => new Response("no", { status: 404 }), "answers 404: the address is not right any more"],
      [
        () => new Response(null, { status: 302, headers: { location: "http://calendar.example/x" } }),
        "only https: is safe",
      ],
      [() => new Response(null, { status: 302, headers: { location: ADDRESS } }), "sends on more than 5 times"],
      [() => new Response(new Uint8Array(33 * 1_048_576)), "sends more than the 32 MiB of a calendar"],
    ];
    for (const [response, says] of wrong) {
      answer = response;
      await calendars.refresh("family");
      expect(calendars.get("family").problem).toContain(says);
      expect(calendars.occurrences("family")).toHaveLength(2);
    }
    expect(elsewhere).toEqual([]);
    answer = () => new Response(SCHOOL);
    await clock.advance(5 * MINUTE);
    await until("it is well again", async () => calendars.problems().length === 0);
  });

  test("never shows its address, and gives up on a server that does not answer", async () => {
    answer = () => {
      throw new Error(`cannot reach ${ADDRESS}`);
    };
    const calendars = start();
    await hasProblem(calendars);
    answer = ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    await clock.advance(5 * MINUTE);
    await clock.advance(MINUTE);
    await until("it gave up", async () => calendars.get("family").problem?.includes("did not answer in 60 s"));
    expect(JSON.stringify([logged, calendars.list(), calendars.problems()])).not.toContain("private-abc");
  });

  test("of another address does not count, nor one that is no longer wanted", async () => {
    const first = start();
    await isRead(first);
    await first[Symbol.asyncDispose]();
    answer = () => new Response("no", { status: 500 });
    const second = start({ url: "https://calendar.example/other.ics" });
    await hasProblem(second);
    expect(second.occurrences("family")).toEqual([]);
    await second[Symbol.asyncDispose]();
    start({ id: "other", url: ADDRESS });
    expect(readdirSync(folder.at("calendars"))).toEqual([]);
  });
});

describe("a calendar from a file", () => {
  test("is read again when it changes", async () => {
    writeFileSync(folder.at("bins.ics"), SCHOOL);
    const calendars = start({ file: "bins.ics" });
    await isRead(calendars);
    writeFileSync(folder.at("bins.ics"), calendar(["Paper", "20260116T060000Z", "20260116T070000Z"]));
    await clock.advance(2000);
    await until("it has changed", async () => calendars.occurrences("family")[0]?.title === "Paper");
    expect(existsSync(folder.at("calendars"))).toBe(false);
  });

  test("that is missing is a problem, until it is there", async () => {
    const calendars = start({ file: "bins.ics" });
    expect(await hasProblem(calendars)).toContain("ENOENT");
    writeFileSync(folder.at("bins.ics"), SCHOOL);
    await clock.advance(2000);
    await until("it is there", async () => calendars.problems().length === 0);
  });
});

test("who follows a calendar learns of changes alone", async () => {
  const calendars = start();
  let changes = 0;
  calendars.onChange("family", () => changes++);
  await isRead(calendars);
  expect(changes).toBe(1);
  answer = () => new Response(null, { status: 304 });
  await calendars.refresh("family");
  expect(changes).toBe(1);
});
