// /system/setup and /system/location: the few values of hub.toml that a new house needs, changed in the file and put in force.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import type { BackupSection } from "../../../copies/backup/config.ts";
import { HubError } from "../../../kit/schema/errors.ts";
import { isLoopbackHost, type MqttSection } from "../../../reach/mqtt/config.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";

const closed = { additionalProperties: false } as const;
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()]);

const Setup = Type.Object(
  {
    location: Type.Object({
      latitude: nullable(Type.Number()),
      longitude: nullable(Type.Number()),
      timezone: nullable(Type.String()),
    }),
    machine_timezone: Type.String({ description: "Holds where the location has none" }),
    backup_schedule: nullable(Type.String()),
    mqtt_everywhere: Type.Boolean({ description: "Whether the broker can be reached from other machines" }),
    mqtt_external: nullable(Type.String({ description: "The address of the broker, where it is not the hub's own" })),
    virtual_house: nullable(
      Type.Boolean({ description: "Whether the simulated house is on; null where it is not there" }),
    ),
    restart_needed: Type.Boolean({ description: "hub.toml says something else than the hub runs with" }),
    restarting: Type.Boolean({ description: "The hub restarts as soon as this answer is sent" }),
  },
  { $id: "Setup" },
);
const Location = Type.Object(
  {
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
    longitude: Type.Number({ minimum: -180, maximum: 180 }),
    timezone: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: "IANA name; stays as it is when absent" }),
    ),
  },
  closed,
);
const Changes = Type.Object(
  {
    backup_schedule: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "Six fields, seconds first, as in [backup] schedule" }),
    ),
    mqtt_everywhere: Type.Optional(Type.Boolean({ description: "Needs an MQTT account first" })),
    virtual_house: Type.Optional(Type.Boolean()),
  },
  { ...closed, minProperties: 1 },
);
const query = t.Object(
  { restart: t.Boolean({ default: false, description: "Restart the hub in place, so that it holds at once" }) },
  closed,
);

/** The plugin that simulates a house. */
const VIRTUAL = "virtual";

/** `[section] key = value`; with an `index`, in that entry of `[[section]]`. */
interface ConfigEdit {
  section: string;
  index?: number;
  key: string;
  value: string | number | boolean;
}

/** hub.toml, as far as it is set up here. */
interface Settings {
  /** What the file says; while it cannot be used, what the hub runs with. */
  current(): {
    location: { latitude?: number; longitude?: number; timezone?: string };
    backup: Pick<BackupSection, "schedule">;
    mqtt: Pick<MqttSection, "mode" | "host" | "url">;
    plugins: readonly { id: string; enabled: boolean }[];
  };
  /** Whether the hub runs with something else than the file says. */
  restartNeeded(): boolean;
  /** All or none. Throws HubError: `invalid` for a value the hub would not start with, `conflict` where the file is in the way. */
  change(edits: readonly ConfigEdit[]): void;
}

export interface SetupRoutesDeps {
  settings: Settings;
  /** Restarts the hub in place; returns at once. */
  restart: () => void;
}

export function setupRoutes({ settings, restart }: SetupRoutesDeps) {
  const tag = "system";
  const restarts = new WeakSet<Request>();
  const answers = { 200: { description: "What hub.toml says now", schema: Setup } };
  const refusals = {
    invalid: "The hub would not start with it, with the reason. Nothing was changed",
    conflict: "hub.toml cannot be edited from here, with the reason",
  };

  function change(request: Request, edits: readonly ConfigEdit[], wanted: boolean) {
    settings.change(edits);
    const restarting = wanted && settings.restartNeeded();
    if (restarting) restarts.add(request);
    return { ...setupOf(settings), restarting };
  }
  function afterResponse({ request }: { request: Request }): void {
    if (restarts.delete(request)) restart();
  }

  return new Elysia({ prefix: "/system" })
    .get(
      "/setup",
      () => setupOf(settings),
      doc({ access: "admin", summary: "What a new house needs of hub.toml", tag, answers }),
    )
    .patch("/setup", ({ body, query, request }) => change(request, editsOf(body, settings), query.restart), {
      ...jsonBody(Changes),
      query,
      afterResponse,
      ...doc({
        access: "admin",
        audit: { action: "setup.change", body: true },
        summary: "Change these values in hub.toml; all else in the file stays as it is",
        tag,
        answers,
        refusals,
      }),
    })
    .put("/location", ({ body, query, request }) => change(request, placeOf(body), query.restart), {
      ...jsonBody(Location),
      query,
      afterResponse,
      ...doc({
        access: "admin",
        audit: { action: "location.change", body: true },
        summary: "Say where the house is, in hub.toml; all else in the file stays as it is",
        tag,
        answers,
        refusals,
      }),
    });
}

function setupOf(settings: Settings) {
  const { location, backup, mqtt, plugins } = settings.current();
  return {
    location: {
      latitude: location.latitude ?? null,
      longitude: location.longitude ?? null,
      timezone: location.timezone ?? null,
    },
    machine_timezone: Temporal.Now.timeZoneId(),
    backup_schedule: backup.schedule ?? null,
    mqtt_everywhere: mqtt.mode === "external" || !isLoopbackHost(mqtt.host),
    mqtt_external: mqtt.mode === "external" ? (mqtt.url ?? null) : null,
    virtual_house: plugins.find(({ id }) => id === VIRTUAL)?.enabled ?? null,
    restart_needed: settings.restartNeeded(),
    restarting: false,
  };
}

function placeOf({ latitude, longitude, timezone }: typeof Location.static): ConfigEdit[] {
  const section = "location";
  return [
    { section, key: "latitude", value: latitude },
    { section, key: "longitude", value: longitude },
    ...(timezone === undefined ? [] : [{ section, key: "timezone", value: timezone }]),
  ];
}

function editsOf(
  { backup_schedule: schedule, mqtt_everywhere: everywhere, virtual_house: virtual }: typeof Changes.static,
  settings: Settings,
): ConfigEdit[] {
  const edits: ConfigEdit[] = [];
  if (schedule !== undefined) edits.push({ section: "backup", key: "schedule", value: schedule });
  if (everywhere !== undefined)
    edits.push({ section: "mqtt", key: "host", value: everywhere ? "0.0.0.0" : "127.0.0.1" });
  if (virtual !== undefined) {
    const index = settings.current().plugins.findIndex(({ id }) => id === VIRTUAL);
    if (index < 0)
      throw new HubError(
        "conflict",
        `hub.toml has no [[plugins]] with id = "${VIRTUAL}": add one, as a new home has it`,
      );
    edits.push({ section: "plugins", index, key: "enabled", value: virtual });
  }
  return edits;
}
