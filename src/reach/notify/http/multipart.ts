// A form with one file (RFC 7578). FormData would make every line break of the texts a CRLF.
import type { Picture } from "../channel.ts";
import type { PostRequest } from "./web-service.ts";

export interface FormField {
  readonly name: string;
  readonly value: string;
  /** Where a receiver wants to know the type of the text. */
  readonly type?: string;
}

/** `as` is the field of the file. The same form has the same bytes. */
export function formWithFile(
  fields: Iterable<FormField>,
  { as, name, type, bytes }: Picture & { as: string },
): Pick<PostRequest, "contentType"> & { body: Buffer<ArrayBuffer> } {
  // What is made of the file's bytes does not stand in them.
  const boundary = `hub-${Bun.hash(bytes).toString(16)}-${Bun.hash(name).toString(16)}`;
  const part = (disposition: string, contentType?: string): string => {
    const typed = contentType === undefined ? "" : `Content-Type: ${contentType}\r\n`;
    return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${typed}\r\n`;
  };
  const texts = [...fields].map((one) => `${part(`name="${quotable(one.name)}"`, one.type)}${one.value}\r\n`);
  const file = part(`name="${as}"; filename="${quotable(name)}"`, fileType(type));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.concat([Buffer.from(texts.join("") + file), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}

function quotable(name: string): string {
  return name.replace(/[^\x20-\x7e]|["\\]/g, "_");
}

function fileType(type: string): string {
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
}
