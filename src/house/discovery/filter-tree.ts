// Filters by their levels: which of thousands match a topic is found without trying each.

interface Node {
  readonly below: Map<string, Node>;
  /** The filter that ends here. */
  filter: string | undefined;
}

const newNode = (): Node => ({ below: new Map(), filter: undefined });

export class FilterTree {
  readonly #root = newNode();

  add(filter: string): void {
    let node = this.#root;
    for (const level of filter.split("/")) {
      const next = node.below.get(level) ?? newNode();
      node.below.set(level, next);
      node = next;
    }
    node.filter = filter;
  }

  delete(filter: string): void {
    deleteBelow(this.#root, filter.split("/"), 0);
  }

  get isEmpty(): boolean {
    return this.#root.below.size === 0;
  }

  /** As `matchesFilter` does. */
  matching(topic: string): string[] {
    if (this.isEmpty) return [];
    const found: string[] = [];
    const levels = topic.split("/");
    const visit = (node: Node, at: number): void => {
      const wild = at > 0 || !topic.startsWith("$");
      const rest = wild ? node.below.get("#")?.filter : undefined;
      if (rest !== undefined) found.push(rest);
      const level = levels[at];
      if (level === undefined) {
        if (node.filter !== undefined) found.push(node.filter);
        return;
      }
      const [own, any] = [node.below.get(level), wild ? node.below.get("+") : undefined];
      if (own) visit(own, at + 1);
      if (any) visit(any, at + 1);
    };
    visit(this.#root, 0);
    return found;
  }
}

function deleteBelow(node: Node, levels: readonly string[], at: number): void {
  const level = levels[at];
  if (level === undefined) {
    node.filter = undefined;
    return;
  }
  const next = node.below.get(level);
  if (!next) return;
  deleteBelow(next, levels, at + 1);
  if (next.below.size === 0 && next.filter === undefined) node.below.delete(level);
}
