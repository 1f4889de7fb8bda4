// Every action there is. A new one is a file in this folder and a line here.
import type { ActionDefinition } from "../model/define.ts";
import { activateScene } from "./activate-scene.ts";
import { activateScenePerMode } from "./activate-scene-per-mode.ts";
import { callService } from "./call-service.ts";
import { cancelDelays } from "./cancel-delays.ts";
import { cancelRuleTimers } from "./cancel-rule-timers.ts";
import { captureDeviceState } from "./capture-device-state.ts";
import { choose } from "./choose.ts";
import { comment } from "./comment.ts";
import { conditional } from "./conditional.ts";
import { delay } from "./delay.ts";
import { delayPerMode } from "./delay-per-mode.ts";
import { exitRule } from "./exit-rule.ts";
import { fadeDevice } from "./fade-device.ts";
import { fireEvent } from "./fire-event.ts";
import { logMessage } from "./log-message.ts";
import { notify } from "./notify.ts";
import { parallel } from "./parallel.ts";
import { pauseRule } from "./pause-rule.ts";
import { pingHost } from "./ping-host.ts";
import { publishMqtt } from "./publish-mqtt.ts";
import { repeatCount } from "./repeat-count.ts";
import { repeatUntil } from "./repeat-until.ts";
import { repeatWhile } from "./repeat-while.ts";
import { restoreDeviceState } from "./restore-device-state.ts";
import { resumeRule } from "./resume-rule.ts";
import { runRule } from "./run-rule.ts";
import { setDeviceState } from "./set-device-state.ts";
import { setDeviceStatePerMode } from "./set-device-state-per-mode.ts";
import { setHubVariable } from "./set-hub-variable.ts";
import { setMode } from "./set-mode.ts";
import { setPrivateBoolean } from "./set-private-boolean.ts";
import { setVariable } from "./set-variable.ts";
import { stopRuleChain } from "./stop-rule-chain.ts";
import { timer } from "./timer.ts";
import { waitForEvent } from "./wait-for-event.ts";
import { waitForExpression } from "./wait-for-expression.ts";
import { waitForTrigger } from "./wait-for-trigger.ts";

export const actions: readonly ActionDefinition[] = [
  notify,
  parallel,
  setDeviceState,
  activateScene,
  setMode,
  setHubVariable,
  setVariable,
  timer,
  delay,
  delayPerMode,
  waitForEvent,
  waitForExpression,
  waitForTrigger,
  conditional,
  choose,
  repeatCount,
  repeatWhile,
  repeatUntil,
  fireEvent,
  publishMqtt,
  callService,
  pingHost,
  runRule,
  stopRuleChain,
  pauseRule,
  resumeRule,
  cancelDelays,
  cancelRuleTimers,
  setPrivateBoolean,
  captureDeviceState,
  restoreDeviceState,
  fadeDevice,
  setDeviceStatePerMode,
  activateScenePerMode,
  logMessage,
  exitRule,
  comment,
];
