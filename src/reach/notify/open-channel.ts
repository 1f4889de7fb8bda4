// Opens a configured channel so that nothing it says contains one of its secrets.
import type { Fields, Log } from "../../kit/lifecycle/log.ts";
import { messageOf } from "../../kit/schema/errors.ts";
import {
  type Channel,
  type ChannelDefinition,
  type ChannelDeps,
  type Delivery,
  DeliveryError,
  type DeliveryFault,
} from "./channel.ts";
import { type ChannelConfig, definitionOf } from "./config.ts";
import { createScrubber, secretsOf } from "./secrets.ts";

/** A signed link to the hub, which a server may echo: whoever has it can answer. */
const LINK = /(notify(?:\/|%2F)links(?:\/|%2F))[\w.-]+/gi;

/** `config` is what `readChannels` returned. Connects to nothing. */
export function openChannel(config: ChannelConfig, deps: ChannelDeps): Channel {
  const definition = definitionOf(config.type) as ChannelDefinition;
  const scrubSecrets = createScrubber(secretsOf(definition.schema, config));
  const scrub: Scrub = (text) => scrubSecrets(text.replace(LINK, "$1[redacted]"));
  const channel = definition.open(config, { ...deps, log: scrubbedLog(deps.log, scrub) });
  const { change, remove } = channel;
  return {
    ...channel,
    async send(message, signal, sending) {
      if (signal.aborted) throw new DeliveryError("it was not sent: its time was over already", { transient: true });
      return scrubbedDelivery(await scrubbed(channel.send(message, signal, sending), scrub), scrub);
    },
    ...(change && {
      change: async (...how) => scrubbedDelivery(await scrubbed(change(...how), scrub), scrub),
    }),
    ...(remove && { remove: (...how) => scrubbed(remove(...how), scrub) }),
  };
}

async function scrubbed<T>(work: Promise<T>, scrub: Scrub): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw scrubbedError(error, scrub);
  }
}

type Scrub = (text: string) => string;

function scrubbedDelivery(delivery: Delivery, scrub: Scrub): Delivery {
  const { answer, note, remote, refused, refusedText, ...rest } = delivery;
  return {
    ...rest,
    answer: scrub(answer),
    ...(note === undefined ? {} : { note: scrub(note) }),
    ...(refusedText === undefined ? {} : { refusedText: scrub(refusedText) }),
    // What contains a secret is no name that the service gave.
    ...(remote === undefined || scrub(remote) !== remote ? {} : { remote }),
    ...scrubbedRefusals({ refused }, scrub),
  };
}

function scrubbedRefusals(
  { refused }: { refused?: Delivery["refused"] | undefined },
  scrub: Scrub,
): Pick<Delivery, "refused"> {
  return refused ? { refused: refused.map(({ recipient, answer }) => ({ recipient, answer: scrub(answer) })) } : {};
}

// Any error but a DeliveryError is a bug of ours: it is reported as a failure for good.
function scrubbedError(error: unknown, scrub: Scrub): DeliveryError {
  const fault: DeliveryFault = error instanceof DeliveryError ? error.fault : { transient: false };
  const { answer } = fault;
  // What stands before the server's answer, and the hint, are the hub's own words: a password may be one of them.
  const [own, others] = partsOf(messageOf(error), answer);
  return new DeliveryError(own + scrub(others), {
    ...fault,
    ...(answer === undefined ? {} : { answer: scrub(answer) }),
    ...scrubbedRefusals(fault, scrub),
  });
}

/** The hub's own words, and what may be another's. */
function partsOf(message: string, answer: string | undefined): [own: string, others: string] {
  return answer !== undefined && message.endsWith(`: ${answer}`)
    ? [message.slice(0, -answer.length), answer]
    : ["", message];
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
    always: (message, more) => log.always(scrub(message), fields(more)),
    child: (part) => scrubbedLog(log.child(part), scrub),
  };
}
