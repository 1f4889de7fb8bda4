// Deutsch: was am Hub selbst nicht stimmt, und was zu tun ist.
import type { Translated } from "../catalogue.ts";

export const alerts: Translated<"alerts"> = {
  "attention.part_storage": "Speicher",
  "attention.part_history": "Aufzeichnung",
  "attention.part_plugins": "Plugins",
  "attention.part_notify": "Nachrichten",
  "attention.part_backup": "Sicherung",
  "attention.part_modes": "Modi",
  "attention.part_discovery": "gefundene Geräte",
  "attention.part_limits": "Grenzen",
  "attention.part_server": "die Adresse dieser Seite",
  "attention.part_config": "die Konfiguration",
  "attention.part_calendars": "Kalender",
  "attention.part_mqtt": "MQTT-Konten",
  "attention.part_profiles": "Geräteprofile",
  "attention.part_log": "Protokoll",
  "attention.part_home": "der Ordner des Hubs",
  "attention.disk_nearly_full": "Der Speicher ist fast voll",
  "attention.disk_full": "Der Speicher ist voll",
  "attention.disk_failing": "Der Speicher geht kaputt",
  "attention.write_allowance": "Es wird mehr geschrieben als erlaubt",
  "attention.database_lost": "Eine Datenbank ging verloren",
  "attention.database_exchanged": "Eine Datenbank wurde im Betrieb ausgetauscht",
  "attention.plugin_down": "Ein Plugin läuft nicht",
  "attention.plugin_crash_loop": "Ein Plugin stürzt immer wieder ab",
  "attention.backup_overdue": "Die Sicherung ist überfällig",
  "attention.clock_stepped": "Die Uhr wurde gestellt",
  "attention.unclean_stop": "Der Hub ging ohne Vorwarnung aus",
  "attention.part_off": "Ein Teil des Hubs ist aus",
  "attention.memory": "Der Arbeitsspeicher wird knapp",
  "attention.flood": "Jemand sendet viel zu viel",
  "attention.password_guessing": "Jemand rät Passwörter",
  "attention.mqtt_broker": "Der MQTT-Broker ist weg",
  "attention.standby": "Der zweite Rechner könnte nicht übernehmen",
  "attention.lease": "Die Lease lässt sich nicht verlängern",
  "attention.took_over": "Dieser Rechner hat übernommen",
  "attention.calendar": "Ein Kalender ist nicht lesbar",
  "attention.history_export": "Der Verlauf kommt an seinem zweiten Ort nicht an",
  "attention.rules_renamed_attributes": "Regeln nutzen Attribute, die jetzt anderes bedeuten",
  "attention.certificate": "Das Zertifikat muss erneuert werden",

  "alert.disk_nearly_full": "{free_mb} MB sind frei",
  "alert.disk_nearly_full_mend": "Schaff Platz, oder heb weniger Tage Verlauf und weniger Sicherungen auf.",
  "alert.disk_full": "{free_mb} MB sind frei, und was sich ändert, geht verloren",
  "alert.disk_full_mend": "Schaff Platz: alte Sicherungen und Protokolle zuerst.",
  "alert.disk_failing_full":
    "Der Hub kann nicht schreiben, weil der Speicher voll ist. Das Haus läuft weiter; was sich jetzt ändert, geht beim nächsten Stromausfall verloren",
  "alert.disk_failing_read_only":
    "Der Hub kann nicht schreiben, weil der Speicher nur noch gelesen werden kann. Das Haus läuft weiter; was sich jetzt ändert, geht beim nächsten Stromausfall verloren",
  "alert.disk_failing_failing":
    "Der Hub kann nicht schreiben, weil der Speicher versagt. Das Haus läuft weiter; was sich jetzt ändert, geht beim nächsten Stromausfall verloren",
  "alert.disk_failing_mend":
    "Kopier die neueste Sicherung auf einen anderen Rechner. Eine SD-Karte, die sich nicht mehr beschreiben lässt, ist verbraucht: tausch sie aus.",
  "alert.write_allowance":
    "Was heute geschrieben werden darf, ist verbraucht; Messwerte kommen bis zu zehn Minuten später auf den Speicher",
  "alert.write_allowance_mend": "Such das Gerät, das zu oft meldet, oder erlaub in der Konfiguration mehr.",
  "alert.write_allowance_sampled":
    "Es wird mehr gemeldet, als am Tag geschrieben werden darf: von dem, was sich am häufigsten ändert, wird etwa alle {seconds} s ein Wert aufgezeichnet ({devices})",
  "alert.database_lost_missing":
    "Die Datenbank dieses Hauses fehlt oder ist leer: Geräte, Benutzer, Szenen und Einstellungen sind weg",
  "alert.database_lost_damaged":
    "Die Datenbank dieses Hauses war beschädigt; sie liegt noch als {file}. Geräte, Benutzer, Szenen und Einstellungen sind weg",
  "alert.database_lost_history_missing":
    "Die Aufzeichnung fehlt oder ist leer: eine neue hat begonnen, was vorher war, ist weg",
  "alert.database_lost_history_damaged":
    "Die Aufzeichnung war beschädigt; sie liegt noch als {file}, und eine neue hat begonnen",
  "alert.database_lost_mend": "Spiel die neueste Sicherung zurück, unter System, Sicherungen.",
  "alert.database_exchanged":
    "{database} wurde ausgetauscht, während der Hub lief; er läuft ohne die neue Datei weiter",
  "alert.database_exchanged_mend":
    "Wenn alles kopiert ist, starte den Hub neu: er beginnt mit der neuen Datei. Was sich vorher ändert, steht nicht darin.",
  "alert.plugin_down": "Das Plugin {plugin} läuft nicht",
  "alert.plugin_down_ended": "Das Plugin {plugin} läuft nicht: {reason}",
  "alert.plugin_down_mend": "Auf seiner Seite stehen seine letzten Zeilen, und dort startest du es neu.",
  "alert.plugin_crash_loop": "Das Plugin {plugin} endet immer wieder",
  "alert.plugin_crash_loop_ended": "Das Plugin {plugin} endet immer wieder: {reason}",
  "alert.plugin_crash_loop_mend": "Auf seiner Seite stehen seine letzten Zeilen.",
  "alert.backup_overdue_failed": "Der letzte Versuch ist gescheitert: {reason}",
  "alert.backup_overdue_never": "Dieses Haus wurde noch nie gesichert",
  "alert.backup_overdue_old": "Die letzte Sicherung ist {days} Tage alt",
  "alert.backup_overdue_elsewhere": "Seit {since} kam keine Sicherung nach {target}: {reason}",
  "alert.backup_overdue_bad_copy": "Die Kopie der Sicherungen bei {target} taugt nichts: {reason}",
  "alert.backup_overdue_mend":
    "Mach eine unter System, Sicherungen, und sieh nach, dass jede Nacht von selbst eine entsteht.",
  "alert.clock_stepped_forward": "Die Uhr wurde um {minutes} Minuten vorgestellt",
  "alert.clock_stepped_back": "Die Uhr wurde um {minutes} Minuten zurückgestellt",
  "alert.clock_stepped_unsure": "Die Uhr kann nicht stimmen: sie steht vor 2026",
  "alert.clock_stepped_mend":
    "Stimmt die Zeit jetzt, ist nichts zu tun. Sonst verbinde den Rechner mit dem Internet oder stell seine Uhr: Regeln mit Uhrzeiten laufen im falschen Augenblick.",
  "alert.unclean_stop": "Ein Stromausfall, ein Absturz, oder er wurde abgeschossen",
  "alert.unclean_stop_mend":
    "Was bestätigt war, ist noch da. Hat niemand den Strom genommen, sagt das Protokoll vor dem Start mehr.",
  "alert.part_off_history": "Die Aufzeichnung ist aus, neuer Versuch von selbst um {next}: {reason}",
  "alert.part_off_notify": "Nachrichten sind aus, neuer Versuch von selbst um {next}: {reason}",
  "alert.part_off_backup": "Sicherungen sind aus, neuer Versuch von selbst um {next}: {reason}",
  "alert.part_off_rules": "Regeln sind aus, neuer Versuch von selbst um {next}: {reason}",
  "alert.part_off_plugins": "Plugins sind aus, neuer Versuch von selbst um {next}: {reason}",
  "alert.part_off_mqtt": "MQTT ist aus, neuer Versuch von selbst um {next}: {reason}",
  "alert.part_off_mend":
    "Kennst du die Ursache, behebe sie und starte den Hub neu. Sonst warte: jeder Teil, der aus ist, wird von selbst wieder versucht.",
  "alert.memory": "Der Hub braucht {used_mb} MB Arbeitsspeicher",
  "alert.memory_mend": "Starte ihn neu, wenn das so bleibt, und melde es mit seinem Protokoll.",
  "alert.flood": "{account} hat die Grenze {limit} erreicht: {reason}",
  "alert.flood_mend":
    "Sieh nach, was dieses Gerät oder Plugin tut; ist es in Ordnung, erhöh die Grenze in der Konfiguration.",
  "alert.password_guessing": "Von {address} kamen immer wieder falsche Passwörter; dort muss jetzt gewartet werden",
  "alert.password_guessing_mend":
    "War das niemand aus dem Haus, such das Gerät oder Plugin: Der Nachweis hat jeden Versuch. Ein altes Passwort in einem Programm sieht genauso aus.",
  "alert.mqtt_broker_away": "MQTT geht gerade nicht: {reason}",
  "alert.mqtt_broker_refused": "MQTT geht nicht: {reason}",
  "alert.mqtt_broker_mend":
    "Was der Hub von seinen Geräten zeigt, ist von vorher, und Befehle scheitern, bis der Broker wieder da ist.",
  "alert.standby_silent": "{name} hat sich seit {minutes} Minuten nicht gemeldet",
  "alert.standby_copy": "{name} hat seit 15 Minuten keine vollständige Kopie dieses Hauses",
  "alert.standby_problem": "{name} meldet (auf Englisch): {problem}",
  "alert.standby_version": "{name} hat Version {other}, dieser Rechner {version}",
  "alert.standby_mend":
    "Sieh nach, ob er läuft, diesen Rechner erreicht und dieselbe Version hat; „hub standby status“ sagt dort mehr.",
  "alert.lease_kept": "{lease} antwortet nicht: {reason}. Der Hub läuft weiter, solange der zweite Rechner antwortet",
  "alert.lease_alone": "Weder {lease} ({reason}) noch der zweite Rechner antworten",
  "alert.lease_mend":
    "Sieh nach, ob der Dienst der Lease läuft, und nach dem Netz: bis er wieder da ist, kann niemand übernehmen.",
  "alert.took_over_handed_over":
    "{from} hat übergeben: nichts ging verloren, und höchstens {gone} Sekunden lang gab es keinen Hub",
  "alert.took_over_gone":
    "{from} ist weg: höchstens {lost} Sekunden von dem, was Menschen taten, fehlen, und höchstens {gone} Sekunden lang gab es keinen Hub",
  "alert.took_over_promoted":
    "Jemand hat diesen Rechner statt {from} bestimmt: höchstens {lost} Sekunden von dem, was Menschen taten, fehlen, und höchstens {gone} Sekunden lang gab es keinen Hub",
  "alert.took_over_mend":
    "Sieh nach dem anderen Rechner; ist er wieder da, führt er die Kopie. „hub standby promote“ macht ihn dort wieder zum Hub.",
  "alert.calendar": "Der Kalender {calendar}: {reason}",
  "alert.calendar_mend": "Was schon gelesen war, bleibt. Sieh dir seinen Eintrag in der Konfiguration an.",
  "alert.history_export": "{export} hängt {minutes} Minuten zurück: {reason}",
  "alert.history_export_mend":
    "Was aufgezeichnet ist, wartet hier und geht dorthin, sobald es wieder klappt. Was abgelehnt wurde, steht im Protokoll.",
  "alert.history_export_lost": "{export} hat Werte verloren: bisher {lost}",
  "alert.rules_renamed_attributes":
    "Attribute, die Regeln nutzen, heißen jetzt anders oder bedeuten das Gegenteil: {names}",
  "alert.rules_renamed_attributes_mend":
    "Was sie auslösen würden, wird zurückgehalten. Sieh sie unter Regeln an, oder mit `hub rules turn --dry-run`: `hub rules turn` ändert sie.",
  "alert.certificate": "Das Zertifikat dieser Seite läuft in {days} Tagen ab",
  "alert.certificate_expired": "Das Zertifikat dieser Seite ist abgelaufen",
  "alert.certificate_mend": "Leg die neuen Dateien dorthin, wo die Konfiguration sie sucht, und starte den Hub neu.",

  "problem.storage": "Sieh nach dem Speicher: ist er voll oder verbraucht?",
  "problem.history": "Das Haus läuft weiter, ohne aufzuzeichnen, was es tut.",
  "problem.plugins": "Auf der Seite des Plugins steht mehr.",
  "problem.notify": "Nachrichten warten oder gehen einen anderen Weg, bis der Kanal wieder geht.",
  "problem.backup": "Mach eine von Hand, und sieh, was sie sagt.",
  "problem.modes": "Bring es in der Datei in Ordnung; bis dahin lässt der Hub diesen Teil weg.",
  "problem.discovery": "Geräte, die schon da sind, laufen weiter.",
  "problem.limits":
    "Sieh nach, was dieses Gerät oder Plugin tut; ist es in Ordnung, erhöh die Grenze in der Konfiguration.",
  "problem.server": "Sieh dir in der Konfiguration den Server an, und starte den Hub neu.",
  "problem.mqtt": "Sieh nach den Konten: mit einem, das nicht geht, können sich Geräte nicht anmelden.",
  "problem.config": "Der Hub läuft mit dem, was vorher galt. Die Konfiguration zeigt, was nicht stimmt.",
  "problem.section": "Was dort nicht lesbar ist, gilt nicht, bis es in der Konfiguration in Ordnung ist.",
  "problem.calendars": "Was schon gelesen war, bleibt. Sieh dir seinen Eintrag in der Konfiguration an.",
  "problem.profiles": "Bring die Datei in Ordnung; bis dahin versteht der Hub Geräte nicht, die sie brauchen.",
  "problem.log": "Der Hub läuft weiter, aber was geschieht, wird nicht aufgeschrieben.",
  "problem.rules": "Bring sie unter Regeln in Ordnung; die anderen laufen weiter.",
};
