/** Where runs are recorded, and which journals may be used. */

import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checkJournalFile,
  journalFolder,
  makeJournalFolder,
  recordIn,
  runCommand,
  useJournal,
} from '../../../src/cli/runs/find-runs.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';
import { runName } from './recorded-runs.ts';

const RUN = runName(1);
const FILE = `.flagwright/journal/${RUN}.jsonl`;
const WITHOUT = 'To apply without a journal, and so without resume and undo, use --no-journal.';
const own = process.getuid?.();

function sessionOf({ root }: Workspace, userId = own): Session {
  const context = { cwd: root, randomUuid: () => '0', ...(userId === undefined ? {} : { userId }) };
  return { context, places: { root } } as unknown as Session;
}

function withJournal(mode = 0o600): Workspace {
  const workspace = createWorkspace({ [FILE]: '' });
  chmodSync(path.join(workspace.root, FILE), mode);
  return workspace;
}

const refusalOf = async (session: Session): Promise<string | undefined> =>
  checkJournalFile(session, RUN).then(
    () => undefined,
    (error: Error) => error.message,
  );

describe.skipIf(own === undefined)('a journal', () => {
  test.each([
    [0o600, false],
    [0o400, false],
    [0o640, true],
    [0o604, true],
    [0o620, true],
  ])('with the mode %o', async (mode, isRefused) => {
    const workspace = withJournal(mode);
    const why = `The journal ${path.join(workspace.root, FILE)} was not used: other users may read or write it.`;
    expect(await refusalOf(sessionOf(workspace))).toBe(isRefused ? why : undefined);
    const { context, places } = sessionOf(workspace);
    const { userId: _, ...elsewhere } = context;
    expect(await refusalOf({ context: elsewhere, places } as unknown as Session)).toBeUndefined();
  });

  test('in a folder of another user', async () => {
    const workspace = withJournal();
    const session = sessionOf(workspace, (own ?? 0) + 1);
    const foreign = path.join(workspace.root, '.flagwright');
    await expect(checkJournalFile(session, RUN)).rejects.toMatchObject({
      code: 'file',
      message: `The journal ${foreign} was not used: it belongs to another user.`,
      remedy: `If flagwright wrote it for you, make it private (chmod 600); otherwise remove it. ${WITHOUT}`,
    });
    await expect(makeJournalFolder(session)).rejects.toThrow('it belongs to another user');
  });

  test.skipIf(own !== 0)('of another user in a folder of ours', async () => {
    const workspace = withJournal();
    chownSync(path.join(workspace.root, FILE), 12_345, 12_345);
    const why = `The journal ${path.join(workspace.root, FILE)} was not used: it belongs to another user.`;
    expect(await refusalOf(sessionOf(workspace))).toBe(why);
    chownSync(path.join(workspace.root, FILE), 0, 0);
    chownSync(path.join(workspace.root, '.flagwright/journal'), 12_345, 12_345);
    const folder = path.join(workspace.root, '.flagwright/journal');
    expect(await refusalOf(sessionOf(workspace))).toBe(
      `The journal ${folder} was not used: it belongs to another user.`,
    );
  });
});

test('a journal that is a link, a folder, or in a link is not used, and one that is absent is no failure', async () => {
  const workspace = createWorkspace({ 'elsewhere/x': '' });
  const session = sessionOf(workspace);
  expect(await refusalOf(session)).toBeUndefined();
  const folder = path.join(workspace.root, '.flagwright/journal');
  mkdirSync(folder, { recursive: true });
  expect(await refusalOf(session)).toBeUndefined();
  const file = path.join(workspace.root, FILE);
  symlinkSync('/nowhere', file);
  expect(await refusalOf(session)).toBe(`The journal ${file} was not used: it is a link or not a regular file.`);
  const other = createWorkspace({ [`${FILE}/x`]: '' });
  const taken = path.join(other.root, FILE);
  expect(await refusalOf(sessionOf(other))).toBe(`Skipped the journal ${taken}: it is a folder.`);
  const linked = createWorkspace();
  symlinkSync(path.join(workspace.root, '.flagwright'), path.join(linked.root, '.flagwright'));
  expect(await refusalOf(sessionOf(linked))).toBe(
    `The journal ${path.join(linked.root, '.flagwright')} was not used: it is a link or not a folder.`,
  );
});

test('a journal that the user names may be readable by others, and is no link', async () => {
  const workspace = createWorkspace({ [`given/${RUN}.jsonl`]: '' });
  chmodSync(path.join(workspace.root, `given/${RUN}.jsonl`), 0o644);
  const session = sessionOf(workspace);
  expect(journalFolder(session)).toBe(path.join(workspace.root, '.flagwright', 'journal'));
  expect(await useJournal(session, 'given')).toBeUndefined();
  const folder = path.join(workspace.root, 'given');
  expect(session.places.journal).toEqual({ runs: folder, newRuns: folder });
  expect(journalFolder(session)).toBe(folder);
  expect(await refusalOf(session)).toBeUndefined();
  expect(await useJournal(session, `given/${RUN}.jsonl`)).toBe(RUN);
  expect(session.places.journal).toEqual({ runs: folder });
  symlinkSync(`${RUN}.jsonl`, path.join(folder, `${runName(2)}.jsonl`));
  await expect(checkJournalFile(session, runName(2))).rejects.toThrow('it is a link or not a regular file');
});

test('a file that is no journal, or is absent, is refused', async () => {
  const session = sessionOf(createWorkspace({ 'a.jsonl': '' }));
  await expect(useJournal(session, 'a.jsonl')).rejects.toMatchObject({
    code: 'file',
    message: 'a.jsonl is not a journal: the file of a run is named RUN.jsonl.',
    remedy: 'Pass the folder of the journal, or one of its files under its own name.',
  });
  await expect(useJournal(session, 'b.jsonl')).rejects.toThrow('Cannot read b.jsonl: no such file or folder.');
  expect(session.places.journal).toBeUndefined();
});

test('the folder of journals is made for its owner alone, and git ignores it', async () => {
  const workspace = createWorkspace();
  const folder = await makeJournalFolder(sessionOf(workspace));
  expect(folder).toBe(path.join(workspace.root, '.flagwright', 'journal'));
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(workspace.read('.flagwright/.gitignore')).toBe('*\n');
  expect(readdirSync(folder)).toEqual([]);

  const named = sessionOf(workspace);
  recordIn(named, 'runs/here');
  const given = path.join(workspace.root, 'runs/here');
  expect([await makeJournalFolder(named), named.places.journal]).toEqual([given, { runs: given, newRuns: given }]);
  expect(workspace.read('runs/here/.gitignore')).toBe('*\n');

  const taken = createWorkspace({ runs: 'a file' });
  const session = sessionOf(taken);
  recordIn(session, 'runs');
  const blocked = path.join(taken.root, 'runs');
  await expect(makeJournalFolder(session)).rejects.toMatchObject({
    code: 'file',
    message: `The run cannot be recorded, so nothing was applied. Cannot write ${blocked}: EEXIST.`,
    remedy: `Free disk space or make the folder writable. ${WITHOUT}`,
  });
});

test.each([
  [undefined, 'flagwright undo -p staging'],
  [{ runs: '/w/a' }, 'flagwright undo -p staging'],
  [{ runs: '/w', newRuns: '/w' }, 'flagwright undo -p staging --journal .'],
  [{ runs: '/w/a', newRuns: '/w/a' }, 'flagwright undo -p staging --journal a'],
  [{ runs: '/x y', newRuns: '/x y' }, "flagwright undo -p staging --journal '../x y'"],
])('the command for the journal %j', (journal, command) => {
  const places = { root: '/w', ...(journal === undefined ? {} : { journal }) };
  expect(runCommand({ context: { cwd: '/w' }, places } as unknown as Session, 'undo', 'staging')).toBe(command);
});
