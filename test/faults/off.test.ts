/** Every fault with the service's own action that turns a flag off: none twice, none lost, every outcome true, and undo reverts it. */

import { expect, test } from 'vitest';
import { planOff } from '../../src/posthog/planning/off-plan.ts';
import { FAULTS, type Fault } from './catalogue.ts';
import { expectOnce, expectTruth, look, startRig, type Rig } from './rig.ts';

const KEYS = ['a', 'b', 'c'];
const STAGE = 1;

/** A service without the action gets the update, and so does one that does not answer. */
function outcomeOf({ name, outcome, blind }: Fault): Fault['outcome'] {
  if (name === '404') return 'applied';
  if (name === '409') return 'failed';
  return name.endsWith('every time') && blind !== true ? 'applied' : outcome;
}

async function makeFlags({ honest }: Rig): Promise<void> {
  for (const key of KEYS)
    await honest.client.createFlag({ key, active: true, filters: { groups: [{ properties: [] }] } });
}

test.concurrent.each(FAULTS)('$name', async (fault) => {
  const rig = await startRig('posthog');
  try {
    const { honest } = rig;
    await makeFlags(rig);
    const before = await look(honest);
    const flags = before.flags.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    const { plan } = planOff({ flags, atZero: [], named: [] });
    const { effects, attempts, forMs, blind } = fault;
    const faulty = await rig.startFaulty([
      {
        match: { operation: 'disableFlag' },
        from: STAGE + 1,
        ...(forMs === undefined ? { count: attempts ?? 1 } : { for_ms: forMs }),
        ...effects,
      },
      ...(blind === true
        ? [{ match: { access: 'read' as const }, from: 2, count: 1_000_000, answer: { status: 500 } }]
        : []),
    ]);
    const { changes, remainder } = await faulty.apply(plan);
    await rig.settle();
    const seen = await look(honest);
    const context = JSON.stringify(changes.map(({ result }) => result));
    changes.forEach(({ change, result: { outcome } }, index) => {
      const isDone = seen.flags.find(({ key }) => key === change.key)?.active === false;
      expectTruth(outcome, { isDone, reported: false, context });
      // A flag counts as off only if the service says so when it is read again.
      if (index !== STAGE) expect(outcome, context).toBe(blind === true ? 'unknown' : 'applied');
    });
    const wanted = outcomeOf(fault);
    if (wanted !== undefined) expect(changes[STAGE]?.result.outcome, context).toBe(wanted);
    expect(remainder, context).toEqual([]);
    expectOnce(seen, before, context);
  } finally {
    await rig.close();
  }
});
