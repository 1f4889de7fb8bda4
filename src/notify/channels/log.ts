// `log`: the message is written to the server's output only. Always there; nothing of it is configured.
import type { Log } from "../../core/log.ts";
import { type Channel, plainText } from "../channel.ts";

export function createLogChannel(log: Log): Channel {
  return {
    name: "log",
    kind: "log",
    limits: {},
    ...plainText,
    async send({ title, message }) {
      // As a warning, so that a quieter [log] level does not swallow an alert; as a field, so that it stays one line.
      log.warn(title, { message });
      return { answer: "written to the log", parts: 1 };
    },
  };
}
