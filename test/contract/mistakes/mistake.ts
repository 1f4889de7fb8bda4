// One mistake in a file: its text, in which ◀ marks the line that is to be named, the key, and what the message says to do.
export type Mistake = readonly [marked: string, key: string, mend: string];

const MARK = /[ \t]*◀/;

/** What a person reads: the file with the line, the key where there is one, and the mend. */
export interface Expected {
  text: string;
  place: string;
  key: string;
  mend: string;
}

export function expectedOf(file: string, [marked, key, mend]: Mistake): Expected {
  const at = marked.search(MARK);
  if (at < 0) throw new Error(`no line is marked in ${JSON.stringify(marked)}`);
  const line = marked.slice(0, at).split("\n").length;
  return { text: marked.replace(MARK, ""), place: `${file}:${line}:`, key: key === "" ? "" : ` ${key}: `, mend };
}

/** Whether a line of the output names all of it. */
export function isReported(output: string, { place, key, mend }: Expected): boolean {
  return output.split("\n").some((line) => line.includes(place) && line.includes(key) && line.includes(mend));
}
