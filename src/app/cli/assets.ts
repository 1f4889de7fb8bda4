// The files that are embedded in the executable and laid out in a new home. Bundles are read when they are needed: as imported texts
// they would stay in memory.
import { readFileSync } from "node:fs";
import hubTemplate from "../../../config/hub.template.toml" with { type: "text" };
import modesToml from "../../../config/modes.toml" with { type: "text" };
import matterBundle from "../../../dist/plugins/matter.bundle.js" with { type: "file" };
import sdkBundle from "../../../dist/plugins/sdk.bundle.js" with { type: "file" };
import sysmonBundle from "../../../dist/plugins/sysmon.bundle.js" with { type: "file" };
import virtualBundle from "../../../dist/plugins/virtual.bundle.js" with { type: "file" };
import pagePack from "../../../dist/web/page.pack" with { type: "file" };
import matterConfig from "../../../plugins/matter/config.toml" with { type: "text" };
import sysmonConfig from "../../../plugins/sysmon/config.toml" with { type: "text" };
import virtualConfig from "../../../plugins/virtual/config.toml" with { type: "text" };
import diskAlmostFull from "../../../rules/examples/disk-almost-full.toml" with { type: "text" };
import doorLeftOpen from "../../../rules/examples/door-left-open.ron" with { type: "text" };
import goodMorning from "../../../rules/examples/good-morning.toml" with { type: "text" };
import motionLight from "../../../rules/examples/motion-light.toml" with { type: "text" };
import temperatureAlert from "../../../rules/examples/temperature-alert.ron" with { type: "text" };
import type { Asset } from "../../server/home/layout.ts";
import { profileAssets } from "./profile-assets.ts";

export const hubToml = String(hubTemplate);

export const pageFile: string = pagePack;

export const assets: readonly Asset[] = [
  { path: "config/modes.toml", content: String(modesToml) },
  ...profileAssets,
  {
    path: "rules/examples/disk-almost-full.toml",
    formerly: "rules/examples/disk-almost-full.ron",
    content: String(diskAlmostFull),
  },
  { path: "rules/examples/door-left-open.ron", content: doorLeftOpen },
  {
    path: "rules/examples/good-morning.toml",
    formerly: "rules/examples/good-morning.ron",
    content: String(goodMorning),
  },
  { path: "rules/examples/motion-light.toml", content: String(motionLight) },
  { path: "rules/examples/temperature-alert.ron", content: temperatureAlert },
  inside("plugins/sdk/hub-sdk.js", sdkBundle),
  inside("plugins/matter/bin/matter.js", matterBundle),
  { path: "plugins/matter/config/config.toml", content: String(matterConfig) },
  inside("plugins/sysmon/bin/sysmon.js", sysmonBundle),
  { path: "plugins/sysmon/config/config.toml", content: String(sysmonConfig) },
  inside("plugins/virtual/bin/virtual.js", virtualBundle),
  { path: "plugins/virtual/config/config.toml", content: String(virtualConfig) },
];

function inside(path: string, bundle: string): Asset {
  return {
    path,
    get content() {
      return readFileSync(bundle, "utf8");
    },
  };
}
