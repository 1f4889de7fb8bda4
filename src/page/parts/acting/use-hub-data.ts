// Data of the hub that a view shows, by its address: kept fresh by events of some types.
import { get } from "../../state/hub/api.ts";
import { useWatched } from "../../state/hub/watched.ts";

export interface HubData<T> {
  /** Undefined until it was read. */
  value: T | undefined;
  /** Why it could not be read the last time. */
  problem: unknown;
  read: () => Promise<void>;
}

interface Watching {
  /** Types of the events after which it may be another; those that end in `_` are beginnings. */
  after: readonly string[];
  everyMs?: number;
}

const EVERY_MS = 30_000;

/** `path` undefined: nothing is read. */
export function useHubData<T>(path: string | undefined, { after, everyMs = EVERY_MS }: Watching): HubData<T> {
  const { data, error, reload } = useWatched(path, () => get<T>(path ?? ""), {
    every: everyMs,
    concerns: ({ type }) => after.some((one) => (one.endsWith("_") ? type.startsWith(one) : type === one)),
  });
  return { value: data, problem: error, read: reload };
}
