// /notify: sending a test message, and the state of the channels.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HubError } from "../../../kit/schema/errors.ts";
import { priorityOf } from "../../../kit/text/message-words.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import type { Messenger } from "../../../reach/notify/messenger.ts";
import type { Notices } from "../../../reach/notify/notices/notices.ts";
import type { ChannelOutcome, ChannelState, Notifier } from "../../../reach/notify/notifier.ts";
import type { Outbox } from "../../../reach/notify/outbox/outbox.ts";
import type { HeldMessages } from "../../../reach/notify/people/held.ts";
import type { People, PersonState } from "../../../reach/notify/people/people.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";

const TestMessage = Type.Object(
  {
    channel: Type.String({ minLength: 1 }),
    message: Type.String({ minLength: 1 }),
    title: Type.Optional(Type.String()),
    priority: Type.Optional(
      Type.Union(
        [
          Type.Literal("low"),
          Type.Literal("normal"),
          Type.Literal("high"),
          Type.Literal("emergency"),
          Type.Integer({ minimum: -2, maximum: 2 }),
        ],
        { problem: 'must be "low", "normal", "high" or "emergency", or a whole number from -2 to 2' },
      ),
    ),
    markup: Type.Optional(
      Type.Union([Type.Literal("html"), Type.Literal("markdown"), Type.Literal("none")], {
        description: "What the message is written in; without it, in each channel's own markup",
      }),
    ),
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
  last_note: Type.Union([Type.Object({ at: Type.String(), message: Type.String() }), Type.Null()], {
    description: "What was wrong with the last message that arrived all the same: markup that was refused",
  }),
  answers_problem: Type.Optional(
    Type.Object(
      { at: Type.String(), message: Type.String() },
      { description: "Why answers to its messages do not reach the hub, and what to do" },
    ),
  ),
  queue: Type.Integer({ description: "Messages that wait to be tried again" }),
});

const PersonEntry = Type.Object({
  name: Type.String(),
  channels: Type.Array(Type.String(), { description: "The preferred one first" }),
  groups: Type.Array(Type.String()),
  quiet: Type.Boolean({ description: "Whether these are quiet hours" }),
  quiet_until: nullable,
  asked: Type.Boolean({ description: "Whether one of the person's modes is on, if there are any" }),
  home: Type.Union([Type.Boolean(), Type.Null()], { description: "Null where it is not known" }),
  held: Type.Integer({ description: "Messages that come together at the end of the quiet hours" }),
});

export interface NotifyRouteDeps {
  notifier: Pick<Notifier, "send" | "list">;
  messenger: Pick<Messenger, "channelsOf">;
  people: Pick<People, "list">;
  held: Pick<HeldMessages, "count">;
  outbox: Pick<Outbox, "waiting">;
  notices: Pick<Notices, "listeningProblem">;
}

export function notifyRoutes(deps: NotifyRouteDeps) {
  const { notifier, messenger, people, held, outbox, notices } = deps;
  const tag = "notify";
  return new Elysia({ prefix: "/notify" })
    .post(
      "/test",
      async function testNotification({ body: { channel, priority, ...texts }, request }) {
        const names = messenger.channelsOf(channel);
        const notification = { ...texts, priority: priorityOf(priority) };
        const send = (name: string) => notifier.send({ ...notification, channel: name }, request.signal);
        const outcomes = (await Promise.all(names.map(send))).flat();
        const deliveries = outcomes.map(deliveryEntry);
        if (outcomes.some(({ result }) => !result.ok)) throw notDelivered(channel, outcomes, deliveries);
        return { sent: true as const, channel, deliveries };
      },
      {
        ...jsonBody(TestMessage),
        ...doc({
          access: "user",
          keeps: false,
          summary: "Send a test notification; to people, through all their channels and also in quiet hours",
          tag,
          answers: {
            200: { description: "What each channel's server said", schema: Sent },
          },
          refusals: {
            not_found: "There is no such channel, person or group",
            conflict: "`all`, and no channel is configured",
            upstream_failed: "Not delivered: why, with a hint, and what each channel's server said",
          },
        }),
      },
    )
    .get(
      "/channels",
      () =>
        notifier.list().map((state) => {
          const listeningProblem = saidAt(notices.listeningProblem(state.name));
          return {
            ...channelEntry(state, outbox.waiting(state.name)),
            ...(listeningProblem && { answers_problem: listeningProblem }),
          };
        }),
      doc({
        access: "viewer",
        summary: "All notification channels, disabled ones too",
        tag,
        answers: { 200: { description: "The channels", schema: Type.Array(ChannelEntry) } },
      }),
    )
    .get(
      "/people",
      () => people.list().map((state) => personEntry(state, held.count(state.person.name))),
      doc({
        access: "viewer",
        summary: "The people of the configuration, and whether they are to be disturbed now",
        tag,
        answers: { 200: { description: "The people", schema: Type.Array(PersonEntry) } },
      }),
    );
}

function deliveryEntry({ channel, kind, durationMs, result }: ChannelOutcome) {
  const entry = { channel, kind, ok: result.ok, duration_ms: durationMs };
  if (result.ok) {
    const { status, answer, parts, note } = result.delivery;
    return { ...entry, ...(status !== undefined && { status }), answer, parts, ...(note !== undefined && { note }) };
  }
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

function personEntry({ person, quietUntil, asked, home }: PersonState, held: number) {
  const { name, channels, groups } = person;
  return {
    ...{ name, channels, groups, quiet: quietUntil !== undefined },
    quiet_until: quietUntil === undefined ? null : isoSeconds(quietUntil),
    ...{ asked, home: home ?? null, held },
  };
}

function channelEntry(state: ChannelState, queue: number) {
  const { name, kind, enabled, problem, lastSuccess, lastError, lastNote } = state;
  return {
    name,
    kind,
    enabled,
    ...(problem === undefined ? {} : { problem }),
    last_success: lastSuccess === undefined ? null : isoSeconds(lastSuccess),
    last_error: saidAt(lastError),
    last_note: saidAt(lastNote),
    queue,
  };
}

function saidAt(said: ChannelState["lastError"]) {
  return said === undefined ? null : { at: isoSeconds(said.at), message: said.message };
}
