// Mistakes that people make in a profile of config/profiles. ◀ marks the line that is to be named.
import type { Mistake } from "./mistake.ts";

const TOP = 'topic = "garden/{id}/data"\n';
const attribute = (rest: string): string => `${TOP}[attributes.temp]\n${rest}`;
const command = (rest: string): string =>
  `${TOP}[attributes.on]\ntype = "boolean"\n[attributes.on.command]\ntopic = "garden/{id}/set"\n${rest}`;

const MISTAKES: readonly Mistake[] = [
  // What is not TOML, and keys.
  ["topic = garden/{id}/data ◀\n", "", "a text needs quotes"],
  [`${TOP}[attributes.temp]\nunit = "°C"\nunit = "K" ◀\n`, "", "is in the file already: keep one of them"],
  ['topik = "garden/{id}/data" ◀\n[attributes.temp]\nunit = "K"\n', "topik", 'did you mean "topic"?'],
  [attribute('unit = "°C"\npionter = "/temp" ◀\n'), "attributes.temp.pionter", 'did you mean "pointer"?'],
  [`${TOP}[[attributes]] ◀\nname = "temp"\n`, "attributes", "write [attributes]"],
  [attribute('unit = "°C"\nscale = "0.1" ◀\n'), "attributes.temp.scale", "must be a number"],
  [attribute('type = "integer" ◀\n'), "attributes.temp.type", '"boolean", "number", "string"'],
  [attribute('type = "boolean"\nmap = { ON = "on", OFF = "off" } ◀\n'), "attributes.temp.map.ON", "must be a boolean"],
  [`enabled = "no" ◀\n${TOP}[attributes.temp]\nunit = "K"\n`, "enabled", "must be true or false"],
  [`[ecosystem] ◀\nname = "tasmota"\n`, "ecosystem", '"From homeCore" in docs/profiles.md'],
  // What belongs together.
  [
    attribute('pointer = "/temp"\n').replace("[attributes.temp]", "[attributes.temp] ◀"),
    "attributes.temp.type",
    "unit",
  ],
  [attribute('unit = "°C"\npointer = "temp" ◀\n'), "attributes.temp.pointer", 'such as "/temp"'],
  [attribute('unit = "°C"\npointer = "/a~b" ◀\n'), "attributes.temp.pointer", '"~" is written "~0"'],
  [attribute('unit = "°C"\npointer = "/t"\ncel = "json.t" ◀\n'), "attributes.temp.cel", "keep one of them"],
  [attribute('unit = "°C"\ncel = "value.t" ◀\n'), "attributes.temp.cel", "there are json, text, topic, parts"],
  [attribute('unit = "°C"\ncel = "json.t >" ◀\n'), "attributes.temp.cel", "the end of the text"],
  [attribute('unit = "°C"\nmin = 10\nmax = 5 ◀\n'), "attributes.temp.max", "must be greater than min"],
  [attribute('type = "string"\nunit = "°C" ◀\n'), "attributes.temp.unit", "is for numbers"],
  [attribute('type = "number"\nword = "brightness_pct" ◀\n'), "attributes.temp.word", "write min and max"],
  [attribute('type = "string"\nword = "brightness" ◀\n'), "attributes.temp.word", "brightness_pct"],
  ['[attributes.temp] ◀\nunit = "K"\n', "attributes.temp", "or write topic"],
  // Topics and placeholders.
  ['topic = "garden/{id/data" ◀\n[attributes.t]\nunit = "K"\n', "topic", "write {name}"],
  ['topic = "garden/#/data" ◀\n[attributes.t]\nunit = "K"\n', "topic", "# may only be the last level"],
  ['topic = "+/{id}" ◀\n[attributes.t]\nunit = "K"\n', "topic", "name a level"],
  [`name = "Bed {bed}" ◀\n${TOP}[attributes.t]\nunit = "K"\n`, "name", "there is {id}"],
  [`id = "garden" ◀\n${TOP}[attributes.t]\nunit = "K"\n`, "id", "put {id} in it"],
  [attribute('unit = "K"\ntopic = "garden/+/temp" ◀\n'), "attributes.temp.topic", "write one topic"],
  [attribute('unit = "K"\ntopic = "garden/{bed}/temp" ◀\n'), "attributes.temp.topic", "there is {id}"],
  [`${TOP}[placeholders]\nid = "/id" ◀\n[attributes.t]\nunit = "K"\n`, "placeholders.id", "choose another name"],
  [`${TOP}when = "json.x = 1" ◀\n[attributes.t]\nunit = "K"\n`, "when", "write =="],
  // Commands, availability, presses.
  [command('payload = "on" ◀\n'), "attributes.on.command.payload", "put {value} in it"],
  [command('payload = "{valeu}" ◀\n'), "attributes.on.command.payload", 'did you mean "value"?'],
  [command('payload = "{value}"\npointer = "/on" ◀\n'), "attributes.on.command.pointer", "take out payload"],
  [command('map = { on = "ON" } ◀\n'), "attributes.on.command.map", "there are true, false, toggle"],
  [
    command("").replace("{id}/set", "+/set").replace('+/set"', '+/set" ◀'),
    "attributes.on.command.topic",
    "without + and #",
  ],
  [`${TOP}[commands.restart] ◀\ntopic = "garden/{id}/restart"\n`, "commands.restart.payload", "the message to send"],
  [`${TOP}[attributes.t]\nunit = "K"\n[availability] ◀\npointer = "/x"\n`, "availability", "or silent_secs"],
  [`${TOP}[availability]\nsilent_secs = 1 ◀\n[attributes.t]\nunit = "K"\n`, "availability.silent_secs", "from 10"],
  [`${TOP}[actions] ◀\npointer = "/click"\n`, "actions", "write [[actions]]"],
];

export const PROFILES: Readonly<Record<string, readonly Mistake[]>> = { "config/profiles/garden.toml": MISTAKES };
