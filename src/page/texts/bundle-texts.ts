// Puts the catalogues into the page: compiled, English of the first view with it, and each other part in a file of its own.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { BunPlugin } from "bun";
import { type Catalogue, compileCatalogue } from "./compile.ts";

/** `folder`: of the catalogues, a file for each language. */
export function bundleTexts(folder: string): BunPlugin {
  return {
    name: "texts of the page",
    setup(build) {
      const all = readCatalogues(folder);
      build.onLoad({ filter: /[\\/]texts[\\/]catalogues\.ts$/ }, () => ({ contents: moduleOf(all), loader: "js" }));
      build.onResolve({ filter: /^texts:/ }, ({ path }) => ({ path: path.slice("texts:".length), namespace: "texts" }));
      build.onLoad({ filter: /.*/, namespace: "texts" }, ({ path }) => {
        const [code = "", part] = path.split("/");
        const texts = all[code]?.[part === "first" ? "first" : "later"];
        return { contents: `export const texts = ${JSON.stringify(texts)};`, loader: "js" };
      });
    },
  };
}

function readCatalogues(folder: string): Record<string, Catalogue> {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const english = read("en.json");
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(0, -".json".length), compileCatalogue(read(file), english)]),
  );
}

/** What the page has in the place of catalogues.ts. */
function moduleOf(all: Readonly<Record<string, Catalogue>>): string {
  const codes = Object.keys(all);
  const loading = (part: string, of: readonly string[]) =>
    `({${of.map((code) => `"${code}": () => import("texts:${code}/${part}")`).join()}})[language]`;
  return `
    import { texts } from "texts:en/first";
    export const LANGUAGES = ${JSON.stringify(Object.fromEntries(codes.map((code) => [code, all[code]?.name])))};
    export const firstEnglish = texts;
    export const loadFirst = async (language) =>
      language === "en" ? texts : (await ${loading(
        "first",
        codes.filter((code) => code !== "en"),
      )}()).texts;
    export const loadRest = async (language) => (await ${loading("later", codes)}()).texts;
  `;
}
