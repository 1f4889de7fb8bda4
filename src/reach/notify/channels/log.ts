// `log`: writes the message to the hub's log. It always exists, and has no configuration.
import type { Log } from "../../../kit/lifecycle/log.ts";
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
      // Whatever the [log] level is, as it is said to be sent; a field, so that it stays one line.
      log.always(title, { message });
      return { answer: "written to the log", parts: 1 };
    },
  };
}
