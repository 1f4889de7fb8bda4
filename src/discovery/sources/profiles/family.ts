// The devices that one profile makes, each of the account that it was heard from.
import type { DescribedDevice } from "../../described.ts";
import type { Heard, SourceHost } from "../../source.ts";
import { type Identified, identify } from "./identify.ts";
import { Member } from "./member.ts";
import type { Profile } from "./profile.ts";

/** A device that is new, or reports on more topics than before. */
export interface Met {
  key: string;
  device: DescribedDevice;
}

export class Family {
  readonly #host: SourceHost;
  #profile: Profile;
  /** By account and id. */
  readonly #members = new Map<string, Member>();
  /** By account and topic, where the topic is enough. */
  readonly #byTopic = new Map<string, Member>();

  constructor(host: SourceHost, profile: Profile) {
    this.#host = host;
    this.#profile = profile;
  }

  get profile(): Profile {
    return this.#profile;
  }

  /** Another version of the profile. If that might make other devices, those it has made are no longer announced. */
  replace(profile: Profile): void {
    const isSame = identityOf(profile) === identityOf(this.#profile);
    this.#profile = profile;
    if (!isSame) this.clear();
    for (const member of this.#members.values()) member.describe(profile);
  }

  clear(): void {
    for (const member of this.#members.values()) member.withdraw();
    this.#members.clear();
    this.#byTopic.clear();
  }

  /** A message on a topic that makes devices. */
  meet(heard: Heard): Met | undefined {
    const { sender, topic } = heard;
    const place = `${sender.name}\n${topic}`;
    const settled = this.#byTopic.get(place);
    if (settled && this.#isStill(settled, topic)) return undefined;
    const found = identify(this.#profile, { topic, message: heard.message() });
    if (!found) return undefined;
    const known = this.#members.get(`${sender.name}\n${found.id}`);
    const member = known && this.#isStill(known, topic) ? known : this.#make(heard, found);
    if (!member) return undefined;
    const device = member.heardOn(topic, found.parts);
    if (this.#profile.isTopicEnough && member.isHeardOn(topic)) this.#byTopic.set(place, member);
    return device && { key: member.key, device };
  }

  /** A person may have removed it, or another source may describe it by now: a profile is for what announces nothing. */
  #isStill(member: Member, topic: string): boolean {
    const isElsewhere = this.#host.isRead(member.sender, topic);
    if (this.#host.knows(member.sender, member.key) && !isElsewhere) return true;
    member.withdraw();
    this.#members.delete(`${member.sender.name}\n${member.id}`);
    for (const [place, one] of this.#byTopic) if (one === member) this.#byTopic.delete(place);
    return false;
  }

  #make({ sender, topic }: Heard, { id, parts }: Identified): Member | undefined {
    if (this.#host.isRead(sender, topic)) return undefined;
    const { table, name } = this.#profile;
    const { max_devices: most = 100 } = table;
    if (this.#members.size >= most) {
      const mend = `raise max_devices in ${name}.toml, or write a topic or when that takes in less`;
      this.#host.broken(sender, name, `there are more than ${most} devices: ${mend}`);
      return undefined;
    }
    const made = new Member(this.#host, this.#profile, { sender, id, parts });
    this.#members.set(`${sender.name}\n${id}`, made);
    return made;
  }
}

function identityOf({ id, makers, table: { when, placeholders } }: Profile): string {
  return JSON.stringify([id, makers.map(({ text }) => text), when, placeholders]);
}
