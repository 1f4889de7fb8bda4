// A radio for Zigbee2MQTT without any hardware: every device answers that all went well, and what is sent is reported.

export interface Frame {
  header: { frameControl: { frameType: number }; transactionSequenceNumber: number };
  cluster: { ID: number; name: string };
  command: { ID: number; name: string; response?: number };
  payload: unknown;
  toBuffer(): Buffer;
}

export interface ZclModule {
  Frame: { create(...parts: unknown[]): Frame };
  Header: { fromBuffer(buffer: Buffer): unknown };
}

/** What a device says; or that it says nothing from now on. */
export interface Spoken {
  networkAddress: number;
  cluster: string;
  /** A command of its, or else attributes that it reports. */
  command?: string;
  payload?: unknown;
  isSilent?: boolean;
}

export interface Radio {
  /** To be sent as if it came from a device. */
  speak(spoken: Spoken): void;
}

type Report = (event: Record<string, unknown>) => void;
type AdapterClass = new (...parts: unknown[]) => { emit(event: string, ...parts: unknown[]): boolean };

const [GLOBAL, SPECIFIC] = [0, 1];
const [TO_SERVER, TO_CLIENT] = [0, 1];
const COORDINATOR = "0x00124b0001020304";
const STRING_ATTRIBUTE = 0x42;

/** Extends zigbee-herdsman's own class. `report` is called for every frame, and when joining is permitted. */
export function createRadioClass(Adapter: AdapterClass, zcl: ZclModule, report: Report) {
  return class extends Adapter implements Radio {
    readonly #silent = new Set<number>();

    async start(): Promise<string> {
      return "resumed";
    }

    async stop(): Promise<void> {}
    async reset(): Promise<void> {}
    async addInstallCode(): Promise<void> {}

    async getCoordinatorIEEE(): Promise<string> {
      return COORDINATOR;
    }

    async getCoordinatorVersion() {
      return { type: "Pretended", meta: { revision: "1.0" } };
    }

    async supportsBackup(): Promise<boolean> {
      return false;
    }

    async getNetworkParameters() {
      return { panID: 6754, extendedPanID: "0xdddddddddddddddd", channel: 11, nwkUpdateID: 0 };
    }

    waitFor() {
      return { promise: new Promise(() => {}), cancel: () => {} };
    }

    async sendZdo(): Promise<unknown> {
      return [0, { endpointList: [1] }];
    }

    async permitJoin(seconds: number): Promise<void> {
      report({ permitJoin: seconds });
    }

    async sendZclFrameToEndpoint(
      ...[ieee, address, endpoint, frame]: [string, number, number, Frame]
    ): Promise<unknown> {
      if (this.#silent.has(address)) throw new Error("no answer");
      report({ to: ieee, cluster: frame.cluster.name, command: frame.command.name, payload: frame.payload });
      return this.#payload(address, endpoint, answerTo(frame));
    }

    async sendZclFrameToGroup(group: number, frame: Frame): Promise<void> {
      report({ toGroup: group, cluster: frame.cluster.name, command: frame.command.name, payload: frame.payload });
    }

    async sendZclFrameToAll(): Promise<void> {}
    async setChannelInterPAN(): Promise<void> {}
    async restoreChannelInterPAN(): Promise<void> {}

    speak({ networkAddress, cluster, command, payload, isSilent = false }: Spoken): void {
      if (isSilent) {
        this.#silent.add(networkAddress);
        report({ silent: networkAddress });
        return;
      }
      this.#silent.delete(networkAddress);
      const frame =
        command === undefined
          ? zcl.Frame.create(GLOBAL, TO_CLIENT, true, undefined, 1, "report", cluster, payload, {})
          : zcl.Frame.create(SPECIFIC, TO_SERVER, true, undefined, nextNumber(), command, cluster, payload, {});
      this.emit("zclPayload", this.#payload(networkAddress, 1, frame));
    }

    #payload(address: number, endpoint: number, frame: Frame) {
      const data = frame.toBuffer();
      return {
        ...{ clusterID: frame.cluster.ID, address, endpoint, data, header: zcl.Header.fromBuffer(data) },
        ...{ linkquality: 120, groupID: 0, wasBroadcast: false, destinationEndpoint: 1 },
      };
    }
  };

  function answerTo({ header, cluster, command, payload }: Frame): Frame {
    const number = header.transactionSequenceNumber;
    const answer = (type: number, name: string, content: unknown): Frame =>
      zcl.Frame.create(type, TO_CLIENT, true, undefined, number, name, cluster.name, content, {});
    if (header.frameControl.frameType === SPECIFIC && cluster.name === "genGroups" && command.name === "add")
      return answer(SPECIFIC, "addRsp", { status: 0, groupid: (payload as { groupid: number }).groupid });
    if (command.name === "read") {
      const asked = payload as { attrId: number }[];
      const read = asked.map(({ attrId }) => ({ attrId, status: 0, dataType: STRING_ATTRIBUTE, attrData: "1" }));
      return answer(GLOBAL, "readRsp", read);
    }
    if (command.name === "configReport") return answer(GLOBAL, "configReportRsp", [{ status: 0 }]);
    if (command.name === "write") return answer(GLOBAL, "writeRsp", [{ status: 0 }]);
    return answer(GLOBAL, "defaultRsp", { cmdId: command.ID, statusCode: 0 });
  }
}

let lastNumber = 0;
// Twice the same is one message that came twice.
function nextNumber(): number {
  lastNumber = (lastNumber + 1) % 256;
  return lastNumber;
}
