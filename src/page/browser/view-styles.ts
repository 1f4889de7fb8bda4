// The styles of all views but the first, which has its own.

/** Its address, set when the page is built. */
declare const VIEW_STYLES: string;

let loading: Promise<void> | undefined;

/** Resolves when they are there; also where they could not be loaded, as a plain view is better than none. */
export function loadViewStyles(): Promise<void> {
  loading ??= new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = VIEW_STYLES;
    link.onload = () => resolve();
    link.onerror = () => {
      loading = undefined;
      resolve();
    };
    document.head.append(link);
  });
  return loading;
}
