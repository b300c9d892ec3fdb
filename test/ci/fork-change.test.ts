/** Which files of a fork's pull request are taken, and what GitHub answers about them on good and on bad days. */

import { describe, expect, test } from 'vitest';
import { createGithub } from '../../ci/forge/github.mjs';
import { changedManifests } from '../../ci/fork-change.mjs';
import { ME, startGithub, TOKEN, type Forge } from '../helpers/forge.ts';
import { createRepository } from '../helpers/repository.ts';

interface Entry {
  readonly path: string;
  readonly mode: string;
  readonly sha: string;
  readonly size?: number;
}
const file = (path: string, sha = 'new', size = 10): Entry => ({ path, mode: '100644', sha, size });
const link = (path: string, sha = 'new'): Entry => ({ path, mode: '120000', sha });
const old = (path: string): Entry => file(path, 'old');

interface Lists {
  readonly before?: readonly Entry[];
  readonly after?: readonly Entry[];
  readonly here?: readonly Entry[];
}
const decide = ({ before = [], after = [], here = before }: Lists): object =>
  changedManifests({ before, after, here, granting: './flags/exceptions.yaml' });

test.each<[string, Lists, readonly string[]]>([
  ['a new one', { after: [file('flags/a.yaml')] }, ['flags/a.yaml new']],
  ['one that changes', { before: [old('a.yml')], after: [file('a.yml')] }, ['a.yml new']],
  ['one that is deleted', { before: [old('a.yaml')] }, ['a.yaml undefined']],
  ['none that stays', { before: [old('a.yaml')], after: [old('a.yaml')] }, []],
  ['a link of the base that stays', { before: [link('l', 'old')], after: [link('l', 'old')] }, []],
  [
    'a folder in place of a file',
    { before: [old('a.yaml')], after: [file('a.yaml/b.yaml')] },
    ['a.yaml undefined', 'a.yaml/b.yaml new'],
  ],
  ['no other file', { after: [file('flags/README.md'), file('flags/x.yaml.sh')] }, []],
  ['no configuration', { after: [file('flagwright.yaml'), file('flags/flagwright.yml')] }, []],
  ['no exceptions', { after: [file('flags/exceptions.yaml')] }, []],
])('of the manifests, %s is taken', (_, lists, expected) => {
  expect(decide(lists)).toEqual({
    files: expected.map((line) => {
      const [path, sha] = line.split(' ');
      return { path, sha: sha === 'undefined' ? undefined : sha, size: sha === 'undefined' ? 0 : 10 };
    }),
  });
});

const LINK = /is a link or another repository/;
const NAME = /is not the plain name of a file/;
const NEWER = /is newer on the branch/;

test.each<[string, Lists, RegExp]>([
  ['a link', { after: [link('flags/x')] }, LINK],
  ['a file in place of a link', { before: [link('flags/x.yaml', 'old')], after: [file('flags/x.yaml')] }, LINK],
  ['a link on the branch', { after: [file('x.yaml')], here: [link('x.yaml')] }, LINK],
  ['a repository', { after: [{ path: 'flags/sub', mode: '160000', sha: 'new' }] }, LINK],
  ['a path upward', { after: [file('flags/../../x.yaml')] }, NAME],
  ['an absolute path', { after: [file('/etc/x.yaml')] }, NAME],
  ['the folder of git', { after: [file('flags/.GIT/x.yaml')] }, NAME],
  ['its short name', { after: [file('flags/git~1/x.yaml')] }, NAME],
  ['a backslash', { after: [file(String.raw`flags\x.yaml`)] }, NAME],
  ['a sign that hides', { after: [file('flags/a\u202Elmay.yaml')] }, NAME],
  [
    'a file that the branch changed too',
    { before: [old('a.yaml')], after: [file('a.yaml')], here: [file('a.yaml', 'x')] },
    NEWER,
  ],
  ['a file that the branch has by now', { after: [file('a.yaml')], here: [file('a.yaml', 'x')] }, NEWER],
  ['a folder that is a file by now', { after: [file('flags/a/b.yaml')], here: [file('flags/a')] }, NEWER],
  ['a large file', { after: [file('a.yaml', 'new', 1_000_001)] }, /more than 1 MB/],
  ['many files', { after: Array.from({ length: 101 }, (_, n) => file(`${n}.yaml`)) }, /More than 100/],
  ['much in all', { after: Array.from({ length: 6 }, (_, n) => file(`${n}.yaml`, 'new', 900_000)) }, /more than 5 MB/],
])('%s is refused', (_, lists, words) => {
  expect(decide(lists)).toEqual({ refused: [expect.stringMatching(words)] });
});

describe('GitHub', () => {
  const waits: number[] = [];
  const open = ({ url }: Forge) =>
    createGithub({
      api: url,
      repository: 'acme/shop',
      token: TOKEN,
      author: ME,
      workflow: '',
      seconds: 5,
      pause: async (ms: number) => void waits.push(ms),
    });

  async function withFiles(): Promise<{ forge: Forge; commit: string }> {
    const repository = createRepository({
      'config/flags/a.yaml': 'a',
      'config/flags/deep/b.yaml': 'bb',
      'one.yaml': '1',
    });
    const forge = await startGithub();
    forge.gitFolder = `${repository.root}/.git`;
    return { forge, commit: repository.git('rev-parse', 'HEAD') };
  }

  test.each<[string, readonly string[]]>([
    ['config/flags', ['config/flags/a.yaml 1', 'config/flags/deep/b.yaml 2']],
    ['config/flags/', ['config/flags/a.yaml 1', 'config/flags/deep/b.yaml 2']],
    ['one.yaml', ['one.yaml 1']],
    ['one.yaml/x', ['one.yaml 1']],
    ['config/none', []],
  ])('lists what is at %s', async (path, expected) => {
    const { forge, commit } = await withFiles();
    const files = await open(forge).listFiles(commit, path);
    expect(files.map(({ path: at, size }: { path: string; size: number }) => `${at} ${size}`)).toEqual(expected);
  });

  test('refuses a list that is not whole, and reads bytes as they are', async () => {
    const { forge, commit } = await withFiles();
    const [file] = await open(forge).listFiles(commit, 'config');
    expect((await open(forge).readFile(file.sha)).toString()).toBe('a');
    forge.faults.push({ on: 'GET /git/trees/', status: 200, body: { tree: [], truncated: true } });
    await expect(open(forge).listFiles(commit, 'config')).rejects.toThrow('more files than GitHub lists');
  });

  test('is asked again until it has made the merge of this commit', async () => {
    const repository = createRepository({ a: '1' });
    const before = repository.git('rev-parse', 'HEAD');
    const head = repository.commit({ b: '1' });
    repository.git('checkout', '-q', before);
    repository.git('merge', '-q', '--no-ff', '-m', 'Merge', head);
    const merge = repository.git('rev-parse', 'HEAD');
    const forge = await startGithub();
    forge.gitFolder = `${repository.root}/.git`;
    const pull = { number: 7, head, branch: 'b', owner: 'o', repository: 2, mergeable: null as boolean | null, merge };
    forge.forkPulls.push(pull);
    // First GitHub does not know, then it has the merge of an older commit.
    forge.faults.push({ on: 'GET /pulls/7', meanwhile: () => undefined });
    forge.faults.push({
      on: 'GET /pulls/7',
      meanwhile: () => void Object.assign(pull, { mergeable: true, merge: head }),
    });
    forge.faults.push({ on: 'GET /pulls/7', meanwhile: () => void Object.assign(pull, { merge }) });
    expect(await open(forge).readMerge(7, head)).toEqual({ base: before, merge });
    expect(waits).toEqual([5000, 5000]);
    pull.mergeable = null;
    await expect(open(forge).readMerge(7, head)).rejects.toThrow('GitHub has not made the merge of pull request 7 yet');
    expect(waits).toHaveLength(7);
  });
});
