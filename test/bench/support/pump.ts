// Keeps a server busy without overrunning it: so many events are under way, and a batch follows when a batch was delivered.

export interface PumpOptions {
  /** Deliveries each event causes. */
  perEvent: number;
  /** Events under way at most. */
  window: number;
  /** Events sent at once. */
  batch: number;
  send: (first: number, count: number) => void;
}

export interface Pump {
  /** To be called for each delivery. */
  delivered(): void;
  /** Sends for so long, then waits for the last delivery. Throws when something was lost. */
  run(ms: number): Promise<Round>;
}

export interface Round {
  events: number;
  deliveries: number;
  ms: number;
}

const LAST_DELIVERY_MS = 10_000;

export function createPump({ perEvent, window, batch, send }: PumpOptions): Pump {
  let sent = 0;
  let delivered = 0;
  let wakeAt = Number.POSITIVE_INFINITY;
  let wake = (): void => {};

  function refill(): void {
    while ((sent - window + batch) * perEvent <= delivered) {
      send(sent, batch);
      sent += batch;
    }
    wakeAt = (sent - window + batch) * perEvent;
    wake = refill;
  }

  function drained(): Promise<void> {
    if (delivered === sent * perEvent) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const lost = (): void => reject(new Error(`${sent * perEvent - delivered} of ${sent * perEvent} were lost`));
      const timer = setTimeout(lost, LAST_DELIVERY_MS);
      wakeAt = sent * perEvent;
      wake = () => {
        clearTimeout(timer);
        wakeAt = Number.POSITIVE_INFINITY;
        resolve();
      };
    });
  }

  return {
    delivered() {
      if (++delivered >= wakeAt) wake();
    },
    async run(ms) {
      const before = { sent, delivered };
      const begun = performance.now();
      refill();
      await Bun.sleep(ms);
      await drained();
      return {
        events: sent - before.sent,
        deliveries: delivered - before.delivered,
        ms: performance.now() - begun,
      };
    },
  };
}
