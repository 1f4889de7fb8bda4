// A message as JSON, for receivers that are programs.
import type { JsonObject } from "../../kit/schema/json.ts";
import { ACKNOWLEDGE, type ChannelMessage } from "./channel.ts";
import { isSilent, textOf } from "./plain-message.ts";

/** Of the text; receivers' own limits differ. */
export const MAX_TEXT_BYTES = 256 * 1024;

/** With `picture` as base64, where it has one and that is wanted. */
export function messageJson(
  message: ChannelMessage,
  houseTime: (at: number) => string,
  { picture: wantsPicture = false } = {},
): JsonObject {
  const { id, title, priority, tag, at, late, acknowledgeUrl, actionLinks, picture } = message;
  const confirm = acknowledgeUrl === undefined ? [] : [{ id: ACKNOWLEDGE, url: acknowledgeUrl }];
  const others = actionLinks ?? message.actions ?? [];
  const actions = [...confirm, ...others.map((action) => ({ ...action }))];
  return {
    ...{ id, title: title.toWellFormed(), message: textOf(message, houseTime, MAX_TEXT_BYTES) },
    ...{ priority: priority ?? 0, silent: isSilent(message) },
    ...(tag !== undefined && { tag }),
    ...{ at: new Date(at).toISOString(), late },
    ...(actions.length > 0 && { actions }),
    ...(wantsPicture && picture && { image: imageOf(picture) }),
  };
}

function imageOf({ name, type, bytes }: NonNullable<ChannelMessage["picture"]>): JsonObject {
  return { name, type, base64: Buffer.from(bytes).toString("base64") };
}
