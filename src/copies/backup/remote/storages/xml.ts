// Reads the few values that answers of S3 and WebDAV hold.
import { Parser } from "htmlparser2";

/** Of each `element`, the texts of the named ones in it; undefined where it has none. Names are without their namespace. */
export function textsOf(xml: string, element: string, names: readonly string[]): (string | undefined)[][] {
  const found: (string | undefined)[][] = [];
  let current: (string | undefined)[] | undefined;
  let inside = -1;
  const parser = new Parser(
    {
      onopentag(tag) {
        const name = localName(tag);
        if (name === element) current = names.map(() => undefined);
        const at = names.indexOf(name);
        if (!current || at < 0) return;
        inside = at;
        current[at] ??= "";
      },
      ontext(text) {
        if (current && inside >= 0) current[inside] = (current[inside] ?? "") + text;
      },
      onclosetag(tag) {
        if (localName(tag) === names[inside]) inside = -1;
        if (localName(tag) !== element || !current) return;
        found.push(current);
        current = undefined;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return found;
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(":") + 1);
}
