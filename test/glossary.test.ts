// The field's words in names, instead of a dialect of this house that a stranger would have to learn: what was renamed does not come back.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";

const ROOT = resolve(import.meta.dir, "..");
const INSTEAD: readonly (readonly [name: RegExp, instead: string])[] = [
  [/\b(?:MOST|LONGEST|LARGEST)_[A-Z]\w*/g, "MAX_…"],
  [/\b(?!largestUnit\b|mostHere\b)(?:most|longest|largest)[A-Z]\w*/g, "max…"],
  [/\b(?:\w+_)?AGAIN_MS\b/g, "RETRY_MS, POLL_MS or INTERVAL_MS"],
  [/\bPATIENCE(?:_MS)?\b/g, "TIMEOUT_MS or GRACE_MS"],
  [/\b\w*[vV]eil\w*/g, "redact"],
  [/\b\w*[tT]enure\w*/g, "lease holder"],
  [/\b\w*[dD]amper\w*/g, "coalescer"],
  [/core\/edge|\b\w*TestEdge\b/g, "platform"],
  [/core\/gate\b|\b(?:OwnGate|behindGate|HouseGate)\b/g, "fence"],
];
const HERE = "test/glossary.test.ts";

test("names are the field's words", () => {
  const files = [...new Glob("{src,plugins,test}/**/*.{ts,tsx}").scanSync(ROOT), "build.ts"].filter(
    (file) => file !== HERE && !file.includes("node_modules"),
  );
  expect(files.length).toBeGreaterThan(2000);
  const found = files.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), "utf8");
    return INSTEAD.flatMap(([name, instead]) =>
      [...text.matchAll(name)].map(([word]) => `${file}: ${word}; say ${instead}`),
    );
  });
  expect(found).toEqual([]);
});
