// A process with an outbox (kill-child.ts), and what it said until it was killed or ended.

/** `args`: the database, the service, and the numbers to post, from one to before the other. */
export function startChild(...args: string[]) {
  const script = new URL("./kill-child.ts", import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, script, ...args], { stdin: "ignore", stdout: "pipe", stderr: "inherit" });
  let text = "";
  const read = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) text += decoder.decode(chunk, { stream: true });
  })();
  return {
    /** The numbers that it reported as stored. */
    kept: () => [...text.matchAll(/^kept (\d+)\n/gm)].map(([, number]) => Number(number)),
    async kill(): Promise<void> {
      child.kill("SIGKILL");
      await child.exited;
      await read;
    },
    async ended(): Promise<number> {
      const code = await child.exited;
      await read;
      return code;
    },
  };
}
