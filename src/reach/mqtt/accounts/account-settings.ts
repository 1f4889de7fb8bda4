// What people enter on the other side of an MQTT account, and what they have to do first.

import { isLoopbackHost, type MqttSection } from "../config.ts";
import { ACCOUNT_KINDS } from "./account-kinds.ts";
import type { WithPassword } from "./device-accounts.ts";

/** For people: `lines` is what to paste, `notes` sentences about it. */
export interface AccountSettings {
  username: string;
  password: string;
  lines: string[];
  notes: string[];
}

export interface BrokerPlace extends Pick<MqttSection, "host" | "port" | "prefix"> {
  /** The name or address by which other machines would reach this one. */
  address: string;
  /** Path of hub.toml, for people. */
  hubToml: string;
}

export function settingsOf({ name, kind, base, password }: WithPassword, broker: BrokerPlace): AccountSettings {
  const { port, prefix } = broker;
  const { isProgram, lines, where } = ACCOUNT_KINDS[kind];
  const isLocal = isLoopbackHost(broker.host);
  // Programs often run beside the hub, where loopback works as it is.
  const host = isLocal && isProgram ? broker.host : broker.address;
  const connection = { name, base, password, host, port, prefix };
  const notes = [...(isLocal ? [loopbackNote(broker, isProgram)] : []), ...portNotes(broker), where(connection)];
  return { username: name, password, lines: lines(connection), notes };
}

function loopbackNote({ host, address, hubToml }: BrokerPlace, isProgram: boolean): string {
  const mend = `set host = "0.0.0.0" under [mqtt] in ${hubToml}, and restart the hub`;
  return isProgram
    ? `The MQTT broker answers programs on this machine only. For one on another machine, first ${mend}; there, write ${address} in place of ${host}.`
    : `The MQTT broker answers programs on this machine only, so the device cannot reach it yet: first ${mend}.`;
}

function portNotes({ port, hubToml }: BrokerPlace): string[] {
  if (port !== 0) return [];
  return [
    `The MQTT broker has another port after each start: set one, such as port = 1883, under [mqtt] in ${hubToml}.`,
  ];
}
