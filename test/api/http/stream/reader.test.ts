import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Audiences } from "../../../../src/api/http/stream/audiences.ts";
import { matches, parseFilter } from "../../../../src/api/http/stream/filter.ts";
import { type HubStream, startHubStream } from "../../../../src/api/http/stream/hub-stream.ts";
import type { Socket } from "../../../../src/api/http/stream/reader.ts";
import { openLog, silentLog } from "../../../../src/kit/lifecycle/log.ts";
import type { Identity } from "../../../../src/server/auth/authenticate.ts";
import type { Role } from "../../../../src/server/auth/roles.ts";
import { createEventFeed, type Envelope, type EventFeed } from "../../../../src/server/events/feed.ts";
import { createTestOutput } from "../../../support/platform.ts";
import { createVirtualClock, type VirtualClock } from "../../../support/virtual-clock.ts";

/** A reader's WebSocket: the frames that arrived, and how many bytes it has not read. */
interface Wire extends Socket {
  received: { type: string; seq?: number; device_id?: string; from_seq?: number; body?: unknown; to_seq?: number }[];
  closed: [number, string] | undefined;
  terminated: boolean;
  buffered: number;
  topics: Set<string>;
}

function createWire(takes: "all" | "nothing" = "all"): Wire {
  const wire: Wire = {
    received: [],
    closed: undefined,
    terminated: false,
    buffered: 0,
    topics: new Set(),
    send(text) {
      wire.received.push(JSON.parse(text));
      if (takes === "nothing") wire.buffered += text.length;
      return text.length;
    },
    ping: () => 0,
    close(code, reason) {
      wire.closed = [code, reason];
    },
    terminate() {
      wire.terminated = true;
    },
    subscribe: (topic) => void wire.topics.add(topic),
    getBufferedAmount: () => wire.buffered,
  };
  return wire;
}

interface Rig {
  feed: EventFeed;
  clock: VirtualClock;
  stream: HubStream;
  valid: boolean;
  log: { text: string };
  /** Topics, in the order they were published. */
  published: string[];
  connect(query?: { type?: string; device?: string; since?: number; role?: Role }, wire?: Wire): Wire;
  emit(...ids: string[]): void;
}

const identity: Identity = { kind: "user", id: "1", name: "ann", role: "admin", expiresAt: undefined, ver: 1 };

function rig(buffer = 100): Rig {
  const clock = createVirtualClock();
  const output = createTestOutput();
  const feed = createEventFeed({ clock, log: silentLog, buffer, mark: { load: () => 0, save() {} } });
  const wires = new Set<Wire>();
  const published: string[] = [];
  const publish = (topic: string, text: string): void => {
    published.push(topic);
    for (const wire of wires) if (wire.topics.has(topic)) wire.send(text);
  };
  const { log } = openLog({ clock, output, level: "info" });
  const stream = startHubStream({
    feed,
    clock,
    log,
    publish,
    auth: { stillValid: () => made.valid, onRevoked: () => ({ [Symbol.dispose]() {} }) },
  });
  const made: Rig = {
    feed,
    clock,
    stream,
    valid: true,
    log: output,
    published,
    connect({ type, device, since, role = "admin" } = {}, wire = createWire()) {
      wires.add(wire);
      stream
        .socketHandlers({
          identity: { ...identity, role },
          address: "192.0.2.1",
          filter: parseFilter(type, device),
          since,
        })
        .open(wire);
      return wire;
    },
    emit(...ids) {
      for (const device_id of ids) feed.emit({ type: "device_availability_changed", device_id, available: true });
    },
  };
  return made;
}

describe("filters", () => {
  test("an event reaches a reader over at most one topic, and exactly when its filter matches", () => {
    const types = ["device_state_changed", "mode_changed", "mqtt_message", "custom_x"];
    const devices = ["a", "b"];
    fc.assert(
      fc.property(
        fc.subarray(types),
        fc.option(fc.constantFrom(...devices), { nil: undefined }),
        fc.constantFrom(...types),
        fc.option(fc.constantFrom(...devices), { nil: undefined }),
        (wanted, device, type, about) => {
          const filter = parseFilter(wanted.join(","), device);
          const envelope = { type, deviceId: type === "mqtt_message" ? undefined : about } as Envelope;
          for (const isOpen of [true, false]) {
            const audiences = new Audiences();
            audiences.join(parseFilter(type, undefined), isOpen);
            const subscribed = audiences.join(filter, isOpen);
            const over = (rendition: "common" | "open" | "redacted") =>
              audiences.of(envelope).filter((audience) => subscribed.includes(audience[rendition])).length;
            const once = matches(filter, envelope) ? 1 : 0;
            expect({ common: over("common"), open: over("open"), redacted: over("redacted") }).toEqual({
              common: once,
              open: isOpen ? once : 0,
              redacted: isOpen ? 0 : once,
            });
            audiences.leave(filter, isOpen);
            audiences.leave(parseFilter(type, undefined), isOpen);
            expect(audiences.of(envelope)).toEqual([]);
          }
        },
      ),
    );
  });

  test("blanks around names are ignored", () => {
    expect(parseFilter(" a, b ,,", "")).toEqual({ types: new Set(["a", "b"]), deviceId: undefined });
  });
});

describe("two renditions", () => {
  const hook = { type: "webhook_received", path: "x", method: "POST", query: {}, body: "secret" } as const;

  test("each is published once, for its readers, and only where there are any", () => {
    const hub = rig();
    const [admin, other] = [hub.connect(), hub.connect()];
    hub.feed.emit(hook);
    hub.emit("a");
    expect(hub.published).toEqual(["open/1", "common/1"]);
    const viewer = hub.connect({ role: "viewer" });
    hub.feed.emit(hook);
    hub.emit("b");
    expect(hub.published.slice(2)).toEqual(["open/1", "redacted/1", "common/1"]);
    expect(admin.received.map(({ body }) => body)).toEqual(["secret", undefined, "secret", undefined]);
    expect(other.received).toEqual(admin.received);
    expect(viewer.received.map(({ body }) => body)).toEqual(["•••", undefined]);
    expect(hub.connect({ role: "user", since: 0 }).received.map(({ body }) => body)).not.toContain("secret");
  });

  test("titles of notifications are hidden from readers who may not read the outbox", () => {
    const hub = rig();
    const viewer = hub.connect({ role: "viewer" });
    const about = { channel: "phone", title: "Anna is away", at: "", tries: 1, count: 1, more: 0, waited_secs: 1 };
    hub.feed.emit({ type: "notification_delivered_late", ...about });
    expect(viewer.received).toMatchObject([{ channel: "phone", title: "•••" }]);
  });
});

describe("a reader that comes back", () => {
  test("gets the events it missed and then new ones, each once and in order", () => {
    const hub = rig();
    hub.emit("a", "b");
    const since = hub.feed.ring.head;
    hub.emit("c", "d");
    const wire = hub.connect({ since });
    hub.emit("e");
    expect(wire.received.map(({ device_id }) => device_id)).toEqual(["c", "d", "e"]);
  });

  test("gets the gap first", () => {
    const hub = rig(3);
    hub.emit("a");
    const since = hub.feed.ring.head;
    hub.emit("b", "c", "d", "e", "f");
    const wire = hub.connect({ since });
    expect(wire.received[0]).toMatchObject({ type: "stream_gap", from_seq: since + 1, to_seq: since + 2 });
    expect(wire.received.slice(1).map(({ device_id }) => device_id)).toEqual(["d", "e", "f"]);
  });

  test("with a since from the future gets the gap and the whole ring", () => {
    const hub = rig();
    hub.emit("a");
    const wire = hub.connect({ since: hub.feed.ring.head + 1_000_000 });
    expect(wire.received.map(({ type }) => type)).toEqual(["stream_gap", "device_availability_changed"]);
  });

  test("gets the replay at its own pace, and loses no event that happens meanwhile", async () => {
    const hub = rig(10_000);
    const start = hub.feed.ring.head;
    for (let count = 0; count < 4000; count++) hub.emit(`device-${count}`);
    const slow = createWire("nothing");
    hub.connect({ since: start }, slow);
    expect(slow.received.length).toBeLessThan(4000);
    for (let turn = 0; slow.received.length < 4010 && turn < 100; turn++) {
      if (turn < 10) hub.emit(`late-${turn}`);
      slow.buffered = 0;
      await hub.clock.advance(1000);
    }
    const seqs = slow.received.map(({ seq }) => seq ?? 0);
    expect(seqs).toEqual(Array.from({ length: 4010 }, (_, index) => start + 1 + index));
    expect(slow.closed).toBeUndefined();
  });
});

test("a ping is answered behind everything that was missed", async () => {
  const hub = rig(10_000);
  const since = hub.feed.ring.head;
  for (let count = 0; count < 4000; count++) hub.emit(`device-${count}`);
  const slow = createWire("nothing");
  const info = { identity, address: "192.0.2.1", filter: parseFilter(undefined, undefined), since };
  const socket = hub.stream.socketHandlers(info);
  socket.open(slow);
  socket.message(slow, "ping");
  expect(slow.received.some(({ type }) => type === "stream_pong")).toBe(false);
  for (let turn = 0; slow.received.length < 4001 && turn < 100; turn++) {
    slow.buffered = 0;
    socket.drain();
  }
  expect(slow.received.length).toBe(4001);
  expect(slow.received.at(-1)).toEqual({ type: "stream_pong" });
  await hub.clock.advance(1000);
  socket.message(slow, "ping");
  expect(slow.received.length).toBe(4002);
});

describe("a reader is closed", () => {
  test("with 1013 when it is more than a MiB behind, and the log says who and how far", async () => {
    const hub = rig();
    const wire = hub.connect();
    const other = hub.connect();
    wire.buffered = 1024 * 1024 + 1;
    await hub.clock.advance(1000);
    expect(wire.closed?.[0]).toBe(1013);
    expect(other.closed).toBeUndefined();
    expect(hub.log.text).toMatch(/who=ann address=192.0.2.1 bytes_behind=1048577/);
    await hub.clock.advance(10_000);
    expect(wire.terminated).toBe(true);
  });

  test("at once when all together would be more than 8 MiB behind: who is furthest, before a large event goes out", () => {
    const hub = rig();
    const reads = hub.connect();
    const burst = Array.from({ length: 100 }, () => hub.connect());
    for (const wire of burst) wire.buffered = 256 * 1024;
    const slow = Array.from({ length: 20 }, (_, index) => {
      const wire = hub.connect({}, createWire("nothing"));
      wire.buffered = (500 + index) * 1024;
      return wire;
    });
    hub.feed.emit({ type: "custom_flood", text: "y".repeat(500 * 1024) } as never);
    const kept = slow.filter(({ terminated }) => !terminated);
    const unread = kept.reduce((sum, { buffered }) => sum + buffered, 0);
    expect(unread).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect(unread).toBeGreaterThan(7 * 1024 * 1024 - 500 * 1024);
    expect(kept).toEqual(slow.slice(0, kept.length));
    expect([reads, ...burst].filter(({ terminated }) => terminated)).toEqual([]);
    expect(reads.received.map(({ type }) => type)).toEqual(["custom_flood"]);
    expect(hub.stream.dropped).toBe(slow.length - kept.length);
    expect(hub.log.text).toMatch(/who=ann address=192.0.2.1 bytes_behind=/);
  });

  test("with 1008 when its token is no longer valid", async () => {
    const hub = rig();
    const wire = hub.connect();
    hub.valid = false;
    await hub.clock.advance(1000);
    expect(wire.closed?.[0]).toBe(1008);
  });

  test("with 1001 when the hub stops", () => {
    const hub = rig();
    const wire = hub.connect();
    hub.stream[Symbol.dispose]();
    expect(wire.closed?.[0]).toBe(1001);
    expect(hub.clock.pending()).toEqual([]);
  });
});

test("MQTT traffic becomes events only while a reader wants it", () => {
  const hub = rig();
  hub.connect();
  expect(hub.feed.wantsMqtt()).toBe(false);
  const wire = hub.connect({ type: "mqtt_message,mode_changed" });
  expect(hub.feed.wantsMqtt()).toBe(true);
  hub.feed.emit({ type: "mqtt_message", topic: "a", payload_bytes: 0, retain: false, qos: 0 });
  expect(wire.received).toHaveLength(1);
});
