// An ntfy server by its documented protocol (https://docs.ntfy.sh/publish/), strict where the real one is lenient: it keeps what was
// published, replaces within a sequence, and refuses what the documentation does not have.

import type { HttpPlace, SeenRequest } from "./rig.ts";
import { serveHttp } from "./rig.ts";

export interface Published {
  id: string;
  topic: string;
  title: string;
  message: string;
  priority?: number;
  tags?: string[];
  markdown?: boolean;
  click?: string;
  actions?: { action: string; label: string; url: string; method?: string; clear?: boolean }[];
  sequence_id?: string;
  attachment?: { name: string; bytes: Uint8Array };
}

export interface StrictNtfy extends HttpPlace {
  /** By sequence, the newest of each. */
  readonly shown: ReadonlyMap<string, Published>;
}

const KNOWN = new Set("topic title message priority tags markdown actions sequence_id filename click".split(" "));

export interface NtfyRules {
  token?: string;
  /** Servers before 2.16 have none. */
  sequences?: boolean;
  attachments?: boolean;
}

export function serveNtfy({ token, sequences = true, attachments = true }: NtfyRules = {}): StrictNtfy {
  const shown = new Map<string, Published>();
  let count = 0;

  function publish(given: Record<string, unknown>, attachment?: Published["attachment"]): Response {
    const unknown = Object.keys(given).filter((key) => !KNOWN.has(key));
    const { topic, title, message, priority, sequence_id, tags = [], actions = [] } = given as unknown as Published;
    const isWrong =
      unknown.length > 0 ||
      !/^[-_A-Za-z0-9]{1,64}$/.test(topic) ||
      !(message + title).isWellFormed() ||
      (priority !== undefined && ![1, 2, 3, 4, 5].includes(priority)) ||
      (sequence_id !== undefined && !/^[-_A-Za-z0-9]{1,64}$/.test(sequence_id)) ||
      actions.length > 3 ||
      actions.some(({ action, label, url }) => !["view", "http"].includes(action) || !label || !URL.canParse(url));
    // Exactly this much counts as too much, and a file is made of it.
    if (Buffer.byteLength(message) >= 4096 && !attachments)
      return refused(40014, 400, "invalid request: attachments not allowed");
    if (Buffer.byteLength(message) >= 4096) return refused(0, 200, "the test's server makes no files of texts");
    if (isWrong) return refused(40017, 400, "invalid request: request body must be message JSON");
    const id = `msg${++count}`;
    const { filename: _, ...reported } = given as unknown as Published & { filename?: string };
    const one: Published = { ...reported, id, tags, ...(attachment && { attachment }) };
    shown.set(sequences && sequence_id !== undefined ? sequence_id : id, one);
    return Response.json({ id, event: "message", topic, ...(sequences && sequence_id && { sequence_id }) });
  }

  async function answer(request: SeenRequest): Promise<Response> {
    if (token !== undefined && request.headers.get("authorization") !== `Bearer ${token}`)
      return refused(40101, 401, "unauthorized");
    if (request.method === "POST" && request.path === "/" && request.bytes.length > 8191)
      return refused(41303, 413, "JSON body too large");
    if (request.method === "POST" && request.path === "/") return publish(request.json);
    const [, topic = "", sequence] = request.path.split("/");
    if (request.method === "PUT" && sequence === undefined) {
      if (!attachments) return refused(40014, 400, "invalid request: attachments not allowed");
      const given = headersOf(request);
      return publish({ ...given, topic }, { name: String(given.filename), bytes: request.bytes });
    }
    if (request.method === "DELETE" && sequence !== undefined && sequences) {
      shown.delete(sequence);
      return Response.json({ id: `msg${++count}`, event: "message_delete", sequence_id: sequence });
    }
    return refused(40401, 404, "page not found");
  }

  return Object.assign(serveHttp(answer), { shown });
}

function refused(code: number, http: number, error: string): Response {
  return Response.json({ code, http, error, link: "https://ntfy.sh/docs/publish/" }, { status: http });
}

function headersOf({ headers }: SeenRequest): Record<string, unknown> {
  const given = [...headers]
    .filter(([name]) => name.startsWith("x-"))
    .map(([name, value]): [string, string] => [name.slice(2).replaceAll("-", "_"), decodedWords(value)]);
  return Object.fromEntries(
    given.map(([name, value]): [string, unknown] => {
      if (name === "priority") return [name, Number(value)];
      if (name === "tags") return [name, value.split(",")];
      if (name === "markdown") return [name, value === "true"];
      return [name, name === "actions" ? JSON.parse(value) : value];
    }),
  );
}

/** RFC 2047: white space between encoded words is no part of the text, and each is at most 75 characters long. */
function decodedWords(text: string): string {
  const words = text.split(" ");
  if (words.some((word) => word.length > 75)) throw new Error("an encoded word is too long");
  return words
    .map((word) => {
      const base64 = /^=\?UTF-8\?B\?([A-Za-z0-9+/=]*)\?=$/.exec(word)?.[1];
      if (base64 === undefined) throw new Error(`no encoded word: ${word}`);
      return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(base64, "base64"));
    })
    .join("");
}
