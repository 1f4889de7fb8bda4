// The placeholders of a webhook's address and body: {{title}} and others, each value written so that it stays a value.
import { didYouMean } from "../../../kit/schema/did-you-mean.ts";
import { parseJson } from "../../../kit/schema/json.ts";
import type { ChannelMessage } from "../channel.ts";
import { MAX_TEXT_BYTES } from "../message-json.ts";
import { isSilent, textOf } from "../plain-message.ts";

const PLACEHOLDERS = [
  "id",
  "title",
  "message",
  "priority",
  "silent",
  "tag",
  "at",
  "time",
  "acknowledge_url",
  "image",
  "image_type",
  "image_name",
] as const;

export type Values = Readonly<Record<(typeof PLACEHOLDERS)[number], string>>;

export const CONTENT_TYPES = [
  "application/json",
  "application/x-www-form-urlencoded",
  "text/plain",
  "application/xml",
] as const;
export type ContentType = (typeof CONTENT_TYPES)[number];

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

const WRITTEN: Readonly<Record<ContentType, (value: string) => string>> = {
  "application/json": (value) => JSON.stringify(value).slice(1, -1),
  "application/x-www-form-urlencoded": encodeURIComponent,
  "text/plain": (value) => value,
  // XML has no way to write most control characters.
  "application/xml": (value) =>
    value.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "").replace(/[^\P{Cc}\t\n\r]/gu, ""),
};

/** The template with its values, written as this type of content needs it. */
export function filled(template: string, values: Values, type: ContentType): string {
  return template.replace(PLACEHOLDER, (source, name: string) =>
    Object.hasOwn(values, name) ? WRITTEN[type](values[name as keyof Values]) : source,
  );
}

/** What is wrong with a template; undefined if nothing is. */
export function templateProblem(template: string, type: ContentType): string | undefined {
  const unknown = [...template.matchAll(PLACEHOLDER)].find(([, name = ""]) => !isPlaceholder(name));
  if (unknown) {
    const [source, name = ""] = unknown;
    const meant = didYouMean(name, PLACEHOLDERS) || `; there are ${PLACEHOLDERS.join(", ")}`;
    return `unknown placeholder ${source}${meant}`;
  }
  if (type !== "application/json") return undefined;
  const read = parseJson(filled(template, SAMPLES, type));
  return read.ok ? undefined : 'is no JSON: texts need quotes, as in {"text": "{{message}}"}, numbers none';
}

function isPlaceholder(name: string): boolean {
  return (PLACEHOLDERS as readonly string[]).includes(name);
}

const SAMPLES: Values = {
  ...{ id: "x", title: "x", message: "x", tag: "x", at: "x", time: "x", acknowledge_url: "x" },
  ...{ image: "x", image_type: "x", image_name: "x" },
  priority: "0",
  silent: "false",
};

/** What the placeholders stand for. */
export function valuesOf(
  message: ChannelMessage,
  { image }: { image?: "base64" | "multipart" | undefined },
  houseTime: (at: number) => string,
): Values {
  const picture = image === "base64" ? message.picture : undefined;
  return {
    id: message.id,
    title: message.title.toWellFormed(),
    message: textOf(message, houseTime, MAX_TEXT_BYTES),
    priority: String(message.priority ?? 0),
    silent: String(isSilent(message)),
    tag: (message.tag ?? "").toWellFormed(),
    at: new Date(message.at).toISOString(),
    time: houseTime(message.at),
    acknowledge_url: message.acknowledgeUrl ?? "",
    image: picture ? Buffer.from(picture.bytes).toString("base64") : "",
    image_type: message.picture?.type ?? "",
    image_name: (message.picture?.name ?? "").toWellFormed(),
  };
}
