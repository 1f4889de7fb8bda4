// Pairing: the code that another home asks for, as digits, as the text of a QR code and as one on a screen; which homes are paired; and
// ending that.

import type { ServerNode } from "@matter/main";
import { FabricIndex } from "@matter/main";
import { DeviceCommissioner, FabricManager } from "@matter/main/protocol";
import { QrCode } from "@matter/types";
import { Type } from "../sdk/index.ts";
import type { MatterPlugin } from "./config.ts";

const NOT_PAIRED = "not_paired";
const LEAVE_TIMEOUT_MS = 2000;
/** How long a further home may be paired, by Matter's rules. */
const WINDOW_MINUTES = 15;

/** Until the result is called, which is before the next. */
export function addPairing(plugin: MatterPlugin, node: ServerNode): () => void {
  const { commissioning } = node.events;
  const codes = () => {
    const { manualPairingCode, qrPairingCode } = node.state.commissioning.pairingCodes;
    return { code: grouped(manualPairingCode), qr_code: qrPairingCode, qr_text: QrCode.get(qrPairingCode) };
  };
  const homes = () =>
    Object.values(node.state.commissioning.fabrics).map(({ fabricIndex, label, rootVendorId }) => ({
      home: fabricIndex,
      label,
      vendor: VENDORS[rootVendorId] ?? `vendor ${rootVendorId}`,
    }));

  function showPairing(): void {
    if (node.state.commissioning.commissioned) {
      plugin.clearNotice(NOT_PAIRED);
      return;
    }
    // Without the code: whoever has it has the devices, and everybody may read notices.
    plugin.notice({
      level: "info",
      code: NOT_PAIRED,
      message: "no other home is paired",
      remedy: "add a Matter device in the other app, with the code that the action `pairing` shows to administrators",
    });
    const { code, qr_text } = codes();
    plugin.log.info("the bridge can be paired with this code", { code });
    for (const line of qr_text.trim().split("\n")) plugin.log.info(line);
  }
  showPairing();
  function changed(): void {
    plugin.log.info("paired homes", { homes: homes().length });
    showPairing();
  }
  commissioning.fabricsChanged.on(changed);

  plugin.action({
    id: "pairing",
    label: "Pairing code and paired homes",
    async run() {
      const paired = node.state.commissioning.commissioned;
      return { homes: homes(), ...(paired ? {} : codes()) };
    },
  });
  plugin.action({
    id: "pair_another",
    label: `Let a further home pair within ${WINDOW_MINUTES} minutes`,
    async run() {
      await node.env.get(DeviceCommissioner).allowBasicCommissioning();
      return codes();
    },
  });
  plugin.action({
    id: "unpair",
    label: "End the pairing with a home",
    params: Type.Object({ home: Type.Integer({ minimum: 1, maximum: 254, title: "Its number in the list" }) }),
    async run({ home }) {
      const fabric = node.env.get(FabricManager).maybeFor(FabricIndex(home));
      if (!fabric) throw new Error(`no home ${home} is paired`);
      // The other home learns of it, unless it is away. After the last one the bridge begins anew, which takes a moment.
      const left = fabric.leave().then(() => true);
      if (!(await Promise.race([left, Bun.sleep(LEAVE_TIMEOUT_MS).then(() => false)]))) await fabric.delete();
      return undefined;
    },
  });
  return () => commissioning.fabricsChanged.off(changed);
}

/** As apps show and ask for it: 3497-011-2332. */
function grouped(code: string): string {
  return code.replace(/^(\d{4})(\d{3})(\d{4})$/, "$1-$2-$3");
}

/** Who made the other homes: those that people have. */
const VENDORS: Readonly<Record<number, string>> = {
  4937: "Apple Home",
  24582: "Google Home",
  4631: "Amazon Alexa",
  4362: "SmartThings",
  4939: "Home Assistant",
};
