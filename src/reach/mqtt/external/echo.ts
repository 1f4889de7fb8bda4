// Whether the broker still passes messages on to the hub. A node of a cluster may take a session over and deliver nothing (NATS 2.9
// does so now and then after another node died): the hub is connected and subscribed, and deaf. So where nothing was seen for a
// while it publishes a message to itself. If that does not come back it subscribes anew, and where that does not help either, the
// session is begun anew.
import type { Fence } from "../../../kit/lifecycle/fence.ts";
import { background, within } from "../../../kit/lifecycle/lifecycle.ts";
import type { Log } from "../../../kit/lifecycle/log.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import type { Clock, Timer } from "../../../kit/time/clock.ts";
import type { Connection } from "./connection.ts";
import { PublishError } from "./failure.ts";
import type { Received } from "./message-intake.ts";
import { probeFilter, probeTopic } from "./probe.ts";

export interface EchoOptions {
  prefix: string;
  clock: Clock;
  log: Log;
  fence?: Fence | undefined;
  /** Subscribes to all that the hub listens to. */
  subscribe: (connection: Connection) => Promise<void>;
}

const EVERY_MS = 30_000;
const ANSWER_MS = 5000;
const STEPS = 5;
// A cluster that elects its leaders delivers within half a minute, and what it keeps for the session is worth that time.
const TRIES = 6;

/** Of one try: `silent` is what only a deaf session does. */
type Answer = "came" | "silent" | "unanswered" | "ended";

export class EchoWatch implements Disposable {
  readonly #options: EchoOptions;
  #timer: Timer | undefined;
  #hasReceived = false;
  #isChecking = false;
  #isSaid = false;
  /** The hub may no longer publish there. */
  #isOff = false;
  #onReceived: (() => void) | undefined;

  constructor(options: EchoOptions) {
    this.#options = options;
  }

  /** Where it comes back as it is: a broker of 3.1.1 sends the hub all that the hub publishes, one of 5 only this. */
  static async subscribe(connection: Connection, prefix: string): Promise<void> {
    if (connection.version === 5) await connection.subscribe(probeFilter(prefix), 1, { own: true });
  }

  /** All is subscribed. */
  connected(connection: Connection): void {
    const { clock, log } = this.#options;
    const check = (): void => background(log, "echo of the MQTT broker", this.#check(connection));
    this.#timer = clock.every("mqtt echo", EVERY_MS, check);
    check();
  }

  disconnected(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    this.#hasReceived = false;
    this.#onReceived?.();
  }

  [Symbol.dispose](): void {
    this.disconnected();
  }

  /** Each message. What the broker keeps (retained), or sends with QoS 0, may come although the session is deaf. */
  received({ qos, retain }: Received): void {
    if (qos === 0 || retain) return;
    this.#hasReceived = true;
    this.#onReceived?.();
  }

  /** False where the broker takes what the hub publishes and passes nothing on, for half a minute and although the hub subscribed anew. */
  async passes(connection: Connection): Promise<boolean> {
    const { log, subscribe, clock } = this.#options;
    let [isTaken, isAnew] = [false, false];
    for (let tries = 0; tries < TRIES; tries++) {
      const answer = await this.#try(connection);
      if (answer === "ended") return true;
      if (answer === "came") {
        if (this.#isSaid) log.info("the MQTT broker passes messages on to the hub again");
        this.#isSaid = false;
        return true;
      }
      if (answer === "silent") isTaken = true;
      if (isAnew || !isTaken) continue;
      isAnew = true;
      if (!this.#isSaid)
        log.warn("the MQTT broker takes what the hub publishes and passes nothing on to it: the hub subscribes anew");
      this.#isSaid = true;
      const subscribed = subscribe(connection).catch((error: unknown) =>
        log.warn("the hub cannot subscribe anew at the MQTT broker", { error: messageOf(error) }),
      );
      await within(clock, ANSWER_MS, "mqtt echo", subscribed);
    }
    if (!isTaken) connection.cut("the broker no longer answers");
    return !isTaken;
  }

  async #check(connection: Connection): Promise<void> {
    if (this.#isChecking || this.#isOff) return;
    if (this.#hasReceived) {
      this.#hasReceived = false;
      return;
    }
    this.#isChecking = true;
    try {
      if (!(await this.passes(connection))) connection.cut("it passes nothing on to the hub", { isDeaf: true });
    } finally {
      this.#isChecking = false;
      this.#hasReceived = false;
    }
  }

  async #try(connection: Connection): Promise<Answer> {
    const { prefix, clock, fence } = this.#options;
    if (!connection.open || this.#isOff || fence?.closed !== undefined) return "ended";
    const received = Promise.withResolvers<Answer>();
    this.#onReceived = () => received.resolve("came");
    let answer: Answer = "unanswered";
    connection.publish({ topic: probeTopic(prefix, "live"), payload: "echo", qos: 1, retain: false }).then(
      () => (answer = "silent"),
      (error: unknown) => {
        this.#refused(error);
        received.resolve("ended");
      },
    );
    // In steps: where the hub itself was held up, what came meanwhile is still to be read.
    for (let step = 0; step < STEPS; step++)
      if (await within(clock, ANSWER_MS / STEPS, "mqtt echo", received.promise)) return received.promise;
    return answer;
  }

  #refused(error: unknown): void {
    if (!(error instanceof PublishError) || error.outcome !== "refused") return;
    this.#isOff = true;
    this.#options.log.warn("the hub can no longer find out whether the MQTT broker passes messages on to it", {
      reason: error.message,
    });
  }
}
