// One device of many entities that are distinguished by nothing but their topics, and what each attribute of it has been: for the tests that
// a name never means another entity.
import { createRig } from "../house/discovery/rig.ts";
import { type Random, shuffled } from "./random.ts";

export interface TestEntity {
  component: string;
  id: string;
  /** Beside its topics, its device and how it picks its value. */
  config: Record<string, unknown>;
  /** Two values that it has one after the other. */
  says: readonly [unknown, unknown];
}

const ID = "relay-box";
const DEVICE = { identifiers: [ID], name: "Relay box" };
const WANTED = [true, "a", 7];

export class EntitiesHouse implements Disposable {
  rig = createRig();
  /** What each attribute has read, and what it has commanded: the topic of one entity. */
  readonly read = new Map<string, string>();
  readonly commanded = new Map<string, string>();
  readonly announced = new Set<number>();
  readonly #entities: readonly TestEntity[];
  readonly #pick: string;

  constructor(entities: readonly TestEntity[], pick: string) {
    this.#entities = entities;
    this.#pick = pick;
  }

  announce(at: number): void {
    const { component, id, config } = this.#of(at);
    this.announced.add(at);
    this.rig.publish(`homeassistant/${component}/box/${id}/config`, {
      ...{ name: `Entity ${id}`, ...config, unique_id: id, device: DEVICE, state_topic: `box/${at}/state` },
      ...{ command_topic: `box/${at}/set`, value_template: this.#pick },
    });
  }

  takeBack(at: number): void {
    const { component, id } = this.#of(at);
    this.announced.delete(at);
    this.rig.publish(`homeassistant/${component}/box/${id}/config`, "");
  }

  restart(order: readonly number[]): void {
    this.rig.registry[Symbol.dispose]();
    this.rig = createRig({ after: this.rig, clock: this.rig.clock });
    for (const at of order) this.announce(at);
  }

  /** Throws Error where an attribute has read or commanded another entity than before. */
  async check(): Promise<void> {
    await this.rig.clock.advance(1000);
    const { registry } = this.rig;
    if (registry.ownerOf(ID) === undefined) return;
    for (const at of this.announced) {
      const [first, then] = this.#of(at).says;
      this.#say(at, first);
      const before = { ...registry.get(ID).attributes };
      this.#say(at, then);
      const after = registry.get(ID).attributes;
      const changed = Object.keys(after).filter((name) => !Object.is(after[name], before[name]));
      for (const name of changed) this.#holds(this.read, name, `box/${at}`);
    }
    await this.#command();
  }

  /** Announces, takes back and restarts at random. */
  async live(rounds: number, random: Random): Promise<void> {
    const any = (): number => random.below(this.#entities.length);
    for (let round = 0; round < rounds; round++) {
      const dice = random.next();
      if (dice < 0.55) this.announce(any());
      else if (dice < 0.9) this.takeBack(any());
      else this.restart(shuffled([...this.announced], random));
      if (dice > 0.4) await this.check();
    }
    await this.check();
  }

  [Symbol.dispose](): void {
    this.rig[Symbol.dispose]();
  }

  #of(at: number): TestEntity {
    return this.#entities[at] as TestEntity;
  }

  #say(at: number, value: unknown): void {
    this.rig.publish(`box/${at}/state`, { value, output: value, state: value });
  }

  async #command(): Promise<void> {
    const { schema } = this.rig.registry.get(ID).details;
    const { properties } = schema as { properties: Record<string, { readOnly?: true; enum?: unknown[] }> };
    for (const [name, { readOnly, enum: options = [] }] of Object.entries(properties)) {
      if (readOnly) continue;
      for (const value of [...WANTED, ...options.slice(0, 1)]) {
        this.rig.sent();
        await this.rig.discovery.command(ID, { [name]: value as string }).catch(() => undefined);
        for (const { topic } of this.rig.sent()) this.#holds(this.commanded, name, topic.replace(/\/set$/, ""));
      }
    }
  }

  #holds(known: Map<string, string>, name: string, entity: string): void {
    const first = this.read.get(name) ?? this.commanded.get(name) ?? entity;
    if (first !== entity) throw new Error(`${name} was of ${first}, and is of ${entity} now`);
    known.set(name, entity);
  }
}
