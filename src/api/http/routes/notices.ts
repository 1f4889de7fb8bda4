// /notify/notices, /notify/acknowledge and /notify/links: messages that wait for an answer, and the ways to answer them beside the
// services' own. A link is opened by mail scanners and previews too: only its button answers.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HubError } from "../../../kit/schema/errors.ts";
import { isLoopback } from "../../../kit/text/addresses.ts";
import { type Clock, isoSeconds } from "../../../kit/time/clock.ts";
import { ACKNOWLEDGE } from "../../../reach/notify/channel.ts";
import type { LinkClaims, Links } from "../../../reach/notify/notices/links.ts";
import { actionsOf, NOTICE_STATES, type Notice } from "../../../reach/notify/notices/notice.ts";
import type { Notices } from "../../../reach/notify/notices/notices.ts";
import type { Audit } from "../../../server/auth/audit.ts";
import { createLoginLimit } from "../../../server/auth/login-limit.ts";
import { optionalJsonBody } from "../body.ts";
import type { Callers, PeerSource } from "../callers.ts";
import { doc } from "../doc.ts";

export interface NoticeRoutesDeps {
  notices: Pick<Notices, "list" | "get" | "acknowledge">;
  links: Links;
  callers: Pick<Callers, "addressOf" | "of">;
  audit: Pick<Audit, "record">;
  clock: Clock;
}

const nullable = Type.Union([Type.String(), Type.Null()]);
const Action = Type.Object({ id: Type.String(), label: Type.String() });
const NoticeBody = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    message: Type.String({ description: "Its beginning, in the author's markup" }),
    tag: nullable,
    at: Type.String({ description: "UTC" }),
    priority: Type.Integer(),
    state: Type.Union(
      NOTICE_STATES.map((state) => Type.Literal(state)),
      {
        description:
          "`cleared`: a rule took it back. `expired`: nobody answered in time. `restored`: it was open in the backup that the house was restored from, and nobody is asked any more",
      },
    ),
    answerable: Type.Boolean({ description: "Whether somebody can answer it; others only have a tag" }),
    actions: Type.Array(Action, { description: "Answers beside `acknowledge`" }),
    asked: Type.Array(Type.String(), { description: "Whom it was addressed to so far" }),
    left: Type.Array(Type.String(), { description: "Who is asked next, one after the other" }),
    by: nullable,
    action: nullable,
    channel: nullable,
    ended_at: nullable,
  },
  { $id: "Notice" },
);
const GivenAnswer = Type.Object(
  { action: Type.Optional(Type.String({ minLength: 1, maxLength: 24, description: "`acknowledge` when absent" })) },
  { additionalProperties: false },
);
const refusals = {
  not_found: "There is no such message, or nobody can answer it",
  conflict: "It is over: somebody answered before, a rule took it back, or it expired",
};

export function noticeRoutes(deps: NoticeRoutesDeps) {
  const { notices, callers } = deps;
  const tag = "notify";
  return new Elysia({ prefix: "/notify" })
    .get(
      "/notices",
      () => notices.list().map(noticeBody),
      doc({
        access: "user",
        summary: "Messages that wait for an answer or have a tag, and the recent ones, the newest first",
        tag,
        answers: { 200: { description: "The messages", schema: Type.Array(NoticeBody) } },
      }),
    )
    .post(
      "/acknowledge/:id",
      function acknowledge({ params, body, request }) {
        const { name: by } = callers.of(request);
        return noticeBody(notices.acknowledge(params.id, { action: body.action, by, channel: "api" }));
      },
      {
        ...optionalJsonBody(GivenAnswer),
        ...doc({
          access: "user",
          audit: "notification.acknowledge",
          summary: "Confirm a message, or answer it with one of its actions",
          tag,
          answers: { 200: { description: "The message", schema: NoticeBody } },
          refusals: { ...refusals, invalid: "The message has no such action" },
        }),
      },
    )
    .use(linkRoutes(deps));
}

interface Call {
  request: Request;
  params: { token: string };
  server: PeerSource | null;
}

function linkRoutes({ notices, links, callers, audit, clock }: NoticeRoutesDeps) {
  const limit = createLoginLimit({ clock, exempt: isLoopback });

  /** Throws HubError `not_found` for what no hub signed, and `rate_limited` for who tries that often. */
  function open({ request, params, server }: Call): { notice: Notice; link: LinkClaims } {
    const attempt = limit.begin(callers.addressOf(request, server), "links");
    const link = links.read(params.token);
    if (!link) throw new HubError("not_found", "this link is not valid");
    attempt.succeed();
    const notice = notices.get(link.notice);
    if (!notice || clock.now() > link.expiresAt)
      throw new HubError("not_found", "this link has ended: the hub does not know the message any more");
    return { notice, link };
  }

  /** Of the link that confirms, the page has the other answers too: some services show one link only. */
  function pageOf({ notice, link }: { notice: Notice; link: LinkClaims }): Response {
    const others = link.action === ACKNOWLEDGE ? actionsOf(notice).map(({ id }) => id) : [];
    return answerPage(
      notice,
      [link.action, ...others].map((action) => ({ action, token: links.sign({ ...link, action }) })),
    );
  }

  const described = (summary: string) =>
    doc({
      access: "public",
      summary,
      tag: "notify",
      answers: { 200: { description: "A page", contentType: "text/html", schema: Type.String() } },
      refusals: {
        not_found: "The link is forged, or has ended",
        invalid: "The message has no such action",
        rate_limited: "Too many wrong links from this address",
      },
    });

  return new Elysia({ prefix: "/links" })
    .get("/:token", (call: Call) => pageOf(open(call)), described("The page of a message's link, with its button"))
    .post(
      "/:token",
      function answerByLink(call: Call) {
        const opened = open(call);
        const { notice, link } = opened;
        if (notice.state === "open") {
          const { channel, action } = link;
          const by = `whoever got it (${channel})`;
          notices.acknowledge(notice.id, { action, by, channel });
          const address = callers.addressOf(call.request, call.server);
          const actor = { kind: "link", id: channel, name: channel };
          audit.record({ actor, address, action: "notification.acknowledge", target: notice.id, outcome: "ok" });
        }
        return pageOf(opened);
      },
      { parse: "none" as const, ...described("Answer a message by its link") },
    );
}

function noticeBody({ id, title, message, tag, at, state, steps, end, plan }: Notice) {
  const { stages, said, answerable } = plan;
  return {
    ...{ id, title, message, tag: tag ?? null, at: isoSeconds(at), priority: said.priority ?? 0, state, answerable },
    actions: (said.actions ?? []).map((action) => ({ ...action })),
    asked: stages.slice(0, steps).flat(),
    left: state === "open" ? stages.slice(steps).flat() : [],
    by: end?.by || null,
    action: end?.action || null,
    channel: end?.channel || null,
    ended_at: end ? isoSeconds(end.at) : null,
  };
}

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "content-security-policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
  "x-robots-tag": "noindex",
  // Web apps that show buttons, such as ntfy's, see that a press worked. Who has the link may read it anyway.
  "access-control-allow-origin": "*",
};
const STYLE =
  "body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}button{font:inherit;padding:.7em 1.6em;border-radius:.5em}form{margin:.8rem 0}p{white-space:pre-line}";

/** An answer, and the link that gives it. */
interface PageAnswer {
  readonly action: string;
  /** The last segment of its address, beside the page's own. */
  readonly token: string;
}

/**
 * The page behind a signed link: what happened, with a button for each answer the link gives while the notice is open, and with how it ended
 * afterwards. It needs no script, so that it works in every mail program's viewer.
 */
function answerPage(notice: Notice, answers: readonly PageAnswer[]): Response {
  const { title, message } = notice;
  const below =
    notice.state === "open"
      ? answers.map((answer) => buttonOf(notice, answer)).join("")
      : `<p><b>${escaped(endOf(notice))}</b></p>`;
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style><h1>${escaped(title)}</h1><p>${escaped(message)}</p>${below}</html>`;
  return new Response(page, { headers: HEADERS });
}

function buttonOf(notice: Notice, { action, token }: PageAnswer): string {
  const label = action === ACKNOWLEDGE ? "Confirm" : labelOf(notice, action);
  return `<form method="post" action="${escaped(token)}"><button>${escaped(label)}</button></form>`;
}

function labelOf(notice: Notice, action = ""): string {
  return actionsOf(notice).find(({ id }) => id === action)?.label ?? action;
}

function endOf(notice: Notice): string {
  const { state, end } = notice;
  if (state === "cleared") return "This is over.";
  if (state !== "acknowledged") return "Too late: nobody confirmed this in time.";
  return end?.action === ACKNOWLEDGE ? `Confirmed by ${end.by}.` : `${labelOf(notice, end?.action)}: ${end?.by}.`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
