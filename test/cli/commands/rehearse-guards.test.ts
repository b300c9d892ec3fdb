/** Guarded rollouts made in seconds: what the guards find comes from a file over time, or at random. */

import { describe, expect, test } from 'vitest';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { runCli, type Ran } from '../../helpers/run.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const CONFIG = `projects:
  production: { host: https://us.posthog.com, project_id: '5' }
rollouts: { every: 1h }
guards:
  errors: { alert: Checkout errors, patience: 3d }
  budget: { verdict: error-budget, patience: 1d }
  idle: { verdict: idle }
`;
const flags = (guard: string): string => `flags:
  checkout:
    active: true
    rollout_percentage:
      guard: ${guard}
      steps: [{ at: 2026-12-01T09:00Z, to: 10 }, { at: 2026-12-03T09:00Z, to: 50 }, { at: 2026-12-05T09:00Z, to: 100 }]
  free: { active: true, rollout_percentage: { steps: [{ at: 2026-12-01T09:00Z, to: 10 }, { at: 2026-12-03T12:00Z, to: 50 }] } }
`;

type Verdict = readonly [name: string, at: string, verdict: string, reason?: string];
const verdicts = (...all: readonly Verdict[]): string =>
  stringifyJson({
    verdicts: all.map(([name, at, verdict, reason]) => ({
      ...{ name, at: `2026-12-${at}:00Z`, verdict },
      ...(reason !== undefined && { reason }),
    })),
  });

async function rehearse(guard: string, file: string | undefined, ...argv: readonly string[]): Promise<Ran> {
  const { root } = createWorkspace({
    'flagwright.yaml': CONFIG,
    'flags/a.yaml': flags(guard),
    'ci/verdicts.json': file ?? '{}',
  });
  const given = file === undefined ? [] : ['--verdicts', 'ci/verdicts.json'];
  return runCli(['rehearse', 'checkout', ...argv, ...given], { cwd: root });
}

const linesOf = ({ stdout }: Ran): string[] =>
  stdout.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim().replaceAll(/ {2,}/g, ' | ')]));

describe('rehearse with guards', () => {
  test('takes the newest verdict of a name at each run, and says why a step waited', async () => {
    const file = verdicts(
      ['error-budget', '01T08:50', 'pass'],
      ['error-budget', '03T08:50', 'hold', '4% of requests fail'],
      ['error-budget', '03T20:30', 'pass'],
      ['error-budget', '05T20:30', 'pass'],
    );
    const ran = await rehearse('budget', file);
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    expect(linesOf(ran)).toEqual([
      'Rehearsal for production',
      'Guards: as ci/verdicts.json says',
      '2026-12-01 08:00:00 UTC | checkout | before | 0% of everyone',
      '2026-12-01 09:00:00 UTC | checkout | step 1 of 3 | 10% of everyone',
      '2026-12-03 09:00:00 UTC | checkout | waits | 10% of everyone',
      'budget holds: the verdict error-budget says hold: 4% of requests fail (given at 2026-12-03 08:50:00 UTC)',
      '2026-12-03 21:00:00 UTC | checkout | step 2 of 3 | 50% of everyone',
      '2026-12-05 21:00:00 UTC | checkout | step 3 of 3 | 100% of everyone',
      'Rehearsal: 3 steps made of 1 flag',
    ]);
  });

  test('gives an alert the checks of its name', async () => {
    const file = verdicts(
      ['Checkout errors', '01T08:50', 'pass'],
      ['Checkout errors', '03T08:50', 'hold'],
      ['Checkout errors', '03T10:30', 'pass'],
      ['Checkout errors', '05T10:30', 'pass'],
    );
    expect(linesOf(await rehearse('errors', file)).slice(4, -1)).toEqual([
      '2026-12-03 09:00:00 UTC | checkout | waits | 10% of everyone',
      'errors holds: the alert Checkout errors fires (checked at 2026-12-03 08:50:00 UTC)',
      '2026-12-03 11:00:00 UTC | checkout | step 2 of 3 | 50% of everyone',
      '2026-12-05 11:00:00 UTC | checkout | step 3 of 3 | 100% of everyone',
    ]);
  });

  test('ends once the step that waits is overdue', async () => {
    const ran = await rehearse('budget', verdicts(['error-budget', '01T08:50', 'pass']), '-f', 'json');
    expect(schemaErrors('rehearsal', ran.document())).toEqual([]);
    expect(ran.document()).toMatchObject({
      verdicts: { from: 'file', file: 'ci/verdicts.json' },
      moments: [
        { step: 0 },
        { step: 1 },
        { step: 1, at: '2026-12-03T09:00:00.000Z', guard_readings: [{ says: 'unknown', why: 'before_step' }] },
        { step: 1, at: '2026-12-04T10:00:00.000Z', overdue: true },
      ],
    });
    const text = await rehearse('budget', verdicts());
    expect(text).toMatchObject({ code: 2 });
    expect(text.stdout).toMatch(/is overdue [^]*is not in the file [^]*the next one of checkout is overdue\n$/);
  });

  test('goes on if a verdict of the file lets an overdue step through', async () => {
    const file = verdicts(['error-budget', '01T08:50', 'pass'], ['error-budget', '06T08:50', 'pass']);
    expect((await rehearse('budget', file)).stdout).toMatch(
      /2026-12-04 10:00:00 UTC  checkout  is overdue [^]*2026-12-06 09:00:00 UTC  checkout  step 2 of 3 /,
    );
  });

  test('lets all guards pass without a file, and says so', async () => {
    const ran = await rehearse('[errors, budget]', undefined);
    expect(ran.stdout).toContain('Guards: all pass, since neither `--verdicts` nor `--random-verdicts` is given');
    expect(ran.stdout).toContain('3 steps made of 1 flag\n');
    expect(ran.stdout).not.toContain('waits');
  });

  test('says the same of the same random number, and something else of others', async () => {
    const run = async (seed: number): Promise<Ran> =>
      rehearse('[errors, budget]', undefined, '--random-verdicts', `${seed}`);
    const [one, again, ...others] = await Promise.all([7, 7, 8].map(run));
    expect(one?.stdout).toContain('Guards: at random, by `--random-verdicts 7`');
    expect(one?.stdout).toBe(again?.stdout);
    expect(others.map((ran) => ran.stdout.replace(/verdicts \d/, 'verdicts 7'))).not.toContain(one?.stdout);
    expect([one, ...others].map((ran) => ran?.stdout).join('')).toMatch(/holds: [^]*does not know: /);
  });

  test.each([
    ['both', verdicts(), ['--random-verdicts', '1'], 'exclude each other'],
    ['a file with an error', '{"verdicts": [{}]}', [], 'ci/verdicts.json'],
  ])('refuses %s', async (_, file, argv, words) => {
    const ran = await rehearse('budget', file, ...argv);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toContain(words);
  });

  test('says nothing of guards that guard none of the rollouts', async () => {
    const { root } = createWorkspace({ 'flagwright.yaml': CONFIG, 'flags/a.yaml': flags('budget') });
    expect((await runCli(['rehearse', 'free'], { cwd: root })).stdout).not.toContain('Guards');
  });
});
