/** What `doctor` says of the newest runs of each project, and of a journal that cannot be read. */

import { expect, test } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { checkJournal } from '../../../src/cli/doctor/check-repository.ts';
import type { Surroundings } from '../../../src/cli/doctor/surroundings.ts';

type Newest = Readonly<Record<string, () => Promise<readonly object[]>>>;

/** Each key of `newest` is a project, whose newest runs it gives. */
async function check(newest: Newest): Promise<string[]> {
  const results = await checkJournal({
    configuration: { projects: Object.keys(newest).map((name) => ({ name })) },
    newestRuns: ({ name }: { readonly name: string }) => newest[name]?.(),
  } as unknown as Surroundings);
  expect(results.every(({ section }) => section === 'journal')).toBe(true);
  return results.map(({ project, status, code, facts }) => `${project} ${status} ${code} ${JSON.stringify(facts)}`);
}

/** A run of two changes with the outcomes of the first ones. */
function run(name: string, outcomes: readonly string[], more: object = {}): object {
  const refs = ['flag:a', 'flag:b'];
  return {
    name,
    startedAt: `2026-01-31T12:00:00Z`,
    plan: { project: {}, changes: refs.map((ref) => ({ ref })) },
    outcomes: new Map(outcomes.map((outcome, index) => [refs[index], { outcome }])),
    sent: new Map(),
    ...more,
  };
}

test('each newest run of each project has its state, and all but a complete one is warned of', async () => {
  const endedAt = '2026-01-31T12:01:00Z';
  expect(
    await check({
      none: async () => [],
      one: async () => [run('r1', ['applied', 'applied'], { endedAt })],
      two: async () => [run('r2', ['applied'], { endedAt }), run('r3', ['applied'])],
      now: async () => [run('r4', [], { claim: 'process 7' })],
    }),
  ).toEqual([
    'none ok no_runs {}',
    ...[
      'one ok newest_run r1 complete',
      'two warning newest_run r2 incomplete',
      'two warning newest_run r3 interrupted',
      'now warning newest_run r4 running',
    ].map((line) => line.replace(/(r\d) (\w+)$/, '{"run":"$1","started_at":"2026-01-31T12:00:00Z","state":"$2"}')),
  ]);
});

test('a journal that cannot be read is a problem of its project, with the remedy if there is one', async () => {
  const rejected = (remedy?: string) => async (): Promise<never> => {
    throw new FlagwrightError('file', 'Torn.', remedy === undefined ? {} : { remedy });
  };
  expect(await check({ torn: rejected('Move it.'), plain: rejected(), empty: async () => [] })).toEqual([
    'torn problem journal_unreadable {"error":"file","message":"Torn.","remedy":"Move it."}',
    'plain problem journal_unreadable {"error":"file","message":"Torn."}',
    'empty ok no_runs {}',
  ]);
  await expect(
    check({
      bug: async () => {
        throw new TypeError('x is undefined');
      },
    }),
  ).rejects.toThrow('x is undefined');
});
