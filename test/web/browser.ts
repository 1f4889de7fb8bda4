// As much of a browser as the page's modules touch when they are loaded.

/** To be imported before them. */
function replaceGlobal(name: string, value: unknown): void {
  if (!(name in globalThis)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

const kept = new Map<string, string>();
const storage = {
  getItem: (key: string) => kept.get(key) ?? null,
  setItem: (key: string, value: string) => void kept.set(key, value),
  removeItem: (key: string) => void kept.delete(key),
  clear: () => kept.clear(),
};
replaceGlobal("localStorage", storage);
replaceGlobal("sessionStorage", storage);
replaceGlobal("document", {
  documentElement: { lang: "" },
  head: { outerHTML: '<script type="module" src="/main-abcd1234.js"></script>' },
  addEventListener() {},
});
