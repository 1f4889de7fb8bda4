// Telegram's own parser, out of TDLib, reads what the hub writes: thousands of texts of authors in each of the three parse modes, and
// what the hub holds to be right before it sends it. Needs no network but for the library, which is installed beside the project.

import { dlopen, FFIType } from "bun:ffi";
import { existsSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { clean } from "../../src/kit/text/clean-text.ts";
import type { Piece } from "../../src/kit/text/template.ts";
import { AUTHORS_MARKUPS, readMarkup } from "../../src/reach/notify/markup/read.ts";
import { telegramDialects } from "../../src/reach/notify/markup/telegram-dialects.ts";
import { writtenFor } from "../../src/reach/notify/markup/written-for.ts";
import { hardText, textIn } from "../reach/notify/authors-texts.ts";
import { SEED } from "../support/campaign.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

const VERSION = "0.1008065.0";
const PACKAGE = `@prebuilt-tdlib/linux-${process.arch === "arm64" ? "arm64" : "x64"}-glibc`;
const ROUNDS = 3000;

const MODES = {
  HTML: { "@type": "textParseModeHTML" },
  MarkdownV2: { "@type": "textParseModeMarkdown", version: 2 },
  Markdown: { "@type": "textParseModeMarkdown", version: 1 },
} as const;
type Mode = keyof typeof MODES;

function install(folder: string): string {
  const ran = Bun.spawnSync(
    ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", `${PACKAGE}@${VERSION}`],
    {
      cwd: folder,
      stdout: "ignore",
      stderr: "inherit",
    },
  );
  const path = join(folder, "node_modules", PACKAGE, "libtdjson.so");
  if (ran.exitCode !== 0 || !existsSync(path)) throw new Error(`${PACKAGE} cannot be installed`);
  return path;
}

/** `parseTextEntities` is one of TDLib's calls that need no client. */
function openParser(path: string): (mode: Mode, text: string) => { text?: string; message?: string } {
  const { symbols } = dlopen(path, { td_execute: { args: [FFIType.cstring], returns: FFIType.cstring } });
  const execute = (request: object) =>
    JSON.parse(String(symbols.td_execute(Buffer.from(`${JSON.stringify(request)}\0`)))) as {
      text?: string;
      message?: string;
    };
  execute({ "@type": "setLogVerbosityLevel", new_verbosity_level: 0 });
  return (mode, text) => execute({ "@type": "parseTextEntities", text, parse_mode: MODES[mode] });
}

using folder = createTemporaryFolder();
const parse = openParser(install(folder.path));
const failures: string[] = [];
const counts = { written: 0, own: 0, mended: 0 };

function expectAccepted(mode: Mode, source: string, about: string): void {
  const { message } = parse(mode, source);
  if (message !== undefined) failures.push(`${about} in ${mode}: ${message}: ${JSON.stringify(source)}`);
}

const cleaned = (pieces: readonly Piece[]): Piece[] =>
  pieces.map((piece) => ("markup" in piece ? { markup: clean(piece.markup) } : { value: clean(piece.value) }));

for (const [index, markup] of AUTHORS_MARKUPS.entries()) {
  for (const { pieces } of fc.sample(textIn(markup), { numRuns: ROUNDS, seed: SEED + index })) {
    for (const mode of Object.keys(MODES) as Mode[]) {
      const dialect = telegramDialects[mode];
      expectAccepted(mode, dialect.write(readMarkup(markup, cleaned(pieces))), `written from ${markup}`);
      counts.written++;
      // Without `markup`: as it is where that is right, else mended.
      const { message, note } = writtenFor(dialect, cleaned(pieces));
      expectAccepted(mode, message, note === undefined ? "an author's own" : "mended");
      counts[note === undefined ? "own" : "mended"]++;
    }
  }
}
for (const value of fc.sample(hardText, { numRuns: ROUNDS, seed: SEED }))
  for (const mode of Object.keys(MODES) as Mode[]) {
    const given = `x${clean(value).replace(/\s+/g, " ")}x`;
    const { text } = parse(mode, telegramDialects[mode].compose([{ value: given }]));
    // Telegram leaves out what turns the reading direction.
    const bare = (shown = ""): string => shown.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "");
    if (bare(text) !== bare(given)) failures.push(`a value in ${mode}: ${JSON.stringify([given, text])}`);
  }

const reported = `${counts.written} texts written, ${counts.own} of authors' own, ${counts.mended} mended`;
if (failures.length > 0) {
  process.stderr.write(`${failures.slice(0, 20).join("\n")}\n`);
  throw new Error(`Telegram's parser refuses ${failures.length} texts (${reported})`);
}
process.stdout.write(`Telegram's own parser takes all: ${reported}\n`);
