// Deutsch: was sich anmeldet.
import type { Translated } from "../catalogue.ts";

export const inbox: Translated<"inbox"> = {
  "inbox.title": "Eingang",
  "inbox.hint": "Was sich anmeldet und auf dich wartet",
  "inbox.what": "Geräte, die sich über MQTT anmelden. Nimm an, was dir gehört; was du ignorierst, bleibt draußen.",
  "inbox.only_admin": "Hier entscheiden nur Administratoren.",
  "inbox.empty":
    "Noch hat sich nichts angemeldet. Ein Gerät erscheint hier, sobald es mit dem MQTT-Broker des Hubs verbunden ist.",
  "inbox.none_waiting": "Nichts wartet.",
  "inbox.waiting": "Wartet auf dich ({count})",
  "inbox.broken": "Nicht zu gebrauchen ({count})",
  "inbox.broken_hint":
    "Behebe es dort, wo es herkommt: Mit der nächsten Anmeldung wird es wieder versucht. Oder ignoriere es.",
  "inbox.ignored": "Ignoriert ({count})",
  "inbox.accepted": "Angenommen ({count})",
  "inbox.via": "{source}, MQTT-Konto {account}",
  "inbox.accept": "Annehmen",
  "inbox.ignore": "Ignorieren",
  "inbox.accept_one": "{name} annehmen",
  "inbox.ignore_one": "{name} ignorieren",
  "inbox.did_accept": "„{name}“ ist angenommen",
  "inbox.did_ignore": "„{name}“ wird ignoriert",
  "inbox.did_accept_several": "Angenommen: {count}",
  "inbox.did_ignore_several": "Ignoriert: {count}",
  "inbox.several": "Mehrere auf einmal",
  "inbox.several_hint":
    "Wähle ein Konto, oder schreib einen Namen oder eine Kennung mit * für beliebigen Text. Es gilt für alle, die jetzt da sind, auch für angenommene.",
  "inbox.account": "MQTT-Konto",
  "inbox.any_account": "Alle Konten",
  "inbox.pattern": "Name oder Kennung",
  "inbox.matches": "Trifft {count}:",
  "inbox.accept_several": "{count} annehmen",
  "inbox.ignore_several": "{count} ignorieren",
  "inbox.more": "{count} weitere zeigen",
};
