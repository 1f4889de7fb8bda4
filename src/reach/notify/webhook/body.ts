// What a webhook sends: the hub's own JSON or the template of the configuration, alone or with the picture as a file beside it.
import type { ChannelMessage } from "../channel.ts";
import { messageJson } from "../message-json.ts";
import { type FormField, formWithFile } from "../multipart.ts";
import { type ContentType, filled } from "./template.ts";
import type { Values } from "./values.ts";

export interface BodySettings {
  body?: string | undefined;
  content_type: ContentType;
  image?: "base64" | "multipart" | undefined;
}

export interface WebhookBody {
  body: Uint8Array<ArrayBuffer>;
  contentType: string;
}

export function webhookBody(
  settings: BodySettings,
  message: ChannelMessage,
  { values, houseTime }: { values: Values; houseTime: (at: number) => string },
): WebhookBody {
  const { body, content_type, image } = settings;
  const ownJson = () => JSON.stringify(messageJson(message, houseTime, { picture: image === "base64" }));
  const text = body === undefined ? ownJson() : filled(body, values, content_type);
  const { picture } = message;
  if (image !== "multipart" || !picture)
    return {
      body: new TextEncoder().encode(text),
      contentType: content_type === "application/json" ? content_type : `${content_type}; charset=utf-8`,
    };
  return formWithFile(fieldsOf(text, content_type), { ...picture, as: "file" });
}

/** A form is sent as its fields, and any other body as the field in which Discord looks for it. */
function fieldsOf(text: string, type: ContentType): FormField[] {
  if (type !== "application/x-www-form-urlencoded") return [{ name: "payload_json", type, value: text }];
  return [...new URLSearchParams(text)].map(([name, value]) => ({ name, value }));
}
