/** What recorded runs say of names and of their own writes, also where two runs disagree. */

import { expect, test } from 'vitest';
import { findOwnWrites, findRecorded } from '../../../src/cli/runs/find-recorded.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { declared, liveFlag } from '../../helpers/states.ts';
import { createWorkspace } from '../../helpers/workspace.ts';
import { damage, edits, planOf, PROJECT, record, runName, sessionIn } from './recorded-runs.ts';

/** Each run: its number, the id that it wrote under the key `a`, and the runs that it followed. */
type Runs = readonly (readonly [number: number, id: number, follows?: readonly number[]])[];

test.each<[string, Runs, number | undefined]>([
  ['one run', [[1, 7]], 7],
  [
    'a run that followed the other',
    [
      [1, 7],
      [2, 8, [1]],
    ],
    8,
  ],
  [
    'a run that followed the other through a third',
    [
      [1, 7],
      [2, 8, [1]],
      [3, 9, [2]],
    ],
    9,
  ],
  [
    'two runs apart that agree',
    [
      [1, 7],
      [2, 7],
    ],
    7,
  ],
  [
    'two runs apart that disagree',
    [
      [1, 7],
      [2, 8],
    ],
    undefined,
  ],
  [
    'two runs apart that disagree, and an older one that agrees',
    [
      [1, 8],
      [2, 7, [1]],
      [3, 8, [1]],
    ],
    undefined,
  ],
  [
    'a run that followed two that disagree',
    [
      [1, 7],
      [2, 8],
      [3, 9, [1, 2]],
    ],
    9,
  ],
])('%s: the holder of a name', async (_, runs, id) => {
  const workspace = createWorkspace();
  for (const [number, own, follows] of runs) record(workspace, number, edits('a', own), follows);
  record(workspace, 0, edits('b', 5));
  const found = await findRecorded(sessionIn(workspace), PROJECT, ['a', 'b', 'c']);
  expect(Object.fromEntries(found)).toEqual({ b: 5, ...(id === undefined ? {} : { a: id }) });
});

test('only names that are asked for are found, and none that a run released', async () => {
  const workspace = createWorkspace();
  const renamed = [declared('renamed', {}, { previousKeys: ['former'] }), declared('new'), declared('other')];
  record(workspace, 1, planOf([liveFlag(2, 'former')], renamed));
  const found = await findRecorded(sessionIn(workspace), PROJECT, ['renamed', 'former', 'new']);
  expect(Object.fromEntries(found)).toEqual({ renamed: 2, new: 901 });
});

test('runs of other projects and journals that cannot be used are skipped', async () => {
  const workspace = createWorkspace();
  record(workspace, 1, edits('a', 7));
  damage(workspace, 2, [1]);
  const elsewhere = { ...PROJECT, project_id: '2' };
  record(workspace, 3, planOf([liveFlag(8, 'a')], [declared('a', { name: 'x' })], elsewhere), [2]);
  const session = sessionIn(workspace);
  expect([...(await findRecorded(session, PROJECT, ['a']))]).toEqual([['a', 7]]);
  expect([...(await findRecorded(session, elsewhere, ['a']))]).toEqual([['a', 8]]);
  expect((await findOwnWrites(session, PROJECT)).map(({ run, id }) => [run, id])).toEqual([[runName(1), 7]]);
});

test('own writes are those of all runs, the newest first', async () => {
  const workspace = createWorkspace();
  record(workspace, 1, edits('a', 7));
  record(workspace, 2, edits('b', 8), [1]);
  expect((await findOwnWrites(sessionIn(workspace), PROJECT)).map(({ run, id }) => [run, id])).toEqual([
    [runName(2), 8],
    [runName(1), 7],
  ]);
});

test('the newest fifty journals are read, those included that cannot be used', async () => {
  const workspace = createWorkspace();
  record(workspace, 1, edits('a', 7));
  record(workspace, 2, edits('b', 8), [1]);
  for (let number = 3; number <= 51; number += 1) {
    workspace.write(`.flagwright/journal/${runName(number)}.jsonl`, '');
  }
  const found = await findRecorded(sessionIn(workspace), PROJECT, ['a', 'b']);
  expect(Object.fromEntries(found)).toEqual({ b: 8 });
});

test('a folder that cannot be read says nothing, and any other failure is thrown', async () => {
  const workspace = createWorkspace({ '.flagwright/journal': 'a file' });
  const session = sessionIn(workspace);
  expect([...(await findRecorded(session, PROJECT, ['a']))]).toEqual([]);
  expect(await findOwnWrites(session, PROJECT)).toEqual([]);
  const broken = {
    get places() {
      throw new TypeError('broken');
    },
  } as unknown as Session;
  await expect(findRecorded(broken, PROJECT, ['a'])).rejects.toThrow('broken');
});
