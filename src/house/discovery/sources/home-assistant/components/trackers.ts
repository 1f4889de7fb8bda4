// Where people and things are, and which versions devices run.

import { isObject, type Json } from "../../../../../kit/schema/json.ts";
import type { Attribute, Message } from "../../../described.ts";
import { shortText } from "../../../hardware.ts";
import type { DescribedAttribute, Options, Reading } from "../entity.ts";
import { attributesReading } from "../extras.ts";
import { jsonIn, ownId } from "../naming/names.ts";
import { attributeOf, type Component, withReset } from "./simple.ts";

/** `home`, `not_home`, or the name of a place; and where exactly, if it says so. */
export const deviceTracker: Component = (options) => {
  const state = options.reading("state_topic", "value_template");
  const [home, away] = [options.text("payload_home") ?? "home", options.text("payload_not_home") ?? "not_home"];
  const said = state && withReset(state, options.text("payload_reset") ?? "None");
  const reading = said && {
    ...said,
    read(message: Message): Json | undefined {
      const value = said.read(message);
      return value === home ? "home" : value === away ? "not_home" : value === "" ? undefined : value;
    },
  };
  const place = attributesReading(options);
  if (!reading && !place) throw new Error("state_topic or json_attributes_topic is missing");
  return [
    ...(reading ? [attributeOf(options, { name: ownId(options), type: "string" }, { readings: [reading] })] : []),
    ...(place ? coordinates(options, place) : []),
  ];
};

function coordinates(options: Options, place: Reading): DescribedAttribute[] {
  const units = { latitude: "°", longitude: "°", gps_accuracy: "m" };
  return Object.entries(units).map(([name, unit]) =>
    attributeOf(
      options,
      { name, type: "number", unit },
      { readings: [partOf(place, name, (value) => (typeof value === "number" ? value : undefined))] },
    ),
  );
}

/** Of the JSON object that a reading brings. */
function partOf(whole: Reading, key: string, as: (value: Json) => Json | undefined): Reading {
  return {
    ...{ topic: whole.topic, path: whole.template === undefined ? [key] : undefined },
    ...{ template: whole.template === undefined ? undefined : `${whole.template} ${key}` },
    read(message) {
      const value = jsonIn(whole.read(message));
      return isObject(value) && Object.hasOwn(value, key) ? as(value[key] as Json) : undefined;
    },
  };
}

const VERSIONS: Readonly<Record<string, Pick<Attribute, "type"> & Partial<Attribute>>> = {
  ...{ installed_version: { type: "string" }, latest_version: { type: "string" } },
  ...{ in_progress: { type: "boolean" }, update_percentage: { type: "number", unit: "%", min: 0, max: 100 } },
};

/** The version there is, the one that could be, how far it is, and a command that installs it. */
export const update: Component = (options) => {
  const state = options.reading("state_topic", "value_template");
  const latest = options.reading("latest_version_topic", "latest_version_template");
  const title = shortText(options.config.title);
  const named = title === undefined ? {} : { title };
  const found = Object.entries(VERSIONS).flatMap(([name, attribute]) => {
    const readings = [
      ...(state ? [versionIn(state, name, { isPlain: name === "installed_version" })] : []),
      ...(latest && name === "latest_version" ? [versionIn(latest, name, { isPlain: true })] : []),
    ];
    const category = { category: "diagnostic", ...named } as const;
    return readings.length > 0 ? [attributeOf(options, { ...attribute, ...category, name }, { readings })] : [];
  });
  if (found.length > 0) found.push(isThereAnother(options, found));
  if (state && options.text("value_template") === undefined) found.push(...aboutUpdate(options, state));
  const payload = options.text("payload_install");
  if (payload === undefined || options.topic("command_topic") === undefined) return found;
  const name = "install_update";
  const commanded = options.commanded(name, { topic: "command_topic", template: "" }, () => payload);
  const install = attributeOf(options, { name, type: "boolean", category: "config" }, { commanded });
  return [...found, { ...install, momentary: true }];
};

/** Whether the latest version is another one than the installed, which may come in two messages. */
function isThereAnother(options: Options, versions: readonly DescribedAttribute[]): DescribedAttribute {
  const known = new Map<string, Json>();
  const versioned = versions.filter(({ attribute }) => attribute.name.endsWith("_version"));
  const readings = versioned.flatMap(({ attribute: { name }, readings: all }) =>
    all.map(
      (reading): Reading => ({
        ...{ ...reading, template: `${reading.template ?? ""} available` },
        read(message) {
          const version = reading.read(message);
          if (version !== undefined) known.set(name, version);
          const [installed, latest] = [known.get("installed_version"), known.get("latest_version")];
          if (installed === undefined || latest === undefined) return undefined;
          return installed === null || latest === null ? null : installed !== latest;
        },
      }),
    ),
  );
  return attributeOf(options, { name: "update_available", type: "boolean", category: "diagnostic" }, { readings });
}

/** What it says of the version for people, where its message is an object of Home Assistant's own form. */
function aboutUpdate(options: Options, state: Reading): DescribedAttribute[] {
  const keys = { update_title: "title", release_summary: "release_summary", release_url: "release_url" };
  return Object.entries(keys).map(([name, key]) => {
    const readings = [versionIn(state, key, { isPlain: false })];
    return attributeOf(options, { name, type: "string", category: "diagnostic", hidden: true }, { readings });
  });
}

/** Of a JSON object; `isPlain`: or the whole text. */
function versionIn(reading: Reading, key: string, { isPlain }: { isPlain: boolean }): Reading {
  return {
    ...{ topic: reading.topic, path: undefined, template: `${reading.template ?? ""} ${key}` },
    read(message) {
      const value = reading.read(message);
      const json = jsonIn(value);
      if (isObject(json)) return Object.hasOwn(json, key) ? (json[key] as Json) : undefined;
      if (!isPlain || value === "" || value === undefined) return undefined;
      return value === null || value === "None" ? null : String(value);
    },
  };
}
