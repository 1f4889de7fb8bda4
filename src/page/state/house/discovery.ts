// What announces itself over MQTT, and what was decided about it.
import { computed, signal } from "@preact/signals";
import { get, post } from "../hub/api.ts";

export interface Announcement {
  id: string;
  source: string;
  account: string;
  name: string | null;
  manufacturer: string | null;
  model: string | null;
  state: "accepted" | "waiting" | "ignored" | "broken";
  device_id: string | null;
  problem: string | null;
}

export type Decision = "accept" | "ignore";
export interface Several {
  account?: string;
  pattern?: string;
}

export const announcements = signal<readonly Announcement[]>([]);
/** How many wait for somebody to decide. */
export const waitingCount = computed(() => announcements.value.filter(({ state }) => state === "waiting").length);

/** Throws ApiError. */
export async function readInbox(): Promise<void> {
  announcements.value = await get<Announcement[]>("/discovery");
}

/** Throws ApiError. */
export async function decide(id: string, decision: Decision): Promise<void> {
  replace([await post<Announcement>(`/discovery/${encodeURIComponent(id)}/${decision}`)]);
}

/** Resolves with how many it was. Throws ApiError. */
export async function decideSeveral(several: Several, decision: Decision): Promise<number> {
  const decided = await post<Announcement[]>(`/discovery/${decision}`, several);
  replace(decided);
  return decided.length;
}

function replace(changed: readonly Announcement[]): void {
  const byId = new Map(changed.map((one) => [one.id, one]));
  announcements.value = announcements.peek().map((one) => byId.get(one.id) ?? one);
}

/** Those the hub would decide about: of the account, with a name or id that matches, where `*` is any text. */
export function matching(list: readonly Announcement[], { account, pattern }: Several): Announcement[] {
  const test = pattern === undefined ? undefined : new RegExp(`^${pattern.split("*").map(escaped).join(".*")}$`, "s");
  return list.filter(
    ({ id, name, account: own }) =>
      (account === undefined || own === account) && (!test || test.test(id) || (name !== null && test.test(name))),
  );
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
