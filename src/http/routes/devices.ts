// /devices: reading, naming, commanding and removing them.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { type Role, seesSecrets } from "../../auth/roles.ts";
import { secondsAsText } from "../../core/clock.ts";
import { HubError } from "../../core/errors.ts";
import { GivenName } from "../../core/ids.ts";
import type { JsonObject } from "../../core/json.ts";
import { masked } from "../../core/masking.ts";
import { Attributes } from "../../events/define.ts";
import type { Commands } from "../../state/commands.ts";
import type { Device as DeviceState } from "../../state/device.ts";
import type { Registry } from "../../state/registry.ts";
import { splitUrl } from "../address.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";
import type { Sessions } from "../session.ts";

const closed = { additionalProperties: false } as const;
const nullable = Type.Union([Type.String(), Type.Null()]);
const Device = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    plugin_id: Type.String(),
    area: nullable,
    device_type: nullable,
    available: Type.Boolean(),
    attributes: Attributes,
    last_seen: nullable,
    last_changed: Type.Record(Type.String(), Type.String(), { description: "Attribute → UTC time of its last change" }),
    schema: Type.Unknown(),
    capabilities: Type.Unknown(),
    manufacturer: nullable,
    model: nullable,
    sw_version: nullable,
    parent_device_id: nullable,
  },
  { $id: "Device" },
);
const DeviceEdit = Type.Object(
  {
    name: Type.Optional(GivenName),
    area: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 200 }), Type.Null()])),
  },
  { ...closed, minProperties: 1 },
);
const Command = Type.Record(Type.String(), Type.Unknown(), { minProperties: 1 });
const CommandSent = Type.Object({ device_id: Type.String(), correlation_id: Type.String() });
const ListQuery = t.Object(
  {
    area: t.Optional(t.String()),
    plugin_id: t.Optional(t.String()),
    device_type: t.Optional(t.String()),
    available: t.Optional(t.Boolean()),
    after: t.Optional(
      t.String({ description: "Only devices behind this one, as a Link header of the answer before says" }),
    ),
  },
  closed,
);

export interface DeviceRoutesDeps {
  registry: Registry;
  commands: Commands;
  sessions: Sessions;
  /** Throws HubError `conflict` for a device that must not be removed by hand. */
  refuseRemoval: (device: DeviceState) => void;
}

export function deviceRoutes({ registry, commands, sessions, refuseRemoval }: DeviceRoutesDeps) {
  const tag = "devices";
  const deviceBody = bodyWriter();
  const answers = { 200: { description: "The device", schema: Device } };
  return new Elysia({ prefix: "/devices" })
    .get(
      "",
      function listDevices({ query, request }) {
        const { role } = sessions.of(request);
        const fits = (device: DeviceState): boolean =>
          (query.area === undefined || device.area === query.area) &&
          (query.plugin_id === undefined || device.pluginId === query.plugin_id) &&
          (query.device_type === undefined || device.deviceType === query.device_type) &&
          (query.available === undefined || device.available === query.available);
        const page = pageOf(registry, query.after, (device) => (fits(device) ? deviceBody(device, role) : undefined));
        const headers = new Headers({ "content-type": "application/json" });
        if (page.next !== undefined) headers.set("link", linkTo(request.url, page.next));
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
          refusals: { conflict: "The device that `after` names is gone meanwhile" },
        }),
      },
    )
    .get(
      "/:id",
      ({ params, request }) => deviceBody(registry.get(params.id), sessions.of(request).role),
      doc({ access: "viewer", summary: "One device", tag, answers }),
    )
    .patch(
      "/:id",
      ({ params, body, request }) => deviceBody(registry.edit(params.id, body), sessions.of(request).role),
      {
        ...jsonBody(DeviceEdit),
        ...doc({ access: "user", summary: "Give a device a name or an area", tag, answers }),
      },
    )
    .patch(
      "/:id/state",
      async function commandDevice({ params, body, query, request, set }) {
        const actor = sessions.of(request);
        const correlationId = await commands.send(params.id, body as JsonObject, actor, { force: query.force });
        set.status = 202;
        return { device_id: params.id, correlation_id: correlationId };
      },
      {
        ...jsonBody(Command),
        query: t.Object(
          { force: t.Boolean({ default: false, description: "Also when the device is not available" }) },
          closed,
        ),
        ...doc({
          access: "user",
          audit: { action: "device.command", body: true, guardedOnly: true },
          summary: "Command a device: the wanted state",
          tag,
          answers: { 202: { description: "Sent to its plugin", schema: CommandSent } },
          refusals: {
            conflict: "It is not available, or does not take this now",
            unavailable: "The hub is starting",
          },
        }),
      },
    )
    .delete(
      "/:id",
      function removeDevice({ params }) {
        refuseRemoval(registry.get(params.id));
        registry.remove(params.id);
        return new Response(null, { status: 204 });
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

// No house has so many; where somebody floods it with devices, nobody is made to take them all at once.
const ANSWER_BYTES = 8 * 1_048_576;

/** As texts; `next` is the `after` of the next page, where there is more. */
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

function linkTo(url: string, after: string): string {
  const { path, query } = splitUrl(url);
  const searchParams = new URLSearchParams(query);
  searchParams.set("after", after);
  return `<${path}?${searchParams}>; rel="next"`;
}

function bodyWriter() {
  const iso = secondsAsText();
  return function deviceBody(device: DeviceState, role: Role) {
    const last_changed: Record<string, string> = {};
    for (const name of Object.keys(device.lastChanged)) last_changed[name] = iso(device.lastChanged[name] ?? 0);
    const { manufacturer, model, sw_version, parent_device_id, schema, capabilities } = device.details;
    return {
      id: device.id,
      name: device.name,
      plugin_id: device.pluginId,
      area: device.area ?? null,
      device_type: device.deviceType ?? null,
      available: device.available,
      attributes: seesSecrets(role) ? device.attributes : masked(device.attributes),
      last_seen: device.lastSeen === undefined ? null : iso(device.lastSeen),
      last_changed,
      schema: schema ?? null,
      capabilities: capabilities ?? null,
      manufacturer: manufacturer ?? null,
      model: model ?? null,
      sw_version: sw_version ?? null,
      parent_device_id: parent_device_id ?? null,
    };
  };
}
