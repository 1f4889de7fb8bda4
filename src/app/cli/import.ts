// hub import: moves a house from another hub into this home. The hub must be stopped, as for a restore.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { readModesFile } from "../../house/state/virtual/modes-file.ts";
import { HubError } from "../../kit/schema/errors.ts";
import { actAsOwner } from "../../server/home/owner.ts";
import { type Home, homeAt } from "../../server/home/paths.ts";
import { checkConfig } from "../config/load.ts";
import { openOldArchive } from "../import/homecore/archive.ts";
import { importHomecore } from "../import/homecore/import-homecore.ts";
import type { RuleVerdict } from "../import/homecore/options.ts";
import { textOf } from "../import/staged-home.ts";
import { hubToml } from "./assets.ts";
import { findRuleProblems } from "./check.ts";
import { type Command, homeOf, homeOption, type Invocation } from "./command.ts";
import { assertNoStandby, insteadOf } from "./hub-only.ts";
import { importJson, importText } from "./import-text.ts";
import { layOut } from "./prepare.ts";

const TOKEN_VARIABLE = "HOMECORE_TOKEN";

export const importCommand: Command = {
  options: {
    ...homeOption,
    url: { type: "string", value: "ADDRESS", doc: "where homeCore runs, such as http://192.168.1.20:8080" },
    token: {
      type: "string",
      value: "TOKEN",
      doc: `that of an administrator of homeCore; better in ${TOKEN_VARIABLE}, where nobody else on the machine sees it`,
    },
    "token-stdin": { type: "boolean", doc: "read the token from standard input" },
    backup: {
      type: "string",
      value: "ZIP",
      completes: "file",
      doc: "a backup of homeCore: its history, configuration and plugins",
    },
    "dry-run": { type: "boolean", doc: "say what would be moved, and change nothing" },
    json: { type: "boolean", doc: "print JSON" },
  },
  maxPositionals: 1,
  async run(invocation) {
    const { io, options, positionals } = invocation;
    if (positionals[0] !== "homecore")
      throw new HubError("invalid", "say what to move from: hub import homecore --url ADDRESS");
    const { url, backup } = options;
    if (typeof url !== "string") throw new HubError("invalid", "say where homeCore runs: --url http://ADDRESS:8080");
    const dryRun = options["dry-run"] === true;
    const named = homeOf(invocation);
    if (!dryRun) assertNoStandby(named, insteadOf("moved"));
    const token = await readToken(invocation);
    // Before the owner's rights are taken: only root may be able to read it.
    using archive = typeof backup === "string" ? await openOldArchive(resolve(backup)) : undefined;
    using place = placeFor(named, dryRun);
    const { home } = place;
    const imported = await importHomecore({
      ...{ home, url, token, archive, dryRun, platform: io.platform, untouchedHubToml: hubToml },
      prepareHome: () => void (!dryRun && !existsSync(home.hubToml) && layOut(home, io)),
      progress: (step) => void (io.platform.stderr.isTerminal && io.platform.stderr.write(`${step} …\n`)),
      checkRules: (staged) => ruleVerdicts(staged),
    });
    const shown = { ...imported, home: named, url, dryRun };
    io.platform.stdout.write(options.json ? importJson(shown) : importText(shown));
    return 0;
  },
};

/** The home; a dry run where there is none works in an empty folder instead, so that none comes to be. */
function placeFor(home: Home, dryRun: boolean): Disposable & { home: Home } {
  if (dryRun && !existsSync(home.root)) {
    const folder = mkdtempSync(join(tmpdir(), "hub-import-"));
    return { home: homeAt(folder), [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
  }
  const owner = actAsOwner(home);
  return { home, [Symbol.dispose]: () => owner[Symbol.dispose]() };
}

async function readToken({ options, io }: Invocation): Promise<string> {
  if (typeof options.token === "string") return options.token;
  if (options["token-stdin"]) return (await io.readStdin()).trim();
  const token = io.platform.env[TOKEN_VARIABLE]?.trim();
  if (token) return token;
  throw new HubError(
    "invalid",
    `give the token of an administrator of homeCore: in ${TOKEN_VARIABLE}, with --token-stdin, or with --token`,
  );
}

/** What `hub check` would say of each rule file of a home, in one line; by the name of the file. */
function ruleVerdicts(home: Home): ReadonlyMap<string, RuleVerdict> {
  const { config } = checkConfig(textOf(home.hubToml) ?? "", { otherMqttAccounts: true });
  const { modes, broken } = readModesFile(home.modesToml, { located: config?.location.latitude !== undefined });
  const ids = broken === "unknown" ? undefined : new Set([...(modes ?? []).map(({ id }) => id), ...broken]);
  const verdicts = new Map<string, { problem: string | undefined; warnings: number }>();
  for (const { file, message, path, warning } of findRuleProblems(home, { config, modes: ids }).findings) {
    const name = basename(file);
    const verdict = verdicts.get(name) ?? { problem: undefined, warnings: 0 };
    if (warning) verdict.warnings++;
    else verdict.problem ??= path ? `${path}: ${message}` : message;
    verdicts.set(name, verdict);
  }
  return verdicts;
}
