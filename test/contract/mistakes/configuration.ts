// Seventy mistakes that people make in hub.toml and modes.toml. ◀ marks the line that is to be named.
import type { Mistake } from "./mistake.ts";

const AUTH = '[auth]\njwt_secret = "0123456789abcdef0123456789abcdef"\n';
const plugin = (rest: string): string => `${AUTH}[[plugins]]\nid = "lights"\nbinary = "plugins/lights/run"\n${rest}`;
const user = (rest: string): string => `${AUTH}[[mqtt.users]]\nusername = "garage"\n${rest}`;
const channel = (rest: string): string => `${AUTH}[[notify.channels]]\nname = "phone"\n${rest}`;
const push = (rest: string): string => channel(`type = "push_app"\napi_key = "k"\nuser_key = "u"\n${rest}`);

/** What is not TOML. */
const SYNTAX: readonly Mistake[] = [
  [`${AUTH}[server]\nport: 8080 ◀\n`, "", "TOML writes `name = value`, with `=` and not `:`"],
  [`${AUTH}[server]\nhost = 0.0.0.0 ◀\n`, "", "anything else needs quotes"],
  [`${AUTH}[log]\nlevel = debug ◀\n`, "", "a text needs quotes"],
  [`${AUTH}[log]\nlevel = “debug” ◀\n`, "", "typographic quotation marks"],
  [`${AUTH}[log]\nlevel = "debug ◀\n`, "", "its closing quotation mark is missing"],
  [`${AUTH}[mqtt]\nanonymous = True ◀\n`, "", "true and false are written in small letters"],
  [`${AUTH}[mqtt]\nanonymous = yes ◀\n`, "", "TOML writes true or false"],
  [`${AUTH}[history]\nretention_days = 30 days ◀\n`, "", "a number has no unit: write it alone"],
  [`${AUTH}[location]\nlatitude = 52,52 ◀\n`, "", "a decimal number has a point, not a comma"],
  [`${AUTH}[battery]\nthreshold_pct = ◀\n`, "", "the value is missing after `=`"],
  [`${AUTH}[server ◀\nport = 8080\n`, "", "`]` is missing: a table begins with `[name]`"],
  [`${AUTH}[[plugins] ◀\nid = "lights"\n`, "", "`]]` is missing: an entry of a list begins with `[[name]]`"],
  [`${AUTH}// the log ◀\n[log]\n`, "", "a comment begins with `#` in TOML"],
  [`${AUTH}[server]\nport = 8080\nport = 8081 ◀\n`, "", "is in the file already: keep one of them"],
  [`${AUTH}[log]\nlevel = "info"\n[log] ◀\n`, "", "is in the file already: keep one of them"],
  [`${AUTH}[backup]\ndirectory = "D:\\hub" ◀\n`, "", "write \\\\ for a backslash"],
  [`${AUTH}[server]\nhosts = ["home.example" "hub.example"] ◀\n`, "", "a comma or the closing bracket is missing"],
];

/** Names, types and ranges. */
const KEYS: readonly Mistake[] = [
  [`${AUTH}[sever] ◀\nport = 8080\n`, "sever", 'did you mean "server"?'],
  [`${AUTH}[server]\nprot = 8080 ◀\n`, "server.prot", 'did you mean "port"?'],
  [`${AUTH}[server]\ncolour = "red" ◀\n`, "server.colour", "there are host, port, cors_origins"],
  [`port = 8080 ◀\n${AUTH}`, "port", "it belongs under [server] or [mqtt]"],
  [`${AUTH}[[server]] ◀\nport = 8080\n`, "server", "write [server]"],
  [`server = "0.0.0.0" ◀\n${AUTH}`, "server", "write [server]"],
  [`${AUTH}[server]\nport = "8080" ◀\n`, "server.port", "must be a whole number from 0 to 65535"],
  [`${AUTH}[server]\nport = 80800 ◀\n`, "server.port", "must be a whole number from 0 to 65535"],
  [`${AUTH}[server]\nhost = "" ◀\n`, "server.host", "must not be empty"],
  [`${AUTH}[server]\ncors_origins = "https://home.example" ◀\n`, "server.cors_origins", "write cors_origins = [ … ]"],
  [`${AUTH}[server]\ncors_origins = ["home.example"] ◀\n`, "server.cors_origins[0]", "must be an origin such as"],
  [`${AUTH}[server] ◀\ntls_cert = "config/cert.pem"\n`, "server.tls_key", "give both or neither"],
  [`${AUTH}[server]\ntrusted_proxies = ["proxy"] ◀\n`, "server.trusted_proxies[0]", "such as"],
  [`${AUTH}[server]\nhosts = ["https://home.example/"] ◀\n`, "server.hosts[0]", "a name without scheme, port or path"],
  ['[auth]\njwt_secret = "secret" ◀\n', "auth.jwt_secret", "openssl rand -base64 48"],
  ["[auth] ◀\ntoken_lifetime_hours = 24\n", "auth.jwt_secret", "openssl rand -base64 48"],
  [`${AUTH}token_lifetime_hours = 0 ◀\n`, "auth.token_lifetime_hours", "above 0, at most 8760"],
  [`${AUTH}whitelist = ["192.168.1.x"] ◀\n`, "auth.whitelist[0]", "write an address or a CIDR range"],
  [`${AUTH}[location] ◀\nlatitude = 52.52\n`, "location.longitude", "give both latitude and longitude, or neither"],
  [`${AUTH}[location]\nlatitude = 152.52 ◀\nlongitude = 13.4\n`, "location.latitude", "from -90 to 90"],
  [`${AUTH}[location]\ntimezone = "Berlin" ◀\n`, "location.timezone", 'an IANA name such as "Europe/Berlin"'],
  [`${AUTH}[mqtt]\nhost = "0.0.0.0" ◀\n`, "mqtt.host", "add a [[mqtt.users]] entry"],
  [`${AUTH}[mqtt]\nport = 8080 ◀\n`, "mqtt.port", "need different ports"],
  [`${AUTH}[mqtt]\nprefix = "/hub/" ◀\n`, "mqtt.prefix", "must be topic levels such as hub"],
  [`${AUTH}[mqtt.users] ◀\nusername = "garage"\n`, "mqtt.users", "write [[mqtt.users]]"],
  [user("").replace("[[mqtt.users]]", "[[mqtt.users]] ◀"), "mqtt.users[0].password", "missing: must be text"],
  [user('password = "p"\npublish = ["hub/#/x"] ◀\n'), "mqtt.users[0].publish[0]", "# may only be the last level"],
  [`${AUTH}[plugins] ◀\nid = "lights"\n`, "plugins", "write [[plugins]]"],
  [
    plugin("").replace('binary = "plugins/lights/run"\n', "").replace("[[plugins]]", "[[plugins]] ◀"),
    "plugins[0].binary",
    "missing: must be text",
  ],
  [plugin("enable = true ◀\n"), "plugins[0].enable", 'did you mean "enabled"?'],
  [
    plugin("").replace('id = "lights"', 'id = "my lights" ◀'),
    "plugins[0].id",
    "letters, digits, dots, dashes or underscores",
  ],
  [`${AUTH}[notify.channels] ◀\nname = "phone"\n`, "notify.channels", "write [[notify.channels]]"],
  [
    channel('type = "pushover" ◀\n'),
    "notify.channels[0].type",
    'must be one of "messaging_bot" (Telegram), "push_app" (Pushover)',
  ],
  [push("priority = 9 ◀\n"), "notify.channels[0].priority", "from -2 to 2"],
  [
    push("").replace("[[notify.channels]]", "[[notify.channels]] ◀").replace('user_key = "u"\n', ""),
    "notify.channels[0].user_key",
    "missing: must be text",
  ],
  [
    channel('type = "messaging_bot"\nbot_token = "1:a"\nchat_id = -100123 ◀\n'),
    "notify.channels[0].chat_id",
    "in quotes",
  ],
  [`${AUTH}[alerts]\nchannel = "phone" ◀\n`, "alerts.channel", "name one of log, all"],
  [`${AUTH}[backup]\nschedule = "30 3 * * *" ◀\n`, "backup.schedule", 'put "0 " in front'],
  [`${AUTH}[history]\nexclude = "sysmon_*" ◀\n`, "history.exclude", "a list of devices"],
];

const EVENTS = 'on_event = "sunset"\noff_event = "sunrise"\n';
const solar = (rest: string): string => `[[modes]]\nid = "night"\nkind = "solar"\n${rest}`;
const manual = (rest: string): string => `[[modes]]\nid = "away"\nkind = "manual"\n${rest}`;

const MODES: readonly Mistake[] = [
  ['[modes] ◀\nid = "away"\nkind = "manual"\n', "modes", "write [[modes]]"],
  ['[[mode]] ◀\nid = "away"\nkind = "manual"\n', "mode", 'did you mean "modes"?'],
  ['modes = ["away"] ◀\n', "modes[0]", "write [[modes]], and its keys below"],
  ['[[modes]] ◀\nid = "away"\n', "modes[0].kind", '"manual" or "solar"'],
  ['[[modes]] ◀\nkind = "manual"\n', "modes[0].id", "missing: must be text"],
  ['[[modes]]\nid = "away"\nkind = "sun" ◀\n', "modes[0].kind", 'must be "manual" or "solar"'],
  [manual("").replace('"away"', '"at/work" ◀'), "modes[0].id", "must have 1 to 255 characters"],
  [manual('on_event = "sunset" ◀\n'), "modes[0].on_event", 'set kind = "solar"'],
  [solar('on_event = "sundown" ◀\noff_event = "sunrise"\n'), "modes[0].on_event", "must be one of"],
  [solar('on_event = "sunset"\n').replace("[[modes]]", "[[modes]] ◀"), "modes[0].off_event", "missing: must be one of"],
  [solar(`${EVENTS}on_offset_minutes = "15" ◀\n`), "modes[0].on_offset_minutes", "a whole number from -720 to 720"],
  [solar(`${EVENTS}on_offset_minutes = 1000 ◀\n`), "modes[0].on_offset_minutes", "a whole number from -720 to 720"],
  [solar('on_event = "sunset"\noff_event = "sunset" ◀\n'), "modes[0].off_event", "choose another event or offset"],
  [manual("") + manual("").replace('"away"', '"away" ◀'), "modes[1].id", "each needs its own"],
  [manual('nmae = "Away" ◀\n'), "modes[0].nmae", 'did you mean "name"?'],
];

/** By the path of the file in the home. */
export const CONFIGURATION: Readonly<Record<string, readonly Mistake[]>> = {
  "config/hub.toml": [...SYNTAX, ...KEYS],
  "config/modes.toml": MODES,
};
