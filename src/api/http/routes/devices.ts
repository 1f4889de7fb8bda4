// /devices: reading, naming, commanding and removing them.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { Areas } from "../../../house/state/areas.ts";
import type { AttributeRenames } from "../../../house/state/attribute-renames.ts";
import { CommandOutcome, taken } from "../../../house/state/commands/command-answers.ts";
import type { Commands } from "../../../house/state/commands/commands.ts";
import type { Device as DeviceState } from "../../../house/state/device.ts";
import type { Registry } from "../../../house/state/registry.ts";
import type { VirtualDevices } from "../../../house/state/virtual/virtual-devices.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { GivenName } from "../../../kit/schema/ids.ts";
import type { JsonObject } from "../../../kit/schema/json.ts";
import { oneCalled } from "../../../kit/text/called.ts";
import { masked } from "../../../kit/text/masking.ts";
import { secondsAsText } from "../../../kit/time/clock.ts";
import { type Role, seesSecrets } from "../../../server/auth/roles.ts";
import { Attributes } from "../../../server/events/define.ts";
import { jsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { noContent } from "../crud.ts";
import { doc } from "../doc.ts";
import { linkToNext } from "../query.ts";

const closed = { additionalProperties: false } as const;
const nullable = Type.Union([Type.String(), Type.Null()]);
const Device = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    plugin_id: Type.String(),
    area: nullable,
    device_type: nullable,
    tags: Type.Array(Type.String(), { description: "Words that a person gave it; rules find devices by them" }),
    available: Type.Boolean(),
    unavailable: Type.Optional(
      Type.Array(Type.String(), {
        description: "Attributes that cannot be reached while the device can; they keep their values",
      }),
    ),
    attributes: Attributes,
    last_seen: nullable,
    last_changed: Type.Record(Type.String(), Type.String(), { description: "Attribute → UTC time of its last change" }),
    schema: Type.Unknown(),
    capabilities: Type.Unknown(),
    manufacturer: nullable,
    model: nullable,
    sw_version: nullable,
    // Few devices say them, and thousands are listed.
    hw_version: Type.Optional(Type.String()),
    serial_number: Type.Optional(Type.String()),
    configuration_url: Type.Optional(Type.String({ description: "The device's own page" })),
    connections: Type.Optional(
      Type.Array(Type.Array(Type.String()), { description: 'Pairs of a kind and an address: `["mac", "02:5b:…"]`' }),
    ),
    parent_device_id: nullable,
    history: Type.Boolean({ description: "Whether its changes are recorded; false if a person does not want it" }),
  },
  { $id: "Device" },
);
const DeviceEdit = Type.Object(
  {
    name: Type.Optional(GivenName),
    area: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()])),
    history: Type.Optional(Type.Boolean({ description: "false: record nothing of it from now on" })),
    tags: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
        maxItems: 50,
        description: "All of its tags, by which rules find it; an empty list removes them",
      }),
    ),
  },
  { ...closed, minProperties: 1 },
);
const AttributeRenamed = Type.Object(
  {
    device_id: Type.String(),
    from: Type.String(),
    to: Type.String(),
    renamed: Type.Boolean({ description: "False for a dry run" }),
    places: Type.Array(
      Type.Object({
        kind: Type.Union(["rule", "scene", "group", "history", "config"].map((kind) => Type.Literal(kind))),
        id: Type.String(),
        name: Type.String(),
        changes: Type.Array(Type.Object({ line: Type.Integer(), before: Type.String(), after: Type.String() })),
        why_not: Type.Union([Type.String(), Type.Null()], { description: "Why only a person can change it, and how" }),
      }),
    ),
  },
  { $id: "AttributeRenamed" },
);
const AttributeNames = Type.Array(
  Type.Object(
    {
      name: Type.String(),
      suggested: Type.Union([Type.String(), Type.Null()], {
        description: "What a new house would call it, where it has another name and that one is free",
      }),
    },
    { $id: "AttributeName" },
  ),
);
const Command = Type.Record(Type.String(), Type.Unknown(), { minProperties: 1 });
const CommandSent = Type.Object({ device_id: Type.String(), correlation_id: Type.String(), ...CommandOutcome });
const ListQuery = t.Object(
  {
    area: t.Optional(t.String({ description: "Id or name of an area" })),
    plugin_id: t.Optional(t.String()),
    device_type: t.Optional(t.String()),
    available: t.Optional(t.Boolean()),
    after: t.Optional(
      t.String({ description: "Only devices after this one; from the Link header of the previous page" }),
    ),
  },
  closed,
);

export interface DeviceRoutesDeps {
  registry: Pick<Registry, "edit" | "find" | "get" | "list" | "ownerOf" | "remove">;
  areas: Pick<Areas, "list">;
  commands: Pick<Commands, "deliver">;
  attributeRenames: Pick<AttributeRenames, "names" | "plan" | "rename">;
  discovery: { betterNames(deviceId: string): ReadonlyMap<string, string> };
  callers: Pick<Callers, "of">;
  virtual: Pick<VirtualDevices, "refuseRemoval">;
}

export function deviceRoutes({
  attributeRenames,
  discovery,
  registry,
  areas,
  commands,
  callers,
  virtual: { refuseRemoval },
}: DeviceRoutesDeps) {
  const tag = "devices";
  const deviceBody = bodyWriter();
  const answers = { 200: { description: "The device", schema: Device } };
  return new Elysia({ prefix: "/devices" })
    .get(
      "",
      function listDevices({ query, request }) {
        const { role } = callers.of(request);
        const area = query.area && (oneCalled("area", areas.list(), query.area)?.id ?? query.area);
        const fits = (device: DeviceState): boolean =>
          (area === undefined || device.area === area) &&
          (query.plugin_id === undefined || device.pluginId === query.plugin_id) &&
          (query.device_type === undefined || device.deviceType === query.device_type) &&
          (query.available === undefined || device.available === query.available);
        const page = pageOf(registry, query.after, (device) => (fits(device) ? deviceBody(device, role) : undefined));
        const headers = new Headers({ "content-type": "application/json" });
        if (page.next !== undefined) headers.set("link", linkToNext(request.url, { after: page.next }));
        return new Response(`[${page.found.join(",")}]`, { headers });
      },
      {
        query: ListQuery,
        ...doc({
          access: "viewer",
          summary: "All devices",
          tag,
          answers: {
            200: {
              description: "The devices, about 8 MiB of them at most; a Link header with rel=next where there are more",
              schema: Type.Array(Device),
            },
          },
          refusals: { conflict: "The device in `after` was removed meanwhile" },
        }),
      },
    )
    .get(
      "/:id",
      ({ params, request }) => deviceBody(deviceCalled(registry, params.id), callers.of(request).role),
      doc({
        access: "viewer",
        summary: "One device, by its id, or by a name that it alone has",
        tag,
        answers,
        refusals: SHARED,
      }),
    )
    .patch(
      "/:id",
      ({ params, body, request }) => deviceBody(registry.edit(params.id, body), callers.of(request).role),
      {
        ...jsonBody(DeviceEdit),
        ...doc({
          access: "user",
          audit: "device.change",
          summary: "Give a device a name, an area or tags, or keep it out of the history",
          tag,
          answers,
        }),
      },
    )
    .patch(
      "/:id/state",
      async function commandDevice({ params, body, query, request, set }) {
        const actor = callers.of(request);
        const { id } = deviceCalled(registry, params.id);
        const delivered = await commands.deliver(id, body as JsonObject, actor, { force: query.force });
        const outcome = query.wait ? await taken(delivered) : ({ outcome: "sent" } as const);
        set.status = 202;
        return { device_id: id, correlation_id: delivered.correlationId, ...outcome };
      },
      {
        ...jsonBody(Command),
        query: t.Object(
          {
            force: t.Boolean({ default: false, description: "Also when the device is not available" }),
            wait: t.Boolean({
              default: true,
              description:
                "False: answer at once, without what becomes of it, which `correlation_id` finds in the events",
            }),
          },
          closed,
        ),
        ...doc({
          access: "user",
          guests: "device",
          audit: { action: "device.command", body: true, securityOnly: true },
          keeps: false,
          summary: "Command a device: the wanted state",
          tag,
          answers: { 202: { description: "Sent, and what became of it within a second", schema: CommandSent } },
          refusals: {
            conflict:
              "It is not available, the device's side refused it, with its own words, or several devices have this name",
            unavailable: "The hub is starting",
          },
        }),
      },
    )
    .get(
      "/:id/attribute-names",
      function attributeNames({ params }) {
        const { id } = deviceCalled(registry, params.id);
        const all = attributeRenames.names(id, discovery.betterNames(id));
        return all.map(({ name, suggested = null }) => ({ name, suggested }));
      },
      doc({
        access: "viewer",
        summary: "What the attributes of a device are called, and the better names that a new house would give them",
        tag,
        answers: { 200: { description: "All of its attributes", schema: AttributeNames } },
        refusals: SHARED,
      }),
    )
    .patch(
      "/:id/attributes/:name",
      function renameAttribute({ params, query, body }) {
        const one = { deviceId: deviceCalled(registry, params.id).id, from: params.name, to: body.name };
        const places = query.dry_run ? attributeRenames.plan(one) : attributeRenames.rename(one);
        return {
          ...{ device_id: one.deviceId, from: one.from, to: one.to, renamed: !query.dry_run },
          places: places.map(({ whyNot, ...place }) => ({ ...place, why_not: whyNot ?? null })),
        };
      },
      {
        ...jsonBody(Type.Object({ name: Type.String({ description: "Its new name" }) }, closed)),
        query: t.Object(
          { dry_run: t.Boolean({ default: false, description: "Only says what would be changed" }) },
          closed,
        ),
        ...doc({
          access: "admin",
          audit: { action: "device.rename_attribute", unless: "dry_run", body: true },
          summary: "Give an attribute another name: in rules, scenes, groups and the history as well",
          tag,
          answers: { 200: { description: "The places that named it", schema: AttributeRenamed } },
          refusals: {
            conflict:
              "The name is or was another attribute's, the device is one of the hub's own, or several have this name",
            unavailable: "The hub is starting",
          },
        }),
      },
    )
    .delete(
      "/:id",
      function removeDevice({ params }) {
        refuseRemoval(registry.get(params.id));
        return noContent(() => registry.remove(params.id));
      },
      doc({
        access: "admin",
        audit: "device.remove",
        summary: "Forget a device",
        tag,
        answers: { 204: { description: "Forgotten" } },
        refusals: { conflict: "It is a mode of modes.toml" },
      }),
    );
}

const SHARED = { conflict: "Several devices have this name; the message lists their ids" };

/** By its id, or by a name that no other has. Throws HubError `conflict` and `not_found`. */
export function deviceCalled(registry: Pick<Registry, "get" | "find" | "list">, text: string): DeviceState {
  return registry.find(text) ?? oneCalled("device", [...registry.list()], text) ?? registry.get(text);
}

// More than any house has: bounds the answer after a flood of made-up devices.
const ANSWER_BYTES = 8 * 1_048_576;

/** As JSON texts; `next` is the `after` of the next page, absent on the last. */
function pageOf(
  registry: Pick<Registry, "list" | "ownerOf">,
  after: string | undefined,
  bodyOf: (device: DeviceState) => unknown,
): { found: string[]; next?: string } {
  if (after !== undefined && registry.ownerOf(after) === undefined)
    throw new HubError("conflict", `the device "${after}" is gone meanwhile: begin again, without after`);
  const found: string[] = [];
  let bytes = 0;
  let last = after;
  let skipping = after !== undefined;
  for (const device of registry.list()) {
    const body = skipping ? undefined : bodyOf(device);
    if (device.id === after) skipping = false;
    if (body === undefined) continue;
    if (bytes > ANSWER_BYTES) return { found, ...(last !== undefined && { next: last }) };
    const text = JSON.stringify(body);
    found.push(text);
    bytes += text.length;
    last = device.id;
  }
  return { found };
}

function bodyWriter() {
  const iso = secondsAsText();
  return function deviceBody(device: DeviceState, role: Role) {
    const last_changed: Record<string, string> = {};
    for (const name of Object.keys(device.lastChanged)) last_changed[name] = iso(device.lastChanged[name] ?? 0);
    const { manufacturer, model, sw_version, parent_device_id, schema, capabilities } = device.details;
    const { hw_version, serial_number, configuration_url, connections } = device.details;
    return {
      id: device.id,
      name: device.name,
      plugin_id: device.pluginId,
      area: device.area ?? null,
      device_type: device.deviceType ?? null,
      tags: device.tags,
      available: device.available,
      ...(device.unavailable.length > 0 && { unavailable: device.unavailable }),
      attributes: seesSecrets(role) ? device.attributes : masked(device.attributes),
      last_seen: device.lastSeen === undefined ? null : iso(device.lastSeen),
      last_changed,
      schema: schema ?? null,
      capabilities: capabilities ?? null,
      manufacturer: manufacturer ?? null,
      model: model ?? null,
      sw_version: sw_version ?? null,
      ...{ hw_version, serial_number, configuration_url, connections },
      parent_device_id: parent_device_id ?? null,
      history: device.recorded,
    };
  };
}
