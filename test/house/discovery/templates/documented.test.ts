// docs/devices.md lists what templates may use. UPDATE_DOCS=1 writes the list.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { FILTERS } from "../../../../src/house/discovery/templates/filters/filters.ts";
import { CONSTANTS, FUNCTIONS } from "../../../../src/house/discovery/templates/functions.ts";
import { METHOD_NAMES } from "../../../../src/house/discovery/templates/methods.ts";
import { TESTS } from "../../../../src/house/discovery/templates/tests.ts";

const PAGE = join(import.meta.dir, "..", "..", "..", "..", "docs", "devices.md");
const LIST = /(?<=<!-- templates -->\n)[\s\S]*(?=<!-- \/templates -->)/;

function list(title: string, names: Iterable<string>): string {
  const sorted = [...names].sort();
  return `**${title}**: ${sorted.map((name) => `\`${name}\``).join(", ")}.\n\n`;
}

test("the list of what templates may use is that of the code", async () => {
  const wanted = [
    list("Filters", Object.keys(FILTERS)),
    list("Functions and constants", [...FUNCTIONS.keys(), ...CONSTANTS.keys()]),
    list("Tests", Object.keys(TESTS)),
    list("Methods", METHOD_NAMES),
  ].join("");
  const page = await Bun.file(PAGE).text();
  if (process.env.UPDATE_DOCS)
    await Bun.write(
      PAGE,
      page.replace(LIST, () => `\n${wanted}`),
    );
  else expect(LIST.exec(page)?.[0].trim()).toBe(wanted.trim());
});
