// /notify: sending a test message, and the state of the channels.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { isoSeconds } from "../../core/clock.ts";
import { HubError } from "../../core/errors.ts";
import type { ChannelOutcome, ChannelState, Notifier } from "../../notify/notifier.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";

const TestMessage = Type.Object(
  {
    channel: Type.String({ minLength: 1 }),
    message: Type.String({ minLength: 1 }),
    title: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

const SentDelivery = Type.Object({
  channel: Type.String(),
  kind: Type.String(),
  ok: Type.Boolean(),
  duration_ms: Type.Integer(),
  status: Type.Optional(Type.Integer({ description: "HTTP or SMTP status" })),
  answer: Type.Optional(Type.String({ description: "The server's own words" })),
  parts: Type.Optional(Type.Integer({ description: "Number of messages; a long text needs several" })),
  note: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  hint: Type.Optional(Type.String()),
});
const Sent = Type.Object({ sent: Type.Literal(true), channel: Type.String(), deliveries: Type.Array(SentDelivery) });

const nullable = Type.Union([Type.String(), Type.Null()]);
const ChannelEntry = Type.Object({
  name: Type.String(),
  kind: Type.String(),
  enabled: Type.Boolean(),
  problem: Type.Optional(Type.String({ description: "Why it is disabled" })),
  last_success: nullable,
  last_error: Type.Union([Type.Object({ at: Type.String(), message: Type.String() }), Type.Null()]),
  queue: Type.Integer({ description: "Messages that wait to be tried again" }),
});

export interface NotifyRouteDeps {
  notifier: Pick<Notifier, "send" | "list">;
  /** How many messages wait for a channel. */
  queued: (channel: string) => number;
}

export function notifyRoutes({ notifier, queued }: NotifyRouteDeps) {
  const tag = "notify";
  return new Elysia({ prefix: "/notify" })
    .post(
      "/test",
      async function testNotification({ body: { channel, message, title }, request }) {
        const outcomes = await notifier.send({ channel, message, title }, request.signal);
        const deliveries = outcomes.map(deliveryEntry);
        if (outcomes.some(({ result }) => !result.ok)) throw notDelivered(channel, outcomes, deliveries);
        return { sent: true as const, channel, deliveries };
      },
      {
        ...jsonBody(TestMessage),
        ...doc({
          access: "user",
          summary: "Send a test notification",
          tag,
          answers: {
            200: { description: "What each channel's server said", schema: Sent },
          },
          refusals: {
            not_found: "There is no such channel",
            conflict: "`all`, and no channel is configured",
            upstream_failed: "Not delivered: why, with a hint, and what each channel's server said",
          },
        }),
      },
    )
    .get(
      "/channels",
      () => notifier.list().map((state) => channelEntry(state, queued(state.name))),
      doc({
        access: "viewer",
        summary: "All notification channels, disabled ones too",
        tag,
        answers: { 200: { description: "The channels", schema: Type.Array(ChannelEntry) } },
      }),
    );
}

function deliveryEntry({ channel, kind, durationMs, result }: ChannelOutcome) {
  const entry = { channel, kind, ok: result.ok, duration_ms: durationMs };
  if (result.ok) return { ...entry, ...result.delivery };
  const { status, answer, hint } = result.fault;
  return { ...entry, error: result.reason, status, answer, hint };
}

function notDelivered(channel: string, outcomes: readonly ChannelOutcome[], deliveries: readonly unknown[]): HubError {
  const failures = outcomes.flatMap(({ channel: name, result }) => (result.ok ? [] : [{ name, ...result }]));
  const reasons = failures.map(
    ({ name, reason, fault }) => `${name}: ${reason}${fault.hint ? ` – ${fault.hint}` : ""}`,
  );
  const message = `not delivered (${failures.length} of ${outcomes.length}): ${reasons.join("; ")}`;
  const hint = failures.find(({ fault }) => fault.hint)?.fault.hint;
  return new HubError("upstream_failed", message, {
    details: { sent: false, channel, ...(hint ? { hint } : {}), deliveries },
  });
}

function channelEntry(state: ChannelState, queue: number) {
  const { name, kind, enabled, problem, lastSuccess, lastError } = state;
  return {
    name,
    kind,
    enabled,
    ...(problem === undefined ? {} : { problem }),
    last_success: lastSuccess === undefined ? null : isoSeconds(lastSuccess),
    last_error: lastError === undefined ? null : { at: isoSeconds(lastError.at), message: lastError.message },
    queue,
  };
}
