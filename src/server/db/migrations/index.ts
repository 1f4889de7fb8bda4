// The migrations of the state database, oldest first. `user_version` is the number of migrations a file has had.
import initial from "./0001-initial.sql" with { type: "text" };
import home from "./0002-home.sql" with { type: "text" };
import rules from "./0003-rules.sql" with { type: "text" };
import outbox from "./0004-outbox.sql" with { type: "text" };
import people from "./0005-people.sql" with { type: "text" };
import discovery from "./0006-discovery.sql" with { type: "text" };
import mqttRetained from "./0007-mqtt-retained.sql" with { type: "text" };
import mqttAccounts from "./0008-mqtt-accounts.sql" with { type: "text" };
import ui from "./0011-ui.sql" with { type: "text" };
import deviceHistory from "./0013-device-history.sql" with { type: "text" };
import ruleRuns from "./0014-rule-runs.sql" with { type: "text" };
import groupsSchedules from "./0015-groups-schedules.sql" with { type: "text" };
import privateBooleans from "./0017-private-booleans.sql" with { type: "text" };
import imported from "./0018-import.sql" with { type: "text" };
import deviceTags from "./0019-device-tags.sql" with { type: "text" };
import outboxOptions from "./0020-outbox-options.sql" with { type: "text" };
import peopleMessages from "./0021-people-messages.sql" with { type: "text" };
import notices from "./0022-notices.sql" with { type: "text" };
import webPush from "./0023-web-push.sql" with { type: "text" };
import outboxHtml from "./0024-outbox-html.sql" with { type: "text" };
import outboxSettled from "./0025-outbox-settled.sql" with { type: "text" };
import ruleRunRows from "./0026-rule-run-rows.sql" with { type: "text" };
import once from "./0027-once.sql" with { type: "text" };
import historyExports from "./0028-history-exports.sql" with { type: "text" };
import mcpKeys from "./0029-mcp-keys.sql" with { type: "text" };
import batteryParts from "./0030-battery-parts.sql" with { type: "text" };
import renamedAttributes from "./0031-renamed-attributes.sql" with { type: "text" };
import discoveryNames from "./0032-discovery-names.sql" with { type: "text" };
import attributeNames from "./0033-attribute-names.sql" with { type: "text" };

export const stateMigrations: readonly string[] = [
  initial,
  home,
  rules,
  outbox,
  people,
  discovery,
  mqttRetained,
  mqttAccounts,
  ui,
  deviceHistory,
  ruleRuns,
  groupsSchedules,
  privateBooleans,
  imported,
  deviceTags,
  outboxOptions,
  peopleMessages,
  notices,
  webPush,
  outboxHtml,
  outboxSettled,
  ruleRunRows,
  once,
  historyExports,
  mcpKeys,
  batteryParts,
  renamedAttributes,
  discoveryNames,
  attributeNames,
  // A new one goes here, at the end.
];
