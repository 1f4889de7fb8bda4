// Deutsch: über Geräte.
import type { Translated } from "../catalogue.ts";

export const device: Translated<"device"> = {
  "device.offline": "Nicht erreichbar",
  "device.offline_since": "Nicht erreichbar seit {time}",
  "state.on": "An",
  "state.off": "Aus",
  "state.open": "Offen",
  "state.closed": "Zu",
  "state.locked": "Abgeschlossen",
  "state.unlocked": "Aufgeschlossen",
  "state.yes": "Ja",
  "state.no": "Nein",
  "state.unknown": "Noch nichts gemeldet",
};
