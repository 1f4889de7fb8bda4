// `log`: writes the message to the hub's log. It always exists, and has no configuration.
import type { Log } from "../../core/log.ts";
import type { Channel } from "../channel.ts";
import { speaks } from "../markup/dialect.ts";
import { plain } from "../markup/plain-dialects.ts";

export function createLogChannel(log: Log): Channel {
  return {
    name: "log",
    kind: "log",
    limits: {},
    ...speaks(plain),
    async send({ title, message }) {
      // A warning, so that a quieter [log] level does not hide an alert; a field, so that it stays one line.
      log.warn(title, { message });
      return { answer: "written to the log", parts: 1 };
    },
  };
}
