// MQTT's topic names and filters.

const LONGEST_TOPIC = 65_535;

/** Whether a message may be published there: not empty, no wildcard, no NUL. */
export function isTopicName(topic: string): boolean {
  return topic.length > 0 && topic.length <= LONGEST_TOPIC && !/[+#\0]/.test(topic);
}

/** Whether it is a filter one can subscribe to: `+` and `#` fill whole levels, `#` only the last. */
export function isTopicFilter(filter: string): boolean {
  if (filter.length === 0 || filter.length > LONGEST_TOPIC || filter.includes("\0")) return false;
  const levels = filter.split("/");
  return levels.every(
    (level, index) => level === "+" || (level === "#" ? index === levels.length - 1 : !/[+#]/.test(level)),
  );
}

export function hasWildcard(filter: string): boolean {
  return /[+#]/.test(filter);
}

/** MQTT's matching: `a/#` matches `a` too, and a leading wildcard never matches a topic that starts with `$`. */
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
