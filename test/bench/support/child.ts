// Starts a process under test and reads its first lines; ends it with the block it was made in.
export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** Waits until all patterns have been printed; answers the first group of each. */
  printed(...patterns: RegExp[]): Promise<string[]>;
  /** Lines printed so far. */
  output(): string;
}

const START_MS = 15_000;
const STOP_MS = 12_000;

export function startChild(command: string[], env: Record<string, string> = {}): Child {
  const process = Bun.spawn(command, {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: Bun.env.PATH ?? "", HOME: Bun.env.HOME ?? "/", ...env },
  });
  let text = "";
  let wake = (): void => {};
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of process.stdout) {
      text += decoder.decode(chunk, { stream: true });
      wake();
    }
    wake();
  })();

  return {
    pid: process.pid,
    output: () => text,
    async printed(...patterns) {
      const until = performance.now() + START_MS;
      for (;;) {
        const found = patterns.map((pattern) => pattern.exec(text)?.[1]);
        if (found.every((one) => one !== undefined)) return found;
        const left = until - performance.now();
        if (left <= 0 || process.exitCode !== null) throw new Error(`${command[0]} did not get ready:\n${text}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, Math.min(left, 500));
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
    },
    async [Symbol.asyncDispose]() {
      process.kill("SIGTERM");
      const hard = setTimeout(() => process.kill("SIGKILL"), STOP_MS);
      await process.exited;
      clearTimeout(hard);
      await reading;
    },
  };
}

/** A twin from `twins/`, on the same Bun; it prints `port=N` for each door it opens. */
export function startTwin(name: string, ...args: string[]): Child {
  return startChild([process.execPath, new URL(`../twins/${name}.ts`, import.meta.url).pathname, ...args]);
}
