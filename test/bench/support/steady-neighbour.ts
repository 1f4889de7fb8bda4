// A plugin that keeps its manners while another account floods: some states a second, each of which a rule answers with a
// command. How long every one took; what is not answered in time is counted, not thrown.
import { openListener } from "./mqtt-listener.ts";
import { openPublisher } from "./mqtt-publisher.ts";
import { benchDevice, counterMessage } from "./rule-home.ts";

export interface SteadyNeighbour extends Disposable {
  /** Milliseconds from writing a state to reading its command. */
  readonly spans: readonly number[];
  /** States without a command so far. */
  readonly waiting: number;
  readonly isCutOff: boolean;
}

export async function startNeighbour(
  mqttPort: number,
  { perSecond, devices }: { perSecond: number; devices: number },
): Promise<SteadyNeighbour> {
  const spans: number[] = [];
  const sentAt = new Map<string, number[]>();
  for (let device = 0; device < devices; device++) sentAt.set(`hub/devices/${benchDevice(device)}/cmd`, []);
  const listener = await openListener({
    port: mqttPort,
    filter: "hub/devices/+/cmd",
    onMessage(topic) {
      const at = sentAt.get(topic)?.shift();
      if (at !== undefined) spans.push(performance.now() - at);
    },
  });
  const publisher = await openPublisher(mqttPort);
  let count = 0;
  const timer = setInterval(() => {
    const device = count % devices;
    sentAt.get(`hub/devices/${benchDevice(device)}/cmd`)?.push(performance.now());
    publisher.publish([counterMessage(device, count++)], 0);
  }, 1000 / perSecond);
  return {
    spans,
    get waiting() {
      return [...sentAt.values()].reduce((sum, list) => sum + list.length, 0);
    },
    get isCutOff() {
      return publisher.closed;
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      publisher[Symbol.dispose]();
      listener[Symbol.dispose]();
    },
  };
}
