/** The order and concurrency in which changes run, as properties over random graphs. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Outcome } from '../../../src/loop/apply/result.ts';
import { runChanges } from '../../../src/loop/apply/apply-plan.ts';
import type { Change } from '../../../src/posthog/plan.ts';

const KINDS = ['applied', 'failed', 'pending', 'unknown'] as const;
type Kind = (typeof KINDS)[number];

interface Step {
  readonly needs: readonly number[];
  readonly kind: Kind;
  /** How many turns of the event loop it takes. */
  readonly turns: number;
}

/** Each step needs only earlier ones, as a plan promises. */
const graph: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.record({
      needs: fc.array(fc.nat(30), { maxLength: 3 }),
      kind: fc.constantFrom<Kind>('applied', 'applied', 'applied', ...KINDS),
      turns: fc.nat(4),
    }),
    { maxLength: 25 },
  )
  .map((steps) => steps.map((step, index) => ({ ...step, needs: step.needs.filter((need) => need < index) })));

function changeOf(step: Step, index: number): Change {
  const needs = step.needs.map((need) => `flag:${need}`);
  const base = { ref: `flag:${index}`, key: String(index), needs, resource: 'flag', action: 'create' } as const;
  return { ...base, fields: [], body: {} };
}

function outcomeOf(kind: Kind): Outcome {
  return kind === 'applied' ? { outcome: kind } : { outcome: kind, error: { code: 'x', message: 'x' } };
}

test('changes run within the limit, after those that they need, never after a failed one, and in plan order', () =>
  fc.assert(
    fc.asyncProperty(graph, fc.integer({ min: 1, max: 5 }), async (steps, concurrency) => {
      const settled = new Map<number, Kind>();
      const ran = new Set<number>();
      let inFlight = 0;
      const run = async (change: Change): Promise<Outcome> => {
        const index = Number(change.key);
        const step = steps[index] as Step;
        expect(ran.has(index)).toBe(false);
        ran.add(index);
        for (const need of step.needs) expect(settled.get(need)).toBe('applied');
        inFlight += 1;
        expect(inFlight).toBeLessThanOrEqual(concurrency);
        for (let turn = 0; turn < step.turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        inFlight -= 1;
        settled.set(index, step.kind);
        return outcomeOf(step.kind);
      };
      const outcomes = await runChanges(steps.map(changeOf), { concurrency, run });
      const isMade = (index: number): boolean =>
        (steps[index] as Step).needs.every((need) => isMade(need) && steps[need]?.kind === 'applied');
      steps.forEach((step, index) => {
        const failed = step.needs.filter((need) => !isMade(need) || steps[need]?.kind !== 'applied');
        expect(ran.has(index)).toBe(isMade(index));
        expect(outcomes[index]).toEqual(
          isMade(index)
            ? outcomeOf(step.kind)
            : { outcome: 'skipped', reason: { code: 'needs_failed', refs: failed.map((need) => `flag:${need}`) } },
        );
      });
    }),
  ));

test('independent changes use the whole concurrency', async () => {
  let most = 0;
  let inFlight = 0;
  const steps = Array.from({ length: 20 }, (): Step => ({ needs: [], kind: 'applied', turns: 1 }));
  await runChanges(steps.map(changeOf), {
    concurrency: 4,
    run: async () => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return { outcome: 'applied' };
    },
  });
  expect(most).toBe(4);
});

test('a waiting change does not occupy a slot', async () => {
  const order: string[] = [];
  const steps: Step[] = [
    { needs: [], kind: 'applied', turns: 3 },
    { needs: [0], kind: 'applied', turns: 0 },
    { needs: [], kind: 'applied', turns: 0 },
  ];
  await runChanges(steps.map(changeOf), {
    concurrency: 2,
    run: async ({ key }) => {
      for (let turn = 0; turn < (steps[Number(key)]?.turns ?? 0); turn += 1) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      order.push(key);
      return { outcome: 'applied' };
    },
  });
  expect(order).toEqual(['2', '0', '1']);
});

test('no changes give no outcomes', async () => {
  expect(await runChanges([], { concurrency: 3, run: () => Promise.reject(new Error('never')) })).toEqual([]);
});

test('a bug in one change fails it and stops only those that need it', async () => {
  const steps: Step[] = [
    { needs: [], kind: 'applied', turns: 0 },
    { needs: [0], kind: 'applied', turns: 0 },
    { needs: [], kind: 'applied', turns: 0 },
  ];
  const outcomes = await runChanges(steps.map(changeOf), {
    concurrency: 1,
    run: ({ key }) => (key === '0' ? Promise.reject(new TypeError('a bug')) : Promise.resolve({ outcome: 'applied' })),
  });
  expect(outcomes).toEqual([
    { outcome: 'unknown', error: { code: 'internal', message: 'a bug' } },
    { outcome: 'skipped', reason: { code: 'needs_failed', refs: ['flag:0'] } },
    { outcome: 'applied' },
  ]);
});

test('a need that is no change of the plan delays nothing', async () => {
  const change = { ...changeOf({ needs: [], kind: 'applied', turns: 0 }, 0), needs: ['flag:elsewhere'] };
  expect(await runChanges([change], { concurrency: 1, run: async () => ({ outcome: 'applied' }) })).toEqual([
    { outcome: 'applied' },
  ]);
});
