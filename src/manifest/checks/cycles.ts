/** Cycles in a directed graph, without recursion: a chain of flags may be as long as there are flags. */

/** Disjoint cycles, each once, from its smallest node on; one for each part of the graph that has any. */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const search: Search = { graph, done: new Set(), reported: new Set(), cycles: [] };
  for (const start of [...graph.keys()].sort()) visit(start, search);
  return search.cycles;
}

interface Search {
  readonly graph: ReadonlyMap<string, readonly string[]>;
  readonly done: Set<string>;
  readonly reported: Set<string>;
  readonly cycles: string[][];
}

// Depth first, with the path from the start as the stack: a node that is on the path closes a cycle.
function visit(start: string, search: Search): void {
  const path: { readonly node: string; next: number }[] = [{ node: start, next: 0 }];
  const positions = new Map([[start, 0]]);
  while (path.length > 0) {
    const top = path[path.length - 1];
    if (top === undefined) return;
    const target = search.done.has(top.node) ? undefined : search.graph.get(top.node)?.[top.next++];
    if (target === undefined) {
      search.done.add(top.node);
      positions.delete(top.node);
      path.pop();
      continue;
    }
    const position = positions.get(target);
    if (position !== undefined)
      reportCycle(
        path.slice(position).map(({ node }) => node),
        search,
      );
    else if (!search.done.has(target) && search.graph.has(target)) {
      positions.set(target, path.length);
      path.push({ node: target, next: 0 });
    }
  }
}

function reportCycle(cycle: readonly string[], { reported, cycles }: Search): void {
  if (cycle.some((node) => reported.has(node))) return;
  for (const node of cycle) reported.add(node);
  const first = cycle.indexOf(cycle.toSorted()[0] ?? '');
  cycles.push([...cycle.slice(first), ...cycle.slice(0, first)]);
}
