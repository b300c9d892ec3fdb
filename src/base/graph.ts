/** Directed graphs, without recursion: a chain of flags may be as long as there are flags. */

/** Nodes by what they lead to; a target that is no node of its own leads nowhere. */
export type Graph<Node> = ReadonlyMap<Node, readonly Node[]>;

/** Every node after those that it leads to, otherwise in the order of the graph; a cycle is cut where it closes. */
export function targetsFirst<Node>(graph: Graph<Node>): Node[] {
  const ordered: Node[] = [];
  const entered = new Set<Node>();
  for (const start of graph.keys()) {
    if (entered.has(start)) continue;
    walk(graph, start, {
      enters: (node) => !entered.has(node) && graph.has(node) && entered.add(node).has(node),
      leave: (node) => ordered.push(node),
    });
  }
  return ordered;
}

/** The nodes on cycles, each with the number of its strongly connected part (Tarjan's algorithm). */
export function cyclicParts<Node>(graph: Graph<Node>): ReadonlyMap<Node, number> {
  const parts = new Map<Node, number>();
  /** By the order in which nodes were entered, and the first of those that are open that each one leads to. */
  const indexes = new Map<Node, number>();
  const lowest = new Map<Node, number>();
  /** Nodes whose part may still grow. */
  const open: Node[] = [];
  const isOpen = new Set<Node>();
  const enters = (node: Node, from: Node | undefined): boolean => {
    const known = indexes.get(node);
    if (known === undefined) {
      indexes.set(node, indexes.size);
      lowest.set(node, indexes.size - 1);
      open.push(node);
      isOpen.add(node);
      return true;
    }
    if (from !== undefined && isOpen.has(node)) lower(lowest, from, known);
    return false;
  };
  const leave = (node: Node, to: Node | undefined): void => {
    const low = lowest.get(node) ?? 0;
    if (to !== undefined) lower(lowest, to, low);
    if (low !== indexes.get(node)) return;
    const part = open.splice(open.lastIndexOf(node));
    for (const member of part) isOpen.delete(member);
    if (part.length === 1 && graph.get(node)?.includes(node) !== true) return;
    for (const member of part) parts.set(member, low);
  };
  for (const start of graph.keys()) walk(graph, start, { enters, leave });
  return parts;
}

function lower<Node>(lowest: Map<Node, number>, node: Node, to: number): void {
  lowest.set(node, Math.min(lowest.get(node) ?? to, to));
}

interface Visitor<Node> {
  /** Whether to go on to the node, which `from` leads to. */
  readonly enters: (node: Node, from: Node | undefined) => boolean;
  /** After all that the node leads to; `to` is the node from which it was entered. */
  readonly leave: (node: Node, to: Node | undefined) => void;
}

/** Depth first, with the path as a list. */
function walk<Node>(graph: Graph<Node>, start: Node, { enters, leave }: Visitor<Node>): void {
  if (!enters(start, undefined)) return;
  const path = [{ node: start, next: 0 }];
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const targets = graph.get(top.node) ?? [];
    if (top.next === targets.length) {
      path.pop();
      leave(top.node, path.at(-1)?.node);
    } else {
      const target = targets[top.next] as Node;
      top.next += 1;
      if (enters(target, top.node)) path.push({ node: target, next: 0 });
    }
  }
}
