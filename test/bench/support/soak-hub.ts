// A hub in this process with a clock that is moved on by hand, whose output nobody keeps: for hours that take seconds.
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { checkConfig } from "../../../src/app/config/load.ts";
import { createHub } from "../../../src/app/hub.ts";
import { openLog } from "../../../src/kit/lifecycle/log.ts";
import type { Output } from "../../../src/kit/lifecycle/platform.ts";
import { homeAt } from "../../../src/server/home/paths.ts";
import type { TemporaryFolder } from "../../support/temporary-folder.ts";
import type { VirtualClock } from "../../support/virtual-clock.ts";

export interface SoakHub extends AsyncDisposable {
  readonly url: string;
  readonly mqttPort: number;
  readonly admin: { username: string; password: string };
  /** Lines of the log at warning level and above, by their text: how often. */
  readonly complaints: ReadonlyMap<string, number>;
}

export async function startSoakHub(folder: TemporaryFolder, clock: VirtualClock, toml: string): Promise<SoakHub> {
  const home = homeAt(folder.path);
  for (const path of [home.config, home.data, home.logs, home.rules, home.plugins])
    mkdirSync(path, { recursive: true });
  const { config, problems } = checkConfig(toml);
  if (!config) throw new Error(`the soak's configuration: ${JSON.stringify(problems)}`);
  const complaints = new Map<string, number>();
  const output: Output = {
    isTerminal: false,
    isJournal: false,
    write(text) {
      for (const [, line = ""] of text.matchAll(/\[(?:WRN|ERR)\] ?(.{0,160})/g)) {
        const kind = line
          .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID")
          .replace(/\d+/g, "N")
          .slice(0, 110);
        complaints.set(kind, (complaints.get(kind) ?? 0) + 1);
      }
    },
  };
  await using stack = new AsyncDisposableStack();
  const { log } = stack.use(openLog({ clock, output, level: "info" }));
  let admin = { username: "", password: "" };
  const hub = stack.use(
    await createHub({
      config,
      home,
      platform: {
        clock,
        fetch,
        random: (bytes) => randomBytes(bytes),
        env: { PATH: process.env.PATH ?? "" },
        stdout: output,
        stderr: output,
      },
      log,
      version: "0.0.0-soak",
      execPath: process.execPath,
      requestRestart() {},
      onFirstAdministrator: (made) => (admin = made),
    }),
  );
  const parts = stack.move();
  return {
    url: `http://127.0.0.1:${hub.httpPort}/api/v1`,
    mqttPort: hub.mqttPort,
    admin,
    complaints,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
