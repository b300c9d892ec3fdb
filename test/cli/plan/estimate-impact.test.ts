/** Where the flags of an impact are declared, what only the service knows, and people who cannot be read. */

import { describe, expect, test } from 'vitest';
import { estimateImpact, type Estimating } from '../../../src/cli/plan/estimate-impact.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import type { Place } from '../../../src/base/place.ts';
import { ServiceError } from '../../../src/posthog/client/service-error.ts';
import type { DesiredState } from '../../../src/posthog/desired.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { declared, desiredState, liveFlag, liveState, planOptions } from '../../helpers/states.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { startBroken } from '../../helpers/broken-service.ts';
import { runCli } from '../../helpers/run.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

test.each([
  [403, 'Reading people needs the scope person:read on the API key. Add it, or leave out --persons live.'],
  [404, 'This service does not list people at persons/. Leave out --persons live, or name a file of people.'],
])('where the list of people answers %i, the remedy is about people', async (status, remedy) => {
  const flag = {
    id: 1,
    key: 'a',
    active: true,
    filters: { groups: [{ rollout_percentage: 10 }] },
    user_access_level: 'editor',
  };
  const { url } = await startBroken((request, response) => {
    const isPeople = request.url?.includes('/persons/') === true;
    const body = isPeople ? { detail: 'No.' } : { count: 1, next: null, previous: null, results: [flag] };
    const headers = { 'content-type': 'application/json' };
    response.writeHead(isPeople ? status : 200, headers).end(JSON.stringify(body));
  });
  const { root } = createWorkspace({
    'flagwright.yaml': `projects:\n  main: { host: '${url}', project_id: "1" }\n`,
    'flags/a.yaml': 'flags: { a: { active: true, rollout_percentage: 50 } }\n',
  });
  const { code, stderr } = await runCli(['plan', '--impact', '--persons', 'live'], {
    cwd: root,
    env: { POSTHOG_API_KEY: 'phx_planted_key_0123456789' },
  });
  expect([code, stderr.trimEnd().split('\n').at(-1)]).toEqual([1, `  → ${remedy}`]);
});

const after = (id: number): JsonObject => ({
  filters: {
    groups: [{ properties: [{ key: String(id), type: 'flag', operator: 'flag_evaluates_to', value: true }] }],
  },
});
/** `b` and `c` depend on `a`, and no manifest declares `c`. */
const live = liveState([liveFlag(1, 'a'), liveFlag(2, 'b', after(1)), liveFlag(3, 'c', after(1)), liveFlag(4, 'd')]);
const B: Place = { file: 'flags/b.yaml', line: 3, column: 5 };

function estimating(active: boolean, more: Partial<Estimating> = {}): Estimating {
  const found = desiredState(declared('a', { active }), declared('b'), declared('d'));
  const flags = found.flags.map((flag) => (flag.key === 'b' ? { ...flag, places: { place: B } } : flag));
  const desired: DesiredState = { ...found, flags };
  const plan = buildPlan(desired, live, planOptions());
  const loaded = { project: { service: 'remote', name: 'main' } };
  return { plan, live, desired, loaded, ...more } as unknown as Estimating;
}

const sources = (flags: readonly { readonly key: string; readonly source?: Place }[]): unknown =>
  flags.map((flag) => [flag.key, 'source' in flag ? flag.source : 'without']);
const EXPECTED = [
  ['a', 'without'],
  ['b', B],
  ['c', 'without'],
];

test('a flag that changes only through another one has the place of its declaration, if it has one', async () => {
  const { flags, ...others } = await estimateImpact(watchSession().session, estimating(false), {});
  expect(sources(flags)).toEqual(EXPECTED);
  expect(others).toEqual({});
});

test('of each step too, and steps are absent where none are ahead', async () => {
  const { plan } = estimating(false);
  const at = '2026-12-01T08:00:00.000Z';
  const ahead = [
    { at, plan, live },
    { at: '2026-12-02T08:00:00.000Z', jump_since: at, plan, live },
  ];
  const { steps, flags } = await estimateImpact(watchSession().session, estimating(true, { steps: ahead }), {});
  expect(flags).toEqual([]);
  expect(steps?.map((step) => [step.at, step.jump_since, sources(step.flags)])).toEqual([
    [at, undefined, EXPECTED],
    ['2026-12-02T08:00:00.000Z', at, EXPECTED],
  ]);
});

describe('what only the service knows', () => {
  test.each([[{ blastRadius: true }], [{ persons: { source: 'live', most: 10 } as const }]])(
    'is an error of the program without a service: %j',
    async (options) => {
      await expect(estimateImpact(watchSession().session, estimating(false), options)).rejects.toThrow(
        'only the service knows this',
      );
    },
  );

  test('is how many people the conditions have, and why it does not say so', async () => {
    const asking = async (userBlastRadius: () => Promise<object>): Promise<unknown> => {
      const client = { userBlastRadius } as never;
      const given = estimating(false, { client });
      return (await estimateImpact(watchSession().session, given, { blastRadius: true })).blastRadius;
    };
    const counted = await asking(async () => Promise.resolve({ affected: 1, total: 2 }));
    expect(counted).toEqual({ requests: expect.any(Number) as number });
    const facts = { failure: { kind: 'not_found' }, operation: 'userBlastRadius' };
    const refused = await asking(async () => {
      throw new ServiceError(facts as never);
    });
    expect(refused).toMatchObject({
      unavailable: 'this service does not have the endpoint user_blast_radius (404)',
    });
  });
});

test('people of a file are read from the working directory, and its name is shown as it is', async () => {
  const { root } = createWorkspace({ 'sub/people.csv': 'distinct_id\nx\ny\nx\n', 'sub/none.csv': '' });
  const { session } = watchSession({ context: { cwd: `${root}/sub` } });
  const reading = async (file: string): ReturnType<typeof estimateImpact> =>
    estimateImpact(session, estimating(false), { persons: { source: 'file', file } });
  const { persons, flags } = await reading('people.csv');
  expect(persons).toMatchObject({ source: 'file', counted: 2, duplicate: { count: 1 } });
  expect(flags[0]).toMatchObject({ persons: { turnsOff: 2 } });
  await expect(reading('none.csv')).rejects.toMatchObject({ message: 'none.csv is empty.' });
  await expect(reading('miss\ning.csv')).rejects.toMatchObject({
    code: 'file',
    message: expect.stringMatching(/^Cannot read miss\\ning\.csv: /) as string,
  });
});
