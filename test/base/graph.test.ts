import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cyclicParts, findCycles, reach, targetsFirst, type Graph } from '../../src/base/graph.ts';
import { holds } from '../helpers/runs.ts';

const graphs: fc.Arbitrary<Graph<number>> = fc
  .uniqueArray(fc.tuple(fc.nat(7), fc.array(fc.nat(9), { maxLength: 3 })), { selector: ([node]) => node })
  .map((entries) => new Map(entries));

/** The nodes reachable from a node in one step or more. */
function reached(graph: Graph<number>, from: number): ReadonlySet<number> {
  const found = new Set<number>();
  const ahead = [...(graph.get(from) ?? [])];
  for (let node = ahead.pop(); node !== undefined; node = ahead.pop()) {
    if (found.has(node)) continue;
    found.add(node);
    ahead.push(...(graph.get(node) ?? []));
  }
  return found;
}

const chain = (length: number): Map<number, number[]> =>
  new Map(Array.from({ length }, (_, node) => [node, node + 1 === length ? [] : [node + 1]]));

describe('the parts of a graph', () => {
  it('hold the nodes that lead back to themselves, those together that lead to each other', () =>
    holds(1000, [graphs], (graph) => {
      const parts = cyclicParts(graph);
      for (const node of graph.keys()) {
        const far = reached(graph, node);
        expect(parts.has(node)).toBe(far.has(node));
        for (const other of far) {
          if (!parts.has(node) || !parts.has(other)) continue;
          expect(parts.get(node) === parts.get(other)).toBe(reached(graph, other).has(node));
        }
      }
    }));

  it('may be as long as they like', () => {
    expect(cyclicParts(chain(100_000)).size).toBe(0);
    expect(cyclicParts(chain(100_000).set(99_999, [0])).size).toBe(100_000);
  });
});

describe('the order of a graph', () => {
  it('has each node once, after what it leads to, unless that leads back', () =>
    holds(1000, [graphs], (graph) => {
      const order = targetsFirst(graph);
      expect(new Set(order)).toEqual(new Set(graph.keys()));
      expect(order).toHaveLength(graph.size);
      for (const [node, targets] of graph) {
        for (const target of targets) {
          if (!graph.has(target) || reached(graph, target).has(node)) continue;
          expect(order.indexOf(target)).toBeLessThan(order.indexOf(node));
        }
      }
    }));

  it('is that of the graph where nothing speaks against it', () => {
    expect(
      targetsFirst(
        new Map([
          ['c', []],
          ['a', ['b']],
          ['d', ['c']],
          ['b', []],
        ]),
      ),
    ).toEqual(['c', 'b', 'a', 'd']);
  });

  it('goes as deep as it has to', () => {
    expect(targetsFirst(chain(100_000))[0]).toBe(99_999);
  });
});

const targetLists = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 8, maxLength: 8 });

describe('the cycles of a graph', () => {
  it('are found exactly when no order of the nodes puts each after its targets', () => {
    fc.assert(
      fc.property(targetLists, (lists) => {
        const graph = new Map(lists.map((targets, node) => [String(node), targets.map(String)]));
        expect(findCycles(graph).length > 0).toBe(!canBeSorted(graph));
      }),
    );
  });

  it('share no node and begin with their smallest node', () => {
    fc.assert(
      fc.property(targetLists, (lists) => {
        const graph = new Map(lists.map((targets, node) => [String(node), targets.map(String)]));
        const nodes = findCycles(graph).flat();
        expect(nodes).toHaveLength(new Set(nodes).size);
        for (const cycle of findCycles(graph)) {
          expect(cycle[0]).toBe(cycle.toSorted()[0]);
          for (const [index, node] of cycle.entries()) {
            expect(graph.get(node)).toContain(cycle[(index + 1) % cycle.length]);
          }
        }
      }),
    );
  });

  it('may hold ten thousand nodes', () => {
    const nodes = Array.from({ length: 10_000 }, (_, index) => String(index).padStart(5, '0'));
    const graph = new Map(nodes.map((node, index) => [node, [nodes[(index + 1) % nodes.length] ?? '']]));
    expect(findCycles(graph)).toEqual([nodes]);
  });
});

describe('the reach of some nodes', () => {
  it('holds them and every node that they lead to', () =>
    holds(1000, [graphs, fc.array(fc.nat(9))], (graph, starts) => {
      const found = reach(starts, (node) => graph.get(node) ?? []);
      expect(found).toEqual(new Set([...starts, ...starts.flatMap((start) => [...reached(graph, start)])]));
    }));
});

function canBeSorted(graph: ReadonlyMap<string, readonly string[]>): boolean {
  const left = new Map(graph);
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [node, targets] of left) if (targets.every((target) => !left.has(target))) left.delete(node);
  }
  return left.size === 0;
}
