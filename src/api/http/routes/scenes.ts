// /scenes: making, changing, activating and capturing them.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { CommandOutcome } from "../../../house/state/commands/command-answers.ts";
import { MAX_SCENE_DEVICES, States } from "../../../house/state/commands/scene-states.ts";
import type { Scene as SceneState, Scenes } from "../../../house/state/commands/scenes.ts";
import { GivenName, Id } from "../../../kit/schema/ids.ts";
import { masked } from "../../../kit/text/masking.ts";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { type Role, seesSecrets } from "../../../server/auth/roles.ts";
import { sceneActivated } from "../../../server/events/rules.ts";
import { jsonBody, optionalJsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { created, crudDocs, noContent } from "../crud.ts";
import { doc } from "../doc.ts";

const closed = { additionalProperties: false } as const;
const id = Type.Optional({ ...Id, description: "A UUID when absent" });
const DeviceIds = Type.Array(Type.String(), { minItems: 1, maxItems: MAX_SCENE_DEVICES });

const Scene = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    states: States,
    created_at: Type.String({ description: "UTC" }),
    updated_at: Type.String({ description: "UTC" }),
  },
  { $id: "Scene" },
);
const NewScene = Type.Object({ id, name: GivenName, states: States }, closed);
const WholeScene = Type.Object({ name: GivenName, states: States }, closed);
const SceneEdit = Type.Partial(WholeScene, { ...closed, minProperties: 1 });
const NewCapture = Type.Object({ id, name: GivenName, device_ids: DeviceIds }, closed);
const Capture = Type.Object({ device_ids: Type.Optional(DeviceIds) }, closed);
const { scene_id, failed } = sceneActivated.fields.properties;
const Sent = Type.Object({ device_id: Type.String(), correlation_id: Type.String(), ...CommandOutcome });
const Activation = Type.Object({ scene_id, sent: Type.Array(Sent), failed });

export interface SceneRoutesDeps {
  scenes: Pick<Scenes, "activateAndWait" | "capture" | "captureNew" | "create" | "edit" | "get" | "list" | "remove">;
  callers: Pick<Callers, "of">;
}

export function sceneRoutes(deps: SceneRoutesDeps) {
  return new Elysia({ prefix: "/scenes" }).use(managing(deps)).use(capturing(deps)).use(activating(deps));
}

const docs = crudDocs({ noun: "scene", plural: "scenes", schema: Scene });
const refusals = {
  conflict: "There is a scene of that id already, there are too many, or a device has no wanted state",
};

function managing({ scenes, callers }: SceneRoutesDeps) {
  const bodyFor = (request: Request, scene: SceneState) => sceneBody(scene, callers.of(request).role);
  return new Elysia()
    .get("", ({ request }) => scenes.list().map((one) => bodyFor(request, one)), docs.list("The scenes, oldest first"))
    .post("", ({ body, request, set }) => created(set, bodyFor(request, scenes.create(body))), {
      ...jsonBody(NewScene),
      ...docs.create(refusals),
    })
    .get("/:id", ({ params, request }) => bodyFor(request, scenes.get(params.id)), docs.get())
    .put("/:id", ({ params, body, request }) => bodyFor(request, scenes.edit(params.id, body)), {
      ...jsonBody(WholeScene),
      ...docs.edit("Replace a scene's name and states"),
    })
    .patch("/:id", ({ params, body, request }) => bodyFor(request, scenes.edit(params.id, body)), {
      ...jsonBody(SceneEdit),
      ...docs.edit("Change a scene's name, or all its states"),
    })
    .delete("/:id", ({ params }) => noContent(() => scenes.remove(params.id)), docs.remove());
}

function capturing({ scenes, callers }: SceneRoutesDeps) {
  return new Elysia()
    .post(
      "/capture",
      function captureNewScene({ body, request, set }) {
        const { device_ids: deviceIds, ...scene } = body;
        return created(set, sceneBody(scenes.captureNew({ ...scene, deviceIds }), callers.of(request).role));
      },
      {
        ...jsonBody(NewCapture),
        ...docs.create(
          { ...refusals, not_found: "There is no such device" },
          "Make a scene of the present state of devices",
        ),
      },
    )
    .post(
      "/:id/capture",
      ({ params, body, request }) => sceneBody(scenes.capture(params.id, body.device_ids), callers.of(request).role),
      {
        ...optionalJsonBody(Capture),
        ...docs.edit("Replace its states by the present ones of its devices, or of the devices in device_ids", {
          refusals: { conflict: "A device reports no state that could be set" },
        }),
      },
    );
}

function activating({ scenes, callers }: SceneRoutesDeps) {
  return new Elysia().post(
    "/:id/activate",
    ({ params, query, request }) => scenes.activateAndWait(params.id, callers.of(request), { force: query.force }),
    {
      query: t.Object(
        { force: t.Boolean({ default: false, description: "Also devices that are not available" }) },
        closed,
      ),
      ...doc({
        access: "user",
        guests: "scene",
        audit: { action: "scene.activate", securityOnly: true },
        keeps: false,
        summary: "Command all its devices",
        tag: "scenes",
        answers: { 200: { description: "What was sent, and what was not and why", schema: Activation } },
      }),
    },
  );
}

function sceneBody({ id, name, states: held, createdAt, updatedAt }: SceneState, role: Role) {
  const states = seesSecrets(role) ? held : masked(held);
  return { id, name, states, created_at: isoSeconds(createdAt), updated_at: isoSeconds(updatedAt) };
}
