// `web_push`: the browsers in which somebody switched the page's messages on.
import { type Static, Type } from "@sinclair/typebox";
import { type ChannelDeps, type ChannelMessage, type Delivery, DeliveryError, defineChannel } from "../channel.ts";
import { speaks } from "../markup/dialect.ts";
import { plain } from "../markup/plain-dialects.ts";
import type { Subscription } from "../web-push/subscriptions.ts";

const DEFAULT_CONTACT = "mailto:hub@example.com";
/** Messages of which is remembered who got them. */
const MAX_REMEMBERED = 200;
const AT_ONCE = 4;

const fields = {
  users: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: 100,
      description: "Whose devices; without it, all where somebody switched it on",
    }),
  ),
  contact: Type.String({
    default: DEFAULT_CONTACT,
    pattern: "^(mailto:[^@\\s]+@[^@\\s]+|https://[^\\s]+)$",
    problem: "must be such as mailto:you@example.org",
    description: "Where the operators of push services can reach you; Apple wants one that exists",
  }),
  ttl_hours: Type.Integer({
    default: 24,
    minimum: 1,
    maximum: 672,
    description: "For how long a message waits for a device that is off",
  }),
};
type Config = Static<ReturnType<typeof Type.Object<typeof fields>>>;

export const webPush = defineChannel({
  kind: "web_push",
  service: "Browser",
  fields,
  open(config, deps) {
    return {
      name: config.name,
      kind: config.type,
      limits: { concurrent: 2 },
      ...speaks(plain),
      send: createSender(config, deps),
    };
  },
  doc: "Browsers and phones in which somebody switched messages on, on the hub's page.",
  example: { name: "browsers", users: ["anna", "ben"], contact: "mailto:anna@home.example" },
});

function createSender({ users, contact, ttl_hours }: Config, { clock, random, webPush, log, houseTime }: ChannelDeps) {
  const got = new Map<string, Set<string>>();
  let sender: ReturnType<typeof import("../web-push/push-sender.ts").createPushSender> | undefined;

  /** Those of whom an earlier try knows that they have it are not asked again. */
  function reachedBy(id: string): Set<string> {
    const reached = got.get(id) ?? new Set();
    got.set(id, reached);
    for (const oldest of got.keys()) if (got.size > MAX_REMEMBERED) got.delete(oldest);
    return reached;
  }

  return async function send(message: ChannelMessage, signal: AbortSignal): Promise<Delivery> {
    if (!webPush) throw new DeliveryError("the hub has no page", { transient: true });
    // Loaded when needed, like all that only some homes use.
    const { createPushSender, pushMessage, urgencyOf } = await import("../web-push/push-sender.ts");
    const { subscriptions, fetch } = webPush;
    sender ??= createPushSender({ fetch, clock, random, key: subscriptions.key, contact });
    const push = { plain: pushMessage(message, houseTime), urgency: urgencyOf(message), ttl: ttl_hours * 3600 };
    const reached = reachedBy(message.id);
    const waiting = subscriptions.of(users).filter(({ endpoint }) => !reached.has(endpoint));
    if (waiting.length + reached.size === 0) throw nobody(users);
    const failures: DeliveryError[] = [];

    async function sendTo(browser: Subscription): Promise<void> {
      try {
        if ((await sender?.(browser, push, signal)) === "gone") subscriptions.forget(browser.endpoint);
        else reached.add(browser.endpoint);
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error;
        failures.push(error);
      }
    }
    for (let index = 0; index < waiting.length; index += AT_ONCE)
      await Promise.all(waiting.slice(index, index + AT_ONCE).map(sendTo));
    return outcomeOf({ failures, reached: reached.size, users }, log);
  };
}

interface Outcome {
  failures: readonly DeliveryError[];
  reached: number;
  users: Config["users"];
}

/** Throws where another try may reach more browsers, or none was reached. */
function outcomeOf({ failures, reached, users }: Outcome, log: ChannelDeps["log"]): Delivery {
  const [first] = failures;
  const later = failures.find(({ fault }) => fault.transient);
  if (later) throw later;
  if (reached === 0) throw first ?? nobody(users);
  const answer = `${reached} ${reached === 1 ? "device" : "devices"}`;
  if (!first) return { answer, parts: 1 };
  const hint = first.fault.hint === undefined ? "" : `; ${first.fault.hint}`;
  const note = `not to ${failures.length} more: ${first.message}${hint}`;
  log.warn("a message did not reach all devices", { note });
  return { answer, parts: 1, note };
}

function nobody(users: Config["users"]): DeliveryError {
  const whose = users ? `of ${users.join(", ")} ` : "";
  return new DeliveryError(`no device ${whose}takes messages`, {
    transient: false,
    hint: "Switch on “Messages on this device” on the hub's page, under Your account",
  });
}
