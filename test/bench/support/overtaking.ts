// How long an emergency takes past thousands of messages that wait for a service which was away: an outbox in real time.
import { randomBytes } from "node:crypto";
import { silentLog } from "../../../src/kit/lifecycle/log.ts";
import { PRIORITIES } from "../../../src/kit/text/message-words.ts";
import { systemClock } from "../../../src/kit/time/clock.ts";
import { createNotifier } from "../../../src/reach/notify/notifier.ts";
import { startOutbox } from "../../../src/reach/notify/outbox/outbox.ts";
import { openStateDb } from "../../../src/server/db/state-db.ts";

export interface Overtaking {
  /** From posting it until the service had it. */
  ms: number;
  waiting: number;
  /** Whether it was the first that arrived. */
  first: boolean;
}

/** `port` is free: the service comes up there, in the middle of the retry pause, right before the emergency is posted. */
export async function measureOvertaking(path: string, port: number, messages: number): Promise<Overtaking> {
  using db = openStateDb(path, systemClock.now);
  const bot = { type: "messaging_bot", name: "chat", bot_token: "123456:token-of-the-benchmark", chat_id: "42" };
  const notifier = createNotifier({
    section: { channels: [{ ...bot, api_url: `http://127.0.0.1:${port}` }] },
    ...{ clock: systemClock, log: silentLog, random: randomBytes, fetch, timezone: "UTC", resolve: (file) => file },
    house: { device: () => undefined, variable: () => undefined },
  });
  await using outbox = startOutbox({
    ...{ db, notifier, clock: systemClock, log: silentLog, random: randomBytes, expireHours: 24 },
    ...{ houseTime: String, emit: () => {} },
  });
  const post = (message: string, priority?: number) =>
    outbox.enqueue(notifier.render({ channel: "chat", message, priority }));
  await post("message 0");
  for (let index = 1; index < messages; index++) void post(`message ${index}`);
  const waiting = outbox.waiting("chat");
  const texts: string[] = [];
  using _service = serve(port, texts);
  const begun = performance.now();
  await post("leak", PRIORITIES.emergency);
  return { ms: performance.now() - begun, waiting, first: texts[0]?.includes("leak") === true };
}

function serve(port: number, texts: string[]): Disposable {
  const server = Bun.serve({
    port,
    hostname: "127.0.0.1",
    async fetch(request) {
      texts.push(await request.text());
      return Response.json({ ok: true, result: { message_id: texts.length } });
    },
  });
  return { [Symbol.dispose]: () => void server.stop(true) };
}
