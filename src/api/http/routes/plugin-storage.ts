// /plugins/:id/storage: what a plugin keeps in the hub's database. By its own key alone, as there may be secrets in it.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HubError } from "../../../kit/schema/errors.ts";
import { keyOfPlugin, type PluginStorage } from "../../../reach/plugins/storage.ts";
import type { Plugins } from "../../../reach/plugins/supervisor.ts";
import { jsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { noContent } from "../crud.ts";
import { doc } from "../doc.ts";

const Kept = Type.Object({ text: Type.String() }, { $id: "PluginStorage" });
const NewText = Type.Object({ text: Type.String() }, { additionalProperties: false });

export interface PluginStorageRoutesDeps {
  pluginStorage: PluginStorage;
  plugins: Pick<Plugins, "get">;
  callers: Pick<Callers, "of">;
}

export function pluginStorageRoutes({ pluginStorage, plugins, callers }: PluginStorageRoutesDeps) {
  const tag = "plugins";
  const refusals = { forbidden: "Only the plugin itself may, by the key that the hub gives it (`api` of its entry)" };
  function assertOwn(request: Request, id: string): void {
    plugins.get(id);
    if (callers.of(request).id !== keyOfPlugin(id))
      throw new HubError("forbidden", "what a plugin keeps is for that plugin alone");
  }
  return new Elysia({ prefix: "/plugins" })
    .get(
      "/:id/storage",
      ({ params, request }) => {
        assertOwn(request, params.id);
        return { text: pluginStorage.read(params.id) };
      },
      doc({
        access: "viewer",
        needs: "key",
        summary: "What it keeps in the hub's database",
        tag,
        answers: { 200: { description: "As it wrote it", schema: Kept } },
        refusals,
      }),
    )
    .put(
      "/:id/storage",
      ({ params, body, request }) =>
        noContent(() => {
          assertOwn(request, params.id);
          pluginStorage.write(params.id, body.text);
        }),
      {
        ...jsonBody(NewText),
        ...doc({
          access: "user",
          needs: "key",
          summary: "Keep a text of at most 1 MiB in the hub's database, and so in its backups",
          tag,
          answers: { 204: { description: "Kept" } },
          refusals: { ...refusals, too_large: "It has more than 1 MiB" },
        }),
      },
    );
}
