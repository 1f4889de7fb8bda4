// What is known of the devices of each account, by the begin of their topics; bounded for each account.
import type { Sender } from "../../source.ts";

const MAX_DEVICES = 500;

export interface Accounts<Known extends { mac: string | undefined }> {
  get(sender: Sender, prefix: string): Known | undefined;
  /** Undefined where the account has too many. */
  make(sender: Sender, prefix: string, made: () => Known): Known | undefined;
  /** Forgets other devices of the account with this address, and returns their prefixes: the device has another name now. */
  takeRenamed(sender: Sender, prefix: string, mac: string): string[];
}

export function createAccounts<Known extends { mac: string | undefined }>(): Accounts<Known> {
  const accounts = new Map<string, Map<string, Known>>();

  return {
    get: (sender, prefix) => accounts.get(sender.name)?.get(prefix),
    make(sender, prefix, made) {
      const devices = accounts.get(sender.name) ?? new Map<string, Known>();
      accounts.set(sender.name, devices);
      const known = devices.get(prefix);
      if (known || devices.size >= MAX_DEVICES) return known;
      const device = made();
      devices.set(prefix, device);
      return device;
    },
    takeRenamed(sender, prefix, mac) {
      const devices = accounts.get(sender.name) ?? new Map<string, Known>();
      const renamed = [...devices].filter(([other, known]) => other !== prefix && known.mac === mac);
      for (const [other] of renamed) devices.delete(other);
      return renamed.map(([other]) => other);
    },
  };
}
