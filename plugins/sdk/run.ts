// The platform of the process: argv, environment, signals, stderr and the exit code. No other file of the kit uses them.
import { writeSync } from "node:fs";
import type { TObject } from "@sinclair/typebox";
import type { PluginDefinition } from "./definition.ts";
import { readEnvironment } from "./environment.ts";
import { messageOf } from "./json.ts";
import { startPlugin } from "./plugin.ts";

const MAX_STOP_MS = 2500;

/**
 * Runs a plugin until the hub ends it. The process exits with 0 after SIGTERM or SIGINT, and with 1, the reason
 * being the last line on stderr, when the plugin cannot start or the broker refuses its credentials.
 */
export function runPlugin<S extends TObject>(definition: PluginDefinition<S>): void {
  run(definition).then(
    () => process.exit(0),
    (error: unknown) => {
      printError(messageOf(error));
      process.exit(1);
    },
  );
}

async function run<S extends TObject>(definition: PluginDefinition<S>): Promise<void> {
  const asked = Promise.withResolvers<undefined>();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => asked.resolve(undefined));
  // Ends a start that hangs as well.
  void asked.promise.then(() => setTimeout(() => process.exit(0), MAX_STOP_MS));

  const environment = readEnvironment(process.argv.slice(2), process.env);
  const plugin = await startPlugin(definition, { environment, printError });
  const refusal = await Promise.race([asked.promise, plugin.refused]);
  await plugin.stop();
  if (refusal !== undefined) throw new Error(refusal);
}

// Synchronous, as the process may end right after it.
function printError(line: string): void {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // stderr is closed.
  }
}
