// hub completion: a shell's script, and the words that it offers. The script passes what is typed to `hub completion words`, so all
// shells share one list: the commands, their options, and what the hub knows.
import { HubError } from "../../kit/schema/errors.ts";
import type { Command, Invocation, ListedCommand } from "./command.ts";
import { candidatesFor } from "./completion/candidates.ts";
import { SCRIPTS } from "./completion/scripts.ts";

/** `commands`: all there are, this one too. */
export function completionOf(commands: readonly ListedCommand[]): Command {
  return {
    options: {},
    maxPositionals: 1000,
    run: (invocation) => complete(commands, invocation),
  };
}

async function complete(commands: readonly ListedCommand[], invocation: Invocation): Promise<number> {
  const [shell = "", ...words] = invocation.positionals;
  const { stdout } = invocation.io.platform;
  if (shell === "words") {
    stdout.write((await candidatesFor(words, { commands, invocation })).map((word) => `${word}\n`).join(""));
    return 0;
  }
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined || words.length > 0)
    throw new HubError("invalid", "say `hub completion bash`, `zsh` or `fish`");
  stdout.write(script("hub"));
  return 0;
}
