// /notify/web-push: the page's switch for messages on this device.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HubError } from "../../../kit/schema/errors.ts";
import type { Subscriptions } from "../../../reach/notify/web-push/subscriptions.ts";
import type { Identity } from "../../../server/auth/auth.ts";
import { jsonBody } from "../body.ts";
import type { Callers } from "../callers.ts";
import { noContent } from "../crud.ts";
import { doc } from "../doc.ts";

const Endpoint = Type.String({
  minLength: 1,
  maxLength: 2000,
  pattern: "^https://",
  problem: "must be the https address of a push service",
});
const inBase64 = (characters: number) =>
  Type.String({ pattern: `^[A-Za-z0-9_-]{${characters}}=*$`, maxLength: characters + 2, problem: "must be base64url" });

const GivenSubscription = Type.Object(
  {
    endpoint: Endpoint,
    expirationTime: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    keys: Type.Object({ p256dh: inBase64(87), auth: inBase64(22) }, { additionalProperties: false }),
  },
  { additionalProperties: false, description: "A PushSubscription, as the browser writes it as JSON" },
);
const GivenEndpoint = Type.Object({ endpoint: Endpoint }, { additionalProperties: false });
const PushKey = Type.Object({
  public_key: Type.String({ description: "`applicationServerKey` of the browser, in base64url" }),
  channels: Type.Array(Type.String(), { description: "The channels that send to your devices" }),
});

export interface WebPushRoutesDeps {
  webPush: {
    readonly subscriptions: Pick<Subscriptions, "key" | "add" | "remove">;
    assertReachable(endpoint: string): Promise<void>;
    channelsOf(username: string): string[];
  };
  callers: Pick<Callers, "of">;
}

const tag = "notify";
const ofPeople = { forbidden: "Only people who log in have devices: no API keys, no whitelisted addresses" };

export function webPushRoutes({ webPush, callers }: WebPushRoutesDeps) {
  const personIn = (request: Request): Identity => {
    const identity = callers.of(request);
    if (identity.kind === "user") return identity;
    throw new HubError("forbidden", "only people who log in get messages on a device");
  };
  return new Elysia({ prefix: "/notify/web-push" })
    .get(
      "/key",
      function pushKey({ request }) {
        const { name } = personIn(request);
        return { public_key: webPush.subscriptions.key().publicKey, channels: webPush.channelsOf(name) };
      },
      doc({
        access: "viewer",
        summary: "The key with which a browser asks for messages, and which channels would send to it",
        tag,
        answers: { 200: { description: "The key, made at the first request", schema: PushKey } },
        refusals: ofPeople,
      }),
    )
    .post(
      "/subscriptions",
      async function subscribe({ body: { endpoint, keys }, request }) {
        const { id } = personIn(request);
        await webPush.assertReachable(endpoint);
        return noContent(() => webPush.subscriptions.add(id, { endpoint, ...keys }));
      },
      {
        ...jsonBody(GivenSubscription),
        ...doc({
          access: "viewer",
          summary: "Send messages to this browser, too; of more than 20 the oldest is forgotten",
          tag,
          answers: { 204: { description: "It is kept" } },
          refusals: {
            ...ofPeople,
            invalid: "An address or key that no push service gives, or an address that is not on the internet",
          },
        }),
      },
    )
    .delete(
      "/subscriptions",
      function unsubscribe({ body: { endpoint }, request }) {
        const { id } = personIn(request);
        return noContent(() => void webPush.subscriptions.remove(id, endpoint));
      },
      {
        ...jsonBody(GivenEndpoint),
        ...doc({
          access: "viewer",
          summary: "Send no more messages to this browser",
          tag,
          answers: { 204: { description: "It gets none" } },
          refusals: ofPeople,
        }),
      },
    );
}
