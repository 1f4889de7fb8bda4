// How the start is arranged. It is kept by the hub: another browser's changes are not overwritten, but changed further.
import { effect, signal } from "@preact/signals";
import { load, save } from "../../browser/storage.ts";
import { ApiError, ask } from "../hub/api.ts";
import { connection } from "../hub/live.ts";
import { session, viewsOf } from "../hub/session.ts";

export interface Layout {
  areas: string[];
  /** `device/ID`, `scene/ID` or `variable/NAME`. */
  tiles: string[];
  hidden: string[];
  favourites: string[];
}

const NONE: Layout = { areas: [], tiles: [], hidden: [], favourites: [] };

type Change = (layout: Layout) => Layout;

export function createLayout() {
  const layout = signal<Layout>(NONE);
  /** Why the last change was not kept. */
  const layoutProblem = signal<unknown>(undefined);
  let etag = "";
  let waiting: Change[] = [];
  let isSending = false;

  function take(next: Layout): void {
    layout.value = next;
    save("layout", next === NONE ? undefined : next);
  }

  async function answered(answer: Response): Promise<void> {
    const held = (await answer.json()) as Layout;
    etag = answer.headers.get("etag") ?? "";
    take(waiting.reduce((one, change) => change(one), held));
  }

  const read = async (): Promise<void> => answered(await ask("GET", "/ui/layout"));

  async function send(): Promise<void> {
    isSending = true;
    layoutProblem.value = undefined;
    try {
      while (waiting.length > 0) await sendOnce();
    } catch (error) {
      layoutProblem.value = error;
      waiting = [];
      await read().catch(() => {});
    } finally {
      isSending = false;
    }
  }

  async function sendOnce(): Promise<void> {
    const sent = waiting.length;
    try {
      const answer = await ask("PUT", "/ui/layout", { body: layout.value, headers: { "if-match": etag } });
      waiting = waiting.slice(sent);
      await answered(answer);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 409)) throw error;
      await read();
    }
  }

  /** Shown at once; where somebody else was faster, done again on what they made of it. */
  function changeLayout(change: Change): void {
    take(change(layout.value));
    waiting.push(change);
    if (!isSending) void send();
  }

  return { layout, layoutProblem, take, read, changeLayout, answered };
}

const own = createLayout();
export const { layout, layoutProblem, changeLayout } = own;

/** Reads it whenever the connection is live again. Call it once. */
export function startLayout(): void {
  layout.value = load<Layout>("layout") ?? NONE;
  effect(() => {
    if (connection.value.state === "live") void own.read().catch(() => {});
  });
  let owner = viewsOf.peek();
  viewsOf.subscribe((next) => {
    if (next !== owner) own.take(NONE);
    owner = next;
  });
  // Nothing stays in the browser of who is signed out, but the views do.
  session.subscribe((who) => {
    if (!who) save("layout", undefined);
  });
}

/** From now on that of all. */
export async function forgetLayout(): Promise<void> {
  await own.answered(await ask("DELETE", "/ui/layout"));
}
