// The configuration of the Matter bridge; config.toml beside it is the annotated default.
import { type Plugin, Type } from "../sdk/index.ts";

const names = (title: string) => Type.Array(Type.String({ minLength: 1 }), { default: [], uniqueItems: true, title });

export const configSchema = Type.Object(
  {
    areas: names("Areas whose devices are bridged"),
    tags: names("Tags whose devices are bridged"),
    devices: names("Devices that are bridged wherever they are; locks only so"),
    except: names("Devices that are not bridged"),
    scenes: names("Scenes, by name or id: a switch for each, which goes off by itself"),
    name: Type.String({ minLength: 1, maxLength: 32, default: "Hub", title: "What the bridge is called" }),
    port: Type.Integer({ minimum: 1024, maximum: 65_535, default: 5540, title: "UDP port" }),
    interface: Type.Optional(Type.String({ minLength: 1, title: "Network interface; all of them without it" })),
  },
  { additionalProperties: false, default: {} },
);

export type Config = (typeof configSchema)["static"];
export type MatterPlugin = Plugin<Config>;
