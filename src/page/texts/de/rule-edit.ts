// Deutsch: Regeln ändern, im Text und geführt.
import type { Translated } from "../catalogue.ts";

export const ruleEdit: Translated<"ruleEdit"> = {
  "edit.guided": "Geführt",
  "edit.text": "Text der Datei",
  "edit.text_broken": "Der Text hat Fehler: sind sie behoben, kannst du hier weitermachen.",
  "edit.save": "Speichern",
  "edit.saved": "Gespeichert",
  "edit.discard": "Änderungen verwerfen",
  "edit.discarded": "Änderungen verworfen",
  "edit.unchanged": "Nichts geändert.",
  "edit.kept":
    "Noch nicht gespeichert. Was du schreibst, bleibt in diesem Tab, auch wenn du neu lädst oder dich wieder anmelden musst.",
  "edit.broken":
    "Fehler: {count}. Ein kaputter Text wird nicht gespeichert; er bleibt in diesem Tab, bis du ihn in Ordnung bringst.",
  "edit.comments_lost": "Diese Änderung ging nicht, ohne den Text neu zu schreiben: seine Kommentare sind weg",
  "edit.problem_at": "Zeile {line}, Spalte {column}",
  "edit.warning_at": "Hinweis: Zeile {line}, Spalte {column}",
  "edit.conflict": "Jemand anders hat diese Regel geändert",
  "edit.conflict_what": "Zeilen mit − stehen nur im Hub, Zeilen mit + nur hier. Welcher Text soll es sein?",
  "edit.removed": "Nur im Hub",
  "edit.added": "Nur hier",
  "edit.keep_mine": "Mit meinem weitermachen",
  "edit.take_theirs": "Den anderen nehmen",
  "edit.merge": "Beides zusammenführen",
  "edit.merged": "Beides steht jetzt im Text: Sieh ihn dir an und speichere dann",
  "edit.clashes":
    "Beide haben dieselben Zeilen geändert ({count}-mal): Deine stehen da, die anderen als Kommentar darunter",
  "edit.theirs": "Von anderswo:",
  "edit.took_theirs": "Jetzt steht hier der Text des Hubs",
  "edit.webhooks": "Adressen zum Aufrufen",
  "edit.address": "Adresse",
  "edit.copy_address": "Adresse kopieren",
  "edit.copy_secret": "Geheimnis kopieren",
  "edit.copied": "Kopiert",
  "edit.show_secret": "Zeigen",
  "edit.hide_secret": "Verbergen",
};
