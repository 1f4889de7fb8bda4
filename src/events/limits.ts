// Events about limits on guests.
import { Type } from "@sinclair/typebox";
import { defineEvent } from "./define.ts";

export const limitReached = defineEvent(
  "limit_reached",
  "A client, account or plugin reached one of its limits; emitted again only after ten minutes without it",
  {
    /** The configuration key, such as `[mqtt] max_connections`. */
    limit: Type.String(),
    /** The account or address; `all` where everybody's share together reached it. */
    account: Type.String(),
    /** What was refused or dropped, and what to do. */
    message: Type.String(),
  },
  {
    limit: "[mqtt] max_connections_per_account",
    account: "zigbee",
    message: "a login was refused: raise the limit if so many connections are wanted",
  },
);
