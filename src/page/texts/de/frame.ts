// Deutsch: um jede Ansicht herum, und das Anmelden.
import type { Translated } from "../catalogue.ts";

export const frame: Translated<"frame"> = {
  "app.title": "Hub",
  "nav.home": "Zuhause",
  "nav.rules": "Regeln",
  "nav.activity": "Verlauf",
  "nav.more": "Mehr",
  "nav.skip": "Zum Inhalt springen",
  "live.live": "Live",
  "live.catching_up": "Holt auf",
  "live.offline": "Offline seit {time}",
  "page.outdated":
    "Der Hub wurde aktualisiert und hat eine neuere Seite. Was du hier geschrieben hast, ist noch nicht gespeichert.",
  "page.part_missing":
    "Dieser Teil der Seite ließ sich nicht laden. Das wird wieder versucht, sobald der Hub erreichbar ist.",
  "page.broken": "Diese Ansicht ist kaputt",
  "page.reload": "Seite neu laden",
  "sign_in.title": "Anmelden",
  "sign_in.user": "Benutzername",
  "sign_in.password": "Passwort",
  "sign_in.submit": "Anmelden",
  "sign_in.restored": "Das Haus ist wiederhergestellt. Melde dich mit einem Konto des alten Hauses an.",
  "sign_in.expired": "Die Sitzung ist zu Ende. Melde dich wieder an; was du geschrieben hast, bleibt.",
  "sign_in.first": "Das erste Passwort hat der Hub bei seinem ersten Start ausgegeben. `hub passwd` macht ein neues.",
  sign_out: "Abmelden",
  undo: "Rückgängig",
  "sign_out.not_told": "Hier abgemeldet, aber der Hub weiß es nicht. Beende diese Sitzung auch dort.",
  "error.unreachable": "Der Hub ist nicht erreichbar. Ist er eingeschaltet, und dieses Gerät in seinem Netz?",
  "error.no_answer": "Das Gerät hat nicht geantwortet. Ist es eingeschaltet und in Reichweite?",
  "error.unknown": "Etwas ist schiefgegangen. Lade die Seite neu; passiert es wieder, sieh ins Protokoll des Hubs.",
  "not_found.title": "Hier ist nichts",
  "not_found.back": "Zurück zum Anfang",
};
