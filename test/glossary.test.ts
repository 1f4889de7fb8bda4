// The field's words in names, instead of a dialect of this house that a stranger would have to learn: what was renamed does not come back.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";

type Rule = readonly [name: RegExp, instead: string];

const ROOT = resolve(import.meta.dir, "..");
/** Nowhere, comments and texts included. */
const INSTEAD: readonly Rule[] = [
  [/\b(?:MOST|LONGEST|LARGEST)_[A-Z]\w*/g, "MAX_…"],
  [/\b(?!largestUnit\b|mostHere\b)(?:most|longest|largest)[A-Z]\w*/g, "max…"],
  [/\b(?:\w+_)?AGAIN_MS\b/g, "RETRY_MS, POLL_MS or INTERVAL_MS"],
  [/\bPATIENCE(?:_MS)?\b/g, "TIMEOUT_MS or GRACE_MS"],
  [/\b\w*[vV]eil\w*/g, "redact"],
  [/\b\w*[tT]enure\w*/g, "lease holder"],
  [/\b\w*[dD]amper\w*/g, "coalescer"],
  [/core\/edge|\b\w*TestEdge\b/g, "platform"],
  [/core\/gate\b|\b(?:OwnGate|behindGate|HouseGate)\b/g, "fence"],
  [/\bstand-in|\b\w*[sS]tandIn\w*/g, "disabled part, or fake in a test"],
  [/\b\w*[aA]doption\w*/g, "take-over"],
  [/\b\w+Leftover\w*|\bLeftover\w*|\b(?<!["/])leftovers\b(?!["`.])/g, "handback, unsynced tail or orphans"],
];
/** Plain English in a sentence, but no names in code. */
const NO_NAMES: readonly Rule[] = [
  [
    /(?<![-\w])#?(?:\w*[a-z]T|[tT])(?:ell|old)(?:s|ing|ings|er|ers)?(?:[A-Z]\w*)?\b/g,
    "emit, notify, report, send or distinguish",
  ],
  [/(?<!\w)#?(?:un|isUn)told\b|\b(?:\w+_)?(?:TOLD|TELL|TELLING)(?:_\w+)?\b/g, "reported, announced or notified"],
  [/(?<![-\w])#?(?:\w*[a-z]H|[hH]|\w*[uU]nh)ear(?:d|s|ing)?(?:[A-Z]\w*)?\b/g, "receive, lastSeen or listen"],
  [/\b(?:books?|open\w*Books?|\w+Book)\b/g, "repository or log"],
  [/\b\w*Desk\b/g, "control"],
  [/#greet\w*|\bGreeting\b/g, "birth and will"],
  [/(?<!Object\.)\bfreeze\b|\b(?:Frozen|thaw)\w*/g, "snapshot"],
  [
    /(?<![-\w])#?(?:\w*[a-z]F|[fF]|\w*[uU]nf)old(?!er|Lines)(?:ed|ing|s)?(?:[A-Z]\w*)?\b/g,
    "checkpoint, or the journal's tail",
  ],
  [
    /\b(?:db|hub\.db|one)\.behind\b|\bbehind(?=\.(?:mark|flush|forget|query|transaction)\b)|\b(?:save|remove)\w*Behind\b/g,
    "relaxed (a connection) or writeBehind (a queue)",
  ],
  [/\b(?:outbox|messenger)\.post\w*/g, "enqueue"],
];
/** Columns of databases, and what others gave their names to. */
const KEPT: readonly string[] = [
  "src/reach/notify/notices/store.ts: told",
  // Rows of a page, and letters without their case.
  "src/page/parts/devices/group-members.tsx: FoldedMembers",
  "src/page/views/groups.tsx: FoldedMembers",
  "src/page/views/search/search.ts: folded",
  "src/rules/read/read-typed.ts: folded",
];
const HERE = "test/glossary.test.ts";
const INNER = /`(?:\\.|\$\{[^{}`]*\}|\$(?!\{)|[^`\\$])*`/;
const HOLE = new RegExp(String.raw`\$\{(?:[^{}\`]|\{[^{}\`]*\}|${INNER.source})*\}`);
/** Comments, texts and regular expressions; in a template, what is written into it as well. */
const SENTENCES = new RegExp(
  [
    /\/\/.*|\/\*[\s\S]*?\*\//,
    /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/,
    new RegExp(String.raw`\`(?:\\.|${HOLE.source}|\$(?!\{)|[^\`\\$])*\``),
    /(?<=[(=,:[?]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

const files = [...new Glob("{src,plugins,test}/**/*.{ts,tsx}").scanSync(ROOT), "build.ts"].filter(
  (file) => file !== HERE && !file.includes("node_modules"),
);

function found(rules: readonly Rule[], read: (text: string) => string): string[] {
  return files.flatMap((file) => {
    const text = read(readFileSync(join(ROOT, file), "utf8"));
    return rules.flatMap(([name, instead]) =>
      [...text.matchAll(name)].flatMap(([word]) => {
        const place = `${file}: ${word.trim()}`;
        return KEPT.includes(place) ? [] : [`${place}; say ${instead}`];
      }),
    );
  });
}

test("names are the field's words", () => {
  expect(files.length).toBeGreaterThan(2000);
  expect(found(INSTEAD, (text) => text)).toEqual([]);
  expect(found(NO_NAMES, (text) => text.replace(SENTENCES, " "))).toEqual([]);
});
