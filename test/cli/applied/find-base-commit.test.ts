/** Where the base is looked for, and why there is none: with objects of a repository, and without a process. */

import { describe, expect, test } from 'vitest';
import { findBaseCommit } from '../../../src/cli/applied/find-base.ts';
import { GitError } from '../../../src/loop/git/objects.ts';
import { recordText } from '../../../src/cli/applied/applied-record.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { BLOB, FIRST, plainCommit, RECORD, SECOND } from '../../helpers/stored-commits.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const REF = 'refs/flagwright/applied/main';
const STEP = { key: 'a', pointer: '/rollout_percentage', from: 0, steps: [{ at: '2026-12-01T08:00:00.000Z', to: 10 }] };
const PROGRESS = { ...STEP, step: 0, at: '2026-12-01T08:00:00.000Z' };
const EARLIER = [{ key: 'a', commit: SECOND }];
const record = {
  id: RECORD,
  bytes: Buffer.from(
    recordText(plainCommit(FIRST), { earlier: EARLIER, rollouts: [PROGRESS] }, { project: 'main', seconds: 1 }) ?? '',
  ),
};
const commit = (id: string): Readonly<Record<string, object>> => ({ [`${id}^{commit}`]: plainCommit(id) });
const COMMITS = { ...commit(FIRST), ...commit(SECOND), [`${RECORD}^{commit}`]: record };

interface Given {
  readonly objects?: Readonly<Record<string, object>>;
  readonly snapshot?: object;
  readonly offline?: true;
  readonly push?: string;
  readonly shallow?: boolean;
  readonly file?: string | undefined;
  readonly service?: 'embedded';
  /** The text of the configuration, by commit. */
  readonly configs?: Readonly<Record<string, string>>;
}

const CONFIG = '[remote "origin"]\n\turl = /nowhere\n';

async function find(given: Given): ReturnType<typeof findBaseCommit> {
  const { objects = COMMITS, snapshot, offline, push, shallow = false, service = 'remote', configs = {} } = given;
  const { root } = createWorkspace({ '.git/HEAD': 'ref: refs/heads/main\n', '.git/config': CONFIG });
  const file = 'file' in given ? given.file : 'flagwright.yaml';
  const project = { service, name: 'main', host: 'https://x.example', projectId: '1' };
  const config = { root, ...(file === undefined ? {} : { file }), base: push === undefined ? {} : { push } };
  const checkout = {
    objectsOf: () => ({ read: async (name: string) => Promise.resolve(objects[name]) }),
    treeOf: (_: unknown, id: string) => treeWith(configs[id]),
  };
  const repository = { folder: root, top: root, prefix: '', shallow, caller: { folder: root, env: {} } };
  const search = {
    ...{ loaded: { config, project }, checkout },
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(offline === undefined ? {} : { offline }),
  };
  const { session } = watchSession({ context: { cwd: root } });
  session.places.root = root;
  return findBaseCommit(session, search as never, repository as never);
}

const DAMAGED = 'damaged';

/** A commit with one file. */
function treeWith(text: string | undefined): object {
  const readFile = async (file: string): Promise<Buffer> => {
    if (text === DAMAGED) throw new GitError('bad object');
    if (text === undefined || !file.endsWith('flagwright.yaml'))
      throw Object.assign(new Error('x'), { code: 'ENOENT' });
    return Promise.resolve(Buffer.from(text));
  };
  return { readFile, blobOf: async () => Promise.resolve(text), list: async () => Promise.resolve([]) };
}

const none = (reason: object): object => ({ kind: 'none', reason });

describe('the base that a snapshot names', () => {
  test.each<[string, Given, object]>([
    ['is its commit', { snapshot: { commit: FIRST } }, { kind: 'commit', commit: FIRST, from: 'snapshot' }],
    [
      'has what else is recorded',
      { snapshot: { commit: FIRST, earlier: EARLIER, rollouts: [PROGRESS] } },
      { kind: 'commit', commit: FIRST, from: 'snapshot', earlier: EARLIER, rollouts: [PROGRESS] },
    ],
    [
      'is no commit',
      { snapshot: { commit: BLOB }, objects: { [BLOB]: {} } },
      none({ code: 'not_a_commit', name: BLOB }),
    ],
  ])('%s', async (_, given, expected) => {
    expect(await find(given)).toEqual(expected);
  });
});

describe('the base that the ref of this clone names', () => {
  const ref = (id: string): Readonly<Record<string, object>> => ({ [REF]: { id } });

  test.each<[string, Given, object]>([
    ['is a commit', { objects: { ...COMMITS, ...ref(FIRST) } }, { kind: 'commit', commit: FIRST, from: 'ref' }],
    [
      'is a record with what else it says',
      { objects: { ...COMMITS, ...ref(RECORD) } },
      { kind: 'commit', commit: FIRST, from: 'ref', earlier: EARLIER, rollouts: [PROGRESS] },
    ],
    [
      'precedes a snapshot without a commit',
      { objects: { ...COMMITS, ...ref(FIRST) }, snapshot: {} },
      { kind: 'commit', commit: FIRST, from: 'ref' },
    ],
    ['is no commit', { objects: { [BLOB]: {}, ...ref(BLOB) } }, none({ code: 'not_a_commit', name: REF })],
    [
      'is a record of a later release',
      {
        objects: {
          [`${RECORD}^{commit}`]: {
            id: RECORD,
            bytes: Buffer.from(record.bytes.toString().replace('Applied: ', 'Done: ')),
          },
          ...ref(RECORD),
        },
      },
      none({ code: 'record_unknown', name: REF }),
    ],
    [
      'was reset',
      {
        objects: {
          [`${FIRST}^{commit}`]: { id: FIRST, bytes: Buffer.from('tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n\n') },
          ...ref(FIRST),
        },
      },
      none({ code: 'not_recorded' }),
    ],
    [
      'is not asked for without a configuration',
      { objects: { ...COMMITS, ...ref(FIRST) }, file: undefined },
      none({ code: 'not_recorded' }),
    ],
  ])('%s', async (_, given, expected) => {
    expect(await find(given)).toEqual(expected);
  });
});

describe('where nothing is recorded', () => {
  test.each<[string, Given, object]>([
    ['there is none', {}, none({ code: 'not_recorded' })],
    [
      'a run offline does not know what the remote has',
      { offline: true, push: 'origin' },
      none({ code: 'not_fetched', remote: 'origin', ref: REF }),
    ],
    ['a run offline knows it without a remote', { offline: true }, none({ code: 'not_recorded' })],
    ['a snapshot was taken by a run that asked', { snapshot: {}, push: 'origin' }, none({ code: 'not_recorded' })],
  ])('%s', async (_, given, expected) => {
    expect(await find(given)).toEqual(expected);
  });
});

describe('the remote that may share the record', () => {
  const config = (push?: string): string =>
    `projects: { main: { host: 'https://x.example', project_id: '1' } }\n${push === undefined ? '' : `base: { push: ${push} }\n`}`;
  const history = { 'HEAD^1^{commit}': plainCommit(FIRST), 'HEAD^{commit}': plainCommit(SECOND) };
  const remoteOf = async (given: Given): Promise<unknown> => {
    const found = await find({ objects: history, offline: true, push: 'disk', ...given });
    return found.kind === 'none' && found.reason.code === 'not_fetched' ? found.reason.remote : undefined;
  };

  test.each<[string, Given, string | undefined]>([
    ['before the checked out commit', { configs: { [FIRST]: config('before'), [SECOND]: config('head') } }, 'before'],
    ['at it, where the one before names none', { configs: { [FIRST]: config(), [SECOND]: config('head') } }, 'head'],
    ['at it, where the one before cannot be read', { configs: { [FIRST]: ': [', [SECOND]: config('head') } }, 'head'],
    [
      'at it, where git cannot read the one before',
      { configs: { [FIRST]: DAMAGED, [SECOND]: config('head') } },
      'head',
    ],
    [
      'at it, where it is the first',
      { objects: { 'HEAD^{commit}': plainCommit(SECOND) }, configs: { [SECOND]: config('head') } },
      'head',
    ],
    ['on disk, where no commit names one', { configs: { [FIRST]: config(), [SECOND]: config() } }, 'disk'],
    ['on disk, where no commit has a file', {}, 'disk'],
    ['nowhere for an embedded project', { service: 'embedded' }, undefined],
  ])('is the one that the configuration names %s', async (_, given, remote) => {
    expect(await remoteOf(given)).toBe(remote);
  });
});
