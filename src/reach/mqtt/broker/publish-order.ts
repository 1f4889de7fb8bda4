// Sends messages to subscribers in the order in which they are published. aedes numbers a message when it is published, and sends it
// later where it looks for kept sessions first. If one with a higher number overtook it, it would look like a repetition to whoever
// subscribed to both, and be lost.

type Done = (error?: Error) => void;

/** The part of aedes that is used here. */
export interface PublishingBroker<C> {
  readonly mq: { emit(packet: unknown, done?: Done): unknown };
  publish(packet: unknown, client: C | Done | undefined, done?: Done): void;
}

/** From now on a message waits until the one before is sent, or has failed: only settled promises lie between. */
export function publishInOrder<C>(broker: PublishingBroker<C>): void {
  const publish = broker.publish.bind(broker);
  const emit = broker.mq.emit.bind(broker.mq);
  const waiting: (() => void)[] = [];
  /** Stands for the message that is not sent yet. */
  let current: object | undefined;
  let isStarting = false;

  function startWaiting(): void {
    if (isStarting) return;
    isStarting = true;
    try {
      while (!current) {
        const start = waiting.shift();
        if (!start) break;
        start();
      }
    } finally {
      isStarting = false;
    }
  }

  function sent(one: object | undefined): void {
    if (current !== one) return;
    current = undefined;
    startWaiting();
  }

  broker.mq.emit = (packet, done) => {
    const one = current;
    try {
      return emit(packet, done);
    } finally {
      sent(one);
    }
  };

  broker.publish = (packet, client, done) => {
    const [from, finished] = typeof client === "function" ? [undefined, client as Done] : [client, done];
    const one = {};
    waiting.push(() => {
      current = one;
      publish(packet, from, (error) => {
        sent(one);
        finished?.(error);
      });
    });
    startWaiting();
  };
}
