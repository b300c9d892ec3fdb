/** What doctor says of rollouts over time, and of the job that makes their steps. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CONFIG, gitStage } from '../../helpers/git-stage.ts';
import { schemaErrors } from '../../helpers/schemas.ts';

const STEPPED = `flags:
  checkout: { active: true, rollout_percentage: { steps: [{ at: 2026-12-01T09:00Z, to: 10 }, { at: 2026-12-02T09:00Z, to: 50 }] } }
`;
const template = (name: string): string =>
  readFileSync(path.resolve(import.meta.dirname, `../../../templates/${name}`), 'utf8');

type Found = Readonly<Record<string, { readonly status: string; readonly facts: unknown }>>;

test('the steps that are due and overdue are counted, and the last one has its time', async () => {
  let now = Date.parse('2026-12-01T09:05:00Z');
  const { runWith, write } = await gitStage(CONFIG, { manifest: STEPPED, now: () => new Date(now) });
  const doctor = async (): Promise<Found> => {
    const document = (await runWith({ now }, 'doctor', '-f', 'json')).document();
    expect(schemaErrors('doctor', document)).toEqual([]);
    const results = document['results'] as readonly { code: string; status: string; facts: unknown }[];
    return Object.fromEntries(results.map((result) => [result.code, result]));
  };
  expect(await doctor()).not.toHaveProperty('rollouts');
  await runWith({ now }, 'apply', '--yes');
  const last = '2026-12-01T09:05:00.000Z';
  expect((await doctor())['rollouts']).toMatchObject({
    status: 'ok',
    facts: { open: 1, due: 0, overdue: 0, last_step_at: last },
  });
  now = Date.parse('2026-12-02T09:10:00Z');
  expect((await doctor())['rollouts']).toMatchObject({ status: 'ok', facts: { due: 1, overdue: 0 } });
  now = Date.parse('2026-12-02T09:31:00Z');
  expect((await doctor())['rollouts']).toMatchObject({ status: 'warning', facts: { due: 1, overdue: 1 } });

  expect((await doctor())['rollout_job']).toMatchObject({ status: 'warning', facts: {} });
  write('.github/workflows/flags.yml', template('github.yml'));
  expect((await doctor())['rollout_job']).toMatchObject({ status: 'warning' });
  write('.github/workflows/flags.yml', template('github.yml').replace("# - cron: '*/15", "- cron: '*/15"));
  expect((await doctor())['rollout_job']).toMatchObject({
    status: 'ok',
    facts: { file: '.github/workflows/flags.yml' },
  });
  write('.github/workflows/flags.yml', 'steps: [{ run: flagwright apply -p main --due }]');
  expect((await doctor())['rollout_job']).toMatchObject({ status: 'ok' });
  write('.github/workflows/flags.yml', '# flagwright apply --due');
  expect((await doctor())['rollout_job']).toMatchObject({ status: 'warning' });

  now = Date.parse('2026-12-02T09:40:00Z');
  await runWith({ now }, 'apply', '--due');
  expect(await doctor()).not.toHaveProperty('rollouts');
});
