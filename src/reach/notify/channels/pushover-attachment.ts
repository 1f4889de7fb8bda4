// The picture of a message of `push_app`, as the attachment of its form.
import type { Picture } from "../channel.ts";
import { formWithFile } from "../multipart.ts";
import type { PostAnswer, PostRequest } from "../web-service.ts";

/** `form` is the message, url-encoded. */
export function bodyOf(form: string, picture: Picture | undefined): Pick<PostRequest, "contentType" | "body"> {
  if (!picture) return { contentType: "application/x-www-form-urlencoded", body: form };
  const fields = [...new URLSearchParams(form)].map(([name, value]) => ({ name, value }));
  return formWithFile(fields, { ...picture, as: "attachment" });
}

/** Whether the same without its picture might be accepted. */
export function isAboutPicture({ status, json }: PostAnswer): boolean {
  if (status === 413) return true;
  if (status < 400 || status >= 500 || status === 429) return false;
  return json?.attachment !== undefined || /attachment|image/i.test(String(json?.errors));
}
