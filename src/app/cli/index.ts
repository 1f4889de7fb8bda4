// All commands. A new one is a file in this folder and an entry here; it is loaded when it is called.
import type { ListedCommand } from "./command.ts";

export const commands: readonly ListedCommand[] = [
  {
    name: "serve",
    summary: "Start the hub; `hub` without a command does the same",
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "init",
    summary: "Create a home without starting the hub; existing files stay as they are",
    load: async () => (await import("./init.ts")).init,
  },
  {
    name: "check",
    summary: "Check the configuration, the modes, the rules and the profiles, and list all problems",
    load: async () => (await import("./check.ts")).check,
  },
  {
    name: "status",
    summary: "Show how the running hub is; exit code 0: well, 3: stopped, 4: with problems",
    load: async () => (await import("./status.ts")).status,
  },
  {
    name: "devices",
    args: "[FILTER | rename-attribute DEVICE (OLD NEW | --suggest)]",
    summary:
      "List the devices of the running hub with their present values, or those with FILTER in their name, id, type or area",
    load: async () => (await import("./devices.ts")).devices,
  },
  {
    name: "device",
    args: "get|set DEVICE [ATTRIBUTE=VALUE]",
    summary: "Show one device, by its id or name, or command it and say what became of that",
    load: async () => (await import("./device/device.ts")).device,
  },
  {
    name: "scene",
    args: "list|activate [SCENE]",
    summary: "List the scenes, or activate one, by its id or name",
    load: async () => (await import("./scene.ts")).scene,
  },
  {
    name: "events",
    summary: "Show the latest events of the running hub, and with --follow what comes from now on",
    load: async () => (await import("./events.ts")).events,
  },
  {
    name: "logs",
    summary: "Show the log of the hub, and with --follow what comes from now on",
    load: async () => (await import("./logs.ts")).logs,
  },
  {
    name: "rules",
    args: "list|check|test|why|turn [NAME]",
    summary:
      "List the rules, check their files, try one out, see why one ran or did not, or turn those whose attributes have new names",
    load: async () => (await import("./rules/rules.ts")).rules,
  },
  {
    name: "backup",
    args: "[FILE]",
    summary:
      "Save an archive of the home, of a stopped or a running hub; - as FILE is standard output. `backup list` lists the copies elsewhere",
    load: async () => (await import("./backup.ts")).backup,
  },
  {
    name: "restore",
    args: "[FILE]",
    summary: "Replace the home's state by that of an archive, all or nothing; the hub must be stopped",
    load: async () => (await import("./restore.ts")).restore,
  },
  {
    name: "import",
    args: "homecore",
    summary: "Move a house from homeCore into this home, all or nothing; the hub must be stopped",
    load: async () => (await import("./import.ts")).importCommand,
  },
  {
    name: "export",
    args: "list|backfill [NAME]",
    summary: "Show where else the history goes, and send what is recorded there once more",
    load: async () => (await import("./export.ts")).exportCommand,
  },
  {
    name: "standby",
    args: "promote|status|leave",
    summary:
      "Make this machine the standby of another hub (--of URL), make the standby the hub, or show how the two are",
    load: async () => (await import("./standby.ts")).standby,
  },
  {
    name: "service",
    args: "install|uninstall|status",
    summary: "Install the hub as a systemd service that starts with the machine, remove it, or show its state",
    load: async () => (await import("./service.ts")).service,
  },
  {
    name: "upgrade",
    args: "[FILE]",
    summary: "Replace the home's hub by the executable FILE, restart it, and go back if it does not answer",
    load: async () => (await import("./upgrade.ts")).upgrade,
  },
  {
    name: "passwd",
    args: "[USER]",
    summary:
      "Set a new password for USER (default: admin) and end their logins; an unknown USER becomes an administrator",
    load: async () => (await import("./passwd.ts")).passwd,
  },
  {
    name: "device-account",
    args: "[NAME]",
    summary: "Make an MQTT account for a device and print what to enter there; a running hub knows it at once",
    load: async () => (await import("./device-account.ts")).deviceAccount,
  },
  {
    name: "completion",
    args: "bash|zsh|fish",
    summary: "Print what a shell needs to complete the words of this program",
    load: async () => (await import("./completion.ts")).completionOf(commands),
  },
  {
    name: "man",
    args: "[COMMAND]",
    summary: "Print the manual page of this program, or of one command, for `man -l -`",
    load: async () => (await import("./man.ts")).manOf(commands),
  },
  {
    name: "version",
    summary: "Print the version of this hub",
    load: async () => (await import("./version.ts")).versionCommand,
  },
];
