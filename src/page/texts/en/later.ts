// English: what only views say that load when they are opened.
import { activity } from "./activity.ts";
import { alerts } from "./alerts.ts";
import { blueprints } from "./blueprints.ts";
import { channels } from "./channels.ts";
import { configKeys } from "./config-keys.ts";
import { deviceView } from "./device-view.ts";
import { devices } from "./devices.ts";
import { house } from "./house.ts";
import { inbox } from "./inbox.ts";
import { messages } from "./messages.ts";
import { opened } from "./opened.ts";
import { plans } from "./plans.ts";
import { plot } from "./plot.ts";
import { plugins } from "./plugins.ts";
import { replay } from "./replay.ts";
import { ruleActions } from "./rule-actions.ts";
import { ruleEdit } from "./rule-edit.ts";
import { ruleFields } from "./rule-fields.ts";
import { ruleGuide } from "./rule-guide.ts";
import { ruleWords } from "./rule-words.ts";
import { rules } from "./rules.ts";
import { system } from "./system.ts";
import { upload } from "./upload.ts";
import { welcome } from "./welcome.ts";

export const later = {
  activity,
  alerts,
  blueprints,
  channels,
  configKeys,
  deviceView,
  devices,
  house,
  inbox,
  messages,
  opened,
  plans,
  plot,
  plugins,
  replay,
  ruleActions,
  ruleEdit,
  ruleFields,
  ruleGuide,
  ruleWords,
  rules,
  system,
  upload,
  welcome,
};
