// Patterns in the configuration in which `*` stands for any text.

/** Matches the whole text. */
export function wildcard(pattern: string): RegExp {
  return new RegExp(`^${pattern.split("*").map(RegExp.escape).join(".*")}$`, "s");
}
