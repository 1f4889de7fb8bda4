// /notify: sending a test message.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { HubError } from "../../core/errors.ts";
import { jsonBody } from "../body.ts";
import { doc } from "../doc.ts";

const TestMessage = Type.Object(
  {
    channel: Type.String({ minLength: 1 }),
    message: Type.String({ minLength: 1 }),
    title: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);

export function notifyRoutes() {
  return new Elysia({ prefix: "/notify" }).post(
    "/test",
    function testNotification(): never {
      throw new HubError("not_implemented", "this version of the hub does not send notifications yet");
    },
    {
      ...jsonBody(TestMessage),
      ...doc({
        access: "user",
        summary: "Send a test notification",
        tag: "notify",
        answers: { 501: { description: "Not in this version" } },
      }),
    },
  );
}
