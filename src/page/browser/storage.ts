// What this browser keeps. Private windows and full disks refuse: then nothing is kept, and the page works all the same.

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
