// Has the whole copy looked through, soon after the start and then each hour, while it goes on being made.
import type { Copy } from "../../../copies/standby/copy/copy.ts";
import { messageOf } from "../../../kit/schema/errors.ts";
import { sleep } from "../../../kit/time/clock.ts";
import type { Roles } from "./context.ts";

const FIRST_MS = 60_000;
const EVERY_MS = 3_600_000;

/** When it is disposed of, nobody reads the copy any more. */
export function verifyOften({ clock, log }: Pick<Roles, "clock" | "log">, copy: Pick<Copy, "verify">): AsyncDisposable {
  const ended = new AbortController();
  const { signal } = ended;

  async function verify(): Promise<void> {
    for (let pauseMs = FIRST_MS; await sleep(clock, "verify the copy", pauseMs, signal); pauseMs = EVERY_MS) {
      try {
        const flaw = await copy.verify(signal);
        if (flaw !== undefined) log.error("the copy was damaged; it is made anew", { flaw });
      } catch (error) {
        log.warn("the copy cannot be verified", { why: messageOf(error) });
      }
    }
  }

  const verifying = verify();
  return {
    async [Symbol.asyncDispose]() {
      ended.abort();
      await verifying;
    },
  };
}
