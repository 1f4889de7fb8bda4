// Opens a configured channel so that nothing it says contains one of its secrets.
import { messageOf } from "../core/errors.ts";
import type { Fields, Log } from "../core/log.ts";
import { type Channel, type ChannelDefinition, type ChannelDeps, type Delivery, DeliveryError } from "./channel.ts";
import { type ChannelConfig, definitionOf } from "./config.ts";
import { createScrubber, secretsOf } from "./secrets.ts";

/** `config` is what `readChannels` returned. Connects to nothing. */
export function openChannel(config: ChannelConfig, deps: ChannelDeps): Channel {
  const definition = definitionOf(config.type) as ChannelDefinition;
  const scrub = createScrubber(secretsOf(definition.schema, config));
  const channel = definition.open(config, { ...deps, log: scrubbedLog(deps.log, scrub) });
  return {
    ...channel,
    async send(message, signal) {
      if (signal.aborted) throw new DeliveryError("it was not sent: its time was over already", { transient: true });
      try {
        return scrubbedDelivery(await channel.send(message, signal), scrub);
      } catch (error) {
        throw scrubbedError(error, scrub);
      }
    },
  };
}

type Scrub = (text: string) => string;

function scrubbedDelivery(delivery: Delivery, scrub: Scrub): Delivery {
  const { answer, note } = delivery;
  return { ...delivery, answer: scrub(answer), ...(note === undefined ? {} : { note: scrub(note) }) };
}

// Any error but a DeliveryError is a bug of ours: it is reported as a failure for good.
function scrubbedError(error: unknown, scrub: Scrub): DeliveryError {
  const fault = error instanceof DeliveryError ? error.fault : { transient: false };
  const { answer, hint } = fault;
  return new DeliveryError(scrub(messageOf(error)), {
    ...fault,
    ...(answer === undefined ? {} : { answer: scrub(answer) }),
    ...(hint === undefined ? {} : { hint: scrub(hint) }),
  });
}

function scrubbedLog(log: Log, scrub: Scrub): Log {
  const fields = (given: Fields = {}): Fields =>
    Object.fromEntries(
      Object.entries(given).map(([key, value]) => [key, typeof value === "string" ? scrub(value) : value]),
    );
  return {
    debug: (message, more) => log.debug(scrub(message), fields(more)),
    info: (message, more) => log.info(scrub(message), fields(more)),
    warn: (message, more) => log.warn(scrub(message), fields(more)),
    error: (message, more) => log.error(scrub(message), fields(more)),
    child: (part) => scrubbedLog(log.child(part), scrub),
  };
}
