// A machine without plugins, for what asks whether one of them may have sent a request.
import type { OwnConnections } from "../../src/server/auth/own-connections.ts";

export const NO_PLUGINS: OwnConnections = { mayBePlugin: () => false, mayBeOfPlugin: () => false };
