// What browsers see of a machine that is not the hub: which one it is, and where the hub is. Without scripts and without a login.
import { lineOf, type Present } from "./present.ts";

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  vary: "accept-language",
  refresh: "10",
};

interface Texts {
  lang: string;
  title: Record<Present["role"], string>;
  says: Record<Present["role"], string>;
  hub: string;
  behind: (age: string) => string;
  nothing: string;
  problem: string;
}

const TEXTS: Record<"en" | "de", Texts> = {
  en: {
    lang: "en",
    title: { standby: "Standby", waiting: "No hub yet", handing_over: "Handing over" },
    says: {
      standby: "This machine keeps a copy of the house. It is not the hub.",
      waiting: "This machine does not command the house yet.",
      handing_over: "This machine hands the house over to the other one.",
    },
    hub: "The hub is here:",
    behind: (age) => `The copy is ${age} old.`,
    nothing: "There is no whole copy yet.",
    problem: "What is wrong:",
  },
  de: {
    lang: "de",
    title: { standby: "Ersatz", waiting: "Noch kein Hub", handing_over: "Übergabe" },
    says: {
      standby: "Dieses Gerät hält eine Kopie des Hauses bereit. Es ist nicht der Hub.",
      waiting: "Dieses Gerät steuert das Haus noch nicht.",
      handing_over: "Dieses Gerät übergibt das Haus gerade dem anderen.",
    },
    hub: "Der Hub ist hier:",
    behind: (age) => `Die Kopie ist ${age} alt.`,
    nothing: "Noch ist die Kopie nicht vollständig.",
    problem: "Was nicht stimmt (auf Englisch):",
  },
};

/** 503, so that no program takes it for the hub. */
export function standbyPage(present: Present, acceptLanguage: string): Response {
  const texts = TEXTS[languageOf(acceptLanguage)];
  const { role, hub, behindSecs, problem } = present;
  const link = hub && /^https?:\/\//.test(hub.address) ? escaped(hub.address) : undefined;
  const lines = [
    texts.says[role],
    link && `${texts.hub} <a href="${link}/">${escaped(hub?.name ?? hub?.address ?? "")}</a>`,
    role === "standby" && (behindSecs === undefined ? texts.nothing : texts.behind(ageOf(behindSecs))),
    problem !== undefined && `${texts.problem} ${escaped(problem)}`,
  ];
  const text = lines
    .filter((line) => typeof line === "string")
    .map((line) => `<p>${line}</p>`)
    .join("\n");
  const html = `<!doctype html>
<html lang="${texts.lang}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${texts.title[role]}</title>
<style>
:root { color-scheme: light dark }
body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 34rem; margin: 15vh auto; padding: 0 1.5rem }
</style>
<h1>${texts.title[role]}</h1>
${text}
</html>
`;
  return new Response(html, { status: 503, headers: { ...HEADERS, "retry-after": "10" } });
}

/** For programs. */
export function notTheHub(present: Present): Response {
  const detail = `this machine is not the hub: ${lineOf(present)}`;
  const body = {
    ...{ type: "about:blank", title: "Service Unavailable", status: 503, code: "unavailable", detail, error: detail },
    ...(present.hub && { hub: present.hub.address }),
  };
  return Response.json(body, {
    status: 503,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", "retry-after": "10" },
  });
}

/** German only where it is wanted before English. */
function languageOf(accepted: string): "en" | "de" {
  const wanted = accepted
    .split(",")
    .map((part) => {
      const [tag = "", quality = ""] = part.trim().split(/\s*;\s*q=/);
      return { tag: tag.toLowerCase().split("-", 1).join(), quality: quality === "" ? 1 : Number(quality) || 0 };
    })
    .filter(({ tag }) => tag === "de" || tag === "en")
    .sort((a, b) => b.quality - a.quality);
  return wanted[0]?.tag === "de" ? "de" : "en";
}

function ageOf(secs: number): string {
  return secs < 120
    ? `${Math.round(secs)} s`
    : secs < 7200
      ? `${Math.round(secs / 60)} min`
      : `${Math.round(secs / 3600)} h`;
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
