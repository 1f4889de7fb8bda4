// The page behind a signed link: what happened, and a button for each answer the link gives. It needs no script, so that it works in
// every mail program's viewer.
import { ACKNOWLEDGE } from "../../../reach/notify/channel.ts";
import { actionsOf, type Notice } from "../../../reach/notify/notices/notice.ts";

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
export interface PageAnswer {
  readonly action: string;
  /** The last segment of its address, beside the page's own. */
  readonly token: string;
}

/** With a button for each answer while the notice is open, with how it ended afterwards. */
export function answerPage(notice: Notice, answers: readonly PageAnswer[]): Response {
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
