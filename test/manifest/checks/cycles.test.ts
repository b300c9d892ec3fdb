import fc from 'fast-check';
import { expect, it } from 'vitest';
import { findCycles } from '../../../src/manifest/checks/cycles.ts';

const graphs = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 8, maxLength: 8 });

it('finds a cycle exactly when no order of the nodes puts each after its targets', () => {
  fc.assert(
    fc.property(graphs, (lists) => {
      const graph = new Map(lists.map((targets, node) => [String(node), targets.map(String)]));
      expect(findCycles(graph).length > 0).toBe(!canBeSorted(graph));
    }),
  );
});

it('gives real cycles that share no node and begin with their smallest node', () => {
  fc.assert(
    fc.property(graphs, (lists) => {
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

it('follows a chain of ten thousand nodes that ends where it began', () => {
  const nodes = Array.from({ length: 10_000 }, (_, index) => String(index).padStart(5, '0'));
  const graph = new Map(nodes.map((node, index) => [node, [nodes[(index + 1) % nodes.length] ?? '']]));
  expect(findCycles(graph)).toEqual([nodes]);
});

function canBeSorted(graph: ReadonlyMap<string, readonly string[]>): boolean {
  const left = new Map(graph);
  for (let before = -1; before !== left.size;) {
    before = left.size;
    for (const [node, targets] of left) if (targets.every((target) => !left.has(target))) left.delete(node);
  }
  return left.size === 0;
}
