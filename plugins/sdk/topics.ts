// All topics that a plugin uses.

export interface Topics {
  register: string;
  unregister: string;
  heartbeat: string;
  status: string;
  capabilities: string;
  manageCommand: string;
  manageResponse: string;
  logs: string;
  commandEvents(requestId: string): string;
  state(deviceId: string): string;
  partialState(deviceId: string): string;
  availability(deviceId: string): string;
  command(deviceId: string): string;
  event(type: string): string;
}

export function createTopics(prefix: string, pluginId: string): Topics {
  const plugin = `${prefix}/plugins/${pluginId}`;
  const device = (id: string) => `${prefix}/devices/${id}`;
  return {
    register: `${plugin}/register`,
    unregister: `${plugin}/unregister`,
    heartbeat: `${plugin}/heartbeat`,
    status: `${plugin}/status`,
    capabilities: `${plugin}/capabilities`,
    manageCommand: `${plugin}/manage/cmd`,
    manageResponse: `${plugin}/manage/response`,
    logs: `${plugin}/logs`,
    commandEvents: (requestId) => `${plugin}/commands/${requestId}/events`,
    state: (id) => `${device(id)}/state`,
    partialState: (id) => `${device(id)}/state/partial`,
    availability: (id) => `${device(id)}/availability`,
    command: (id) => `${device(id)}/cmd`,
    event: (type) => `${prefix}/events/${type}`,
  };
}

/** Throws when `word` cannot be one level of a topic. */
export function assertTopicLevel(word: string, what: string): void {
  if (word === "" || /[/+#\0]/.test(word)) throw new Error(`${what} "${word}" must not be empty or contain / + #`);
}
