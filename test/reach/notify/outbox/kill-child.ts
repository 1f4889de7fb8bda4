// An outbox that posts numbered messages until it is killed, or delivers the remaining ones and ends: see kill.test.ts and
// mail-kill.test.ts. Its clock runs fast, so that pauses are short.
import { silentLog } from "../../../../src/kit/lifecycle/log.ts";
import { type Clock, systemClock } from "../../../../src/kit/time/clock.ts";
import { createNotifier } from "../../../../src/reach/notify/notifier.ts";
import { startOutbox } from "../../../../src/reach/notify/outbox/outbox.ts";
import { openStateDb } from "../../../../src/server/db/state-db.ts";

const SPEED = 20;
const [path = "", url = "", from = "0", to = "0"] = process.argv.slice(2);
const clock: Clock = {
  now: systemClock.now,
  mono: () => systemClock.mono() * SPEED,
  after: (name, ms, fn) => systemClock.after(name, ms / SPEED, fn),
  every: (name, ms, fn) => systemClock.every(name, ms / SPEED, fn),
};
const random = (bytes: number): Uint8Array => crypto.getRandomValues(new Uint8Array(bytes));
const push = (name: string) => ({
  ...{ name, type: "push_app", api_key: name, user_key: "user" },
  api_url: `${url}/${name}`,
});
const mail = (port: number) => ({
  ...{ name: "mail", type: "email", from: "hub@example.org", to: ["ann@example.org", "bob@example.org"] },
  smtp: { host: "127.0.0.1", port, username: "", password: "unused" },
});
const channels = url.startsWith("smtp:") ? [mail(Number(new URL(url).port))] : ["a", "b"].map(push);

using db = openStateDb(path, clock.now);
const notifier = createNotifier({
  section: { channels },
  ...{ clock, log: silentLog, random, fetch, timezone: "UTC", resolve: (file) => file },
  house: { device: () => undefined, variable: () => undefined },
});
const houseTime = (at: number): string => new Date(at).toISOString().replace("T", " ");
await using outbox = startOutbox({
  ...{ db, notifier, clock, log: silentLog, random, houseTime, expireHours: 720 },
  emit: () => {},
});
for (let number = Number(from); number < Number(to); number++) {
  void outbox.enqueue(notifier.render({ channel: "all", message: `${number}` }));
  process.stdout.write(`kept ${number}\n`);
  // So slowly that it is killed in between.
  await Bun.sleep(4);
}
while (outbox.list().length > 0) await Bun.sleep(5);
