// The readers of the stream by what they want, and the broadcast topics for exactly those. Those of an event are found with
// four look-ups and without making a text, however many filters there are.
import type { KeptEvent } from "../../../server/events/feed.ts";
import type { StreamFilter } from "./filter.ts";

/** Readers that want the same: a type or all, of a device or all. At most one of a reader's audiences gets any event. */
export interface Audience {
  /** The topic for events without secrets, which have one form. */
  readonly common: string;
  /** The topics for the two forms of an event with secrets: for those who may see them, and for the others. */
  readonly open: string;
  readonly redacted: string;
  openReaders: number;
  redactedReaders: number;
}

export class Audiences {
  /** By device, then by type; `undefined` stands for all. */
  readonly #byDevice = new Map<string | undefined, Map<string | undefined, Audience>>();
  #made = 0;

  /** Counts a reader in; answers the topics it is to subscribe to. */
  join({ types, deviceId }: StreamFilter, isOpen: boolean): string[] {
    return [...(types ?? [undefined])].flatMap((type) => {
      const audience = this.#at(deviceId, type) ?? this.#make(deviceId, type);
      if (isOpen) audience.openReaders++;
      else audience.redactedReaders++;
      return [audience.common, isOpen ? audience.open : audience.redacted];
    });
  }

  /** Counts a reader out that joined. */
  leave({ types, deviceId }: StreamFilter, isOpen: boolean): void {
    const byType = this.#byDevice.get(deviceId);
    for (const type of types ?? [undefined]) {
      const audience = byType?.get(type);
      if (!audience) continue;
      if (isOpen) audience.openReaders--;
      else audience.redactedReaders--;
      if (audience.openReaders + audience.redactedReaders === 0) byType?.delete(type);
    }
    if (byType?.size === 0) this.#byDevice.delete(deviceId);
  }

  /** Those that want this event. */
  of({ type, deviceId }: Pick<KeptEvent, "type" | "deviceId">): Audience[] {
    const found: Audience[] = [];
    this.#collect(undefined, type, found);
    if (deviceId !== undefined) this.#collect(deviceId, type, found);
    return found;
  }

  #collect(deviceId: string | undefined, type: string, found: Audience[]): void {
    const byType = this.#byDevice.get(deviceId);
    const ofType = byType?.get(type);
    if (ofType) found.push(ofType);
    // Only who names mqtt_message wants it.
    const ofAll = type === "mqtt_message" ? undefined : byType?.get(undefined);
    if (ofAll) found.push(ofAll);
  }

  #at(deviceId: string | undefined, type: string | undefined): Audience | undefined {
    return this.#byDevice.get(deviceId)?.get(type);
  }

  #make(deviceId: string | undefined, type: string | undefined): Audience {
    // A number, because names of types and devices may contain any separator.
    const number = ++this.#made;
    const audience: Audience = {
      common: `common/${number}`,
      open: `open/${number}`,
      redacted: `redacted/${number}`,
      openReaders: 0,
      redactedReaders: 0,
    };
    const byType = this.#byDevice.get(deviceId) ?? new Map<string | undefined, Audience>();
    this.#byDevice.set(deviceId, byType.set(type, audience));
    return audience;
  }
}
