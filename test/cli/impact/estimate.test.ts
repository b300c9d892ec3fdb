/** Where the flags of an impact are declared, and people who cannot be read. */

import { expect, test } from 'vitest';
import { estimateImpact } from '../../../src/cli/impact/estimate.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Place } from '../../../src/base/place.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import type { EstimatedPlan } from '../../../src/review/effects/impact.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const after = (id: number): JsonObject => ({
  filters: {
    groups: [{ properties: [{ key: String(id), type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
  },
});
/** `b` and `c` depend on `a`, and no manifest declares `c`. */
const live = liveState([liveFlag(1, 'a'), liveFlag(2, 'b', after(1)), liveFlag(3, 'c', after(1)), liveFlag(4, 'd')]);
const B: Place = { file: 'flags/b.yaml', line: 3, column: 5 };

function estimating(active: boolean, more: Partial<EstimatedPlan> = {}): EstimatedPlan {
  const found = desiredState(declared('a', { active }), declared('b'), declared('d'));
  const flags = found.flags.map((flag) => (flag.key === 'b' ? { ...flag, places: { place: B } } : flag));
  const desired: DesiredState = { ...found, flags };
  const plan = planFor(desired, live);
  return { plan, live, desired, ...more };
}

const CIRCUMSTANCES = { generation: 'rust-2026', now: new Date('2026-06-15T10:00:00Z') } as const;

const sources = (flags: readonly { readonly key: string; readonly source?: Place }[]): unknown =>
  flags.map((flag) => [flag.key, 'source' in flag ? flag.source : 'without']);
const EXPECTED = [
  ['a', 'without'],
  ['b', B],
  ['c', 'without'],
];

test('a flag that changes only through another one has the place of its declaration, if it has one', async () => {
  const { flags, ...others } = await estimateImpact(watchSession().session, estimating(false), CIRCUMSTANCES);
  expect(sources(flags)).toEqual(EXPECTED);
  expect(others).toEqual({});
});

test('of each step too, and steps are absent where none are ahead', async () => {
  const plan = planFor(estimating(false).desired, live);
  const at = '2026-12-01T08:00:00.000Z';
  const ahead = [
    { at, plan, live },
    { at: '2026-12-02T08:00:00.000Z', jump_since: at, plan, live },
  ];
  const { steps, flags } = await estimateImpact(
    watchSession().session,
    estimating(true, { steps: ahead }),
    CIRCUMSTANCES,
  );
  expect(flags).toEqual([]);
  expect(steps?.map((step) => [step.at, step.jump_since, sources(step.flags)])).toEqual([
    [at, undefined, EXPECTED],
    ['2026-12-02T08:00:00.000Z', at, EXPECTED],
  ]);
});

test('people of a file are read from the working directory, and its name is shown as it is', async () => {
  const { root } = createWorkspace({ 'sub/people.csv': 'distinct_id\nx\ny\nx\n', 'sub/none.csv': '' });
  const { session } = watchSession({ context: { cwd: `${root}/sub` } });
  const reading = async (file: string): ReturnType<typeof estimateImpact> =>
    estimateImpact(session, estimating(false), { ...CIRCUMSTANCES, file });
  const { persons, flags } = await reading('people.csv');
  expect(persons).toMatchObject({ source: 'file', counted: 2, duplicate: { count: 1 } });
  expect(flags[0]).toMatchObject({ persons: { turnsOff: 2 } });
  await expect(reading('none.csv')).rejects.toMatchObject({ message: 'none.csv is empty.' });
  await expect(reading('miss\ning.csv')).rejects.toMatchObject({
    code: 'file',
    message: expect.stringMatching(/^Cannot read miss\\ning\.csv: /) as string,
  });
});
