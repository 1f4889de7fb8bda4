// What this machine notes of itself, on a disk that is full.
import { expect, test } from "bun:test";
import { mkdirSync, statSync } from "node:fs";
import { type MachineFile, machinePath, readMachine, writeMachine } from "../../../src/copies/standby/machine.ts";
import { mountSmallDisk } from "../../support/small-disk.ts";

const STANDBY: MachineFile = {
  ...{ version: 1, id: "machine-1", role: "standby", manual: false, epoch: 99 },
  other: { id: "machine-2", address: "http://192.168.1.20:8080", key: "hcs_of-these-two" },
};

test("who is the hub can be noted on a full disk, as often as it changes, and is one file", () => {
  using disk = mountSmallDisk(1);
  const home = { data: `${disk.path}/data` };
  mkdirSync(home.data);
  writeMachine(home, STANDBY);
  disk.fill();
  const changes: Partial<MachineFile>[] = [{ role: "hub", epoch: 100 }, { role: "standby" }, { epoch: 7 }];
  let machine = STANDBY;
  for (const change of changes) {
    machine = { ...machine, ...change };
    writeMachine(home, machine);
    expect(readMachine(home)).toEqual(machine);
  }
  expect([...new Bun.Glob("*").scanSync({ cwd: home.data, dot: true })]).toEqual(["standby.json"]);
  disk.free();
  writeMachine(home, STANDBY);
  expect(readMachine(home)).toEqual(STANDBY);
  expect(statSync(machinePath(home)).mode & 0o777).toBe(0o600);
});

test("what needs more room than there is, and a machine that has noted nothing, is refused and changes nothing", () => {
  using disk = mountSmallDisk(1);
  const home = { data: `${disk.path}/data` };
  mkdirSync(home.data);
  writeMachine(home, STANDBY);
  disk.fill();
  const ca = "-----BEGIN CERTIFICATE-----\n".padEnd(4000, "x");
  const other = { address: "http://192.168.1.20:8080", key: "hcs", ca };
  expect(() => writeMachine(home, { ...STANDBY, other })).toThrow("ENOSPC");
  expect(readMachine(home)).toEqual(STANDBY);
  const elsewhere = { data: `${disk.path}/data/other` };
  expect(() => writeMachine(elsewhere, STANDBY)).toThrow();
});
