/** What the journal of a run holds: who made it, from which commit, and whether it is whole. */

import { existsSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { beginRecord, continueRecord, type RunRecord } from '../../../src/cli/runs/record-run.ts';
import type { Context } from '../../../src/cli/session/context.ts';
import { createSecrets } from '../../../src/cli/session/session-parts.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import type { Outcome, OutcomeCounts } from '../../../src/loop/apply/result.ts';
import type { Change } from '../../../src/posthog/plan.ts';
import { readRun } from '../../../src/loop/journal/read.ts';
import { declared, liveFlag } from '../../helpers/states.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { edits, planOf } from './recorded-runs.ts';

const KEY = 'phx_planted_key_0123456789';
const COUNTS: OutcomeCounts = { applied: 1, failed: 0, skipped: 0, pending: 0, unknown: 0 };
const COMMIT = 'c'.repeat(40);
const PLAN = edits('a', 7);
const [CHANGE] = PLAN.changes as [Change];

function sessionIn({ root }: Workspace, context: Partial<Context> = {}): Session {
  const { session } = watchSession({
    context: { cwd: root, now: () => Date.UTC(2026, 0, 1), randomUuid: () => '80ff0000', ...context },
  });
  const secrets = createSecrets();
  secrets.add(KEY);
  return { ...session, places: { root }, secrets };
}

const folderOf = ({ root }: Workspace): string => path.join(root, '.flagwright/journal');
const fileOf = (workspace: Workspace, { run }: RunRecord): string => path.join(folderOf(workspace), `${run}.jsonl`);

test('a run is named by its time and a part of chance', async () => {
  const record = await beginRecord(sessionIn(createWorkspace()), PLAN);
  expect(record.run).toBe('20260101T000000000Z-80ff');
  expect(record.earlier).toBeUndefined();
  await record.abandon();
});

test('a plan with the key in it is not recorded, and nothing is left behind', async () => {
  const workspace = createWorkspace();
  const plan = planOf([liveFlag(7, 'a')], [declared('a', { name: KEY })]);
  await expect(beginRecord(sessionIn(workspace), plan)).rejects.toMatchObject({
    code: 'refused',
    message: 'Nothing was applied: the journal of the run would contain the API key.',
    remedy: 'Find the key in descriptions and payloads of the manifests and of the live flags, and replace it.',
  });
  expect(readdirSync(folderOf(workspace))).toEqual([]);
});

describe('who executes the run, and from which commit', () => {
  const user = { name: 'ana', host: 'laptop' };
  const github = { GITHUB_ACTIONS: 'true', GITHUB_ACTOR: 'ana', GITHUB_SHA: COMMIT };
  const byAna = { name: 'ana', ci: 'GitHub Actions' };
  const head = { '.git/HEAD': `${'d'.repeat(40)}\n` };

  test.each<[string, Partial<Context>, Readonly<Record<string, string>>, object | undefined]>([
    ['the user of the host', { user }, {}, { actor: user }],
    ['and the commit of the checkout', { user }, head, { actor: user, commit: 'd'.repeat(40) }],
    ['the user of the CI system', { user, env: github }, {}, { actor: byAna, commit: COMMIT }],
    [
      'whose commit is that of the checkout if there is one',
      { env: github },
      head,
      { actor: byAna, commit: 'd'.repeat(40) },
    ],
    [
      'the user of the host where the system names none',
      { user, env: { ...github, GITHUB_ACTOR: '' } },
      {},
      { actor: user, commit: COMMIT },
    ],
    ['no CI system whose variable is empty', { user, env: { ...github, GITHUB_ACTIONS: '' } }, {}, { actor: user }],
    ['nobody where nothing is known', {}, {}, {}],
    [
      'no key that the environment holds',
      { env: { ...github, GITHUB_ACTOR: `${KEY}x` } },
      {},
      { actor: { ...byAna, name: '[redacted]x' }, commit: COMMIT },
    ],
  ])('%s', async (_, context, files, origin) => {
    const workspace = createWorkspace(files);
    const record = await beginRecord(sessionIn(workspace, context), PLAN);
    expect((await readRun(folderOf(workspace), record.run)).origin ?? {}).toEqual(origin);
    await record.abandon();
  });
});

describe('the end of a record', () => {
  test('is whole if each record is on the disk', async () => {
    const workspace = createWorkspace();
    const record = await beginRecord(sessionIn(workspace), PLAN);
    await record.recorder.sending(CHANGE);
    record.recorder.settled(CHANGE, { outcome: 'applied' });
    expect(await record.end(COUNTS)).toBeUndefined();
    const run = await readRun(folderOf(workspace), record.run);
    expect([run.endedAt, [...run.outcomes.values()]]).toEqual(['2026-01-01T00:00:00.000Z', [{ outcome: 'applied' }]]);
  });

  test('is a loss if the file is gone', async () => {
    const workspace = createWorkspace();
    const record = await beginRecord(sessionIn(workspace), PLAN);
    rmSync(fileOf(workspace, record));
    expect(await record.end(COUNTS)).toMatchObject({
      code: 'file',
      message: `The journal of run ${record.run} is incomplete.`,
      remedy:
        'Free disk space, then run `flagwright apply --resume`: it reads the live flags and completes the journal.',
    });
  });

  test('is the first failure to record a request, which is not sent', async () => {
    const workspace = createWorkspace();
    const record = await beginRecord(sessionIn(workspace), PLAN);
    // Nothing can be added to a journal that was closed.
    await record.abandon();
    await expect(record.recorder.sending(CHANGE)).rejects.toThrow('cannot be written');
    rmSync(fileOf(workspace, record));
    const loss = await record.end(COUNTS);
    expect(loss).toMatchObject({
      code: 'file',
      remedy: 'Free disk space, then run `flagwright apply --resume` to finish the run.',
    });
    expect(loss?.message).toBe(
      `The journal ${fileOf(workspace, record)} cannot be written (EBADF). Nothing more was sent to the service.`,
    );
    await expect(record.recorder.sending(CHANGE)).rejects.toThrow('cannot be written');
    expect(await record.end(COUNTS)).toBe(loss);
  });

  test('is not there for a run that wrote nothing', async () => {
    const workspace = createWorkspace();
    const record = await beginRecord(sessionIn(workspace), PLAN);
    await record.abandon();
    expect((await readRun(folderOf(workspace), record.run)).endedAt).toBeUndefined();
    expect(readdirSync(folderOf(workspace))).toEqual([`${record.run}.jsonl`]);
  });
});

test('what the service says of a failure is recorded without the key', async () => {
  const workspace = createWorkspace();
  const record = await beginRecord(sessionIn(workspace), PLAN);
  const failed = { outcome: 'failed', error: { code: 'service_failed', message: `no ${KEY}` } } as unknown as Outcome;
  record.recorder.settled(CHANGE, failed);
  await record.end(COUNTS);
  expect([...(await readRun(folderOf(workspace), record.run)).outcomes.values()]).toMatchObject([
    { outcome: 'failed', error: { message: 'no [redacted]' } },
  ]);
});

describe('a run that is continued', () => {
  test('knows what was done, and no other process can continue it meanwhile', async () => {
    const workspace = createWorkspace();
    const session = sessionIn(workspace);
    const begun = await beginRecord(session, PLAN);
    begun.recorder.settled(CHANGE, { outcome: 'applied', id: 7 });
    await begun.abandon();
    const record = await continueRecord(session, begun.run);
    expect([record.run, [...(record.earlier?.applied.values() ?? [])]]).toEqual([
      begun.run,
      [{ outcome: 'applied', id: 7 }],
    ]);
    await expect(continueRecord(session, begun.run)).rejects.toMatchObject({ code: 'refused' });
    expect(await record.end(COUNTS)).toBeUndefined();
    await (await continueRecord(session, begun.run)).abandon();
  });

  test('is closed and unlocked if its journal cannot be used', async () => {
    const workspace = createWorkspace();
    const session = sessionIn(workspace);
    const begun = await beginRecord(session, PLAN);
    await begun.abandon();
    const name = `.flagwright/journal/${begun.run}.jsonl`;
    workspace.write(name, workspace.read(name).replaceAll('"a"', '"b"'));
    for (const _ of [1, 2]) {
      await expect(continueRecord(session, begun.run)).rejects.toMatchObject({ code: 'plan_invalid' });
    }
    expect(existsSync(path.join(folderOf(workspace), `${begun.run}.lock`))).toBe(false);
    expect(readdirSync(folderOf(workspace))).toEqual([`${begun.run}.jsonl`]);
  });
});
