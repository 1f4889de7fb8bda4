// One device that a profile has made: where it was seen, since when it is silent, and which of its expressions fail.
import type { Timer } from "../../../../kit/time/clock.ts";
import type { DescribedDevice } from "../../described.ts";
import type { Sender, SourceHost } from "../../source.ts";
import { describeProfileDevice } from "./device.ts";
import { type Identified, identify, isMeant } from "./identify.ts";
import type { Profile } from "./profile.ts";
import type { Occasion } from "./reading.ts";
import type { Values } from "./topic-pattern.ts";

// A message need not hold everything, so one failure says little.
const FAILURES_THAT_COUNT = 5;
/** The topics that one device is seen on by wildcards. */
const MAX_TOPICS = 32;

export class Member {
  readonly id: string;
  readonly key: string;
  readonly sender: Sender;
  readonly #host: SourceHost;
  readonly #parts: Values;
  /** The topics that make it, and what their placeholders stand for. */
  readonly #seenOn = new Map<string, Values>();
  #profile: Profile;
  #lastSeenMs: number;
  #silence: Timer | undefined;
  /** Attributes that have had a value. */
  readonly #worked = new Set<string>();
  readonly #failures = new Map<string, number>();

  constructor(host: SourceHost, profile: Profile, { sender, id, parts }: Identified & { sender: Sender }) {
    this.id = id;
    this.key = `${profile.name}/${id}`;
    this.sender = sender;
    this.#host = host;
    this.#parts = parts;
    this.#profile = profile;
    this.#lastSeenMs = host.clock.mono();
  }

  /** Described anew; undefined where it is known to be seen on the topic. */
  seenOn(topic: string, parts: Values): DescribedDevice | undefined {
    if (this.#seenOn.has(topic) || this.#seenOn.size >= MAX_TOPICS) return undefined;
    this.#seenOn.set(topic, parts);
    return this.describe(this.#profile);
  }

  isSeenOn(topic: string): boolean {
    return this.#seenOn.has(topic);
  }

  describe(profile: Profile): DescribedDevice {
    this.#profile = profile;
    this.#worked.clear();
    this.#failures.clear();
    const device = describeProfileDevice(
      profile,
      { id: this.id, parts: this.#parts, seenOn: this.#seenOn },
      {
        partsOf: (occasion) => {
          const parts = this.#own(occasion);
          if (parts) this.#seen();
          return parts;
        },
        onProblem: (attribute, problem) => this.#onProblem(attribute, problem),
      },
    );
    this.#host.describe(this.sender, this.key, device);
    this.#awaitSilence();
    return device;
  }

  withdraw(): void {
    this.#silence?.[Symbol.dispose]();
    this.#silence = undefined;
    this.#host.withdraw(this.sender, this.key);
  }

  #own(occasion: Omit<Occasion, "parts">): Values | undefined {
    const known = this.#seenOn.get(occasion.topic);
    if (known === undefined) return {};
    if (this.#profile.isTopicEnough) return isMeant(this.#profile, { ...occasion, parts: known }) ? known : undefined;
    const found = identify(this.#profile, occasion);
    return found?.id === this.id ? found.parts : undefined;
  }

  #seen(): void {
    this.#lastSeenMs = this.#host.clock.mono();
    if (!this.#silence) this.#awaitSilence();
  }

  #awaitSilence(): void {
    const seconds = this.#profile.table.availability?.silent_secs;
    this.#silence?.[Symbol.dispose]();
    this.#silence = seconds === undefined ? undefined : this.#wait(seconds * 1000);
  }

  /** One timer for many messages: when it is due, it looks when the last was seen. */
  #wait(silentMs: number): Timer {
    const { clock } = this.#host;
    const left = this.#lastSeenMs + silentMs - clock.mono();
    return clock.after(`profile: silence of ${this.key}`, left, () => {
      const isSilent = this.#lastSeenMs + silentMs <= clock.mono();
      this.#silence = isSilent ? undefined : this.#wait(silentMs);
      if (isSilent) this.#host.report(this.sender, this.key, { attributes: {}, actions: [], available: false });
    });
  }

  #onProblem(attribute: string, problem: string | undefined): void {
    if (this.#worked.has(attribute)) return;
    const failures = (this.#failures.get(attribute) ?? 0) + 1;
    if (problem === undefined) {
      this.#worked.add(attribute);
      if (failures > FAILURES_THAT_COUNT) this.#host.broken(this.sender, this.key, undefined);
      return;
    }
    this.#failures.set(attribute, failures);
    if (failures !== FAILURES_THAT_COUNT) return;
    const file = `${this.#profile.name}.toml`;
    this.#host.broken(this.sender, this.key, `${file}: attributes.${attribute}.cel gives no value: ${problem}`);
  }
}
