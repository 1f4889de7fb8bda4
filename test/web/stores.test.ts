// What the page keeps can be made twice: neither of two knows what the other does.
import "./browser.ts";
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { save } from "../../src/page/browser/storage.ts";
import type { Device } from "../../src/page/model/device/device.ts";
import { createAttention } from "../../src/page/state/home/attention.ts";
import { createLayout, type Layout } from "../../src/page/state/home/layout.ts";
import { createCommands } from "../../src/page/state/house/command.ts";
import { createDevices } from "../../src/page/state/house/devices.ts";
import { createHouse } from "../../src/page/state/house/house.ts";
import { createHubClock } from "../../src/page/state/hub/clock.ts";
import { connection, Live } from "../../src/page/state/hub/live.ts";
import { createSession, type Session, setSession } from "../../src/page/state/hub/session.ts";
import { loadLater } from "../../src/page/texts/index.ts";
import { createNotes } from "../../src/page/ui/toast.ts";
import { until } from "../support/wait.ts";

const LAMP: Device = {
  ...{ id: "lamp", name: "Lamp", plugin_id: "z", area: null, device_type: "light", available: true },
  ...{ attributes: { on: false }, last_seen: null, last_changed: {}, schema: null, capabilities: null },
  ...{ manufacturer: null, model: null, sw_version: null, parent_device_id: null, history: true },
};
const ANN: Session = { token: "t1", expires_in: 100, user: { id: "1", username: "ann", role: "user" } };
const realFetch = globalThis.fetch;

function answering(answer: (method: string, path: string) => Response): void {
  globalThis.fetch = (async (path: string, { method = "GET" }: RequestInit = {}) =>
    answer(method, path)) as unknown as typeof fetch;
}

afterEach(() => {
  globalThis.fetch = realFetch;
  setSession(undefined);
});

afterAll(() => {
  for (const name of ["location", "requestAnimationFrame"]) Reflect.deleteProperty(globalThis, name);
});

test("a session that one ends goes on in the other, until that reads what the browser keeps", () => {
  const [mine, other] = [createSession(), createSession()];
  mine.setSession(ANN);
  other.setSession({ ...ANN, user: { ...ANN.user, id: "2", role: "admin" } });
  mine.sessionExpired();
  expect([mine.session.value, mine.viewsOf.value, mine.signedOutBecause.value]).toEqual([undefined, "1", "expired"]);
  expect([other.viewsOf.value, other.allows("admin"), mine.allows("admin")]).toEqual(["2", true, false]);
  expect(createSession().session.value).toBeUndefined();
});

test("whoever signs out is not told that the session has expired", () => {
  const [leaving, staying] = [createSession(), createSession()];
  for (const one of [leaving, staying]) one.setSession(ANN);
  leaving.beginLeaving();
  for (const one of [leaving, staying]) one.sessionExpired();
  expect([leaving.signedOutBecause.value, staying.signedOutBecause.value]).toEqual([undefined, "expired"]);
});

test("a tablet whose clock is wrong has the hub's time, another its own", () => {
  const [wrong, right] = [createHubClock(), createHubClock()];
  wrong.noteHubTime(new Date(Date.now() + 3_600_000).toUTCString());
  right.noteHubTime(new Date().toUTCString());
  expect(Math.round((wrong.hubNow() - right.hubNow()) / 60_000)).toBe(60);
});

describe("devices", () => {
  test("of one house are none of the other, and each change of what they are is counted", () => {
    const [mine, other] = [createDevices(), createDevices()];
    mine.setDevices([LAMP]);
    const { shape } = mine;
    const before = shape.value;
    expect(mine.changeDevice("lamp", () => ({ attributes: { on: true } }))).toBe(true);
    expect([shape.value - before, mine.deviceList.value[0]?.attributes]).toEqual([0, { on: true }]);
    mine.changeDevice("lamp", () => ({ name: "Desk lamp" }));
    expect([shape.value - before, mine.nameOfDevice("lamp")]).toEqual([1, "Desk lamp"]);
    expect([other.changeDevice("lamp", () => ({})), other.deviceList.value]).toEqual([false, []]);
  });

  test("are painted as they were last, and read anew", async () => {
    const [mine, other] = [createDevices(), createDevices()];
    const [house, another] = [createHouse(mine), createHouse(other)];
    save("house", [LAMP]);
    house.paintLast();
    expect([house.isRead.value, mine.deviceList.value.length, other.deviceList.value.length]).toEqual([false, 1, 0]);
    answering(() => Response.json([{ ...LAMP, name: "Read" }]));
    await another.readHouse();
    expect([another.isRead.value, other.nameOfDevice("lamp"), mine.nameOfDevice("lamp")]).toEqual([
      true,
      "Read",
      "Lamp",
    ]);
    house.forgetHouse();
    expect([mine.deviceList.value.length, other.deviceList.value.length]).toEqual([0, 1]);
  });

  test("that refuse are remembered where the command was given", async () => {
    const { devices, setDevices } = createDevices();
    setDevices([LAMP]);
    const [mine, other] = [createCommands(devices), createCommands(devices)];
    answering(() => Response.json({ code: "conflict", detail: "not now" }, { status: 409 }));
    const done = mine.command("lamp", { on: true });
    expect([mine.pending.value.get("lamp"), other.pending.value.size]).toEqual([{ on: true }, 0]);
    await done;
    expect([mine.refused.value.get("lamp")?.message, other.refused.value.size]).toEqual(["not now", 0]);
  });
});

test("an arrangement that somebody else was faster with is done again on theirs", async () => {
  let held: Layout = { areas: [], tiles: [], hidden: ["device/a"], favourites: [] };
  let version = 1;
  globalThis.fetch = (async (_: string, { method, headers, body }: RequestInit) => {
    if (method === "PUT" && new Headers(headers).get("if-match") !== String(version))
      return Response.json({ code: "conflict" }, { status: 409 });
    if (method === "PUT") {
      held = JSON.parse(String(body)) as Layout;
      version++;
    }
    return Response.json(held, { headers: { etag: String(version) } });
  }) as unknown as typeof fetch;
  const [mine, theirs] = [createLayout(), createLayout()];
  await Promise.all([mine.read(), theirs.read()]);
  const hide = (name: string) => (layout: Layout) => ({ ...layout, hidden: [...layout.hidden, name] });
  theirs.changeLayout(hide("device/b"));
  await until("theirs is kept", () => held.hidden.length === 2);
  mine.changeLayout(hide("device/c"));
  expect(mine.layout.value.hidden).toEqual(["device/a", "device/c"]);
  await until("both are kept", () => held.hidden.length === 3);
  expect([held.hidden, mine.layoutProblem.value]).toEqual([["device/a", "device/b", "device/c"], undefined]);
  expect(theirs.layout.value.hidden).toEqual(["device/a", "device/b"]);
});

test("notes of what was done go by themselves, and are undone once", async () => {
  const [mine, other] = [createNotes(1), createNotes()];
  mine.show("Removed.");
  other.show("Renamed.");
  await until("it is gone", () => mine.notes.value.length === 0);
  expect(other.notes.value.map(({ text }) => text)).toEqual(["Renamed."]);
});

test("one stream receives what the hub says, and says when it is live; another that has not begun receives nothing", async () => {
  const server = Bun.serve({
    port: 0,
    fetch(request, server) {
      return server.upgrade(request) ? undefined : new Response("no socket", { status: 400 });
    },
    websocket: {
      message(socket) {
        socket.send(JSON.stringify({ type: "device_name_changed", timestamp: "2026-11-22T12:00:00Z", seq: 7 }));
        socket.send(JSON.stringify({ type: "stream_pong" }));
      },
    },
  });
  Object.assign(globalThis, {
    location: { origin: server.url.origin },
    requestAnimationFrame: (draw: () => void) => setTimeout(draw),
  });
  const [mine, other] = [new Live(), new Live()];
  const received: [who: string, seq: number][] = [];
  mine.listen(({ seq }) => void received.push(["mine", seq]));
  other.listen(({ seq }) => void received.push(["other", seq]));
  let reads = 0;
  setSession(ANN);
  mine.start({
    onEvent: ({ seq }) => void received.push(["house", seq]),
    async refresh() {
      reads++;
    },
  });
  await until("it is live", () => mine.connection.value.state === "live");
  await until("the event is reported", () => received.length === 2);
  expect(received).toEqual([
    ["house", 7],
    ["mine", 7],
  ]);
  expect([reads, other.connection.value.state]).toEqual([1, "offline"]);
  setSession(undefined);
  expect(mine.connection.value.state).toBe("offline");
  await server.stop(true);
});

test("what needs attention is read where somebody looks, and when the hub is reached", async () => {
  const [mine, other] = [createAttention(), createAttention()];
  const alert = {
    id: "disk",
    kind: "disk_full",
    severity: "critical",
    message: "full",
    mend: "make room",
    until: null,
  };
  answering((_, path) =>
    Response.json(path.endsWith("/alerts") ? [alert] : path.endsWith("/status") ? { problems: [] } : []),
  );
  await loadLater();
  const before = connection.peek();
  mine.startAttention();
  expect(mine.matters.value).toEqual([]);
  connection.value = { state: "live" };
  await until("it is read", () => mine.matters.value.length > 0);
  expect(mine.matters.value.map(({ id, severity }) => [id, severity])).toEqual([["disk", "act"]]);
  expect(other.matters.value).toEqual([]);
  connection.value = before;
});
