// All commands. A new one is a file in this folder and a line here.
import { backup } from "./backup.ts";
import { check } from "./check.ts";
import type { Command } from "./command.ts";
import { deviceAccount } from "./device-account.ts";
import { importCommand } from "./import.ts";
import { init } from "./init.ts";
import { passwd } from "./passwd.ts";
import { restore } from "./restore.ts";
import { rules } from "./rules/rules.ts";
import { serve } from "./serve.ts";
import { service } from "./service.ts";
import { upgrade } from "./upgrade.ts";
import { versionCommand } from "./version.ts";

export const commands: readonly Command[] = [
  serve,
  init,
  check,
  rules,
  backup,
  restore,
  importCommand,
  service,
  upgrade,
  passwd,
  deviceAccount,
  versionCommand,
];
