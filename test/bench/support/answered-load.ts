// States at an even pace, each of which must be answered by one command: how long every one took, at the client.
import { openListener } from "./mqtt-listener.ts";
import { openPublisher } from "./mqtt-publisher.ts";
import { benchDevice, counterMessage } from "./rule-home.ts";

export interface AnsweredLoad extends Disposable {
  /** Milliseconds from writing a state to reading its command. Throws where one is missing, or is one too many. */
  run(options: { perSecond: number; ms: number }): Promise<number[]>;
}

/** How quick it was is for whoever asked: on a busy machine nothing is lost only because it is late. */
const LAST_ANSWER_MS = 30_000;
const TICK_MS = 1;

/** `devices` take turns, so that each reports something new `perSecond / devices` times a second. */
export async function openAnsweredLoad(mqttPort: number, devices: number): Promise<AnsweredLoad> {
  const stack = new DisposableStack();
  // Of each device what it waits for; commands of one device come in the order of its states.
  const waiting = new Map<string, number[]>();
  for (let device = 0; device < devices; device++) waiting.set(`hub/devices/${benchDevice(device)}/cmd`, []);
  let spans: number[] = [];
  let surplus = 0;
  let counter = 0;

  function received(topic: string): void {
    const sentAt = waiting.get(topic)?.shift();
    if (sentAt === undefined) surplus++;
    else spans.push(performance.now() - sentAt);
  }

  stack.use(await openListener({ port: mqttPort, filter: "hub/devices/+/cmd", onMessage: received }));
  const publisher = stack.use(await openPublisher(mqttPort));

  function send(): void {
    const device = counter % devices;
    waiting.get(`hub/devices/${benchDevice(device)}/cmd`)?.push(performance.now());
    publisher.publish([counterMessage(device, counter++)], 0);
  }

  return {
    async run({ perSecond, ms }) {
      spans = [];
      const total = Math.round((perSecond * ms) / 1000);
      const begun = performance.now();
      for (let sent = 0; sent < total; await Bun.sleep(TICK_MS)) {
        const due = Math.min(total, Math.ceil(((performance.now() - begun) * perSecond) / 1000));
        for (; sent < due; sent++) send();
      }
      for (const until = performance.now() + LAST_ANSWER_MS; spans.length < total && performance.now() < until; )
        await Bun.sleep(5);
      if (spans.length !== total || surplus > 0)
        throw new Error(`${spans.length} of ${total} states were answered, and ${surplus} commands came beside`);
      return spans;
    },
    [Symbol.dispose]: () => stack.dispose(),
  };
}
