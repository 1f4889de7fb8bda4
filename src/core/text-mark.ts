// Where each value of a read file stands in its text: what complaints point at, and what edits replace.

export interface Mark {
  /** Where a person would look: at the key, or at the item of a list. */
  at: number;
  /** The value's own text, without wrappers such as `Some(…)`. Both are -1 for what is spread over a TOML file. */
  start: number;
  end: number;
  keys?: Map<string, Mark>;
  items?: Mark[];
}

/** The place of a dotted path, `actions[2].channel`, or of the nearest thing around it that has a place. */
export function findMark(root: Mark, path: string): Mark {
  let mark = root;
  for (const [part] of path.matchAll(/[^.[\]]+/g)) {
    const next = mark.keys?.get(part) ?? mark.items?.[Number(part)];
    if (next === undefined) return mark;
    mark = next;
  }
  return mark;
}
