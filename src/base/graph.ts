/** Directed graphs: order, reach and cycles. Iterative, since a chain of flags may be as long as a project has flags. */

import { compareStrings } from './compare-strings.ts';

/** Each node with its targets. A target without an entry has no targets of its own. */
export type Graph<Node> = ReadonlyMap<Node, readonly Node[]>;

/** The nodes reachable from `starts`, which are included, in the order of a depth-first search. */
export function reach<Node>(starts: Iterable<Node>, targets: (node: Node) => Iterable<Node>): ReadonlySet<Node> {
  const reached = new Set<Node>();
  const ahead = [...starts];
  while (ahead.length > 0) {
    const node = ahead.pop() as Node;
    if (reached.has(node)) continue;
    reached.add(node);
    for (const target of targets(node)) ahead.push(target);
  }
  return reached;
}

/** Every node after its targets, otherwise in the order of the graph. A cycle is cut where it closes. */
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

/** Cycles that share no node, each starting at its smallest node: one for every part of the graph that has a cycle. */
export function findCycles(graph: Graph<string>): string[][] {
  const cycles: string[][] = [];
  const reported = new Set<string>();
  const entered = new Set<string>();
  const path: string[] = [];
  const positions = new Map<string, number>();
  const enters = (node: string): boolean => {
    const position = positions.get(node);
    const cycle = position === undefined ? [] : path.slice(position);
    if (cycle.length > 0 && !cycle.some((member) => reported.has(member))) {
      for (const member of cycle) reported.add(member);
      const first = cycle.indexOf(cycle.toSorted(compareStrings)[0] ?? '');
      cycles.push([...cycle.slice(first), ...cycle.slice(0, first)]);
    }
    if (entered.has(node) || !graph.has(node)) return false;
    entered.add(node);
    positions.set(node, path.length);
    path.push(node);
    return true;
  };
  const leave = (node: string): void => {
    path.pop();
    positions.delete(node);
  };
  for (const start of [...graph.keys()].sort()) walk(graph, start, { enters, leave });
  return cycles;
}

/** The nodes on cycles, each with the number of its strongly connected component (Tarjan's algorithm). */
export function cyclicParts<Node>(graph: Graph<Node>): ReadonlyMap<Node, number> {
  const parts = new Map<Node, number>();
  /** The order in which nodes were entered. */
  const indexes = new Map<Node, number>();
  /** The lowest index of an open node that each node reaches. */
  const lowest = new Map<Node, number>();
  /** Nodes whose component may still grow. */
  const open: Node[] = [];
  const isOpen = new Set<Node>();
  const lower = (node: Node, to: number): void => void lowest.set(node, Math.min(lowest.get(node) as number, to));
  const enters = (node: Node, from: Node | undefined): boolean => {
    const known = indexes.get(node);
    if (known === undefined) {
      indexes.set(node, indexes.size);
      lowest.set(node, indexes.size - 1);
      open.push(node);
      isOpen.add(node);
      return true;
    }
    if (from !== undefined && isOpen.has(node)) lower(from, known);
    return false;
  };
  const leave = (node: Node, to: Node | undefined): void => {
    const low = lowest.get(node) as number;
    if (to !== undefined) lower(to, low);
    if (low !== indexes.get(node)) return;
    const part = open.splice(open.lastIndexOf(node));
    for (const member of part) isOpen.delete(member);
    if (part.length === 1 && graph.get(node)?.includes(node) !== true) return;
    for (const member of part) parts.set(member, low);
  };
  for (const start of graph.keys()) walk(graph, start, { enters, leave });
  return parts;
}

/** `enters`: whether to visit a target of `from`. `leave`: called after the node's targets; `to` is the node from which it was entered. */
interface Visitor<Node> {
  readonly enters: (node: Node, from: Node | undefined) => boolean;
  readonly leave: (node: Node, to: Node | undefined) => void;
}

/** Depth-first search with an explicit stack. */
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
