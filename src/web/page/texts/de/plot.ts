// Deutsch: Verläufe.
import type { Translated } from "../catalogue.ts";

export const plot: Translated<"plot"> = {
  "plot.title": "Verlauf",
  "plot.now": "Jetzt",
  "plot.range": "Gezeigte Zeit",
  "plot.range_hour": "Stunde",
  "plot.range_day": "Tag",
  "plot.range_week": "Woche",
  "plot.range_month": "Monat",
  "plot.steps": "Verschieben und vergrößern",
  "plot.earlier": "Früher",
  "plot.later": "Später",
  "plot.zoom_in": "Weniger Zeit zeigen",
  "plot.zoom_out": "Mehr Zeit zeigen",
  "plot.back": "Zurück zu: {range}",
  "plot.custom": "Andere Zeit",
  "plot.from": "Von",
  "plot.to": "Bis",
  "plot.show": "Zeigen",
  "plot.bad_range":
    "Wähle einen Anfang in der Vergangenheit, vor dem Ende, mindestens zehn Sekunden und höchstens zehn Jahre.",
  "plot.hide": "{name} ausblenden",
  "plot.add": "Wert hinzufügen …",
  "plot.hidden": "Es wird nicht aufgezeichnet: siehe „Über dieses Gerät“.",
  "plot.empty":
    "In dieser Zeit wurde nichts aufgezeichnet. Änderungen werden aufgezeichnet, wenn sie geschehen; Einstellungen und Diagnosewerte nicht.",
  "plot.loading": "Der Verlauf wird gelesen …",
  "plot.cursor": "Moment, an dem die Werte gelesen werden; + und − vergrößern",
  "plot.hint": "Zieh über den Verlauf, oder mit zwei Fingern, um genauer hinzusehen.",
  "plot.busy": "Viele Änderungen",
  "plot.csv": "Als CSV herunterladen",
  "plot.downloading": "{rows} Zeilen …",
  "plot.table": "Werte als Tabelle",
  "plot.moment": "Wann",
  "plot.more": "Mehr zeigen ({count})",
  "plot.too_large": "Manche Werte sind zu groß zum Zeichnen.",
};
