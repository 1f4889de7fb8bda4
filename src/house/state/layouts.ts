// How the start of the page is arranged: by each person for themselves, and by an administrator for those who have not.
import { createHash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { HubError } from "../../kit/schema/errors.ts";
import type { StateDb } from "../../server/db/state-db.ts";
import { openSharedUi, readable } from "./shared-ui.ts";

const MAX_TILES = 2000;
const MAX_BYTES = 262_144;

const Tile = Type.String({
  maxLength: 300,
  pattern: "^(device|scene|variable)/[^/\\u0000-\\u001f]+$",
  problem: "must be device/ID, scene/ID or variable/NAME",
});
const tiles = (description: string) => Type.Array(Tile, { maxItems: MAX_TILES, description });

export const Layout = Type.Object(
  {
    areas: Type.Array(Type.String({ maxLength: 255 }), {
      maxItems: MAX_TILES,
      description: "Areas in their order; those that are not named come behind them",
    }),
    tiles: tiles("Tiles in their order, within their areas; those that are not named come behind them"),
    hidden: tiles("Tiles that are not shown"),
    favourites: tiles("Tiles above all areas, in their order"),
  },
  { additionalProperties: false },
);
export type Layout = Static<typeof Layout>;

export interface HeldLayout {
  layout: Layout;
  /** Changes with the layout. */
  etag: string;
}

export interface Layouts {
  /** The user's own, else that of all. */
  of(userId: string | undefined): HeldLayout;
  /** Throws HubError `conflict` where `etag` is no longer that of the user's layout, and `too_large`. */
  set(userId: string, layout: Layout, etag?: string): HeldLayout;
  /** From now on the user has that of all. */
  forget(userId: string): HeldLayout;
  /** For those who have none of their own. */
  shared(): HeldLayout;
  /** Throws as `set` does. */
  setShared(layout: Layout, etag?: string): HeldLayout;
}

const NONE = held(JSON.stringify({ areas: [], tiles: [], hidden: [], favourites: [] } satisfies Layout));

export function openLayouts(db: Pick<StateDb, "durable" | "faults">): Layouts {
  const { durable, faults } = db;
  const read = durable.query<{ layout: unknown }, [string]>("SELECT layout FROM layouts WHERE user_id = ?");
  const write = durable.query(
    "INSERT INTO layouts (user_id, layout) VALUES (?, ?) ON CONFLICT (user_id) DO UPDATE SET layout = excluded.layout",
  );
  const remove = durable.query("DELETE FROM layouts WHERE user_id = ?");
  const everybodys = openSharedUi(db, "layout");

  function shared(): HeldLayout {
    const text = everybodys.load(check);
    return text === undefined ? NONE : held(text);
  }

  function of(userId: string | undefined): HeldLayout {
    const row = userId === undefined ? null : read.get(userId);
    const text = readable(row?.layout, check, { faults, table: "layouts", key: userId ?? "" });
    return text === undefined ? shared() : held(text);
  }

  return {
    of,
    shared,
    set(userId, layout, etag) {
      const text = textOf(layout, etag, of(userId));
      write.run(userId, text);
      return held(text);
    },
    forget(userId) {
      remove.run(userId);
      return shared();
    },
    setShared(layout, etag) {
      const text = textOf(layout, etag, shared());
      everybodys.save(text);
      return held(text);
    },
  };
}

function check(text: string): void {
  if (!Value.Check(Layout, JSON.parse(text))) throw new TypeError("it is no layout");
}

function textOf(layout: Layout, etag: string | undefined, before: HeldLayout): string {
  if (etag !== undefined && etag !== "*" && etag !== before.etag)
    throw new HubError("conflict", "the layout was changed meanwhile: read it again");
  const once = Object.entries(layout).map(([key, list]) => [key, [...new Set(list)]]);
  const text = JSON.stringify(Object.fromEntries(once));
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  throw new HubError("too_large", `a layout has at most ${MAX_BYTES} bytes: take tiles out of it`);
}

function held(text: string): HeldLayout {
  return {
    layout: JSON.parse(text) as Layout,
    etag: `"${createHash("sha256").update(text).digest("hex").slice(0, 20)}"`,
  };
}
