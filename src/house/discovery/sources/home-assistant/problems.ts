// Announcements of an account that cannot be used, as far as they are listed: a client that announces nothing else must leave room
// for the devices of others.
import type { Sender, SourceHost } from "../../source.ts";

const MAX_LISTED = 200;
const MAX_KEY = 300;

export interface Problems {
  /** Undefined where it can be used by now. */
  set(sender: Sender, key: string, problem: string | undefined): void;
}

export function createProblems(host: Pick<SourceHost, "broken">): Problems {
  const listed = new Map<string, Set<string>>();

  return {
    set(sender, key, problem) {
      const known = listed.get(sender.name) ?? new Set();
      const short = key.slice(0, MAX_KEY);
      if (problem === undefined) {
        if (!known.delete(short)) return;
        host.broken(sender, short, undefined);
        if (known.size < MAX_LISTED) host.broken(sender, "more", undefined);
        return;
      }
      listed.set(sender.name, known);
      if (known.size < MAX_LISTED || known.has(short)) {
        known.add(short);
        host.broken(sender, short, problem);
      } else host.broken(sender, "more", `only the first ${MAX_LISTED} announcements that cannot be used are listed`);
    },
  };
}
