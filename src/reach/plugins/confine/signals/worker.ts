// The thread that answers the signals of confined plugins where the kernel cannot keep them by itself. It waits in the kernel, so no message
// reaches it: guard.ts names each plugin to it through a pipe. It ends when that pipe is closed.
import { readSync } from "node:fs";
import { judge } from "./judge.ts";
import { type Kernel, type Notice, openKernel } from "./kernel.ts";
import { RECORD_BYTES, type StartMessage } from "./protocol.ts";

interface Listener {
  fd: number;
  label: string;
  /** Whether a signal to the caller would end its waiting: then it is answered first. */
  isInterrupted: boolean;
}

/** What the launcher sends with the listener where its caller is not disturbed while it waits. */
const UNDISTURBED = 1;
const EPERM = 1;

function serve(control: number): void {
  const kernel = openKernel();
  /** Sockets on which a launcher will send its listener. */
  const expected = new Map<number, string>();
  const listeners = new Map<number, Listener>();

  function accept(): boolean {
    const record = new BigInt64Array(RECORD_BYTES / 8);
    if (readSync(control, new Uint8Array(record.buffer)) !== RECORD_BYTES) return false;
    expected.set(Number(record[0]), String(record[1]));
    return true;
  }

  function adopt(socket: number, label: string): void {
    const found = kernel.receiveDescriptor(socket);
    expected.delete(socket);
    kernel.close(socket);
    if (found) listeners.set(found.fd, { fd: found.fd, label, isInterrupted: found.byte !== UNDISTURBED });
  }

  function drop(fd: number): void {
    expected.delete(fd);
    listeners.delete(fd);
    kernel.close(fd);
  }

  for (;;) {
    const { ready, ended } = kernel.wait([control, ...expected.keys(), ...listeners.keys()]);
    if (ended.includes(control) || (ready.includes(control) && !accept())) break;
    for (const fd of ready) {
      const listener = listeners.get(fd);
      const label = expected.get(fd);
      if (listener) answerOne(kernel, listener);
      else if (label !== undefined) adopt(fd, label);
    }
    for (const fd of ended) drop(fd);
  }
  for (const fd of [control, ...expected.keys(), ...listeners.keys()]) kernel.close(fd);
  process.exit();
}

function answerOne(kernel: Kernel, listener: Listener): void {
  const notice = kernel.receive(listener.fd);
  if (!notice) return;
  try {
    decide(kernel, listener, notice);
  } catch {
    // As when there is no room for another open file: the plugin may try again.
    kernel.answer(listener.fd, notice, { error: EPERM });
  }
}

function decide(kernel: Kernel, { fd, label, isInterrupted }: Listener, notice: Notice): void {
  const judged = judge(kernel, notice, label);
  if (!("targets" in judged)) {
    // Else the caller's number may have been another's.
    if (kernel.waits(fd, notice)) kernel.answer(fd, notice, judged);
    return;
  }
  try {
    if (!kernel.waits(fd, notice)) return;
    if (isInterrupted) kernel.answer(fd, notice, { error: 0 });
    for (const target of judged.targets) kernel.signal(target, judged.signal);
    if (!isInterrupted) kernel.answer(fd, notice, { error: 0 });
  } finally {
    for (const target of judged.targets) kernel.close(target);
  }
}

declare const self: Worker;
self.onmessage = ({ data }: MessageEvent<StartMessage>) => serve(data.control);
