import { expect, test } from 'vitest';
import { findManifestCommit } from '../../../src/cli/applied/find-manifest-commit.ts';
import { createKnownFiles } from '../../../src/cli/project/known-files.ts';
import { blobName } from '../../../src/loop/git/code-files.ts';
import { GitError } from '../../../src/loop/git/objects.ts';
import type { Repository } from '../../../src/loop/git/repository.ts';

const COMMIT = 'c'.repeat(40);
const repository = { hash: 'sha1', folder: '/repo', top: '/repo', caller: {} } as unknown as Repository;

interface Given {
  readonly disk?: Readonly<Record<string, string>>;
  readonly committed?: Readonly<Record<string, string>>;
  readonly opened?: object;
  readonly head?: () => object | undefined;
}

async function find({ disk = {}, committed = {}, opened, head = () => ({ id: COMMIT }) }: Given): Promise<unknown> {
  const known = createKnownFiles();
  for (const [file, text] of Object.entries(disk)) {
    known.remember({ parsed: { file: { file } } as never, bytes: Buffer.from(text) });
  }
  const tree = {
    list: async (folder: string) =>
      Promise.resolve(
        folder.replace(/\/$/, '') === '/repo'
          ? [{ name: 'flags', kind: 'folder' }]
          : Object.keys(committed).map((file) => ({ name: file.replace('flags/', ''), kind: 'file' })),
      ),
    realpath: async (path: string) => Promise.resolve(path),
    blobOf: async (path: string) => {
      const text = committed[path.replace('/repo/', '')];
      return Promise.resolve(text === undefined ? undefined : blobName(Buffer.from(text), repository));
    },
  };
  const asked: string[] = [];
  const checkout = {
    opened: Promise.resolve(opened ?? { kind: 'open', repository }),
    objectsOf: () => ({
      read: async (name: string) => {
        asked.push(name);
        return Promise.resolve(head());
      },
    }),
    treeOf: (_: unknown, commit: string) => (commit === COMMIT ? tree : undefined),
  };
  const loaded = { config: { root: '/repo', manifests: ['flags/*.yaml'] } };
  const found = await findManifestCommit({ loaded, checkout, known } as never);
  expect(asked).toEqual(opened === undefined ? ['HEAD^{commit}'] : []);
  return found;
}

const A = { 'flags/a.yaml': 'a\n' };
const BOTH = { ...A, 'flags/b.yaml': 'b\n' };
const not = (reason: object): object => ({ kind: 'not_committed', reason });

test.each<[string, Given, object]>([
  ['as it is', { disk: BOTH, committed: BOTH }, { kind: 'committed', commit: COMMIT }],
  ['a file more', { disk: BOTH, committed: A }, not({ code: 'manifest_differs', file: 'flags/b.yaml', how: 'new' })],
  [
    'a file less',
    { disk: A, committed: BOTH },
    { ...not({ code: 'manifest_differs', file: 'flags/b.yaml', how: 'gone' }), absent: ['flags/b.yaml'] },
  ],
  [
    'an edited file',
    { disk: { ...BOTH, 'flags/b.yaml': 'x\n' }, committed: BOTH },
    not({ code: 'manifest_differs', file: 'flags/b.yaml', how: 'modified' }),
  ],
  ['no commit yet', { disk: A, head: () => undefined }, not({ code: 'branch_unborn' })],
  [
    'a damaged commit',
    {
      head: () => {
        throw new GitError('bad object');
      },
    },
    not({ code: 'git_failed', detail: 'bad object' }),
  ],
  ['a git that refuses it', { opened: { kind: 'refused', detail: 'no' } }, not({ code: 'git_failed', detail: 'no' })],
  ['no git', { opened: { kind: 'git_missing' } }, { kind: 'none' }],
  ['no repository', { opened: { kind: 'none' } }, { kind: 'none' }],
])('a checkout with %s', async (_, given, expected) => {
  expect(await find(given)).toEqual(expected);
});

test('an error of the program is none of git', async () => {
  const faulty = find({
    head: () => {
      throw new TypeError('x is undefined');
    },
  });
  await expect(faulty).rejects.toThrow(TypeError);
});
