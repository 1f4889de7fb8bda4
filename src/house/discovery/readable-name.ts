// What is called as no name may be, as a name that people can write: `CPU Info` is `cpu_info`.

/** Of JSON keys and programs, such as `energy_today`, `deviceMode` and `24_hours`. */
const IS_NAME = /^[a-z0-9_]\w*$/;
const HAS_NO_CASE = /^\w*_\w*$/;

/** As it is where it can be a name, or where nothing would be left of it. */
export function readableName(text: string): string {
  if (IS_NAME.test(text) || HAS_NO_CASE.test(text)) return text;
  const words = text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/ß/g, "ss")
    .replace(/%/g, " pct ")
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase();
  return words.replace(/[^a-z0-9]+/g, "_").replace(/^_+|_+$/g, "") || text;
}
