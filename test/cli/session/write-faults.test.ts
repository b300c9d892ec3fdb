/** A set of files is whole after a failure of the disk and after a kill at any step, at the latest once the next command ran. */

import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeDocument, writeNewFile } from '../../../src/cli/session/files.ts';
import { takeBackUnfinished, type TakenBack } from '../../../src/cli/session/take-back.ts';
import { writeAll, type FileWrite } from '../../../src/cli/session/write-all.ts';
import { onDisk, type Fault } from '../../helpers/disk.ts';
import { runs } from '../../helpers/runs.ts';
import { createWorkspace, type Workspace } from '../../helpers/workspace.ts';

const OLD = { 'flags/a.yaml': 'old a', 'flags/b.yaml': 'old b', 'real/d.yaml': 'old d', 'keep.yaml': 'kept' };
const NEW = {
  ...OLD,
  'flags/a.yaml': 'new a',
  'flags/b.yaml': 'new b',
  'real/d.yaml': 'new d',
  'new/deep/c.yaml': 'new c',
};
const WRITES: readonly FileWrite[] = [
  { file: 'flags/a.yaml', text: 'new a', before: 'old a' },
  { file: 'new/deep/c.yaml', text: 'new c', before: null },
  { file: 'flags/b.yaml', text: 'new b' },
  { file: 'link.yaml', text: 'new d', before: 'old d' },
];

const GONE = { holder: { pid: 1, host: 'here' }, isAlive: () => false } as const;

function prepare(): Workspace {
  const workspace = createWorkspace(OLD);
  chmodSync(path.join(workspace.root, 'flags/a.yaml'), 0o640);
  symlinkSync('real/d.yaml', path.join(workspace.root, 'link.yaml'));
  return workspace;
}

const write =
  ({ root }: Workspace, writes = WRITES) =>
  async (): Promise<void> =>
    writeAll({ context: { cwd: root, randomUuid: randomUUID }, places: { root }, life: GONE }, writes);

const recover =
  ({ root }: Workspace) =>
  async (): Promise<readonly TakenBack[]> =>
    takeBackUnfinished(root, { life: GONE });

/** All files and folders, with the text of files. */
function treeOf({ root }: Pick<Workspace, 'root'>): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'link.yaml');
  const files = names.filter((name) => lstatSync(path.join(root, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(path.join(root, name), 'utf8')]));
}

function expectWhole(workspace: Workspace): 'old' | 'new' {
  const tree = treeOf(workspace);
  const which = tree['flags/a.yaml'] === 'old a' ? 'old' : 'new';
  expect(tree).toEqual(which === 'old' ? OLD : NEW);
  expect(existsSync(path.join(workspace.root, 'new'))).toBe(which === 'new');
  expect(statSync(path.join(workspace.root, 'flags/a.yaml')).mode & 0o777).toBe(0o640);
  expect(lstatSync(path.join(workspace.root, 'link.yaml')).isSymbolicLink()).toBe(true);
  return which;
}

async function countSteps(): Promise<number> {
  const workspace = prepare();
  const { steps, error } = await onDisk(write(workspace));
  expect([error, expectWhole(workspace)]).toEqual([undefined, 'new']);
  return steps;
}

const faults: readonly Fault[] = [
  { kind: 'kill' },
  { kind: 'error', code: 'ENOSPC', stays: false },
  { kind: 'error', code: 'ENOSPC', stays: true },
  { kind: 'error', code: 'EIO', stays: true },
  { kind: 'error', code: 'EACCES', stays: false },
];

/** Every step in a long run, else a part of them, which differs between the faults. */
function stepsTo(last: number, first: number): readonly number[] {
  const every = Math.max(1, 5 - runs(4));
  return Array.from({ length: last }, (_, index) => index + 1).filter((step) => (step + first) % every === 0);
}

test.each(faults.map((fault, index) => [JSON.stringify(fault), fault, index] as const))(
  'at whichever step %s happens, the files are all as before or all new after the next command',
  async (_, fault, index) => {
    const steps = await countSteps();
    const seen = new Set<string>();
    for (const step of stepsTo(steps, index)) {
      const workspace = prepare();
      const { error } = await onDisk(write(workspace), step, fault);
      if (fault.kind === 'error' && !fault.stays) {
        // A failure that passes is dealt with at once.
        const which = expectSet(workspace);
        expect(which).toBe(error === undefined ? 'new' : 'old');
      }
      await recover(workspace)();
      seen.add(expectWhole(workspace));
    }
    expect([...seen].toSorted()).toEqual(['new', 'old']);
  },
);

/** Also while something is left that the next command removes. */
function expectSet(workspace: Workspace): 'old' | 'new' {
  const tree = Object.entries(treeOf(workspace)).filter(([name]) => !path.basename(name).startsWith('.'));
  const which = workspace.read('flags/a.yaml') === 'old a' ? 'old' : 'new';
  expect(Object.fromEntries(tree)).toEqual(which === 'old' ? OLD : NEW);
  return which;
}

test('a command that is killed while it restores files is no other case', async () => {
  const steps = await countSteps();
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: steps }), fc.integer({ min: 1, max: 60 }), async (first, second) => {
      const workspace = prepare();
      await onDisk(write(workspace), first, { kind: 'kill' });
      await onDisk(recover(workspace), second, { kind: 'kill' });
      await recover(workspace)();
      expectWhole(workspace);
      expect(await recover(workspace)()).toEqual([]);
    }),
    { numRuns: runs(400) },
  );
});

/** Killed once two files are in their place, and two are not. */
async function killedAmid(workspace: Workspace): Promise<void> {
  amid ??= await findAmid();
  await onDisk(write(workspace), amid, { kind: 'kill' });
}

let amid: number | undefined;

async function findAmid(): Promise<number> {
  for (let step = 1; step < 200; step += 1) {
    const trial = prepare();
    await onDisk(write(trial), step, { kind: 'kill' });
    const isReplaced = trial.read('flags/a.yaml') === 'new a' && existsSync(path.join(trial.root, 'new/deep/c.yaml'));
    if (isReplaced && trial.read('flags/b.yaml') === 'old b') return step;
  }
  throw new Error('No step is amid.');
}

test('what a person edits between a kill and the next command stays, and is named with the former text', async () => {
  const workspace = prepare();
  await killedAmid(workspace);
  // One was replaced by the command, the other one was not.
  workspace.write('flags/a.yaml', 'mine a');
  workspace.write('flags/b.yaml', 'mine b');
  const [taken] = await recover(workspace)();
  const backup = taken?.left[0]?.backup ?? '';
  expect(taken?.left).toEqual([
    { file: 'flags/a.yaml', backup: expect.any(String) as string },
    { file: 'flags/b.yaml' },
  ]);
  expect(readFileSync(backup, 'utf8')).toBe('old a');
  expect(treeOf(workspace)).toEqual({
    ...OLD,
    'flags/a.yaml': 'mine a',
    'flags/b.yaml': 'mine b',
    [path.relative(workspace.root, backup)]: 'old a',
  });
});

test('a file that a person removed or made in between stays removed or made', async () => {
  const workspace = prepare();
  await killedAmid(workspace);
  workspace.write('new/deep/c.yaml', 'mine c');
  workspace.write('new/other.yaml', 'mine');
  await recover(workspace)();
  expect(treeOf(workspace)).toEqual({ ...OLD, 'new/deep/c.yaml': 'mine c', 'new/other.yaml': 'mine' });
});

const recordIn = ({ root }: Workspace): string =>
  path.join(root, readdirSync(root).find((name) => name.startsWith('.flagwright-writes-')) ?? '');

test.each([
  ['is alive', { holder: GONE.holder, isAlive: (): boolean => true }, /Process 1 on here is writing files/],
  ['is on another host', { holder: { pid: 1, host: 'there' }, isAlive: (): boolean => false }, /mv .*\.ended/],
  ['is in another container', { holder: GONE.holder, isAlive: (): 'unseen' => 'unseen' }, /mv .*\.ended/],
])('nothing is restored while the process of a record %s', async (_, life, words) => {
  const workspace = prepare();
  await killedAmid(workspace);
  const error = await takeBackUnfinished(workspace.root, { life }).catch((cause: unknown) => cause);
  const { message, remedy, code } = error as Error & { remedy: string; code: string };
  expect([code, `${message} ${remedy}`]).toEqual(['refused', expect.stringMatching(words) as string]);
  expect(workspace.read('flags/a.yaml')).toBe('new a');
  const [from = '', to = ''] = /mv (\S+) (\S+),/.exec(remedy)?.slice(1) ?? [];
  if (from === '') return;
  renameSync(from, to);
  await takeBackUnfinished(workspace.root, { life }).catch(() => undefined);
  expect(workspace.read('flags/a.yaml')).toBe('old a');
});

test.each<[string, (record: string) => void]>([
  ['that others could write', (record) => chmodSync(record, 0o644)],
  ['that names a file outside', (record) => rewrite(record, { file: '../outside.yaml' })],
  ['of another version', (record) => writeFileSync(record, readFileSync(record, 'utf8').replace('"1.0"', '"2.0"'))],
])('a record %s restores nothing and is named', async (_, spoil) => {
  const workspace = prepare();
  await killedAmid(workspace);
  const record = recordIn(workspace);
  spoil(record);
  const options = { life: GONE, userId: process.getuid?.() ?? 0 };
  await expect(takeBackUnfinished(workspace.root, options)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringContaining(record) as string,
  });
  expect(workspace.read('flags/a.yaml')).toBe('new a');
});

function rewrite(record: string, file: object): void {
  const value = JSON.parse(readFileSync(record, 'utf8')) as { files: object[] };
  writeFileSync(record, JSON.stringify({ ...value, files: value.files.map((one) => ({ ...one, ...file })) }));
}

test('files outside of the project have a record beside them', async () => {
  const outside = createWorkspace({ 'a.yaml': 'old' });
  const { root } = createWorkspace();
  const at = { context: { cwd: root, randomUuid: randomUUID }, places: { root }, life: GONE };
  const writes = ['a', 'x/b'].map((name) => ({ file: path.join(outside.root, `${name}.yaml`), text: 'new' }));
  const { steps } = await onDisk(async () => writeAll(at, writes));
  expect(treeOf(outside)).toEqual({ 'a.yaml': 'new', 'x/b.yaml': 'new' });
  for (let step = 1; step < steps; step += 3) {
    const folder = createWorkspace({ 'a.yaml': 'old' });
    const some = writes.map((one) => ({ ...one, file: path.join(folder.root, path.relative(outside.root, one.file)) }));
    await onDisk(async () => writeAll(at, some), step);
    const notes: string[] = [];
    await writeAll({ ...at, note: async (text) => void notes.push(text) }, some);
    expect(treeOf(folder)).toEqual({ 'a.yaml': 'new', 'x/b.yaml': 'new' });
  }
});

test.each<[string, (root: string) => Promise<unknown>, former: string | undefined]>([
  ['a new file', async (root) => writeNewFile(contextOf(root), path.join(root, 'x/a.txt'), 'new'), undefined],
  ['a document', async (root) => writeDocument(contextOf(root), 'a.txt', { text: 'new' }), undefined],
  ['a document that replaces one', async (root) => writeDocument(contextOf(root), 'a.txt', { text: 'new' }), 'old'],
])('%s is whole or as before, at whichever step the disk fails', async (_name, work, former) => {
  const prepareOne = (): string => createWorkspace(former === undefined ? {} : { 'a.txt': former }).root;
  const { steps } = await onDisk(async () => work(prepareOne()));
  for (let step = 1; step <= steps; step += 1) {
    for (const fault of faults) {
      const root = prepareOne();
      const { error } = await onDisk(async () => work(root), step, fault);
      const tree = Object.entries(treeOf({ root })).filter(
        ([name]) => fault.kind === 'error' || !name.endsWith('.tmp'),
      );
      const texts = tree.filter(([name]) => !path.basename(name).startsWith('.')).map(([, text]) => text);
      if (error === undefined) expect(texts).toEqual(['new']);
      else expect([[], [former], ['new']]).toContainEqual(texts);
      if (fault.kind === 'error' && !fault.stays && error !== undefined)
        expect(tree.map(([name]) => path.extname(name))).not.toContain('.tmp');
    }
  }
});

const contextOf = (root: string) => ({ context: { cwd: root, randomUuid: randomUUID }, places: { root } }) as const;

test('a new file is not written over one that is there', async () => {
  const { root, read } = createWorkspace({ 'a.txt': 'theirs' });
  expect(await writeNewFile(contextOf(root), path.join(root, 'a.txt'), 'ours')).toBe(false);
  expect([read('a.txt'), readdirSync(root)]).toEqual(['theirs', ['a.txt']]);
});
