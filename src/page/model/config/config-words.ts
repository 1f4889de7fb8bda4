// The words of hub.toml's sections and keys: from the texts of the page, else from their names.

import { fromHub, textFor } from "../../texts/index.ts";
import type { FormSchema } from "./form-schema.ts";

export function sectionWords(name: string): string {
  return textFor(`section.${name}`) ?? inWords(name);
}

/** Sections that the help has under one heading. */
const TOGETHER: Readonly<Record<string, string>> = Object.fromEntries(
  ["notify", "events", "log"].map((name) => [name, "notify--events--log"]),
);

/** Where the help has a section. */
export function helpOf(name: string): string {
  return `configuration#${TOGETHER[name] ?? name}`;
}

/** The schema with titles and hints in the words of this page. `at`: `mqtt`, or `mqtt.users` for an entry of that list. */
export function withWords(schema: FormSchema, at: string): FormSchema {
  if (!schema.properties) return schema;
  const properties = Object.entries(schema.properties).map(([key, property]) => {
    const title = textFor(`key.${at}.${key}`) ?? property.title ?? inWords(key);
    const description = textFor(`hint.${at}.${key}`) ?? (property.description && fromHub(property.description));
    const worded = withWords(property, `${at}.${key}`);
    // The columns of a list of small tables.
    const items = property.items?.properties && withWords(property.items, `${at}.${key}`);
    return [key, { ...worded, ...(items && { items }), title, ...(description && { description }) }] as const;
  });
  // What has a default may be left empty.
  const required = schema.required?.filter((key) => schema.properties?.[key]?.default === undefined);
  return { ...schema, properties: Object.fromEntries(properties), ...(required && { required }) };
}

function inWords(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toLocaleUpperCase() + words.slice(1);
}
