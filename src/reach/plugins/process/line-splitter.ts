// Splits bytes into lines of limited length: a program that prints one endless line costs no more than one buffer.

export interface LineSplitter {
  /** Takes any bytes and emits the lines that they complete. */
  push(chunk: Uint8Array): void;
  /** Emits the rest, which has no newline. */
  end(): void;
}

const NEWLINE = 10;

/** A line longer than `maxBytes` is emitted when it reaches that length; the rest of it is dropped. */
export function createLineSplitter(maxBytes: number, onLine: (line: string) => void): LineSplitter {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(maxBytes);
  let used = 0;
  let skipping = false;

  function emit(): void {
    onLine(decoder.decode(buffer.subarray(0, used)));
    used = 0;
  }

  function take(bytes: Uint8Array): void {
    if (skipping) return;
    const part = bytes.subarray(0, maxBytes - used);
    buffer.set(part, used);
    used += part.length;
    if (used < maxBytes) return;
    emit();
    skipping = true;
  }

  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        take(chunk.subarray(start, end));
        if (!skipping) emit();
        skipping = false;
        start = end + 1;
      }
      take(chunk.subarray(start));
    },
    end() {
      if (used > 0) emit();
      skipping = false;
    },
  };
}

/** The last `keep` lines of a chunk, and the number of lines before them. */
export function lastLines(chunk: Uint8Array, keep: number): { skipped: number; rest: Uint8Array } {
  let from = chunk.length;
  for (let found = 0; found <= keep; found++) {
    from = from > 0 ? chunk.lastIndexOf(NEWLINE, from - 1) : -1;
    if (from < 0) return { skipped: 0, rest: chunk };
  }
  let skipped = 0;
  for (let index = 0; index <= from; index++) if (chunk[index] === NEWLINE) skipped++;
  return { skipped, rest: chunk.subarray(from + 1) };
}
