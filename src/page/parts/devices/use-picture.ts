// A picture of a device, read from the hub.
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, ask } from "../../state/hub/api.ts";

export interface WantedPicture {
  id: string;
  /** The last one by then, ISO. */
  at: string;
  /** Which of the device's pictures; any, where it is absent. */
  of?: string | undefined;
}

export interface SeenPicture {
  /** Within the page, as an `img` cannot send the token. The last one stays until the next is there. */
  address?: string;
  /** When it came, ISO. */
  at?: string;
  /** The status with which the hub refused the last one; 0 where it was not reached. */
  refused?: number;
}

export const pictureAddress = (id: string): string => `/devices/${encodeURIComponent(id)}/picture`;

/** Undefined: nothing is read now, and what was seen stays. `restMs`: how long it rests after each. */
export function usePicture(wanted: WantedPicture | undefined, restMs = 0): SeenPicture {
  const [seen, setSeen] = useState<SeenPicture>({});
  const reader = useRef<Reader | undefined>(undefined);
  useEffect(() => {
    const own = startReader(setSeen, restMs);
    reader.current = own;
    return () => own[Symbol.dispose]();
  }, []);
  useEffect(() => reader.current?.read(wanted), [wanted?.id, wanted?.at, wanted?.of]);
  useEffect(() => () => URL.revokeObjectURL(seen.address ?? ""), [seen.address]);
  return seen;
}

interface Reader extends Disposable {
  read(wanted: WantedPicture | undefined): void;
}

/** One after the other, and of those that are wanted meanwhile the last: also a slow line shows what a busy camera sees. */
function startReader(show: (how: (before: SeenPicture) => SeenPicture) => void, restMs: number): Reader {
  const over = new AbortController();
  let next: WantedPicture | undefined;
  let shown = "";
  let isBusy = false;

  async function readNext(): Promise<void> {
    const { id, at, of } = next ?? { id: "", at: "" };
    const query = String(new URLSearchParams({ at, ...(of !== undefined && { of }) }));
    next = undefined;
    if (id === "" || query === shown) return;
    try {
      const answer = await ask("GET", `${pictureAddress(id)}?${query}`, { signal: over.signal });
      const bytes = await answer.blob();
      if (over.signal.aborted) return;
      shown = query;
      show(() => ({ address: URL.createObjectURL(bytes), at }));
    } catch (error) {
      const refused = error instanceof ApiError ? error.status : 0;
      if (!over.signal.aborted) show((before) => (mayLook(refused) ? { ...before, refused } : { refused }));
    }
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
  }

  async function run(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    while (next && !over.signal.aborted) await readNext();
    isBusy = false;
  }

  return {
    read(wanted) {
      next = wanted;
      void run();
    },
    [Symbol.dispose]: () => over.abort(),
  };
}

/** Whoever lost the right, or whose picture is gone, sees the last one no longer. */
const mayLook = (status: number): boolean => ![401, 403, 404].includes(status);
