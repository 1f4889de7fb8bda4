// Deutsch: was das Schema von hub.toml zu seinen Schlüsseln sagt, von den Nachrichten bis zum zweiten Rechner; links, wie es dort steht.
export const hintsOfHouse: Readonly<Record<string, string>> = {
  "Topic patterns it may subscribe to besides those of every plugin":
    "Themen, die es hören darf, neben denen jedes Plugins",
  "Whether what people write in the chat is done: `/status`, `/devices`, `/scene NAME`, `/run NAME`":
    "Ob getan wird, was Menschen im Chat schreiben: `/status`, `/devices`, `/scene NAME`, `/run NAME`",
  "The user of the hub whose rights commands have": "Das Konto, dessen Rechte solche Befehle haben",
  "Address of a self-hosted or compatible server": "Adresse eines eigenen oder verträglichen Servers",
  "Device name; all devices when it is missing or empty": "Name des Geräts; fehlt er oder ist er leer, alle",
  "Emergencies: seconds between two sounds": "Notfälle: Sekunden zwischen zwei Tönen",
  "Emergencies: seconds until the sounds stop": "Notfälle: Sekunden, bis die Töne aufhören",
  "Whether messages may contain HTML tags": "Ob Nachrichten HTML enthalten dürfen",
  "File with the certificate of an authority of your own (PEM)": "Datei mit dem Zertifikat einer eigenen Stelle (PEM)",
  "How long to wait for the server's greeting": "Wie lange auf den Gruß des Servers gewartet wird",
  "Another one than ntfy.sh": "Ein anderer als ntfy.sh",
  "Who knows it can read along where the server asks for no login: choose one that nobody guesses":
    "Wer es kennt, kann mitlesen, wo der Server keine Anmeldung verlangt: Nimm eins, das niemand errät",
  "Instead of a token": "Statt eines Tokens",
  "Of messages that have none": "Von Nachrichten, die keine haben",
  "Whether messages may contain Markdown": "Ob Nachrichten Markdown enthalten dürfen",
  "Statuses that mean it was accepted": "Antworten, die heißen, dass sie angenommen wurde",
  "Of the account that writes the messages": "Von dem Konto, das die Nachrichten schreibt",
  "All of the message, or its text alone": "Die ganze Nachricht, oder nur ihr Text",
  "Whether the broker keeps the last message for later subscribers":
    "Ob der Broker die letzte Nachricht für spätere Hörer aufhebt",
  "Whether the topic may be one of the hub's own, over which plugins and devices are commanded":
    "Ob das Thema eins des Hubs sein darf, über die Plugins und Geräte Befehle bekommen",
  "Where the operators of push services can reach you; Apple wants one that exists":
    "Wo dich die Betreiber von Push-Diensten erreichen; Apple will eine, die es gibt",
  "For how long a message waits for a device that is off": "Wie lange eine Nachricht auf ein Gerät wartet, das aus ist",
  "For how long a message that does not get through is retried":
    "Wie lange eine Nachricht, die nicht durchkommt, wiederholt wird",
  "Messages that may wait, of all channels; beyond it, the oldest of the longest queue is given up":
    "So viele Nachrichten dürfen warten, aller Kanäle; darüber wird die älteste der längsten Schlange aufgegeben",
  "The address at which phones reach the hub: messages that somebody has to confirm get a link to it. Without it they have none":
    "Die Adresse, unter der Telefone den Hub erreichen: Nachrichten, die jemand bestätigen muss, bekommen einen Link dorthin. Ohne sie haben sie keinen",
  "The same limit for the space they take on disk": "Dieselbe Grenze für ihren Platz auf der Platte",
  "Services of the hub's own machine that devices' addresses of pictures may lead to":
    "Dienste auf dem Rechner des Hubs, zu denen Adressen von Bildern führen dürfen",
  "The name behind `person:`": "Der Name hinter `person:`",
  "Notification channels, the preferred one first: a message goes through the first that works":
    "Kanäle, der liebste zuerst: Eine Nachricht nimmt den ersten, der geht",
  "The groups behind `people:`": "Die Gruppen hinter `people:`",
  "When only what is important comes through; the rest comes together at their end":
    "Wann nur Wichtiges durchkommt; der Rest kommt an ihrem Ende zusammen",
  "Modes in which the person is notified: any of them has to be on; always without any":
    "Modi, in denen die Person etwas erfährt: Einer davon muss an sein; ohne welche immer",
  "What says whether the person is at home, for `people:home`":
    "Was sagt, ob die Person zu Hause ist, für `people:home`",
  "The id of its device": "Die Id seines Geräts",
  "The id when absent": "Fehlt er, die Id",
  "Where it is on the web, as an iCalendar file": "Wo er im Netz liegt, als iCalendar-Datei",
  "Path of an .ics file, relative to HUB_HOME, instead of url": "Pfad einer .ics-Datei, von HUB_HOME aus, statt url",
  "How often the address is asked for changes": "Wie oft die Adresse nach Neuem gefragt wird",
  "Events kept in memory for `GET /events` and for streams that resume.":
    "So viele Ereignisse bleiben im Speicher, für `GET /events` und für Verbindungen, die zurückkommen.",
  "Memory their texts may take; beyond it, fewer events are kept.":
    "So viel Speicher dürfen sie brauchen; darüber bleiben weniger.",
  "Memory of one device: its attributes and its description.":
    "Speicher eines Geräts: seine Werte und seine Beschreibung.",
  "The hub's own virtual devices have a limit of their own.": "Die eigenen Geräte des Hubs haben eine eigene Grenze.",
  "All devices of one plugin or account together.": "Alle Geräte eines Plugins oder Kontos zusammen.",
  "All devices together.": "Alle Geräte zusammen.",
  "After this without an answer a command has failed; 0: answers are not waited for.":
    "Danach ist ein Befehl ohne Antwort gescheitert; 0: Auf Antworten wird nicht gewartet.",
  "For the traces of all rules together.": "Für die Spuren aller Regeln zusammen.",
  "For the trigger contexts of active and queued runs.": "Für das, was Läufe auslöste, die laufen oder warten.",
  "A wait that was over while the hub was off is followed by the rest of its run up to so much later.":
    "Endete ein Warten, während der Hub aus war, folgt der Rest des Laufs bis zu so viel später noch.",
  "Seconds between writes of what devices report; see docs/operations.md for what a power cut takes.":
    "Sekunden zwischen dem Schreiben dessen, was Geräte melden; was ein Stromausfall kostet, steht in docs/operations.md.",
  "Above this, readings are written less often, and not all of what changes most often is recorded; 0 sets no limit.":
    "Darüber werden Werte seltener geschrieben, und von dem, was sich am häufigsten ändert, nicht alle aufgezeichnet; 0: keine Grenze.",
  "Older samples are removed, except the last of each attribute: its value lasts beyond that time.":
    "Ältere Werte werden entfernt, außer dem letzten jedes Attributs: Er gilt darüber hinaus.",
  "Memory for texts that are not in the file yet; above this the oldest are dropped.":
    "Speicher für Texte, die noch nicht in der Datei sind; darüber fallen die ältesten weg.",
  "Size of the file above which the oldest samples are removed, whatever their age.":
    "Größe der Datei, über der die ältesten Werte entfernt werden, wie alt sie auch sind.",
  "Where it stands is remembered under this name": "Unter diesem Namen merkt sich der Hub, wie weit er ist",
  "line_protocol: InfluxDB, VictoriaMetrics, QuestDB, Telegraf; postgres: also TimescaleDB":
    "line_protocol: InfluxDB, VictoriaMetrics, QuestDB, Telegraf; postgres: auch TimescaleDB",
  "http://HOST:PORT, or postgres://HOST:PORT/DATABASE; a path that is given is kept":
    "http://RECHNER:PORT oder postgres://RECHNER:PORT/DATENBANK; ein Pfad bleibt, wie er ist",
  "Of InfluxDB 2 and 3, or QuestDB": "Von InfluxDB 2 und 3, oder QuestDB",
  "Of InfluxDB 1, where the url has no path": "Von InfluxDB 1, wenn die Adresse keinen Pfad hat",
  "Of InfluxDB 2": "Von InfluxDB 2",
  "Of InfluxDB 2 and 3": "Von InfluxDB 2 und 3",
  "Of PostgreSQL; made if it is missing": "Von PostgreSQL; fehlt sie, wird sie angelegt",
  "PEM file of the authority that signed the server's certificate":
    "PEM-Datei der Stelle, die das Zertifikat des Servers unterschrieben hat",
  "Whether line protocol is sent compressed; false for QuestDB":
    "Ob line_protocol gepackt gesendet wird; false für QuestDB",
  "Whether texts, lists and objects go there; only to PostgreSQL where absent":
    "Ob Texte, Listen und Tabellen dorthin gehen; fehlt es, nur nach PostgreSQL",
  "1 and 0 in line protocol, where the same attribute is a number of another device":
    "1 und 0 in line_protocol, wo dasselbe Attribut bei einem anderen Gerät eine Zahl ist",
  "Only these; all where it is empty": "Nur diese; ist es leer, alle",
  "Only devices in these areas, by name or id; all where it is empty":
    "Nur Geräte in diesen Räumen, nach Name oder Id; ist es leer, alle",
  "Not these": "Diese nicht",
  "Not devices in these areas": "Keine Geräte in diesen Räumen",
  "How often it sends": "Wie oft er sendet",
  "Samples in one message at most": "Höchstens so viele Werte in einer Nachricht",
  "An alert is raised when it is so far behind": "Ist er so weit zurück, wird gewarnt",
  "Whether the hub reads from there what its own history has removed; one of kind postgres":
    "Ob der Hub von dort liest, was seine eigene Aufzeichnung entfernt hat; einer der Art postgres",
  "Low at this percentage and below.": "Schwach bei so viel Prozent und darunter.",
  "Recovered above the threshold plus this, so that a wavering level is reported once.":
    "Wieder gut über der Schwelle und so viel mehr, damit ein schwankender Stand einmal gemeldet wird.",
  'Six fields, seconds first: "0 30 3 * * *" is every night at half past three':
    "Sechs Felder, die Sekunden zuerst: „0 30 3 * * *“ ist jede Nacht um halb vier",
  "Older ones of this folder are removed": "Ältere in diesem Ordner werden entfernt",
  "Relative to HUB_HOME": "Von HUB_HOME aus",
  "Gets a message when a scheduled backup fails": "Bekommt eine Nachricht, wenn eine geplante Sicherung nicht geht",
  "Encrypts the scheduled backups, in the age format": "Verschlüsselt die geplanten Sicherungen, im Format age",
  "Its name in messages and on the command line": "Sein Name in Nachrichten und auf der Kommandozeile",
  "Of so many days that have a backup, the newest one is kept":
    "Von so vielen Tagen mit einer Sicherung bleibt die neueste",
  "Of so many weeks as well": "Ebenso von so vielen Wochen",
  "Of so many months as well": "Ebenso von so vielen Monaten",
  "Copies backups that are not encrypted, too: whoever can read there has every secret of the house":
    "Kopiert auch unverschlüsselte Sicherungen: Wer dort lesen kann, hat jedes Geheimnis des Hauses",
  "It must exist": "Es muss ihn geben",
  "Where the service is; Amazon's for the region when absent":
    "Wo der Dienst ist; fehlt es, der von Amazon für die Region",
  "As the service names it": "Wie der Dienst sie nennt",
  "Before all names in the bucket": "Vor allen Namen im Bucket",
  "Of a key that may list, read, write and delete there":
    "Von einem Schlüssel, der dort auflisten, lesen, schreiben und löschen darf",
  "Its secret": "Sein Geheimnis",
  "The bucket is a part of the path, as most services other than Amazon's want it; false: of the host":
    "Der Bucket steht im Pfad, wie es die meisten außer Amazon wollen; false: im Namen des Rechners",
  "Path of the certificate (PEM) that signed the server's, relative to HUB_HOME":
    "Pfad des Zertifikats (PEM), das das des Servers unterschrieben hat, von HUB_HOME aus",
  "A folder that exists": "Ein Ordner, den es gibt",
  "A folder in it, which is made": "Ein Ordner darin, der angelegt wird",
  "Of the account there": "Von dem Konto dort",
  "Its password; better one for this program alone, which Nextcloud calls an app password":
    "Sein Passwort; besser eins nur für dieses Programm, bei Nextcloud ein App-Passwort",
  "Its name or address": "Sein Name oder seine Adresse",
  "Where its SSH server listens": "Wo sein SSH-Server hört",
  "A folder below the login's own, or a whole path; it is made":
    "Ein Ordner unter dem des Kontos, oder ein ganzer Pfad; er wird angelegt",
  "Of the login there": "Von der Anmeldung dort",
  "Its password, where there is no key": "Ihr Passwort, wenn es keinen Schlüssel gibt",
  "Path of the private key, relative to HUB_HOME: config/backup-key":
    "Pfad des privaten Schlüssels, von HUB_HOME aus: config/backup-key",
  "The private key itself, instead of key_file": "Der private Schlüssel selbst, statt key_file",
  "Of that key, where it has one": "Von diesem Schlüssel, wenn er eine hat",
  "The server's key; when absent, the first one seen is remembered and no other is accepted":
    "Der Schlüssel des Servers; fehlt er, wird der erste gemerkt und kein anderer angenommen",
  "A folder of another disk or machine that is mounted there":
    "Ein Ordner einer anderen Platte oder eines anderen Rechners, der dort eingehängt ist",
  "A notification channel, or `all`; without one nobody is notified":
    "Ein Kanal, oder `all`; ohne einen erfährt es niemand",
  "Less free space than this is nearly full": "Weniger freier Platz heißt fast voll",
  "More memory than this of the hub's own process": "Mehr Speicher des Hubs selbst",
  "No backup for so long is overdue": "So lange keine Sicherung heißt überfällig",
  "Left of the TLS certificate": "Die dem TLS-Zertifikat bleiben",
  "Whether assistants with an API key made for MCP may use the hub, at `/mcp`.":
    "Ob Assistenten mit einem Schlüssel für MCP den Hub benutzen dürfen, unter `/mcp`.",
  "Where the lease is kept: postgres://HOST:PORT/DATABASE, or nats://HOST:PORT (JetStream), several nodes of one cluster with commas. Absent: one hub, or a standby that a person promotes":
    "Wo festgehalten wird, wer der Hub ist: postgres://RECHNER:PORT/DATENBANK oder nats://RECHNER:PORT (JetStream), mehrere Knoten eines Clusters mit Kommas. Fehlt es: ein Hub allein, oder ein Ersatz, den ein Mensch zum Hub macht",
  "Of NATS, instead of a username": "Von NATS, statt eines Benutzernamens",
  "PEM file of the authority that signed the engine's certificate":
    "PEM-Datei der Stelle, die das Zertifikat des Dienstes unterschrieben hat",
  "The lease's name: another one for each house that uses the same engine":
    "Der Name des Hauses dort: ein anderer für jedes Haus am selben Dienst",
  "How long a hub that is gone keeps the lease; the standby takes over a few seconds later":
    "So lange gilt ein Hub noch, der fort ist; der Ersatz übernimmt einige Sekunden danach",
  "What the hub does that reaches neither the lease nor its standby: stop, so that two never command one house; or continue, where the standby cannot be cut off without the house":
    "Was der Hub tut, der weder den Dienst noch den Ersatz erreicht: stop, damit nie zwei ein Haus steuern; oder continue, wo der Ersatz nicht ohne das Haus abgeschnitten sein kann",
  "When a change is answered: local, once it is on this machine's disk; standby, once it is on the other machine's, too, so that no take-over loses what was acknowledged":
    "Wann der Hub eine Änderung als getan meldet: local, sobald sie auf der Platte dieses Rechners ist; standby, erst wenn auch der andere Rechner sie auf der Platte hat, damit keine Übernahme verliert, was schon bestätigt war",
};
