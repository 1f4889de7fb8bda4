// Deutsch: was der Hub auf Englisch sagt, wenn er etwas ablehnt. Was hier fehlt, steht in seinen Worten hinter einem Satz, der sagt, worum es geht.

/** Ein Satz des Hubs, und derselbe auf Deutsch; {1} ist seine erste Klammer. */
export const sentences: readonly (readonly [RegExp, string])[] = [
  [/^wrong username or password$/, "Benutzername oder Passwort ist falsch."],
  [
    /^too many failed logins from this address; try again in (\d+) s$/,
    "Zu viele falsche Anmeldungen von hier. Versuch es in {1} s wieder.",
  ],
  [/^the current password is wrong$/, "Das jetzige Passwort ist falsch."],
  [/^the password is too short: it needs at least (\d+) characters$/, "Das Passwort braucht mindestens {1} Zeichen."],
  [/^the password is too long: at most (\d+) bytes$/, "Das Passwort ist zu lang: höchstens {1} Bytes."],
  [/^the session has ended: log in again$/, "Die Anmeldung ist zu Ende. Melde dich wieder an."],
  [
    /^this needs the role admin; yours is \w+$/,
    "Das darf nur die Verwaltung. Frag jemanden von ihr, oder melde dich so an.",
  ],
  [/^this needs the role user; yours is \w+$/, "Das darf nur, wer hier wohnt; du darfst zuschauen."],
  [
    /^this is the last administrator: make somebody else one first$/,
    "Das ist das letzte Konto mit Verwaltung. Gib sie zuerst jemand anderem.",
  ],
  [/^the username "(.+)" is taken(?::.*)?$/s, "Den Benutzernamen „{1}“ gibt es schon. Nimm einen anderen."],
  [/^the account was changed meanwhile.*$/, "Das Konto wurde inzwischen geändert. Lade die Seite neu."],
  [/^the schedule was changed meanwhile.*$/, "Der Zeitplan wurde inzwischen geändert. Lade die Seite neu."],
  [/^the layout was changed meanwhile.*$/, "Die Anordnung wurde inzwischen geändert. Lade die Seite neu."],
  [
    /^(\S+) was changed meanwhile: read it again, and put your change into that$/,
    "{1} wurde inzwischen geändert. Lies es neu, und trag deine Änderung dort ein.",
  ],
  [/^the device "(.+)" is not available$/s, "Das Gerät „{1}“ ist gerade nicht erreichbar."],
  [/^(?:devices: )?there is no device "(.+?)".*$/s, "Ein Gerät „{1}“ gibt es nicht."],
  [/^there is no such (?:rule|user|session|API key)$/, "Das gibt es nicht mehr."],
  [/^there is nothing at this address$/, "Unter dieser Adresse gibt es nichts."],
  [/^the hub is (?:starting|stopping).*$/, "Der Hub startet gerade. Versuch es gleich noch einmal."],
  [/^the file is empty$/, "Die Datei ist leer."],
  [
    /^the archive is refused: it is not a zip, or a truncated one: its end is missing$/,
    "Das ist kein Archiv eines Hubs, oder sein Ende fehlt. Nimm die ganze Datei hub-backup-….zip.",
  ],
  [/^it has no manifest: it is no backup of a hub$/, "Das ist ein Archiv, aber keine Sicherung eines Hubs."],
  [
    /^the archive cannot be decrypted: the passphrase is wrong, or its header is damaged$/,
    "Das Archiv lässt sich nicht entschlüsseln: Die Passphrase ist falsch, oder sein Anfang ist beschädigt.",
  ],
  [
    /^the archive is refused: it is encrypted, and damaged or truncated$/,
    "Das Archiv ist verschlüsselt, und beschädigt oder abgeschnitten.",
  ],
  [/^must be one of (.+)$/s, "muss eins davon sein: {1}"],
  [
    /^(?:the device )?"(.+?)" has no attribute "(.+?)" at present – did you mean "(.+?)"\?$/s,
    "„{1}“ hat zurzeit keinen Wert „{2}“ – meintest du „{3}“?",
  ],
  [
    /^(?:the device )?"(.+?)" has no attribute "(.+?)" at present; it has (.+)$/s,
    "„{1}“ hat zurzeit keinen Wert „{2}“; es hat {3}",
  ],
  [
    /^In Zigbee2MQTT's configuration\.yaml, replace the section `mqtt:` by these lines, then restart it\.$/,
    "Ersetze in der configuration.yaml von Zigbee2MQTT den Abschnitt `mqtt:` durch diese Zeilen, und starte es neu.",
  ],
  [
    /^On the Tasmota's web page, open Tools → Console and enter this line; it restarts by itself\. The same line fits any number.*$/s,
    "Öffne auf der eigenen Seite des Tasmota „Werkzeuge → Konsole“ und gib diese Zeile ein; er startet von selbst neu. Dieselbe Zeile passt für beliebig viele.",
  ],
  [
    /^On the Tasmota's web page, open Tools → Console and enter this line; it restarts by itself\. It is for this one device\.$/,
    "Öffne auf der eigenen Seite des Tasmota „Werkzeuge → Konsole“ und gib diese Zeile ein; er startet von selbst neu. Sie ist für dieses eine Gerät.",
  ],
  [
    /^On the Shelly's web page, open Settings → MQTT .* takes the prefix (\S+)\/ and a word\.$/s,
    "Öffne auf der eigenen Seite des Shelly „Settings → MQTT“ (erste Generation: „Internet & Security → Advanced“), trag das ein, speichere, und starte ihn neu. Ein zweiter Shelly mit diesem Konto bekommt als Präfix {1}/ und ein Wort.",
  ],
  [
    /^Add these lines to the ESPHome file whose `esphome:` section says `name: (\S+)`, then install it on the device\.$/,
    "Füge diese Zeilen in die Datei von ESPHome ein, in deren Abschnitt `esphome:` `name: {1}` steht, und installiere sie auf dem Gerät.",
  ],
  [/^Start the plugin with these environment variables\.$/, "Starte das Plugin mit diesen Umgebungsvariablen."],
  [/^Enter this on the other side\.$/, "Trag das auf der anderen Seite ein."],
  [
    /^The MQTT broker answers programs on this machine only\. For one on another machine, first set (.+) under \[mqtt\] in (.+), and restart the hub; there, write (\S+) in place of (\S+)\.$/,
    "Der MQTT-Broker antwortet nur Programmen auf diesem Rechner. Für eins auf einem anderen setz zuerst {1} unter [mqtt] in {2}, und starte den Hub neu; schreib dort {3} statt {4}.",
  ],
  [
    /^The MQTT broker answers programs on this machine only, so the device cannot reach it yet: first set (.+) under \[mqtt\] in (.+), and restart the hub\.$/,
    "Der MQTT-Broker antwortet nur Programmen auf diesem Rechner, das Gerät erreicht ihn also noch nicht: Setz zuerst {1} unter [mqtt] in {2}, und starte den Hub neu.",
  ],
  [
    /^The MQTT broker has another port after each start: set one, such as port = 1883, under \[mqtt\] in (.+)\.$/,
    "Der MQTT-Broker hat nach jedem Start einen anderen Port: Setz einen, etwa port = 1883, unter [mqtt] in {1}.",
  ],
];

/** Worum es bei einer Ablehnung geht, nach ihrem Code. */
export const leads: Readonly<Record<string, string>> = {
  invalid: "Das ist so nicht richtig.",
  unauthenticated: "Dafür musst du angemeldet sein.",
  forbidden: "Das darfst du hier nicht.",
  not_found: "Das gibt es nicht, oder nicht mehr.",
  conflict: "Das geht gerade nicht.",
  too_large: "Das ist zu groß.",
  rate_limited: "Das war zu oft. Warte ein wenig.",
  upstream_failed: "Ein anderer Dienst hat nicht geantwortet oder abgelehnt.",
  unavailable: "Der Hub kann das gerade nicht. Versuch es gleich noch einmal.",
  unconfirmed: "Das ist getan, aber der andere Rechner hat es noch nicht. Mach es nicht noch einmal.",
  storage: "Die Platte des Hubs ist voll oder lässt sich nicht beschreiben.",
  config: "In den Einstellungen stimmt etwas nicht.",
  in_use: "Das benutzt schon ein anderes Programm.",
};
