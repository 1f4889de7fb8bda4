import { describe, expect, test } from "bun:test";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { createEventFeed, type EventFeed, MAX_EVENT_BYTES } from "../../../src/server/events/feed.ts";
import { createVirtualClock, type VirtualClock } from "../../support/virtual-clock.ts";

function storedMark() {
  let value = 0;
  const mark = {
    saves: 0,
    load: () => value,
    save(next: number) {
      value = next;
      mark.saves++;
    },
  };
  return mark;
}

function feedWith(buffer: number, clock: VirtualClock = createVirtualClock(), mark = storedMark()): EventFeed {
  return createEventFeed({ clock, log: silentLog, buffer, mark });
}

const changed = (id: string) => ({ type: "device_availability_changed", device_id: id, available: true }) as const;

describe("the feed", () => {
  test("stamps every event with type, UTC time and a growing number", () => {
    const feed = feedWith(10);
    feed.emit(changed("a"));
    feed.emit(changed("b"));
    const [b, a] = [...feed.ring.newestFirst()].map(({ json }) => JSON.parse(json) as Record<string, unknown>);
    expect(a).toEqual({
      type: "device_availability_changed",
      timestamp: "2026-01-15T12:00:00Z",
      seq: expect.any(Number),
      device_id: "a",
      available: true,
    });
    expect(b?.seq).toBe(Number(a?.seq) + 1);
  });

  test("makes the text of an event once, however many listeners there are", () => {
    const feed = feedWith(10);
    const texts: string[] = [];
    for (const name of ["one", "two"]) feed.on("*", name, ({ json }) => texts.push(json));
    feed.emit(changed("a"));
    expect(texts[0]).toBe(texts[1] as string);
  });

  test("an event emitted by a listener is delivered after the one it answers, to all listeners", () => {
    const feed = feedWith(10);
    const seen: string[] = [];
    feed.on("device_availability_changed", "answering", () => feed.emit({ type: "custom_answer" }));
    feed.on("*", "late", ({ type }) => seen.push(type));
    feed.emit(changed("a"));
    expect(seen).toEqual(["device_availability_changed", "custom_answer"]);
  });

  test("MQTT traffic is only for listeners that name it: not in the ring, not under *", () => {
    const feed = feedWith(10);
    const seen: string[] = [];
    feed.on("*", "all", ({ type }) => seen.push(type));
    expect(feed.wantsMqtt()).toBe(false);
    const named = feed.on("mqtt_message", "named", ({ event }) => seen.push(event.topic));
    expect(feed.wantsMqtt()).toBe(true);
    feed.emit({ type: "mqtt_message", topic: "a/b", payload_bytes: 0, retain: false, qos: 0 });
    named[Symbol.dispose]();
    expect(seen).toEqual(["a/b"]);
    expect(feed.ring.size).toBe(0);
    expect(feed.wantsMqtt()).toBe(false);
  });

  test("the ring has the events after a number, and says up to which number it has dropped them", () => {
    const feed = feedWith(3);
    const start = feed.ring.head;
    expect(feed.ring.lostThrough).toBe(start);
    for (const id of ["a", "b", "c", "d", "e"]) feed.emit(changed(id));
    expect(feed.ring.lostThrough).toBe(start + 2);
    expect([...feed.ring.after(start + 3)].map(({ deviceId }) => deviceId)).toEqual(["d", "e"]);
    expect([...feed.ring.after(0)]).toHaveLength(3);
    expect([...feed.ring.after(feed.ring.head)]).toEqual([]);
  });
});

describe("the ring in bytes", () => {
  const text = (bytes: number) => ({ type: "custom_x", text: "x".repeat(bytes) }) as const;

  function boundedFeed(bufferBytes: number) {
    const reports: string[] = [];
    const feed = createEventFeed({
      clock: createVirtualClock(),
      log: silentLog,
      buffer: 100,
      bufferBytes,
      mark: storedMark(),
      onTooLarge: (what, message) => {
        reports.push(`${what}: ${message}`);
        if (reports.length === 1) feed.emit({ type: "custom_report" });
      },
    });
    return { feed, reports };
  }

  test("drops the oldest and says up to which, before the number of events is reached", () => {
    const { feed, reports } = boundedFeed(10_000);
    const start = feed.ring.head;
    for (let count = 0; count < 20; count++) feed.emit(text(1000));
    const [oldest] = [...feed.ring.after(0)];
    expect(feed.ring.size).toBeLessThan(10);
    expect(feed.ring.size).toBeGreaterThan(5);
    expect(feed.ring.bytes).toBeLessThanOrEqual(10_000);
    expect(oldest?.seq).toBe(feed.ring.lostThrough + 1);
    expect(feed.ring.head).toBe(start + 21);
    expect(reports[0]).toStartWith("buffer: only the last");
    const numbers = [...feed.ring.after(0)].map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  });

  test("counts the memory of a text: two bytes for each character unless all are ASCII", () => {
    const { feed } = boundedFeed(1_000_000);
    feed.emit(text(1000));
    const plain = feed.ring.bytes;
    feed.emit({ type: "custom_x", text: `${"x".repeat(999)}…` });
    expect(feed.ring.bytes - plain).toBeGreaterThan(plain + 800);
  });

  test("an event that is too large becomes a gap of its own number, and those around it stay", () => {
    const { feed, reports } = boundedFeed(16 * 1_048_576);
    const live: string[] = [];
    feed.on("*", "live", ({ json }) => live.push(json));
    const start = feed.ring.head;
    feed.emit(text(10));
    feed.emit(text(MAX_EVENT_BYTES));
    feed.emit(text(10));
    const kept = [...feed.ring.after(start)].map(({ json }) => JSON.parse(json) as Record<string, unknown>);
    expect(kept.map(({ type }) => type)).toEqual(["custom_x", "stream_gap", "custom_report", "custom_x"]);
    expect(kept[1]).toMatchObject({ from_seq: start + 2, to_seq: start + 2 });
    expect(kept[1]?.reason).toContain("custom_x of");
    expect(live).toEqual([...feed.ring.after(start)].map(({ json }) => json));
    expect(reports).toEqual([expect.stringContaining("custom_x is longer than the 1048576 bytes")]);
    expect(feed.ring.lostThrough).toBe(start);
  });
});

describe("numbers", () => {
  test("grow over a restart, also if the clock is in the past then", () => {
    const mark = storedMark();
    const clock = createVirtualClock();
    const first = feedWith(10, clock, mark);
    first.emit(changed("a"));
    const last = first.ring.head;
    clock.step(-10 * 365 * 86_400_000);
    const second = feedWith(10, clock, mark);
    expect(second.ring.head).toBeGreaterThan(last);
  });

  test("need one write for a million events", () => {
    const mark = storedMark();
    const feed = feedWith(1, createVirtualClock(), mark);
    for (let count = 0; count < 10_000; count++) feed.emit({ type: "custom_x" });
    expect(mark.saves).toBe(1);
  });

  test("continue if the mark cannot be written", () => {
    let full = false;
    const mark = {
      load: () => 0,
      save() {
        if (full) throw new Error("disk is full");
      },
    };
    const feed = createEventFeed({ clock: createVirtualClock(), log: silentLog, buffer: 1, mark });
    full = true;
    const before = feed.ring.head;
    for (let count = 0; count < 1_000_100; count++) feed.emit({ type: "custom_x" });
    expect(feed.ring.head).toBe(before + 1_000_100);
  });

  test("are reserved on disk before the first one is given out, and not earlier: a start does not wait for it", () => {
    const mark = storedMark();
    const feed = feedWith(10, createVirtualClock(), mark);
    expect(mark.saves).toBe(0);
    let savedBefore = 0;
    feed.on("*", "test", ({ seq }) => {
      savedBefore = mark.load() - seq;
    });
    feed.emit({ type: "custom_x" });
    expect(savedBefore).toBeGreaterThan(0);
  });
});
