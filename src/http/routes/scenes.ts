// /scenes: keeping, activating and capturing them.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { type Role, seesSecrets } from "../../auth/roles.ts";
import { isoSeconds } from "../../core/clock.ts";
import { GivenName, Id } from "../../core/ids.ts";
import { masked } from "../../core/masking.ts";
import { sceneActivated } from "../../events/rules.ts";
import { MOST_SCENE_DEVICES, States } from "../../state/scene-states.ts";
import type { Scene as SceneState, Scenes } from "../../state/scenes.ts";
import { jsonBody, optionalJsonBody } from "../body.ts";
import { doc } from "../doc.ts";
import type { Sessions } from "../session.ts";

const closed = { additionalProperties: false } as const;
const id = Type.Optional({ ...Id, description: "A UUID when absent" });
const DeviceIds = Type.Array(Type.String(), { minItems: 1, maxItems: MOST_SCENE_DEVICES });

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
const Activation = Type.Pick(sceneActivated.fields, ["scene_id", "sent", "failed"]);

export interface SceneRoutesDeps {
  scenes: Scenes;
  sessions: Sessions;
}

export function sceneRoutes(deps: SceneRoutesDeps) {
  return new Elysia({ prefix: "/scenes" }).use(keeping(deps)).use(capturing(deps)).use(activating(deps));
}

const tag = "scenes";
const answers = { 200: { description: "The scene", schema: Scene } };
const refusals = {
  conflict: "There is a scene of that id already, there are too many, or a device has no wanted state",
};
const made = { 201: { description: "The scene", schema: Scene } };

function keeping({ scenes, sessions }: SceneRoutesDeps) {
  const bodyFor = (request: Request, scene: SceneState) => sceneBody(scene, sessions.of(request).role);
  return new Elysia()
    .get(
      "",
      ({ request }) => scenes.list().map((scene) => bodyFor(request, scene)),
      doc({
        access: "viewer",
        summary: "All scenes",
        tag,
        answers: { 200: { description: "The scenes, oldest first", schema: Type.Array(Scene) } },
      }),
    )
    .post(
      "",
      function createScene({ body, request, set }) {
        const scene = scenes.create(body);
        set.status = 201;
        return bodyFor(request, scene);
      },
      { ...jsonBody(NewScene), ...doc({ access: "user", summary: "Make a scene", tag, answers: made, refusals }) },
    )
    .get(
      "/:id",
      ({ params, request }) => bodyFor(request, scenes.get(params.id)),
      doc({ access: "viewer", summary: "One scene", tag, answers }),
    )
    .put("/:id", ({ params, body, request }) => bodyFor(request, scenes.edit(params.id, body)), {
      ...jsonBody(WholeScene),
      ...doc({ access: "user", summary: "Replace a scene's name and states", tag, answers }),
    })
    .patch("/:id", ({ params, body, request }) => bodyFor(request, scenes.edit(params.id, body)), {
      ...jsonBody(SceneEdit),
      ...doc({ access: "user", summary: "Change a scene's name, or all its states", tag, answers }),
    })
    .delete(
      "/:id",
      function removeScene({ params }) {
        scenes.remove(params.id);
        return new Response(null, { status: 204 });
      },
      doc({
        access: "user",
        audit: "scene.remove",
        summary: "Remove a scene",
        tag,
        answers: { 204: { description: "Removed" } },
      }),
    );
}

function capturing({ scenes, sessions }: SceneRoutesDeps) {
  return new Elysia()
    .post(
      "/capture",
      function captureNewScene({ body, request, set }) {
        const { device_ids: deviceIds, ...scene } = body;
        const captured = scenes.captureNew({ ...scene, deviceIds });
        set.status = 201;
        return sceneBody(captured, sessions.of(request).role);
      },
      {
        ...jsonBody(NewCapture),
        ...doc({
          access: "user",
          summary: "Make a scene of the present state of devices",
          tag,
          answers: made,
          refusals: { ...refusals, not_found: "There is no such device" },
        }),
      },
    )
    .post(
      "/:id/capture",
      ({ params, body, request }) => sceneBody(scenes.capture(params.id, body.device_ids), sessions.of(request).role),
      {
        ...optionalJsonBody(Capture),
        ...doc({
          access: "user",
          summary: "Take the present state of its devices, or of those in device_ids, which then are its devices",
          tag,
          answers,
          refusals: { conflict: "A device reports nothing that could be wanted of it" },
        }),
      },
    );
}

function activating({ scenes, sessions }: SceneRoutesDeps) {
  return new Elysia().post(
    "/:id/activate",
    ({ params, query, request }) => scenes.activate(params.id, sessions.of(request), { force: query.force }),
    {
      query: t.Object(
        { force: t.Boolean({ default: false, description: "Also devices that are not available" }) },
        closed,
      ),
      ...doc({
        access: "user",
        audit: { action: "scene.activate", guardedOnly: true },
        summary: "Command all its devices",
        tag,
        answers: { 200: { description: "What was sent, and what was not and why", schema: Activation } },
      }),
    },
  );
}

function sceneBody({ id, name, states: held, createdAt, updatedAt }: SceneState, role: Role) {
  const states = seesSecrets(role) ? held : masked(held);
  return { id, name, states, created_at: isoSeconds(createdAt), updated_at: isoSeconds(updatedAt) };
}
