// The texts where the sources run as they are, in tests. The page has, in the place of this module, what the build makes of the same
// catalogues (`bundleTexts`).
import { type Catalogue, compileCatalogue } from "./compile.ts";
import english from "./en.json";
import type { Texts } from "./message.ts";

// The page's project knows no Bun.
declare const Bun: {
  Glob: new (pattern: string) => { scanSync(folder: string): Iterable<string> };
  file(path: URL): { json(): Promise<Readonly<Record<string, string>>> };
};

const files = [...new Bun.Glob("*.json").scanSync(new URL(".", import.meta.url).pathname)];
const all = new Map(
  await Promise.all(
    files.map(async (file): Promise<[string, Catalogue]> => {
      const own = await Bun.file(new URL(file, import.meta.url)).json();
      return [file.slice(0, -".json".length), compileCatalogue(own, english)];
    }),
  ),
);

/** Each by its code, with its own name for itself. */
export const LANGUAGES: Readonly<Record<string, string>> = Object.fromEntries(
  [...all].map(([code, { name }]) => [code, name]).sort(),
);

/** English, of the first view: it is there at once. */
export const firstEnglish = catalogueOf("en").first;

export async function loadFirst(language: string): Promise<Texts> {
  return catalogueOf(language).first;
}

export async function loadRest(language: string): Promise<Texts> {
  return catalogueOf(language).later;
}

function catalogueOf(language: string): Catalogue {
  const found = all.get(language);
  if (!found) throw new Error(`there is no language ${language}`);
  return found;
}
