/** Which run a reference means, and what is said where it means none or several. */

import path from 'node:path';
import { expect, test } from 'vitest';
import { apart, findRun } from '../../../src/cli/runs/find-runs.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { damage, edits, record, runName, sessionIn } from './recorded-runs.ts';

const folderIn = ({ root }: Workspace): string => path.join(root, '.flagwright', 'journal');

/** Runs in a row, the last one the newest. */
function inRow(count: number): Workspace {
  const workspace = createWorkspace();
  for (let number = 1; number <= count; number += 1)
    record(workspace, number, edits('a', number), number === 1 ? [] : [number - 1]);
  return workspace;
}

test.each<[string, number]>([
  ['last', 7],
  ['last-1', 7],
  ['last-3', 5],
  ['last-7', 1],
  [runName(4), 4],
  [runName(4).slice(0, -9), 4],
])('%s of seven runs in a row', async (reference, number) => {
  expect((await findRun(sessionIn(inRow(7)), reference)).name).toBe(runName(number));
});

test('last counts only the runs that are meant', async () => {
  const session = sessionIn(inRow(4));
  const isEven = ({ name }: { readonly name: string }): boolean => name === runName(2) || name === runName(4);
  expect((await findRun(session, 'last-2', isEven)).name).toBe(runName(2));
  await expect(findRun(session, 'last-3', isEven)).rejects.toThrow('Run last-3 does not exist among 2 runs');
  expect((await findRun(session, runName(3), isEven)).name).toBe(runName(3));
});

test('a run that followed the others is found without reading them, and those apart from it are read', async () => {
  const workspace = createWorkspace();
  damage(workspace, 1);
  record(workspace, 2, edits('a', 2), [1]);
  record(workspace, 3, edits('a', 3), [2]);
  const session = sessionIn(workspace);
  expect((await findRun(session, 'last')).name).toBe(runName(3));
  expect((await findRun(session, 'last-2')).name).toBe(runName(2));
  await expect(findRun(session, 'last-3')).rejects.toThrow(`The journal of run ${runName(1)} cannot be used.`);
  damage(workspace, 0);
  await expect(findRun(session, 'last')).rejects.toThrow(`The journal of run ${runName(0)} cannot be used.`);
});

test('of runs at one place, those are named that neither followed the run nor were followed by it', async () => {
  const workspace = createWorkspace();
  record(workspace, 1, edits('a', 1));
  record(workspace, 2, edits('a', 2));
  record(workspace, 3, edits('a', 3), [2]);
  const session = sessionIn(workspace);
  await expect(findRun(session, 'last')).rejects.toThrow(
    `mean: ${runName(3)}, ${runName(1)} were recorded independently`,
  );
  await expect(findRun(session, 'last-2')).rejects.toThrow(
    `mean: ${runName(2)}, ${runName(1)} were recorded independently`,
  );
});

test.each([
  [5, ''],
  [6, ' and 1 more'],
])('of %i runs apart, five are named', (count, more) => {
  const names = [1, 2, 3, 4, 5, 6].slice(0, count).map(runName);
  expect(apart(names)).toMatchObject({
    code: 'refused',
    message: `It is unknown which run you mean: ${names.slice(0, 5).join(', ')}${more} were recorded independently, and none of them follows another.`,
    remedy: 'Name the run that you mean. `flagwright history RUN` shows what a run did.',
  });
});

test.each([
  [5, ''],
  [6, ' and 1 more'],
])('a beginning of %i runs names five of them', async (count, more) => {
  const names = [6, 5, 4, 3, 2, 1].slice(6 - count).map(runName);
  await expect(findRun(sessionIn(inRow(count)), '2026')).rejects.toMatchObject({
    code: 'usage',
    message: `2026 is the beginning of ${count} runs.`,
    remedy: `Name one of them: ${names.slice(0, 5).join(', ')}${more}.`,
  });
});

test.each(['', 'last-', 'last-1234567', 'last-x', 'xlast', '3000'])('%j is no run', async (reference) => {
  const workspace = inRow(6);
  const newest = [6, 5, 4, 3, 2].map(runName).join(', ');
  await expect(findRun(sessionIn(workspace), reference)).rejects.toMatchObject({
    code: 'file',
    message: `Run ${reference} does not exist in ${folderIn(workspace)}.`,
    remedy: `The newest runs are ${newest}; \`flagwright history\` lists all.`,
  });
});

test('without runs, it is said where runs are recorded', async () => {
  const workspace = createWorkspace();
  const remedy =
    'A run is recorded where it was applied. Name the journal of another machine or CI job with --journal PATH.';
  await expect(findRun(sessionIn(workspace), 'last')).rejects.toMatchObject({
    code: 'file',
    message: `No such run is recorded in ${folderIn(workspace)}.`,
    remedy,
  });
  await expect(findRun(sessionIn(workspace), 'x')).rejects.toMatchObject({ remedy });
});
