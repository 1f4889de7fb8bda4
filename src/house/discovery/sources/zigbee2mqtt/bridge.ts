// What one bridge has announced: its devices and groups, reported to the hub a few at a time, and whether they can be reached.
import { messageOf } from "../../../../kit/schema/errors.ts";
import { isObject, type Json, type JsonObject } from "../../../../kit/schema/json.ts";
import type { Clock } from "../../../../kit/time/clock.ts";
import type { DescribedDevice, Hardware, Message } from "../../described.ts";
import type { Sender, SourceHost } from "../../source.ts";
import type { Claimant, Claims } from "./claims.ts";
import { type BridgeDevice, describeBridgeDevice, readBridgeDevice } from "./device.ts";
import type { EarlyMessages } from "./early-messages.ts";
import { onlineIn } from "./entity.ts";
import { Failures } from "./failures.ts";
import { type BridgeGroup, describeGroup, groupIdentity, type Member, readBridgeGroup } from "./group.ts";
import { Names } from "./names.ts";
import type { Place } from "./place.ts";
import { bridgeIdentity, describeBridge, hardwareIn } from "./self.ts";

export interface BridgeOptions {
  host: SourceHost;
  sender: Sender;
  /** The bridge's topic. */
  base: string;
  /** Shared by all bridges. */
  claims: Claims<Bridge>;
  early: EarlyMessages;
}

type Kind = "bridge" | "device" | "group";

interface Known {
  kind: Kind;
  topics: readonly string[];
  /** Of its announcement, to see what is new. */
  mark: string;
  member: Member | undefined;
  /** See claims.ts. */
  claim: string;
}

interface Announcement extends Pick<Known, "kind" | "mark" | "claim"> {
  /** Throws where it cannot be. */
  describe(): { device: DescribedDevice; state?: JsonObject; member?: Member; problem?: string | undefined };
}

const MAX_DEVICES = 2000;
const MAX_GROUPS = 500;
const NOTHING = { attributes: {}, actions: [] };

export class Bridge implements Claimant {
  /** As its last message came. */
  sender: Sender;
  readonly #options: BridgeOptions;
  readonly #place: Place;
  readonly #work: TurnTaking;
  readonly #names = new Names();
  /** By identity. */
  readonly #known = new Map<string, Known>();
  /** By identity: what another bridge has announced before. */
  readonly #refused = new Map<string, Pick<Known, "kind" | "claim">>();
  /** The identity of what reports on it. */
  readonly #topics = new Map<string, string>();
  readonly #failures: Failures;
  readonly #unreachable = new Set<string>();
  #groups: readonly BridgeGroup[] = [];
  /** Of the bridge itself. */
  #hardware: Hardware = {};
  #isOffline = false;

  constructor(options: BridgeOptions) {
    this.#options = options;
    this.sender = options.sender;
    this.#work = new TurnTaking(options.host.clock, "zigbee2mqtt devices");
    const { base, host } = options;
    this.#failures = new Failures(bridgeIdentity(base), (identity, problem) => {
      if (this.#known.has(identity)) host.refused(this.sender, this.#keyOf(identity), problem);
    });
    this.#place = {
      base,
      parent: bridgeIdentity(base),
      reachable: (identity, online) => {
        if (online) this.#unreachable.delete(identity);
        else this.#unreachable.add(identity);
        return this.#isReachable(identity);
      },
    };
  }

  get account(): string {
    return this.sender.name;
  }

  get base(): string {
    return this.#options.base;
  }

  get isOffline(): boolean {
    return this.#isOffline;
  }

  /** Whether something that is described reports on the topic. */
  markReachable(topic: string): boolean {
    if (!this.#topics.has(topic)) return false;
    this.#failures.markReachable(topic);
    return true;
  }

  /** `bridge/state` */
  receiveState({ text, json }: Message): void {
    const online = onlineIn(text, json);
    if (online === undefined) return;
    this.#isOffline = !online;
    for (const identity of this.#known.keys()) {
      const available = this.#isReachable(identity);
      this.#options.host.report(this.sender, this.#keyOf(identity), { ...NOTHING, attributes: {}, available });
    }
    if (this.#isOffline) this.#options.claims.wentOffline(this);
  }

  /** `bridge/info` */
  receiveInfo(info: JsonObject): void {
    const { coordinator } = info;
    this.#hardware = hardwareIn(info);
    if (isObject(coordinator)) this.#describeSelf(coordinator.ieee_address);
  }

  /** `bridge/devices`: the whole truth. */
  receiveDevices(list: readonly Json[]): void {
    this.#names.setDevices(list);
    const coordinator = list.filter(isObject).find(({ type }) => type === "Coordinator");
    const found = list.flatMap((one) => readBridgeDevice(one) ?? []);
    const devices = new Map(found.slice(0, MAX_DEVICES).map((device) => [device.ieee_address, device]));
    if (found.length > MAX_DEVICES) this.#reportTooMany();
    this.#keepOnly("device", devices);
    // What was waiting is in the list as well, or gone. The bridge comes first, so that its devices find their parent.
    this.#work.replace([
      ...(coordinator ? [() => this.#describeSelf(coordinator.ieee_address)] : []),
      ...[...devices.values()].map((device) => () => this.#announceDevice(device)),
      () => this.#announceGroups(),
    ]);
  }

  /** `bridge/groups`: all of them. */
  receiveGroups(list: readonly Json[]): void {
    const groups = list.flatMap((one) => readBridgeGroup(one) ?? []).slice(0, MAX_GROUPS);
    this.#groups = [...new Map(groups.map((group) => [groupIdentity(this.base, group.id), group])).values()];
    this.#names.setGroups(this.#groups, (id) => groupIdentity(this.base, id));
    this.#keepOnly("group", new Map(this.#groups.map((group) => [groupIdentity(this.base, group.id), group])));
    this.#work.add([() => this.#announceGroups()]);
  }

  /** `bridge/response/REQUEST` */
  receiveResponse(request: string, response: JsonObject): void {
    this.#failures.receiveResponse(request, response);
  }

  /** `bridge/logging` */
  receiveLog(line: JsonObject): void {
    this.#failures.receiveLog(line, this.base, (topic) => this.#topics.get(topic));
  }

  /** Nothing is announced any more. */
  leave(): void {
    this.#keepOnly("bridge", new Map());
  }

  #reportTooMany(): void {
    const { host, base } = this.#options;
    host.broken(this.sender, `${base}/bridge/devices`, `more than ${MAX_DEVICES} devices: the others are left out`);
  }

  #describeSelf(address: Json | undefined): void {
    const identity = bridgeIdentity(this.base);
    const coordinator = typeof address === "string" && /^[\w:.-]{1,64}$/.test(address) ? address : undefined;
    if (coordinator === undefined && this.#known.has(identity)) return;
    const resolve = (name: string) => this.#names.resolve(name);
    this.#announce(identity, {
      // The same stick under another base topic is the same bridge.
      ...{ kind: "bridge", mark: markOf([coordinator, this.#hardware]), claim: coordinator ?? identity },
      describe: () => ({ device: describeBridge({ base: this.base, coordinator, hardware: this.#hardware, resolve }) }),
    });
  }

  #announceDevice(device: BridgeDevice): void {
    this.#announce(device.ieee_address, {
      ...{ kind: "device", mark: markOf(device), claim: device.ieee_address },
      describe: () => describeBridgeDevice(this.#place, device),
    });
  }

  #announceGroups(): void {
    this.#work.add(this.#groups.map((group) => () => this.#announceGroup(group)));
  }

  #announceGroup(group: BridgeGroup): void {
    const members = group.members.map(({ ieee }) => this.#known.get(ieee)?.mark);
    const identity = groupIdentity(this.base, group.id);
    this.#announce(identity, {
      ...{ kind: "group", mark: markOf([group, members]), claim: identity },
      describe: () => describeGroup(this.#place, group, (ieee) => this.#known.get(ieee)?.member),
    });
  }

  #announce(identity: string, announcement: Announcement): void {
    const { host, claims } = this.#options;
    const { kind, mark, claim, describe } = announcement;
    const before = this.#known.get(identity);
    if (before?.mark === mark) return;
    if (before && before.claim !== claim) claims.release(before.claim, this);
    const key = this.#keyOf(identity);
    const holder = claims.take(claim, {
      claimant: this,
      retry: () => this.#work.add([() => this.#announce(identity, announcement)]),
      lose: () => this.#withdraw(identity),
    });
    if (holder) {
      this.#refused.set(identity, { kind, claim });
      host.broken(this.sender, key, `${holder.account} announces it already, at ${holder.base}`);
      return;
    }
    this.#refused.delete(identity);
    try {
      const { device, state = {}, member, problem } = describe();
      const foreign = device.topics.find((topic) => !this.sender.mayPublish(topic));
      if (foreign !== undefined) throw new Error(`${this.account} announces ${foreign}, where it may not publish`);
      host.describe(this.sender, key, device);
      this.#learn(identity, { kind, mark, claim, member, topics: device.topics });
      host.report(this.sender, key, { attributes: state, actions: [], available: this.#isReachable(identity) });
      this.#takeEarly(key, device);
      if (problem !== undefined) host.broken(this.sender, key, problem);
    } catch (error) {
      host.broken(this.sender, key, messageOf(error));
    }
  }

  /** What came before it was described. A press of then is none now. */
  #takeEarly(key: string, device: DescribedDevice): void {
    const { host, early } = this.#options;
    for (const topic of device.topics) {
      const message = early.take(this.sender, topic);
      if (message) host.report(this.sender, key, { ...device.read(topic, message), actions: [] });
    }
  }

  #learn(identity: string, known: Known): void {
    for (const topic of this.#known.get(identity)?.topics ?? []) this.#topics.delete(topic);
    for (const topic of known.topics) this.#topics.set(topic, identity);
    this.#known.set(identity, known);
  }

  #forget(identity: string): void {
    for (const topic of this.#known.get(identity)?.topics ?? []) this.#topics.delete(topic);
    this.#known.delete(identity);
    this.#refused.delete(identity);
    this.#unreachable.delete(identity);
  }

  #keepOnly(kind: Kind, identities: ReadonlyMap<string, unknown>): void {
    for (const [identity, one] of [...this.#refused, ...this.#known]) {
      if (one.kind !== kind || identities.has(identity)) continue;
      this.#withdraw(identity);
      this.#options.claims.release(one.claim, this);
    }
  }

  #withdraw(identity: string): void {
    this.#forget(identity);
    this.#options.host.withdraw(this.sender, this.#keyOf(identity));
  }

  #isReachable(identity: string): boolean {
    return !this.#isOffline && !this.#unreachable.has(identity);
  }

  #keyOf(identity: string): string {
    return `${this.base}/${identity}`;
  }
}

function markOf(announcement: unknown): string {
  return Bun.hash(JSON.stringify(announcement)).toString(36);
}

const AT_ONCE = 20;
const MAX_MS = 8;

/** Much work in small turns, so that nothing else waits for it. */
class TurnTaking {
  readonly #clock: Clock;
  readonly #name: string;
  #waiting: (() => void)[] = [];
  #isBusy = false;

  /** `name`: of its timer. */
  constructor(clock: Clock, name: string) {
    this.#clock = clock;
    this.#name = name;
  }

  /** After what is waiting; a few jobs are done at once. They must not throw. */
  add(jobs: readonly (() => void)[]): void {
    this.#waiting.push(...jobs);
    if (this.#isBusy) return;
    this.#isBusy = true;
    if (jobs.length > AT_ONCE) this.#soon();
    else this.#turn();
  }

  /** In place of what is waiting. */
  replace(jobs: readonly (() => void)[]): void {
    this.#waiting = [];
    this.add(jobs);
  }

  #turn(): void {
    const end = this.#clock.mono() + MAX_MS;
    for (let done = 0; done < AT_ONCE && (done === 0 || this.#clock.mono() < end); done++) this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#soon();
    else this.#isBusy = false;
  }

  #soon(): void {
    this.#clock.after(this.#name, 0, () => this.#turn());
  }
}
