// What a server says of the logins it takes, in `WWW-Authenticate` (RFC 9110, 11.6.1): there may be several.

export interface Challenge {
  /** In lower case: `basic`, `digest`. */
  readonly scheme: string;
  /** Names in lower case, values without quotes. */
  readonly parameters: Readonly<Record<string, string>>;
}

const LONGEST = 4096;
/** A name, and its value where it is a parameter; a name without one begins a challenge. */
const PART = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s",]+)))?/g;

export function challengesIn(header: string | null): Challenge[] {
  const found: { scheme: string; parameters: Record<string, string> }[] = [];
  for (const [, name = "", quoted, plain] of (header ?? "").slice(0, LONGEST).matchAll(PART)) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain;
    const last = found.at(-1);
    if (value === undefined) found.push({ scheme: name.toLowerCase(), parameters: Object.create(null) });
    else if (last) last.parameters[name.toLowerCase()] = value;
  }
  return found;
}
