// What the placeholders of a webhook stand for.
import type { ChannelMessage } from "../channel.ts";
import { MAX_TEXT_BYTES } from "../message-json.ts";
import { isSilent, textOf } from "../plain-message.ts";

export const PLACEHOLDERS = [
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
