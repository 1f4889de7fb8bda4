// Deutsch: auf der Startseite.
import type { Translated } from "../catalogue.ts";

export const home: Translated<"home"> = {
  "home.empty": "Noch keine Geräte",
  "home.no_area": "Sonst",
};
