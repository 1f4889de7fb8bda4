// A restore over REST: the archive comes in, is looked at beside the running hub, and takes its place while the hub is
// down for a moment. It ends in a definite state, told in `data/last-restore.json`.
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../core/clock.ts";
import { HubError, isStorageFault, messageOf } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { lockHome } from "../home/lock.ts";
import type { Home } from "../home/paths.ts";
import { startTask } from "./link.ts";
import { placesIn } from "./places.ts";
import { type LastRestore, placeStaged, readLastRestore, rememberFailure, undoRestore } from "./restore.ts";
import { freeBytes, megabytes, RESERVE_BYTES } from "./space.ts";
import { type Staged, stagedHome } from "./stage.ts";
import type { Schemas } from "./staged-databases.ts";
import { resumeSwap } from "./swap.ts";
import { takeTurn } from "./turn.ts";

/** What whoever runs the hub does between stopping it and starting it again. */
export interface Restart {
  /** Exchanges the files; the hub is down and its lock free. Throws HubError with nothing changed: start the old again. */
  apply(): Promise<void>;
  /** Takes it back, where the hub does not start with what was restored. */
  revert(reason: string): Promise<void>;
}

export interface Upload {
  body: ReadableStream<Uint8Array> | null;
  /** As the client says. */
  bytes: number | undefined;
  passphrase: string | undefined;
}

export interface Accepted extends Staged {
  /** To be called when the answer is out. */
  restart(): void;
}

export interface Restores {
  /** Takes the archive in and verifies it. Throws HubError with nothing changed. */
  receive(upload: Upload): Promise<Accepted>;
  last(): LastRestore | null;
}

export interface RestoresOptions {
  home: Home;
  schemas: Schemas;
  clock: Clock;
  log: Log;
  /** See worker-source.ts. */
  worker: string | URL;
  /** Tried where the client gives none. */
  passphrase: string | undefined;
  /** What is wrong with the text of a hub.toml; empty where the hub would start with it. */
  configProblems: (text: string) => string[];
  /** Stops the hub, applies, and starts it again; returns at once. */
  requestRestart: (restart: Restart) => void;
}

export function createRestores(options: RestoresOptions): Restores {
  const { home, schemas, clock, log, worker } = options;
  return {
    async receive({ body, bytes, passphrase = options.passphrase }) {
      if (!body) throw new HubError("invalid", "the body must be the archive: send the zip itself");
      const turn = takeTurn(home);
      const { restoreWork } = placesIn(home);
      try {
        mkdirSync(restoreWork, { recursive: true, mode: 0o700 });
        const file = join(restoreWork, "upload");
        await takeIn(body, { file, bytes });
        await using task = startTask(worker, {
          kind: "stage",
          root: home.root,
          file,
          schemas,
          ...(passphrase === undefined ? {} : { passphrase }),
        });
        const staged = await task.result;
        rmSync(file, { force: true });
        refuseLockOut(options);
        log.warn("a restore was accepted; the hub restarts with it", { ...staged.counts });
        const restart = restartWith(options, staged, turn);
        return { ...staged, restart: () => options.requestRestart(restart) };
      } catch (error) {
        rmSync(restoreWork, { recursive: true, force: true });
        turn[Symbol.dispose]();
        throw error;
      }
    },
    last: () => readLastRestore(home),
  };

  function restartWith({ home }: RestoresOptions, staged: Staged, turn: Disposable): Restart {
    return {
      async apply() {
        try {
          using _lock = lockHome(home);
          resumeSwap(home);
          placeStaged(home, staged, clock.now());
        } catch (error) {
          rememberFailure(home, error, clock.now());
          throw error;
        } finally {
          turn[Symbol.dispose]();
        }
      },
      async revert(reason) {
        await undoRestore(home, clock.now());
        rememberFailure(home, new Error(`the hub did not start with it, so it was taken back: ${reason}`), clock.now());
      },
    };
  }
}

/** Over the network nobody stands by: what would keep the hub from starting is refused. */
function refuseLockOut({ home, configProblems }: RestoresOptions): void {
  const { hubToml } = stagedHome(home);
  if (!existsSync(hubToml)) return;
  const problems = configProblems(readFileSync(hubToml, "utf8"));
  if (problems.length > 0)
    throw new HubError(
      "invalid",
      `the hub would not start with the archive's hub.toml: ${problems.join("; ")}; mend it there, or use \`hub restore\` on the machine`,
    );
}

const LOOK_EVERY_BYTES = 16 * 1024 * 1024;

/** To the disk as it comes, as far as there is room. */
async function takeIn(
  body: ReadableStream<Uint8Array>,
  { file, bytes: told = 0 }: { file: string; bytes: number | undefined },
): Promise<void> {
  const folder = join(file, "..");
  const room = (): number => freeBytes(folder) - RESERVE_BYTES;
  if (told > room()) throw noRoom(told, room());
  const out = await open(file, "wx", 0o600);
  let got = 0;
  let looked = 0;
  try {
    for await (const chunk of body as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>) {
      for (let at = 0; at < chunk.length; ) at += (await out.write(chunk, at)).bytesWritten;
      got += chunk.length;
      if (got - looked < LOOK_EVERY_BYTES) continue;
      looked = got;
      if (room() < 0) throw noRoom(got, room());
    }
  } catch (error) {
    if (error instanceof HubError) throw error;
    if (isStorageFault(error)) throw noRoom(got, 0);
    throw new HubError("invalid", `the archive did not arrive whole: ${messageOf(error)}; send it again`);
  } finally {
    await out.close();
  }
  if (got < told)
    throw new HubError("invalid", `the archive did not arrive whole: ${got} of ${told} bytes; send it again`);
}

function noRoom(bytes: number, available: number): HubError {
  const free = Math.max(0, available);
  return new HubError(
    "storage",
    `the archive has ${megabytes(bytes)} or more, and there is room for ${megabytes(free)}: free some space`,
    {
      details: { needed_bytes: bytes, available_bytes: free },
    },
  );
}
