// Messages on the page: whom they reach, what waits for an answer, and what the service worker makes of a push while nobody looks.
// That the hub's encryption is read by others is in test/reach/notify/web-push; a real push service is on the internet and not asked.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../support/wait.ts";
import { openBrowser, type Visitor, type Visitors } from "./support/browser.ts";
import { type PageHouse, startPageHouse } from "./support/page-house.ts";
import { barriers, picture, press, settled, tap } from "./support/seen.ts";

let house: PageHouse;
let visitors: Visitors;

/** A webhook of the house, which gets the links of messages. */
let receiver: Bun.Server<undefined> | undefined;
interface Received {
  title: string;
  actions: { id: string; url: string }[];
}
const received: Received[] = [];
const receiverToml = ({ port }: Bun.Server<undefined>) => `[[notify.channels]]
name = "receiver"
type = "webhook"
url = "http://127.0.0.1:${port}/"
allow_local = true
[notify]
public_url = "https://hub.home.example"
`;

beforeAll(async () => {
  receiver = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    async fetch(request) {
      received.push((await request.json()) as Received);
      return new Response("ok");
    },
  });
  house = await startPageHouse({ zigbee: 1, virtual: false, toml: TOML + receiverToml(receiver) });
  visitors = await openBrowser("whole");
});

afterAll(async () => {
  await visitors?.[Symbol.asyncDispose]();
  await house?.[Symbol.asyncDispose]();
  await receiver?.stop(true);
});

const TOML = `[[notify.channels]]
name = "hook"
type = "webhook"
url = "http://127.0.0.1:1/"
allow_local = true
[[people]]
name = "Anna"
channels = ["hook"]
groups = ["parents"]
quiet_hours = ["00:00-12:00", "12:00-24:00"]
home = "mode:night"
`;
const LEAK = {
  id: "leak",
  name: "Leak",
  trigger: { type: "manual_trigger" },
  actions: [
    { type: "notify", channel: "person:Anna", title: "Door", message: "It is open" },
    { type: "notify", channel: "person:Anna", title: "Leak", message: "Water in the cellar", priority: "emergency" },
  ],
};

/** What the test uses of a service worker's global object, which TypeScript knows in workers only. */
interface WorkerScope {
  registration: { getNotifications(): Promise<Notification[]> };
  NotificationEvent: new (type: string, init: { notification: Notification | undefined; action: string }) => Event;
  dispatchEvent(event: Event): void;
}

interface Shown {
  title: string;
  body: string;
}

/**
 * Passes on to the worker of this page what a push service would, until it is shown: what comes before the worker and the permission
 * are there is lost, as it is from a real service.
 */
async function pushTo(
  visitor: Visitor,
): Promise<(data: string, isShown: (shown: Shown[]) => boolean) => Promise<void>> {
  const { page, cdp } = visitor;
  let registrationId = "";
  cdp.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    for (const one of registrations) if (!one.isDeleted) registrationId = one.registrationId;
  });
  await cdp.send("ServiceWorker.enable");
  await until("the worker is known", () => registrationId);
  const { origin } = new URL(page.url());
  return async (data, isShown) => {
    await until(
      `${data} is shown`,
      async () => {
        await cdp.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data });
        return until("it is seen", async () => isShown(await notificationsOf(visitor)), { timeoutMs: 3000 }).catch(
          () => false,
        );
      },
      { timeoutMs: 60_000 },
    );
  };
}

function notificationsOf({ page }: Visitor) {
  return page.evaluate(async () => {
    const shown = await (await navigator.serviceWorker.ready).getNotifications();
    return shown.map(({ title, body, tag, silent, requireInteraction, data }) => ({
      ...{ title, body, tag, silent, requireInteraction },
      data: data as { links: Record<string, string>; notice?: string },
    }));
  });
}

test("who is reached and who is not to be disturbed is seen, and a message that waits for an answer is confirmed", async () => {
  const saved = await house.hub.request("POST", "/rules", { body: LEAK });
  const run = await house.hub.request("POST", `/rules/${saved.json<{ id: string }>().id}/run`, { body: {} });
  expect([saved.status, run.status]).toEqual([201, 200]);
  await using visitor = await visitors.visit(house, { isNew: true, role: "user", path: "/messages" });
  const { page } = visitor;
  const shown = () => page.evaluate(() => document.querySelector("main")?.textContent ?? "");
  await until("Anna is shown, who is away and not to be disturbed", async () =>
    /Anna · away.*Reached over hook · in parents.*Quiet hours/.test(await shown()),
  );
  await until("the message that matters little is held back", async () =>
    (await shown()).includes("Held back, to come as one message: 1"),
  );
  await until("the other waits for an answer", async () => (await shown()).includes("Water in the cellar"));
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  await picture(page, "messages-people");
  await press(page, "Confirm");
  await until("nothing waits for an answer", async () => !(await shown()).includes("Waiting for an answer"));
  expect(await house.hub.get("/notify/notices")).toMatchObject([{ state: "acknowledged", channel: "api" }]);
});

const VALVE = {
  id: "valve",
  name: "Valve",
  trigger: { type: "manual_trigger" },
  actions: [
    {
      ...{ type: "notify", channel: "log", title: "Pipe", message: "It drips" },
      actions: [{ id: "close", label: "Close the valve" }],
    },
  ],
};

test("a message's link leads to it among all others, its buttons answer there, and it says how it ended", async () => {
  const saved = await house.hub.request("POST", "/rules", { body: VALVE });
  const { id } = saved.json<{ id: string }>();
  for (let count = 0; count < 12; count++) await house.hub.request("POST", `/rules/${id}/run`, { body: {} });
  const open = (await house.hub.get<{ id: string; state: string }[]>("/notify/notices")).filter(
    ({ state }) => state === "open",
  );
  expect(open).toHaveLength(12);
  const named = open.at(-1)?.id ?? "";
  await using visitor = await visitors.visit(house, { isNew: true, role: "user", path: `/messages?notice=${named}` });
  const { page } = visitor;
  const row = () =>
    page.evaluate(() => {
      const found = document.querySelectorAll("main .named-notice");
      const { top = -1, bottom = 1e9 } = found[0]?.getBoundingClientRect() ?? {};
      const isSeen = top >= 0 && bottom <= innerHeight && document.activeElement === found[0];
      return { count: found.length, isSeen, text: found[0]?.textContent ?? "" };
    });
  await until("it is in sight, and only it is marked", async () => {
    const { count, isSeen } = await row();
    return count === 1 && isSeen;
  });
  await settled(page);
  expect(await barriers(page)).toEqual([]);
  await picture(page, "messages-named");
  await tap(page, "main .named-notice .buttons button:first-of-type");
  await until("it says who answered, and how", async () => (await row()).text.includes("the-user: Close the valve"));
  const answered = await house.hub.get<{ id: string; action: string }[]>("/notify/notices");
  expect(answered.filter(({ action }) => action === "close")).toMatchObject([{ id: named }]);
  await visitor.go("/messages?notice=nothing");
  await until("one that is gone is said to be", () =>
    page.evaluate(() =>
      document.querySelector("main")?.textContent?.includes("does not know the message of this link"),
    ),
  );
});

test("a push is shown with its text, stays where it is an emergency, and the next with its tag takes its place", async () => {
  await using visitor = await visitors.visit(house, { isNew: true, role: "user" });
  await visitor.page.browserContext().overridePermissions(house.origin, ["notifications"]);
  await visitor.page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  const push = await pushTo(visitor);
  const confirm = `${house.origin}/api/v1/notify/links/x`;
  const leak = { title: "Leak", body: "Water in <b>the kitchen</b>", tag: "leak", at: 1_790_000_000_000 };
  await push(
    JSON.stringify({ ...leak, silent: false, stays: true, confirm, notice: "n1" }),
    ({ length }) => length === 1,
  );
  const [first] = await notificationsOf(visitor);
  expect(first).toEqual({
    ...{ title: "Leak", body: "Water in <b>the kitchen</b>", tag: "leak", silent: false, requireInteraction: true },
    data: { links: { confirm }, notice: "n1" },
  });
  const newer = { ...leak, body: "It is dry again", silent: true, stays: false };
  await push(JSON.stringify(newer), ([one]) => one?.body === "It is dry again");
  expect(await notificationsOf(visitor)).toHaveLength(1);
  // A browser that sees nothing of a push takes the permission away.
  await push("not what the hub sends", ({ length }) => length === 2);
  expect(visitor.complaints).toEqual([]);
});

test("a button under a push answers at the hub, though its link has another address", async () => {
  const rule = { ...VALVE, id: "pump", name: "Pump" };
  const [action] = rule.actions;
  const actions = [{ ...action, channel: "receiver", title: "Pump" }];
  const saved = await house.hub.request("POST", "/rules", { body: { ...rule, actions } });
  await house.hub.request("POST", `/rules/${saved.json<{ id: string }>().id}/run`, { body: {} });
  const reported = await until("the links are there", () => received.find(({ title }) => title === "Pump"));
  const [confirm = "", close = ""] = ["acknowledge", "close"].map(
    (id) => reported.actions.find((one) => one.id === id)?.url ?? "",
  );
  expect(confirm).toStartWith("https://hub.home.example/api/v1/notify/links/");
  await using visitor = await visitors.visit(house, { isNew: true, role: "user" });
  const { page } = visitor;
  await page.browserContext().overridePermissions(house.origin, ["notifications"]);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  const push = await pushTo(visitor);
  const message = { title: "Pump", body: "It drips", tag: "pump", at: Date.now(), silent: false, stays: false };
  const linked = { ...message, confirm, actions: [{ label: "Close the valve", url: close }], notice: "n" };
  await push(JSON.stringify(linked), ({ length }) => length === 1);
  const buttons = () =>
    page.evaluate(async () => {
      const [shown] = await (await navigator.serviceWorker.ready).getNotifications();
      return (shown as unknown as { actions?: { action: string; title: string }[] } | undefined)?.actions;
    });
  const shown = await until("it is shown with its buttons", buttons);
  expect(shown.map(({ title }) => title)).toEqual(["Confirm", "Close the valve"]);
  const target = await page.browserContext().waitForTarget((one) => one.type() === "service_worker");
  const worker = await target.worker();
  // What a tap on the button is to the worker: a browser without a screen has no notifications to tap.
  await worker?.evaluate(async (name) => {
    const scope = self as unknown as WorkerScope;
    const [notification] = await scope.registration.getNotifications();
    const tap = new scope.NotificationEvent("notificationclick", { notification, action: name });
    scope.dispatchEvent(tap);
  }, shown[1]?.action ?? "");
  await until("it is answered", async () => {
    const notices = await house.hub.get<{ title: string; state: string; action: string }[]>("/notify/notices");
    return notices.some(
      ({ title, state, action: given }) => title === "Pump" && state === "acknowledged" && given === "close",
    );
  });
});
