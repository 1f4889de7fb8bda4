// What a fuzzer found: each kind once, with its first example and how often it came.
export interface Findings {
  add(kind: string, example: () => string): void;
  readonly kinds: number;
  readonly total: number;
  lines(): string[];
}

export function createFindings(): Findings {
  const found = new Map<string, { count: number; example: string }>();
  return {
    add(kind, example) {
      const known = found.get(kind);
      if (known) known.count++;
      else found.set(kind, { count: 1, example: example() });
    },
    get kinds() {
      return found.size;
    },
    get total() {
      return [...found.values()].reduce((sum, { count }) => sum + count, 0);
    },
    lines: () => [...found].map(([kind, { count, example }]) => `${count} × ${kind}\n      ${example}`),
  };
}

/** Bytes as one line of text that can be typed again. */
export function shown(bytes: Buffer | string, most = 400): string {
  const text = JSON.stringify(typeof bytes === "string" ? bytes : bytes.toString("latin1"));
  return text.length > most ? `${text.slice(0, most)}… (${bytes.length} bytes)` : text;
}
