// The profiles of devices that are embedded in the executable and laid out in `config/profiles/`.
import awtrix from "../../../config/profiles/awtrix.toml" with { type: "text" };
import dsmrReader from "../../../config/profiles/dsmr-reader.toml" with { type: "text" };
import emsEspBoiler from "../../../config/profiles/ems-esp-boiler.toml" with { type: "text" };
import espresense from "../../../config/profiles/espresense.toml" with { type: "text" };
import espurna from "../../../config/profiles/espurna.toml" with { type: "text" };
import evccLoadpoint from "../../../config/profiles/evcc-loadpoint.toml" with { type: "text" };
import evccSite from "../../../config/profiles/evcc-site.toml" with { type: "text" };
import example from "../../../config/profiles/example.toml" with { type: "text" };
import frigate from "../../../config/profiles/frigate.toml" with { type: "text" };
import goEcharger from "../../../config/profiles/go-echarger.toml" with { type: "text" };
import openDtu from "../../../config/profiles/opendtu.toml" with { type: "text" };
import openMqttGateway433 from "../../../config/profiles/openmqttgateway-433.toml" with { type: "text" };
import ownTracks from "../../../config/profiles/owntracks.toml" with { type: "text" };
import rtl433 from "../../../config/profiles/rtl-433.toml" with { type: "text" };
import tasmota from "../../../config/profiles/tasmota-before-9-2.toml" with { type: "text" };
import theengsBle from "../../../config/profiles/theengs-ble.toml" with { type: "text" };
import valetudo from "../../../config/profiles/valetudo.toml" with { type: "text" };
import victron from "../../../config/profiles/victron.toml" with { type: "text" };
import wled from "../../../config/profiles/wled.toml" with { type: "text" };
import zwaveJsUi from "../../../config/profiles/zwave-js-ui.toml" with { type: "text" };
import type { ShippedProfiles } from "../../house/discovery/sources/profiles/read-profile.ts";
import type { Asset } from "../../server/home/layout.ts";
import { shippedTables } from "./profile-tables.ts" with { type: "macro" };

const texts: Readonly<Record<string, unknown>> = {
  awtrix,
  "dsmr-reader": dsmrReader,
  "ems-esp-boiler": emsEspBoiler,
  espresense,
  espurna,
  "evcc-loadpoint": evccLoadpoint,
  "evcc-site": evccSite,
  example,
  frigate,
  "go-echarger": goEcharger,
  opendtu: openDtu,
  "openmqttgateway-433": openMqttGateway433,
  owntracks: ownTracks,
  "rtl-433": rtl433,
  "tasmota-before-9-2": tasmota,
  "theengs-ble": theengsBle,
  valetudo,
  victron,
  wled,
  "zwave-js-ui": zwaveJsUi,
};

const tables = shippedTables();

/** By name. */
export const shippedProfiles: ShippedProfiles = new Map(
  Object.entries(texts).map(([name, text]) => [name, { text: String(text), table: tables[name] ?? "" }]),
);

export const profileAssets: readonly Asset[] = [...shippedProfiles].map(([name, { text }]) => ({
  path: `config/profiles/${name}.toml`,
  content: text,
}));
