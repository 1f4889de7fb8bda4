// /ui: how the start of the page is arranged, and what guests may use there.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type Guests, GuestThings } from "../../../house/state/guests.ts";
import { type HeldLayout, Layout, type Layouts } from "../../../house/state/layouts.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { jsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { doc, type RouteDoc } from "../doc.ts";

export interface UiRoutesDeps {
  layouts: Pick<Layouts, "forget" | "of" | "set" | "setShared" | "shared">;
  guests: Pick<Guests, "list" | "set">;
  callers: Pick<Callers, "of">;
}

const tag = "ui";
const answers = { 200: { description: "The layout, with an ETag", schema: Layout } };
const changing: Pick<RouteDoc, "refusals" | "readsElsewhere"> = {
  refusals: { conflict: "It was changed meanwhile", too_large: "The layout has more than 256 KiB" },
  readsElsewhere: [{ in: "header", name: "If-Match", description: "The ETag it was read with", schema: Type.String() }],
};

export function uiRoutes(deps: UiRoutesDeps) {
  return new Elysia({ prefix: "/ui" }).use(ownLayout(deps)).use(sharedLayout(deps)).use(guestThings(deps));
}

function ownLayout({ layouts, callers }: UiRoutesDeps) {
  /** Keys and addresses are no people: they have the layout of all. */
  const personOf = (request: Request): string | undefined => {
    const { kind, id } = callers.of(request);
    return kind === "user" ? id : undefined;
  };
  const personIn = (request: Request): string => {
    const person = personOf(request);
    if (person === undefined) throw new HubError("forbidden", "only people who log in have a layout of their own");
    return person;
  };
  const ofPeople = { forbidden: "Only people who log in have one: no API keys, no whitelisted addresses" };
  return new Elysia()
    .get(
      "/layout",
      ({ request, set }) => answered(set, layouts.of(personOf(request))),
      doc({ access: "viewer", summary: "Your layout, or that of all where you have none", tag, answers }),
    )
    .put("/layout", ({ body, request, set }) => answered(set, layouts.set(personIn(request), body, matched(request))), {
      ...jsonBody(Layout),
      ...doc({
        access: "viewer",
        summary: "Keep your layout; with If-Match 409 where it was changed meanwhile",
        tag,
        answers,
        ...changing,
        refusals: { ...changing.refusals, ...ofPeople },
      }),
    })
    .delete(
      "/layout",
      ({ request, set }) => answered(set, layouts.forget(personIn(request))),
      doc({
        access: "viewer",
        summary: "Give your layout up for that of all, which is the answer",
        tag,
        answers,
        refusals: ofPeople,
      }),
    );
}

function sharedLayout({ layouts }: UiRoutesDeps) {
  return new Elysia()
    .get(
      "/layout/default",
      ({ set }) => answered(set, layouts.shared()),
      doc({ access: "viewer", summary: "The layout of those who have none", tag, answers }),
    )
    .put("/layout/default", ({ body, request, set }) => answered(set, layouts.setShared(body, matched(request))), {
      ...jsonBody(Layout),
      ...doc({
        access: "admin",
        audit: "layout.change",
        summary: "Set the layout of those who have none; with If-Match 409 where it was changed meanwhile",
        tag,
        answers,
        ...changing,
      }),
    });
}

function guestThings({ guests }: UiRoutesDeps) {
  const found = { 200: { description: "Devices and scenes", schema: GuestThings } };
  return new Elysia()
    .get(
      "/guests",
      () => guests.list(),
      doc({ access: "viewer", summary: "What viewers may use", tag, answers: found }),
    )
    .put("/guests", ({ body }) => guests.set(body), {
      ...jsonBody(GuestThings),
      ...doc({
        access: "admin",
        audit: { action: "guests.change", body: true },
        summary: "Choose the devices that viewers may command, and the scenes",
        tag,
        answers: found,
      }),
    });
}

function answered(set: { headers: Record<string, unknown> }, { layout, etag }: HeldLayout): Layout {
  set.headers.etag = etag;
  return layout;
}

function matched({ headers }: Request): string | undefined {
  return headers.get("if-match") ?? undefined;
}
