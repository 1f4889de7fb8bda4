// /system/upgrade: which version runs, exchanging it by an uploaded one, and going back.
import { Type } from "@sinclair/typebox";
import { Elysia, t } from "elysia";
import { LastUpgrade } from "../../../server/system/upgrade/apply-upgrade.ts";
import type { AcceptedUpgrade, SelfUpgrade } from "../../../server/system/upgrade/self-upgrade.ts";
import { keepOpen } from "../body.ts";
import type { Callers } from "../callers.ts";
import { doc } from "../doc.ts";

const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

const Status = Type.Object({
  version: Type.String({ description: "That runs" }),
  previous: nullable("The one before the last upgrade, to go back to"),
  refused: nullable("Why the version cannot be exchanged over the API; null if it can"),
  snapshot: Type.Union(
    [
      Type.Object({
        version: Type.String({ description: "That they belong to" }),
        at: Type.String({ description: "UTC" }),
        bytes: Type.Integer(),
      }),
      Type.Null(),
    ],
    { description: "The databases as they were before the last upgrade, until this version has been well for a day" },
  ),
  last: Type.Union([LastUpgrade, Type.Null()], { description: "How the last one over the API went" }),
});

const Accepted = Type.Object({ from: Type.String(), to: Type.String() });

export interface UpgradeRoutesDeps {
  upgrades: SelfUpgrade;
  callers: Pick<Callers, "assertConfirmed">;
}

export function upgradeRoutes({ upgrades, callers }: UpgradeRoutesDeps) {
  const tag = "system";
  const pending = new WeakMap<Request, AcceptedUpgrade>();
  const answers = {
    202: {
      description: "The hub restarts with it; if it does not answer, this version comes back. GET has the result",
      schema: Accepted,
    },
  };
  const storage = "Not enough free space; the message has the numbers";
  const accept = (request: Request, accepted: AcceptedUpgrade): Response => {
    pending.set(request, accepted);
    const { from, to } = accepted;
    return Response.json({ from, to }, { status: 202, headers: { "cache-control": "no-store" } });
  };
  const afterResponse = ({ request }: { request: Request }): void => pending.get(request)?.restart();

  return new Elysia({ prefix: "/system/upgrade" })
    .get(
      "",
      () => upgrades.status(),
      doc({
        access: "admin",
        summary: "The version that runs, the one before, and how the last upgrade went",
        tag,
        answers: { 200: { description: "The versions", schema: Status } },
      }),
    )
    .post(
      "",
      async function uploadHub({ request, server, query }) {
        callers.assertConfirmed(request);
        keepOpen(server, request);
        const length = request.headers.get("content-length");
        const bytes = length === null ? undefined : Number(length);
        return accept(request, await upgrades.receive({ body: request.body, bytes, force: query.force }));
      },
      {
        parse: "none" as const,
        query: t.Object(
          { force: t.Boolean({ default: false, description: "An older version, too" }) },
          { additionalProperties: false },
        ),
        afterResponse,
        ...doc({
          access: "admin",
          audit: "upgrade",
          confirmed: "It",
          keeps: false,
          summary: "Exchange the hub by another version: its executable as the body",
          tag,
          streamedBody: true,
          answers,
          rawBody: { description: "The executable", contentType: "application/octet-stream", required: true },
          refusals: {
            invalid: "It is not complete, no hub, or for another machine",
            conflict: "The hub's user may not exchange it, or it is older",
            in_use: "Another upgrade is under way",
            too_large: "It has more than 500 MB",
            storage,
          },
        }),
      },
    )
    .post(
      "/rollback",
      async function rollBackHub({ request, query }) {
        callers.assertConfirmed(request);
        return accept(request, await upgrades.rollBack(query.databases));
      },
      {
        query: t.Object(
          {
            databases: t.Boolean({
              default: false,
              description:
                "With the databases as they were before the upgrade; the present ones are kept in their place",
            }),
          },
          { additionalProperties: false },
        ),
        afterResponse,
        ...doc({
          access: "admin",
          audit: "upgrade.rollback",
          confirmed: "It",
          keeps: false,
          summary: "Go back to the version before; once more comes back to this one",
          tag,
          answers,
          refusals: {
            not_found: "There is no version before",
            conflict:
              "The hub's user may not exchange it, the version before cannot read the databases any more, or its own are not kept any more",
            in_use: "Another upgrade is under way",
            storage,
          },
        }),
      },
    );
}
