// German: plugins from a file, and newer versions of the hub.
import type { Translated } from "../catalogue.ts";

export const upload: Translated<"upload"> = {
  "upload.title": "Plugins aus einer Datei",
  "upload.hint": "Ein Programm installieren, das Geräte mitbringt",
  "upload.trust":
    "Ein Plugin ist ein Programm, das auf deinem Hub läuft und dein Netz benutzt. Installiere nur, wem du vertraust: Sieh nach, woher es kommt.",
  "upload.admins_only": "Nur Administratoren installieren Plugins.",
  "upload.file": "Wähle die Datei oder zieh sie hierher",
  "upload.file_hint": "Eine Datei, die auf .js oder .ts endet, mit höchstens 8 MB",
  "upload.not_a_script":
    "Das ist keine .js- oder .ts-Datei. Ein Plugin anderer Art kopierst du mit seinem Ordner selbst auf den Hub.",
  "upload.too_large": "Diese Datei hat mehr als 8 MB, so viel nimmt der Hub nicht an.",
  "upload.id": "Sein Name auf dem Hub",
  "upload.id_hint": "Buchstaben ohne Umlaute, Ziffern, Punkte, Binde- und Unterstriche; später nicht mehr zu ändern",
  "upload.enabled": "Jetzt und mit dem Hub starten",
  "upload.install": "Installieren",
  "upload.busy": "Wird gesendet …",
  "upload.installed": "{id} ist installiert",
  "upload.list": "Aus einer Datei installiert",
  "upload.none": "Noch keine.",
  "upload.version": "{file}, {kb} KB, von {time}",
  "upload.previous": "davor: das von {time}",
  "upload.replace": "Ersetzen",
  "upload.replace_of": "Das Programm von {id} ersetzen",
  "upload.replace_what":
    "Das jetzige Programm wird aufgehoben, damit du zurückgehen kannst. Einstellungen und Geräte bleiben.",
  "upload.replace_now": "Ersetzen",
  "upload.replaced": "{id} hat sein neues Programm",
  "upload.back": "Zurückgehen",
  "upload.back_of": "Zum vorigen Programm von {id} zurückgehen",
  "upload.went_back": "{id} hat wieder sein voriges Programm",
  "upload.remove": "Entfernen",
  "upload.remove_of": "{id} entfernen",
  "upload.remove_what":
    "Das Plugin wird beendet und aus hub.toml genommen. Sein Ordner bleibt in plugins/.trash, und seine Geräte bleiben, bis du sie entfernst.",
  "upload.remove_type": "Gib {id} ein, um es zu entfernen",
  "upload.removed": "{id} ist entfernt",
  "upload.hub_title": "Eine neuere Version",
  "upload.hub_hint": "Wie der Hub eine neue Version bekommt, und wie er zurückgeht",
  "upload.hub_now": "Dieser Hub hat Version {version}.",
  "upload.hub_backup":
    "Mach eine Sicherung: Eine ältere Version kann vielleicht nicht lesen, was eine neuere geschrieben hat.",
  "upload.hub_file":
    "Kopiere die neue Datei auf den Rechner des Hubs. Für einen Raspberry Pi ist das hub-linux-arm64, für die meisten anderen hub-linux-x64.",
  "upload.hub_run": "Führe dort dies aus, mit Ort und Namen deiner Datei:",
  "upload.hub_try":
    "Der Hub startet neu. Antwortet die neue Version nicht innerhalb einer Minute, oder geht es ihr nicht noch eine Minute gut, kommt die alte von selbst zurück, mit den Datenbanken von vorher.",
  "upload.hub_back": "Auch später kannst du zurückgehen:",
  "upload.hub_why":
    "Die Seite kann das hier nicht selbst tun, denn das Programm gehört dem Administrator des Rechners:",
  "upload.hub_choose_what":
    "Schicke dem Hub die Datei der neueren Version. Für einen Raspberry Pi ist das hub-linux-arm64, für die meisten anderen hub-linux-x64.",
  "upload.hub_choose": "Wähle die Datei oder lass sie hier fallen",
  "upload.hub_to_backups": "Zu den Sicherungen",
  "upload.hub_sending": "Die Datei wird gesendet.",
  "upload.hub_trying": "Der Hub startet neu und probiert die andere Version. Das Haus wartet so lange.",
  "upload.hub_submit": "Senden und damit neu starten",
  "upload.hub_done": "Der Hub ist jetzt Version {version}.",
  "upload.hub_went_well": "Von {from} zu {to}, {time}.",
  "upload.hub_failed": "{to} hat hier nicht funktioniert, {time}, also läuft wieder {from}.",
  "upload.hub_go_back": "Zurück zu {version}",
  "upload.hub_go_back_question": "Der Hub startet mit {version} neu. Tun?",
  "upload.hub_back_whole": "Zurück mit den Datenbanken von {time}",
  "upload.hub_back_whole_question":
    "Der Hub startet mit {version} und seinen Datenbanken von {time} neu. Was Geräte seitdem gesendet haben und was jemand seitdem geändert hat, ist nicht darin. Tun?",
  "confirm.title": "Noch einmal dein Passwort",
  "confirm.why":
    "Das bringt ein Programm auf den Hub, ersetzt das Haus, öffnet es einem Plugin oder lässt jemanden herein. Darum will der Hub sicher sein, dass du es bist.",
  "confirm.password": "Dein Passwort",
  "confirm.submit": "Weiter",
  "confirm.cancel": "Lassen",
  "error.not_confirmed": "Es ist nichts geschehen, weil das Passwort nicht eingegeben wurde.",
};
