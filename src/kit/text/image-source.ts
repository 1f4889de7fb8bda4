// Where the picture of a message comes from, as rules name it: `device:ID`, `device:ID/ATTRIBUTE`, `mqtt:TOPIC`, or a file of the
// house's folder for pictures.
import { isValidId } from "../schema/ids.ts";
import { isTopicName } from "./topic-filter.ts";

/** The folder of HUB_HOME whose files may be sent. */
export const PICTURE_FOLDER = "pictures";

export type ImageSource =
  | { readonly kind: "device"; readonly id: string; readonly attribute: string | undefined }
  | { readonly kind: "mqtt"; readonly topic: string }
  /** Relative to HUB_HOME. */
  | { readonly kind: "file"; readonly path: string };

/** The source, or what is wrong with the text. */
export function parseImageSource(text: string): ImageSource | { readonly problem: string } {
  const [, scheme, rest = ""] = /^(device|mqtt):(.*)$/s.exec(text) ?? [];
  if (scheme === "device") {
    const slash = rest.indexOf("/");
    const id = slash < 0 ? rest : rest.slice(0, slash);
    const attribute = slash < 0 ? undefined : rest.slice(slash + 1);
    if (!isValidId(id)) return { problem: `"${id}" cannot be the id of a device` };
    return attribute === ""
      ? { problem: "the attribute is missing behind the slash" }
      : { kind: "device", id, attribute };
  }
  if (scheme === "mqtt") {
    return isTopicName(rest) ? { kind: "mqtt", topic: rest } : { problem: `"${rest}" is not a topic` };
  }
  const steps = text.split("/");
  const isInside = steps[0] === PICTURE_FOLDER && steps.length > 1;
  if (isInside && steps.every((step) => /^[^\\\p{Cc}]+$/u.test(step) && step !== "." && step !== ".."))
    return { kind: "file", path: text };
  return {
    problem: `must be \`device:ID\`, \`device:ID/ATTRIBUTE\`, \`mqtt:TOPIC\` or a file such as \`${PICTURE_FOLDER}/plan.png\``,
  };
}
