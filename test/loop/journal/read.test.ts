/** What a journal says of its run, line by line, and which files are no journals. */

import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isComplete, NoRunError, readRun } from '../../../src/loop/journal/read.ts';
import { listRuns } from '../../../src/loop/journal/run-order.ts';
import { journalFile } from '../../../src/loop/journal/write.ts';
import { planDocument } from '../../../src/posthog/planning/plan-document.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'flagwright-read-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const RUN = '20260101T000000000Z-0abc';
const plan = planFor(
  desiredState(declared('a', { active: false }), declared('b', { name: 'B' })),
  liveState([liveFlag(1, 'a')]),
);
const [A, B] = ['flag:a', 'flag:b'];
const begun = { kind: 'begun', format_version: '1.0', run: RUN, at: 'T0', plan: planDocument(plan) };
const sending = (ref = A): object => ({ kind: 'sending', ref, at: 'T1' });
const settled = (result: object, ref = A): object => ({ kind: 'settled', ref, at: 'T2', result });
const resumed = { kind: 'resumed', at: 'T3' };
const ended = { kind: 'ended', at: 'T4', outcomes: {} };
const APPLIED = { outcome: 'applied', id: 1 };
const FAILED = { outcome: 'failed', error: { code: 'x', message: 'y' } };
const UNKNOWN = { ...FAILED, outcome: 'unknown' };

async function write(...records: readonly (object | string)[]): Promise<void> {
  const lines = records.map((record) => (typeof record === 'string' ? record : JSON.stringify(record)));
  await writeFile(journalFile(folder, RUN), `${lines.join('\n')}\n`);
}

interface RecordedFacts {
  readonly applied?: readonly string[];
  readonly sent?: readonly string[];
  readonly known?: readonly string[];
  readonly endedAt?: string;
  readonly complete?: boolean;
}

describe('a journal', () => {
  it.each<[string, readonly (object | string)[], RecordedFacts]>([
    ['that only has a plan', [], {}],
    ['with a write that was sent', [sending()], { sent: [A] }],
    ['with an outcome', [sending(), settled(APPLIED)], { applied: [A], known: [A] }],
    ['with a failure', [sending(), settled(FAILED)], { known: [A] }],
    ['with an unknown outcome', [sending(), settled(UNKNOWN)], { known: [A], sent: [A] }],
    [
      'with an outcome that is known later',
      [sending(), settled(UNKNOWN), settled(APPLIED)],
      { applied: [A], known: [A] },
    ],
    ['with a failure that was sent again', [sending(), settled(FAILED), resumed, sending()], { known: [A] }],
    ['that ended', [settled(APPLIED), ended], { applied: [A], known: [A], endedAt: 'T4' }],
    ['that ended and was resumed', [ended, resumed], {}],
    ['of all changes', [settled(APPLIED), settled(APPLIED, B)], { applied: [A, B], known: [A, B], complete: true }],
    ['with changes of another plan', [sending('flag:c'), settled(APPLIED, 'flag:c')], {}],
    ['with lines that are no records', ['', '{"kind":', 'null', '{"kind":"sending"}', sending()], { sent: [A] }],
  ])('%s', async (_name, records, recorded) => {
    await write(begun, ...records);
    const run = await readRun(folder, RUN);
    expect({
      name: run.name,
      startedAt: run.startedAt,
      endedAt: run.endedAt,
      plan: run.plan,
      applied: [...run.applied.keys()],
      sent: [...run.sent],
      known: [...run.outcomes.keys()],
      complete: isComplete(run),
    }).toEqual({
      ...{ name: RUN, startedAt: 'T0', endedAt: undefined, plan, applied: [], sent: [], known: [], complete: false },
      ...recorded,
    });
    expect('endedAt' in run).toBe(recorded.endedAt !== undefined);
  });

  it('keeps the last outcome of a change', async () => {
    await write(begun, settled(FAILED), settled(APPLIED));
    expect((await readRun(folder, RUN)).outcomes.get(A)).toEqual(APPLIED);
  });

  it.each<[string, readonly (object | string)[]]>([
    ['that is empty', []],
    ['with whitespace only', ['', '']],
    ['whose first line was truncated', [JSON.stringify(begun).slice(0, 40)]],
  ])('%s holds no run', async (_name, records) => {
    await write(...records);
    await expect(readRun(folder, RUN)).rejects.toThrow(NoRunError);
    await expect(readRun(folder, RUN)).rejects.toMatchObject({
      code: 'plan_invalid',
      message: expect.stringContaining(`${RUN} does not begin with a plan`) as string,
    });
  });

  it.each<[string, readonly object[], string]>([
    ['without its first line', [sending(), settled(APPLIED)], 'cannot be used. It does not begin with a plan.'],
    ['of another version', [{ ...begun, format_version: '2.0' }], 'cannot be used. It has another format version.'],
    ['whose plan was edited', [{ ...begun, plan: { ...begun.plan, changes: [] } }], 'edited or truncated'],
  ])('%s may hold a run, and is refused', async (_name, records, words) => {
    await write(...records);
    const error: unknown = await readRun(folder, RUN).catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(NoRunError);
    expect(error).toMatchObject({ code: 'plan_invalid', message: expect.stringContaining(words) as string });
  });

  it.each<[string, (file: string) => Promise<unknown>]>([
    ['does not exist', async () => undefined],
    ['is a folder', (file) => mkdir(file)],
    ['is a pipe', async (file) => spawnSync('mkfifo', [file])],
    ['is a link', (file) => writeFile(`${file}.x`, JSON.stringify(begun)).then(() => symlink(`${file}.x`, file))],
  ])('that %s cannot be read', async (_name, make) => {
    await make(journalFile(folder, RUN));
    await expect(readRun(folder, RUN)).rejects.toMatchObject({
      code: 'file',
      message: `The journal of run ${RUN} cannot be read.`,
      remedy: '`flagwright history` lists the runs.',
      cause: expect.any(Error) as Error,
    });
  });
});

describe('the list of runs', () => {
  it('holds the files that are named like a run, newest first', async () => {
    const names = ['20260101T000000000Z-0000', '20260101T000000000Z-ffff', '20251231T235959999Z-0001'];
    const others = ['x20260101T000000000Z-0000.jsonl', `${RUN}.jsonl.draft`, `${RUN}.lock.1`, '20260101T0Z-0000.jsonl'];
    const files = [...names.map((name) => `${name}.jsonl`), ...others, '20260101T000000000Z-GGGG.jsonl'];
    await Promise.all(files.map((file) => writeFile(path.join(folder, file), '')));
    expect(await listRuns(folder)).toEqual([names[1], names[0], names[2]]);
  });

  it('is empty when the folder does not exist', async () => {
    expect(await listRuns(path.join(folder, 'missing'))).toEqual([]);
  });

  it('is refused when the folder is a file or not readable', async () => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    await chmod(file, 0o600);
    await expect(listRuns(file)).rejects.toMatchObject({
      code: 'file',
      message: `The journal folder ${file} cannot be read.`,
      cause: expect.objectContaining({ code: 'ENOTDIR' }) as Error,
    });
  });
});
