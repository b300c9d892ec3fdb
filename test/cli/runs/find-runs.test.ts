/** The newest runs of a project, what is noted of an unfinished one, and a run as reports read it. */

import { expect, test } from 'vitest';
import {
  findNewestRuns,
  noteUnfinished,
  refuseRunning,
  toRecordedRun,
  type FoundRun,
} from '../../../src/cli/runs/find-runs.ts';
import { declared } from '../../helpers/states.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { edits, planOf, PROJECT, record, runName, sessionIn } from './recorded-runs.ts';

const ELSEWHERE = { ...PROJECT, project_id: '2' };

/** A run that sent one of its two changes, or none. */
function unfinished(workspace: Workspace, number: number, lines: number, follows: readonly number[] = []): string {
  const run = record(workspace, number, planOf([], [declared('a'), declared('b')]), follows);
  const file = `.flagwright/journal/${run}.jsonl`;
  workspace.write(file, `${workspace.read(file).split('\n').slice(0, lines).join('\n')}\n`);
  return run;
}

test('the newest runs are those that none of them followed, of the project, as far as they are accepted', async () => {
  const workspace = createWorkspace();
  record(workspace, 1, edits('a', 1));
  record(workspace, 2, edits('a', 2), [1]);
  record(workspace, 3, edits('a', 3));
  record(workspace, 4, planOf([], [declared('a')], ELSEWHERE), [3]);
  const session = sessionIn(workspace);
  const namesOf = async (...args: [project: typeof PROJECT, accept?: (run: { name: string }) => boolean]) =>
    (await findNewestRuns(session, ...args)).map(({ name }) => name);
  expect(await namesOf(PROJECT)).toEqual([runName(3), runName(2)]);
  expect(await namesOf(PROJECT, ({ name }) => name !== runName(2))).toEqual([runName(3), runName(1)]);
  expect(await namesOf(ELSEWHERE)).toEqual([runName(4)]);
});

test('an unfinished run is noted, by name where there are several, and one that sent nothing is not', async () => {
  const workspace = createWorkspace();
  const session = sessionIn(workspace);
  await noteUnfinished(session, PROJECT);
  unfinished(workspace, 1, 1);
  await noteUnfinished(session, PROJECT);
  expect(session.notes).toEqual([]);
  const two = unfinished(workspace, 2, 2, [1]);
  await noteUnfinished(session, PROJECT);
  const three = unfinished(workspace, 3, 2);
  await noteUnfinished(session, PROJECT);
  const note = (run: string, command: string): string =>
    `note  Run ${run} of this project is unfinished; \`flagwright apply --resume${command} -p test\` finishes it.\n`;
  expect(session.notes).toEqual([note(two, ''), note(three, ` ${three}`), note(two, ` ${two}`)]);
});

test.each<[string, object, boolean]>([
  ['failed, which was reported then,', { outcome: 'failed', error: { code: 'forbidden', message: 'no' } }, false],
  ['was stale, which was reported then,', { outcome: 'skipped', reason: { code: 'stale', moved: [] } }, false],
  ['was interrupted', { outcome: 'skipped', reason: { code: 'interrupted' } }, true],
  ['got no answer', { outcome: 'unknown', error: { code: 'network', message: 'no' } }, true],
])('a run with a change that %s is unfinished: %s', async (_, result, isNoted) => {
  const workspace = createWorkspace();
  const session = sessionIn(workspace);
  const run = unfinished(workspace, 1, 2);
  const file = `.flagwright/journal/${run}.jsonl`;
  const [, ref] = planOf([], [declared('a'), declared('b')]).changes.map((change) => change.ref);
  const settled = { kind: 'settled', ref, at: '2026-01-01T00:00:02.000Z', result };
  workspace.write(file, `${workspace.read(file)}${JSON.stringify(settled)}\n`);
  await noteUnfinished(session, PROJECT);
  expect(session.notes.map((text) => text.includes('is unfinished'))).toEqual(isNoted ? [true] : []);
});

test('a run that a process executes is running until it ended, and is refused', () => {
  const run = { name: 'r', startedAt: 'T', plan: edits('a', 1), outcomes: new Map(), sent: new Set<string>() };
  const found = (more: object): FoundRun => ({ ...run, applied: new Map(), ...more }) as unknown as FoundRun;
  const [ref = ''] = run.plan.changes.map((change) => change.ref);
  expect(toRecordedRun(found({}))).toMatchObject({ running: false, changes: [{ open: 'not_started' }] });
  expect(toRecordedRun(found({ claim: 'c', sent: new Set([ref]) }))).toMatchObject({
    running: true,
    changes: [{ open: 'unanswered' }],
  });
  const outcomes = new Map([[ref, { outcome: 'applied' }]]);
  const ended = toRecordedRun(found({ claim: 'c', endedAt: 'E', outcomes, follows: ['q'] }));
  expect(ended).toMatchObject({ running: false, endedAt: 'E', follows: ['q'] });
  expect(ended.changes).toEqual([{ change: run.plan.changes[0], result: { outcome: 'applied' } }]);
  refuseRunning(found({}));
  expect(() => refuseRunning(found({ claim: 'c' }))).toThrow('Another process is executing this run');
});
