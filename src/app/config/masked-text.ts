// hub.toml as administrators see it: its text with every secret masked in place, and the way back. Comments stay as they are.
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "../../kit/schema/json.ts";
import type { Flaw, Mark } from "../../kit/schema/text-places.ts";
import { parseToml } from "../../kit/schema/toml.ts";
import { isSecretName, MASK } from "../../kit/text/masking.ts";
import { kinds } from "../../reach/notify/channels/index.ts";
import { HubConfig } from "./sections.ts";

export interface PlacedFlaw extends Flaw {
  path: string;
}

export type RewrittenText = { ok: true; text: string } | { ok: false; flaws: PlacedFlaw[] };

const WRITTEN_MASK = JSON.stringify(MASK);

/** The text with every secret value replaced. Refused where a secret could not be found in the text, or it is no TOML. */
export function maskConfig(text: string): RewrittenText {
  const read = parseToml(text);
  if (!read.ok) return { ok: false, flaws: [{ path: "", ...read.flaw }] };
  const secrets = secretsIn({ value: read.table, mark: read.mark });
  const lost = secrets.filter(({ mark }) => mark.start < 0);
  if (lost.length > 0)
    return { ok: false, flaws: lost.map(({ path, mark }) => ({ path, offset: mark.at, message: "cannot be masked" })) };
  return {
    ok: true,
    text: replaced(
      text,
      secrets.map(({ mark }) => ({ mark, by: WRITTEN_MASK })),
    ),
  };
}

/**
 * The edited text with each mask replaced by what stands there in the present one. Entries of lists are found again by their
 * id or name, so they may be moved. Refused where a mask hides nothing.
 */
export function unmaskConfig(edited: string, present: string): RewrittenText {
  const read = parseToml(edited);
  if (!read.ok) return { ok: false, flaws: [{ path: "", ...read.flaw }] };
  const before = parseToml(present);
  const root = before.ok ? { value: before.table, mark: before.mark } : undefined;
  const kept = new Set(root && secretsIn(root).map(({ mark }) => mark.start));
  const secret = new Set(secretsIn({ value: read.table, mark: read.mark }).map(({ mark }) => mark.start));
  const flaws: PlacedFlaw[] = [];
  const changes: Change[] = [];
  for (const [{ path, mark }, own] of pairs({ path: "", value: read.table, mark: read.mark }, root)) {
    if (own && own.mark.start >= 0 && kept.has(own.mark.start))
      changes.push({ mark, by: present.slice(own.mark.start, own.mark.end) });
    else if (secret.has(mark.start))
      flaws.push({ path, offset: mark.at, message: `hides nothing: write the value itself instead of ${MASK}` });
  }
  return flaws.length > 0 ? { ok: false, flaws } : { ok: true, text: replaced(edited, changes) };
}

interface Change {
  mark: Mark;
  by: string;
}

function replaced(text: string, changes: readonly Change[]): string {
  let done = "";
  let at = 0;
  for (const { mark, by } of changes.toSorted((a, b) => a.mark.start - b.mark.start)) {
    done += text.slice(at, mark.start) + by;
    at = mark.end;
  }
  return done + text.slice(at);
}

interface Node {
  value: unknown;
  mark: Mark;
}

type PlacedNode = Node & { path: string };

/** All values of secrets: those that the schema marks, and, where there is no schema, those that are named like one. */
function secretsIn(root: Node): PlacedNode[] {
  const found: PlacedNode[] = [];
  const walk = ({ value, mark, path }: PlacedNode, schema: TSchema | undefined, isSecret: boolean): void => {
    const children = childrenOf({ value, mark, path });
    if (children === undefined) {
      if (isSecret && typeof value !== "boolean") found.push({ value, mark, path });
      return;
    }
    const own = path.startsWith("notify.channels[") ? (channelSchema(value) ?? schema) : variantOf(schema, value);
    for (const { key, ...child } of children) {
      const known = typeof key === "number" ? (own?.items as TSchema | undefined) : propertyOf(own, key);
      const isNamed = known === undefined && typeof key === "string" && (isSecretName(key) || /key$/i.test(key));
      walk(child, known, isSecret || known?.secret === true || isNamed);
    }
  };
  walk({ ...root, path: "" }, HubConfig, false);
  return found;
}

function propertyOf(schema: TSchema | undefined, key: string): TSchema | undefined {
  const properties = (schema?.properties ?? {}) as Record<string, TSchema>;
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

/** Of several kinds of tables, the one that the value says it is. */
function variantOf(schema: TSchema | undefined, value: unknown): TSchema | undefined {
  const variants = schema?.anyOf as TSchema[] | undefined;
  return (isObject(value) && variants?.find(({ properties }) => properties?.type?.const === value.type)) || schema;
}

function channelSchema(value: unknown): TSchema | undefined {
  return isObject(value) ? kinds.find(({ kind }) => kind === value.type)?.schema : undefined;
}

/** Every mask of an edited text, with the value in the present text that it stands for. */
function* pairs(edited: PlacedNode, present: Node | undefined): Generator<[PlacedNode, Node | undefined]> {
  if (edited.value === MASK && edited.mark.start >= 0) yield [edited, present];
  const children = childrenOf(edited) ?? [];
  if (children.length === 0) return;
  const before = new Map((present ? childrenOf({ ...present, path: "" }) : undefined)?.map((one) => [one.key, one]));
  const partner = Array.isArray(edited.value)
    ? partners(edited.value, Array.isArray(present?.value) ? present.value : [])
    : undefined;
  for (const child of children) {
    const wanted = partner ? partner[Number(child.key)] : child.key;
    yield* pairs(child, wanted === undefined ? undefined : before.get(wanted));
  }
}

/** For each entry of the edited list the index it had before. */
function partners(edited: readonly unknown[], present: readonly unknown[]): (number | undefined)[] {
  const free = new Set(present.keys());
  const claim = (index: number | undefined): number | undefined =>
    index !== undefined && free.delete(index) ? index : undefined;
  const names = present.map(nameOf);
  const found = edited.map((entry, index) => {
    const name = nameOf(entry);
    // An entry that stayed where it was goes first: names may be there twice.
    return name !== undefined && name === names[index] ? claim(index) : undefined;
  });
  const byName = new Map<string, number>();
  for (const index of free) {
    const name = names[index];
    if (name !== undefined) byName.set(name, index);
  }
  for (const [index, entry] of edited.entries()) {
    const name = nameOf(entry);
    if (name !== undefined) found[index] ??= claim(byName.get(name));
  }
  // What has another name now, or never had one, is known by its place alone, as long as the list has its length.
  if (edited.length === present.length) for (const index of edited.keys()) found[index] ??= claim(index);
  return found;
}

function nameOf(entry: unknown): string | undefined {
  if (!isObject(entry)) return undefined;
  return [entry.id, entry.username, entry.name].find((name) => typeof name === "string" && name !== MASK) as
    | string
    | undefined;
}

/** The members of a table or list, with their places; undefined for any other value. */
function childrenOf({ value, mark, path }: PlacedNode): (PlacedNode & { key: string | number })[] | undefined {
  const nowhere: Mark = { at: mark.at, start: -1, end: -1 };
  if (Array.isArray(value))
    return value.map((item: unknown, index) => {
      return { key: index, value: item, mark: mark.items?.[index] ?? nowhere, path: `${path}[${index}]` };
    });
  if (!isObject(value) || (value as unknown) instanceof Date) return undefined;
  return Object.entries(value).map(([key, item]) => {
    return { key, value: item, mark: mark.keys?.get(key) ?? nowhere, path: path === "" ? key : `${path}.${key}` };
  });
}
