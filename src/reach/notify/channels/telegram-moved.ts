// The id that a group got in place of the one in the configuration: what people answer there comes from it, also after a restart.
import { messageOf } from "../../../kit/schema/errors.ts";
import type { ChannelDeps } from "../channel.ts";

export interface MovedChat {
  /** Undefined where it did not move. */
  to(): string | undefined;
  moveTo(chat: string): void;
}

export function openMovedChat(
  config: { readonly bot_token: string; readonly chat_id: string },
  { kept, log }: Pick<ChannelDeps, "kept" | "log">,
): MovedChat {
  const [bot = ""] = config.bot_token.split(":");
  const key = `telegram_moved ${bot} ${config.chat_id}`;
  let current = kept?.get(key);
  return {
    to: () => current,
    moveTo(chat) {
      if (chat === current) return;
      current = chat;
      try {
        kept?.set(key, chat);
      } catch (error) {
        log.error("that a group moved cannot be written", { error: messageOf(error) });
      }
    },
  };
}
