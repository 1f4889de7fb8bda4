// The styles of all views but the first, which has its own.
import { once } from "./once.ts";

/** Its address, set when the page is built. */
declare const VIEW_STYLES: string;

const load = once(
  () =>
    new Promise<void>((resolve, reject) => {
      const link = document.createElement("link");
      link.rel = "stylesheet";
      link.href = VIEW_STYLES;
      link.onload = () => resolve();
      link.onerror = reject;
      document.head.append(link);
    }),
);

/** Resolves when they are there; also where they could not be loaded, as a plain view is better than none. */
export const loadViewStyles = (): Promise<void> => load().catch(() => {});
