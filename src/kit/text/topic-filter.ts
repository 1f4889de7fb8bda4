// MQTT topic names and filters.

const MAX_TOPIC = 65_535;

/** Whether a message can be published to it: not empty, no wildcard, no NUL. */
export function isTopicName(topic: string): boolean {
  return topic.length > 0 && topic.length <= MAX_TOPIC && !/[+#\0]/.test(topic);
}

/** Whether one can subscribe to it: `+` and `#` must be whole levels, and `#` the last one. */
export function isTopicFilter(filter: string): boolean {
  if (filter.length === 0 || filter.length > MAX_TOPIC || filter.includes("\0")) return false;
  const levels = filter.split("/");
  return levels.every(
    (level, index) => level === "+" || (level === "#" ? index === levels.length - 1 : !/[+#]/.test(level)),
  );
}

export function hasWildcard(filter: string): boolean {
  return /[+#]/.test(filter);
}

/** As MQTT defines it: `a/#` matches `a` too, and a leading wildcard does not match a topic that starts with `$`. */
export function matchesFilter(filter: string, topic: string): boolean {
  if (!hasWildcard(filter)) return filter === topic;
  if (topic.startsWith("$") && /^[+#]/.test(filter)) return false;
  const wanted = filter.split("/");
  const levels = topic.split("/");
  for (const [index, level] of wanted.entries()) {
    if (level === "#") return true;
    if (index >= levels.length || (level !== "+" && level !== levels[index])) return false;
  }
  return wanted.length === levels.length;
}
