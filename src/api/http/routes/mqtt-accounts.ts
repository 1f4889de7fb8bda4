// /mqtt/accounts: MQTT accounts for devices, made and removed while the hub runs. A password is answered once, when it is made.
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { isoSeconds } from "../../../kit/time/clock.ts";
import { AccountKindName } from "../../../reach/mqtt/accounts/account-kinds.ts";
import type { AccountSettings } from "../../../reach/mqtt/accounts/account-settings.ts";
import { type DeviceAccount, NewDeviceAccount } from "../../../reach/mqtt/accounts/device-accounts.ts";
import { jsonBody } from "../body.ts";
import { created, noContent } from "../crud.ts";
import { doc } from "../doc.ts";

const Texts = Type.Array(Type.String());
const MqttAccount = Type.Object(
  {
    name: Type.String(),
    kind: AccountKindName,
    base: Type.Union([Type.String(), Type.Null()], {
      description: "The first levels of its topics, if they were given",
    }),
    publish: { ...Texts, description: "All topic patterns it may publish to; a plugin's own topics are not listed" },
    subscribe: { ...Texts, description: "The same for subscriptions" },
    created_at: Type.String(),
  },
  { $id: "MqttAccount" },
);
const Settings = Type.Object(
  {
    username: Type.String(),
    password: Type.String({ description: "Shown this once" }),
    lines: { ...Texts, description: "What to enter on the other side" },
    notes: { ...Texts, description: "Where, and what to do first" },
  },
  { $id: "MqttAccountSettings" },
);

export interface MqttAccountRoutesDeps {
  mqttAccounts: {
    list(): DeviceAccount[];
    create(account: NewDeviceAccount): AccountSettings;
    renew(name: string): AccountSettings;
    remove(name: string): void;
  };
}

export function mqttAccountRoutes({ mqttAccounts }: MqttAccountRoutesDeps) {
  const tag = "mqtt";
  const isElsewhere = "It is in hub.toml, or belongs to a plugin that the hub runs, or to an external broker";
  return new Elysia({ prefix: "/mqtt/accounts" })
    .get(
      "",
      () => mqttAccounts.list().map(accountBody),
      doc({
        access: "admin",
        summary: "The MQTT accounts that were made here; those in hub.toml are not among them",
        tag,
        answers: { 200: { description: "The accounts, without passwords", schema: Type.Array(MqttAccount) } },
        refusals: { conflict: "The broker is external: its accounts are made there" },
      }),
    )
    .post("", ({ body, set }) => created(set, mqttAccounts.create(body)), {
      ...jsonBody(NewDeviceAccount),
      ...doc({
        access: "admin",
        needsToken: true,
        audit: "mqtt_account.create",
        summary: "Make an MQTT account with the rights that a kind of device needs",
        tag,
        answers: { 201: { description: "What to enter on the other side", schema: Settings } },
        refusals: { conflict: "The name is taken, there are too many accounts, or the broker is external" },
      }),
    })
    .post(
      "/:name/password",
      ({ params }) => mqttAccounts.renew(params.name),
      doc({
        access: "admin",
        needsToken: true,
        audit: "mqtt_account.password",
        summary: "Give an MQTT account a new password and disconnect its clients",
        tag,
        answers: { 200: { description: "What to enter on the other side", schema: Settings } },
        refusals: { conflict: isElsewhere },
      }),
    )
    .delete(
      "/:name",
      ({ params }) => noContent(() => mqttAccounts.remove(params.name)),
      doc({
        access: "admin",
        needsToken: true,
        audit: "mqtt_account.remove",
        summary: "Remove an MQTT account and disconnect its clients",
        tag,
        answers: { 204: { description: "Removed" } },
        refusals: { conflict: isElsewhere },
      }),
    );
}

function accountBody({ name, kind, base, publish, subscribe, createdAt }: DeviceAccount) {
  return {
    ...{ name, kind, base: base ?? null, created_at: isoSeconds(createdAt) },
    publish: [...publish],
    subscribe: [...subscribe],
  };
}
