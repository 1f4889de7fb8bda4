// Deutsch: was das Schema von hub.toml zu seinen Schlüsseln sagt, vom Server bis zu den Plugins; links, wie es dort steht.
export const hints: Readonly<Record<string, string>> = {
  "0 takes any free port.": "0 nimmt einen freien Port.",
  "Addresses or CIDR ranges of proxies whose `X-Forwarded-For` counts.":
    "Adressen oder Netze (CIDR) von Proxys, deren `X-Forwarded-For` zählt.",
  "Names under which whitelisted addresses may call the hub, beside addresses, `localhost`, `*.local` and the machine's own.":
    "Namen, unter denen vertraute Adressen den Hub aufrufen dürfen, neben Adressen, `localhost`, `*.local` und dem Namen des Rechners.",
  "Requests of one address without an account, `/health` not counted; four times as many at once.":
    "Anfragen einer Adresse ohne Konto, `/health` nicht mitgezählt; viermal so viele auf einmal.",
  "Requests that one connection may send without waiting for answers.":
    "Anfragen, die eine Verbindung senden darf, ohne Antworten abzuwarten.",
  "Largest request body; a backup to restore is streamed and not counted.":
    "Die größte Anfrage; eine Sicherung, die zurückgespielt wird, zählt nicht.",
  "IANA name; the machine's own zone when absent.": "Name nach IANA; fehlt er, gilt die Zone des Rechners.",
  "Signs every token; changing it ends all of them. HS256 needs 32 bytes, which 32 characters always have.":
    "Unterschreibt jede Anmeldung; ein neues beendet alle. HS256 braucht 32 Bytes, die 32 Zeichen immer haben.",
  "Rows of the audit log in the state database, at most a kilobyte or so each; the oldest go first.":
    "Einträge des Nachweises, höchstens etwa ein Kilobyte jeder; die ältesten gehen zuerst.",
  "Addresses or CIDR ranges that are administrators without a token.":
    "Adressen oder Netze (CIDR), die ohne Anmeldung verwalten dürfen.",
  "`external`: the hub is a client of the broker at `url`, and listens nowhere itself.":
    "`external`: Der Hub ist Client des Brokers unter `url` und hat selbst keinen.",
  "Of the external broker: `mqtt://`, `mqtts://`, `ws://` or `wss://`, without user name and password.":
    "Die des fremden Brokers: `mqtt://`, `mqtts://`, `ws://` oder `wss://`, ohne Benutzername und Passwort.",
  "Further nodes of the same cluster, tried in turn while the others are gone.":
    "Weitere Knoten desselben Clusters, der Reihe nach versucht, wenn die anderen fort sind.",
  "The hub's own account at the external broker.": "Das eigene Konto des Hubs beim fremden Broker.",
  "Certificates (PEM) that the external broker's is checked with; those of the system when absent.":
    "Zertifikate (PEM), mit denen das des fremden Brokers geprüft wird; fehlen sie, die des Systems.",
  "The hub's own certificate (PEM), for an external broker that asks for one.":
    "Das eigene Zertifikat des Hubs (PEM), wenn der fremde Broker eins verlangt.",
  "The private key (PEM) of `cert`.": "Der private Schlüssel (PEM) zu `cert`.",
  "At the external broker; one that the hub makes up and keeps when absent.":
    "Beim fremden Broker; fehlt sie, denkt der Hub sich eine aus und behält sie.",
  "What the hub listens to at the external broker, besides its own topics.":
    "Was der Hub beim fremden Broker hört, neben seinen eigenen Themen.",
  "How long the external broker keeps messages (QoS 1) for the hub while that is away.":
    "Wie lange der fremde Broker Nachrichten (QoS 1) für den Hub aufhebt, wenn er fort ist.",
  "Allows clients without an account, from this machine only.": "Erlaubt Clients ohne Konto, nur von diesem Rechner.",
  "Of a client with a name, as a whole.": "Von einem Client mit Namen, im Ganzen.",
  "Of one message. Left out: 1 MiB for clients without a name, and what fits into a packet for the others.":
    "Von einer Nachricht. Fehlt es: 1 MiB für Clients ohne Namen, sonst was in ein Paket passt.",
  "Of all accounts except supervised plugins, which are never refused. The same number limits kept sessions.":
    "Von allen Konten, außer von Plugins des Hubs, die nie abgewiesen werden. Auch so viele Sitzungen werden höchstens aufgehoben.",
  "Connections that have not logged in, beside this machine's. Above this the oldest of the address that has most is closed.":
    "Verbindungen, die noch nicht angemeldet sind, neben denen dieser Maschine. Darüber wird die älteste der Adresse beendet, die am meisten hat.",
  "Of one account, averaged over ten seconds. A faster client is read more slowly.":
    "Von einem Konto, im Mittel über zehn Sekunden. Wer schneller ist, wird langsamer gelesen.",
  "Deliveries of one account's messages, one for each matching subscription, averaged over two seconds.":
    "Zustellungen der Nachrichten eines Kontos, eine je passendem Abonnement, im Mittel über zwei Sekunden.",
  "Bytes received from one account, averaged over four seconds; from all together the same, beyond a quarter of it for each. A faster client is read more slowly.":
    "Bytes von einem Konto, im Mittel über vier Sekunden; von allen zusammen ebenso viele, über ein Viertel davon für jedes hinaus. Wer schneller ist, wird langsamer gelesen.",
  "Of one account. Further ones are refused.": "Von einem Konto. Weitere werden abgewiesen.",
  "`ask`: a new device waits until a person accepts it": "`ask`: Ein neues Gerät wartet, bis jemand es annimmt",
  "Taken in although `approve` is `ask`: names, or ids as GET /discovery lists them":
    "Angenommen, auch wenn `approve` `ask` ist: Namen, oder Ids wie in GET /discovery",
  "Not taken in; what a person accepted is: names, or ids as GET /discovery lists them":
    "Nicht angenommen, außer jemand hat es getan: Namen, oder Ids wie in GET /discovery",
  "Of an account: how much of each second reading what its devices report may take":
    "Für ein Konto: wie viel von jeder Sekunde das Lesen dessen, was seine Geräte melden, brauchen darf",
  "Also what clients without an account announce": "Auch was Clients ohne Konto ankündigen",
  "Devices of Zigbee2MQTT, whatever its base topic": "Geräte von Zigbee2MQTT, unter welchem Thema auch immer",
  "Tasmota 9.2 and later": "Tasmota ab 9.2",
  "Shelly, of every generation": "Shelly, jede Generation",
  "Devices of the Homie convention, versions 3 to 5": "Geräte der Homie-Konvention, Versionen 3 bis 5",
  "The levels before a Homie device's id; + is any one level":
    "Die Ebenen vor der Id eines Homie-Geräts; + ist eine beliebige Ebene",
  "Cameras of Frigate, whatever its base topic": "Kameras von Frigate, gleich unter welchem Thema",
  "The last ones of each camera, and of each kind of object it distinguishes, on disk; 0: none":
    "Die letzten jeder Kamera, und jeder Art von Ding, die sie unterscheidet, auf der Platte; 0: keine",
  "Of all cameras together, on disk: the oldest go": "Von allen Kameras zusammen, auf der Platte: die ältesten gehen",
  "Where an address that a device announces for its picture may lead: anywhere but to this machine, to public addresses over https only, or nowhere":
    "Wohin eine Adresse führen darf, die ein Gerät für sein Bild ankündigt: überallhin außer auf diesen Rechner, nur über https ins Internet, oder nirgendwohin",
  "Whatever speaks Home Assistant's MQTT discovery": "Was sich ankündigt, wie Home Assistant es über MQTT versteht",
  "The first levels of its topics": "Der Anfang seiner Themen",
  "Plugin identifier; also its MQTT username and the name of its folder":
    "Id des Plugins; auch sein Benutzername bei MQTT und der Name seines Ordners",
  "Path of the plugin executable, relative to HUB_HOME; `.js` and `.ts` run on the hub's own Bun":
    "Pfad des Programms, von HUB_HOME aus; `.js` und `.ts` laufen mit dem Bun des Hubs",
  "Path of the plugin configuration file, relative to HUB_HOME; plugins/<id>/config/config.toml when absent":
    "Pfad seiner Konfiguration, von HUB_HOME aus; fehlt er, plugins/<id>/config/config.toml",
  "Whether the plugin is started": "Ob das Plugin gestartet wird",
  "Arguments after the path of its configuration": "Argumente hinter dem Pfad seiner Konfiguration",
  "Further environment variables; values may refer to the hub's, as in ${HUB_MQTT_PASSWORD}":
    // biome-ignore lint/suspicious/noTemplateCurlyInString: so hub.toml writes it
    "Weitere Umgebungsvariablen; Werte dürfen die des Hubs nennen, etwa ${HUB_MQTT_PASSWORD}",
  "Silence after which one that sends heartbeats is offline; after twice that it is restarted":
    "Nach so langem Schweigen gilt eins, das Lebenszeichen sendet, als ausgefallen; nach dem Doppelten wird es neu gestartet",
  "Whether the kernel confines it to its own folder: auto if it can, strict or it is not started, off never":
    "Ob der Kernel es auf seinen Ordner beschränkt: auto, wenn er kann; strict, oder es startet nicht; off nie",
  "Further files and folders it may read and execute, relative to HUB_HOME":
    "Weitere Dateien und Ordner, die es lesen und ausführen darf, von HUB_HOME aus",
  "Further files and folders it may read, execute and change, relative to HUB_HOME":
    "Weitere Dateien und Ordner, die es lesen, ausführen und ändern darf, von HUB_HOME aus",
  "With more memory it is restarted; half of the machine's memory when absent, 0 for no limit":
    "Mit mehr Speicher wird es neu gestartet; fehlt es, die Hälfte des Rechners, 0: keine Grenze",
  "Whether it may connect to UNIX sockets while it is confined: D-Bus (Bluetooth), a database, docker":
    "Ob es sich mit UNIX-Sockets verbinden darf, solange es eingeschlossen ist: D-Bus (Bluetooth), eine Datenbank, docker",
  "With more processes and threads it is restarted; 0 for no limit":
    "Mit mehr Prozessen und Threads wird es neu gestartet; 0: keine Grenze",
  "A fixed MQTT password, for a plugin with several processes; a new one for each start when absent":
    "Ein festes MQTT-Passwort, für ein Plugin mit mehreren Prozessen; fehlt es, ein neues bei jedem Start",
  "It may use the API with this role, by a key of its own for each start; not at all when absent":
    "Es darf die API mit dieser Rolle benutzen, mit einem eigenen Schlüssel je Start; fehlt es, gar nicht",
  "Topic patterns it may publish to besides those of every plugin":
    "Themen, auf denen es senden darf, neben denen jedes Plugins",
  "How long another version has to stay well, once it is up, before it stays. If it does not, the former one comes back with its databases":
    "So lange muss es einer anderen Version gut gehen, wenn sie läuft, bevor sie bleibt. Sonst kommt die frühere mit ihren Datenbanken zurück",
};
