// A trigger, condition or action as RON in one line.
import type { JsonObject } from "../../src/kit/schema/json.ts";
import type { Kind } from "../../src/rules/model/fields.ts";
import { writeRon } from "../../src/rules/parse/ron/write.ts";
import { ruleShape } from "../../src/rules/read/vocabulary.ts";

const shape = ruleShape();

export function ronOf(kind: Kind, value: JsonObject): string {
  const written = writeRon({ [`${kind}s`]: [value] }, shape);
  const [, inner = ""] = /\[\n([\s\S]*),\n +\],\n\)\n$/.exec(written) ?? [];
  return inner
    .trim()
    .replaceAll(/([([{])\n +/g, "$1")
    .replaceAll(/,\n +([)\]}])/g, "$1")
    .replaceAll(/\n +/g, " ");
}
