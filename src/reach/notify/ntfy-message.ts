// A message as ntfy takes it: as JSON, or as headers beside a file. See https://docs.ntfy.sh/publish/
import { answerLinks } from "./answer-links.ts";
import type { ChannelMessage } from "./channel.ts";
import { shorten } from "./markup/long-text.ts";
import { fitted, isSilent, textOf } from "./plain-message.ts";

/** Of 4,096 and more, ntfy makes a file, or refuses it where files are off. */
const MAX_BYTES = 4095;
/** ntfy refuses a message that is longer than 8,191 with all that belongs to it; its topic is added later. */
const MAX_JSON = 8000;
const MAX_TITLE = 250;
const SILENT = 2;
/** The server refuses more. */
const MAX_BUTTONS = 3;

export interface NtfyMessage {
  message: string;
  title: string;
  /** From 1 to 5. */
  priority?: number;
  tags?: string[];
  markdown?: true;
  /** What a tap on the message opens. */
  click?: string;
  actions?: { action: "http"; label: string; url: string; method: "POST"; clear: true }[];
  /** A later message with the same one takes this one's place, a copy that arrives twice included. */
  sequence_id: string;
}

export interface NtfySettings {
  config: { priority?: number | undefined; tags: readonly string[]; markdown: boolean };
  houseTime: (at: number) => string;
  /** Of the message that is replaced; its own id when absent. */
  sequence?: string | undefined;
}

export function ntfyForm(
  message: ChannelMessage,
  { config, houseTime, sequence = message.id }: NtfySettings,
): NtfyMessage {
  const priority = priorityOf(message, config.priority);
  const answers = answerLinks(message);
  const rest: Omit<NtfyMessage, "message"> = {
    title: shorten(message.title.toWellFormed(), MAX_TITLE),
    ...(priority !== undefined && { priority }),
    ...(config.tags.length > 0 && { tags: [...config.tags] }),
    ...(config.markdown && { markdown: true }),
    // The page that a tap opens has all answers.
    ...(answers[0] && {
      click: answers[0].url,
      actions: answers
        .slice(0, MAX_BUTTONS)
        .map(({ label, url }) => ({ action: "http", label, url, method: "POST", clear: true })),
    }),
    sequence_id: sequence,
  };
  const withText = (limit: number): NtfyMessage => ({ message: textOf(message, houseTime, limit), ...rest });
  return fitted(withText, { limit: MAX_BYTES, bytes: MAX_JSON });
}

/** From -2…2 to 1…5; undefined leaves it to the server. A silent message makes no sound whatever its priority. */
function priorityOf(message: ChannelMessage, own: number | undefined): number | undefined {
  const asked = message.priority ?? own;
  const priority = asked === undefined ? undefined : asked + 3;
  return isSilent({ ...message, ...(asked !== undefined && { priority: asked }) })
    ? Math.min(SILENT, priority ?? SILENT)
    : priority;
}

/** The same beside a file; texts are written as RFC 2047 has it, which also keeps line breaks. */
export function ntfyHeaders({ actions, tags, ...message }: NtfyMessage, filename: string): Record<string, string> {
  const entries = Object.entries({
    ...message,
    filename,
    tags: tags?.join(","),
    actions: actions && JSON.stringify(actions),
  });
  return Object.fromEntries(
    entries.flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[`x-${name.replaceAll("_", "-")}`, encodedWords(String(value))]],
    ),
  );
}

// RFC 2047 allows 75 characters for a word, `=?UTF-8?B?` and `?=` included.
const BYTES_IN_WORD = 45;

function encodedWords(text: string): string {
  const words: string[] = [];
  let word = "";
  for (const character of text) {
    if (Buffer.byteLength(word) + Buffer.byteLength(character) > BYTES_IN_WORD) {
      words.push(word);
      word = "";
    }
    word += character;
  }
  return [...words, word].map((each) => `=?UTF-8?B?${Buffer.from(each).toString("base64")}?=`).join(" ");
}
