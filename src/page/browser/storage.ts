// What this browser keeps. Private windows and full disks refuse: then nothing is kept, and the page works all the same.

/** Of the browser rather than of who is signed in: stays after signing out. */
const STAYS = ["hub.language"];

export function load<T>(key: string): T | undefined {
  try {
    const text = localStorage.getItem(`hub.${key}`);
    return text === null ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

export function save(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(`hub.${key}`);
    else localStorage.setItem(`hub.${key}`, JSON.stringify(value));
  } catch {}
}

/** Forgets everything but what is the browser's own. */
export function clear(): void {
  try {
    for (const key of Object.keys(localStorage))
      if (key.startsWith("hub.") && !STAYS.includes(key)) localStorage.removeItem(key);
    sessionStorage.clear();
  } catch {}
}
