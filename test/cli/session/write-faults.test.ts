/** Each file is whole after a failure of the disk and after a kill at any step, and the next run of the command writes the rest. */

import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { expect, test } from 'vitest';
import { writeDocument, writeNewFile, writeAll, type FileWrite } from '../../../src/cli/session/files.ts';
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

function prepare(): Workspace {
  const workspace = createWorkspace(OLD);
  chmodSync(path.join(workspace.root, 'flags/a.yaml'), 0o640);
  symlinkSync('real/d.yaml', path.join(workspace.root, 'link.yaml'));
  return workspace;
}

const write =
  ({ root }: Workspace, writes = WRITES) =>
  async (): Promise<void> =>
    writeAll({ context: { cwd: root, randomUuid: randomUUID }, places: { root } }, writes);

/** All files and folders, with the text of files. */
function treeOf({ root }: Pick<Workspace, 'root'>): Readonly<Record<string, string>> {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name !== 'link.yaml');
  const files = names.filter((name) => lstatSync(path.join(root, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(path.join(root, name), 'utf8')]));
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
  'at whichever step %s happens, each file is as before or new, and another run writes the rest',
  async (_, fault, index) => {
    const { steps, error: none } = await onDisk(write(prepare()));
    expect(none).toBeUndefined();
    const seen = new Set<number>();
    for (const step of stepsTo(steps, index)) {
      const workspace = prepare();
      const { error } = await onDisk(write(workspace), step, fault);
      const tree = treeOf(workspace);
      const isNew = (name: string): boolean => {
        expect([OLD[name as keyof typeof OLD], NEW[name as keyof typeof NEW]]).toContain(tree[name]);
        return tree[name] !== OLD[name as keyof typeof OLD];
      };
      const names = ['flags/a.yaml', 'new/deep/c.yaml', 'flags/b.yaml', 'real/d.yaml'];
      const written = names.filter(isNew);
      seen.add(written.length);
      expect(written).toEqual(names.slice(0, written.length));
      if (fault.kind === 'error' && error !== undefined) expectSaid(error, written);
      if (fault.kind === 'error' && !fault.stays)
        expect(Object.keys(tree).filter((name) => name.endsWith('.tmp'))).toEqual([]);
      await write(workspace, rereadOf(workspace))();
      const kept = Object.entries(treeOf(workspace)).filter(([name]) => !name.endsWith('.tmp'));
      expect(Object.fromEntries(kept)).toEqual(NEW);
      expect(statSync(path.join(workspace.root, 'flags/a.yaml')).mode & 0o777).toBe(0o640);
      expect(lstatSync(path.join(workspace.root, 'link.yaml')).isSymbolicLink()).toBe(true);
    }
    expect(seen).toContain(0);
    expect(seen.size).toBeGreaterThan(2);
  },
);

function expectSaid(error: unknown, written: readonly string[]): void {
  const names = written.map((name) => (name === 'real/d.yaml' ? 'link.yaml' : name)).join(', ');
  const { message } = error as Error;
  expect(message).toContain(written.length === 0 ? 'No file was changed.' : `Written before: ${names}. Not written: `);
}

/** What the same command writes when it runs again: it reads the files as they now are. */
function rereadOf({ root, read }: Workspace): readonly FileWrite[] {
  return WRITES.map((one) => {
    const isThere = existsSync(path.join(root, one.file));
    return one.before === undefined ? one : { ...one, before: isThere ? read(one.file) : null };
  });
}

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
