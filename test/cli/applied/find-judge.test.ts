import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  findJudge,
  findPolicies,
  findSafety,
  refuseUnproved,
  type Judge,
} from '../../../src/cli/applied/find-judge.ts';
import type { BaseSearch } from '../../../src/cli/applied/open-checkout.ts';
import type { LoadedProject } from '../../../src/cli/project/load-project.ts';
import type { Config } from '../../../src/config/config.ts';
import type { NoBaseReason } from '../../../src/core/engine/base.ts';
import { GitError } from '../../../src/loop/git/objects.ts';
import { watchSession } from '../../helpers/watched-session.ts';
import { createWorkspace } from '../../helpers/workspace.ts';

const COMMIT = 'c'.repeat(40);
const rule = (name: string, line = 1): object => ({
  rule: name,
  level: 'error',
  source: { file: 'f', line, column: 1 },
});
const set = (...rules: readonly object[]): Config['policies'] => ({ rules }) as unknown as Config['policies'];
const loadedWith = (policies: Config['policies'], name = 'main'): LoadedProject =>
  ({ config: { policies }, project: { name } }) as unknown as LoadedProject;

interface AtBase {
  readonly policies?: Config['policies'];
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
}

const base = ({ policies, files = {} }: AtBase): Judge =>
  ({
    ...{ from: 'base', commit: COMMIT, project: 'then', folder: '/repo/conf', config: { policies } },
    tree: {
      readFile: async (file: string) => {
        const found = files[file];
        if (found === undefined) throw Object.assign(new Error('none'), { code: 'ENOENT' });
        return Promise.resolve(typeof found === 'string' ? Buffer.from(found) : found);
      },
    },
  }) as unknown as Judge;

describe('the policies of a run', () => {
  const CHECKOUT: Judge = { from: 'checkout', why: 'no_file' };

  test('are those of the checkout where nothing was applied, and none without any', async () => {
    const own = set(rule('naming'));
    expect(findPolicies(CHECKOUT, loadedWith(own))).toEqual({ set: own, source: CHECKOUT, project: 'main' });
    expect(findPolicies(CHECKOUT, loadedWith(undefined))).toBeUndefined();
    expect(findPolicies(base({}), loadedWith(undefined))).toBeUndefined();
  });

  test.each<[string, Config['policies'], Config['policies'], boolean]>([
    ['the same, on other lines', set(rule('naming', 1)), set(rule('naming', 9)), false],
    ['others', set(rule('naming')), set(rule('freeze')), true],
    ['fewer', set(rule('naming'), rule('freeze')), set(rule('naming')), true],
    ['none', set(rule('naming')), undefined, true],
    ['the first', undefined, set(rule('naming')), true],
    ['no rule, as before', undefined, set(), false],
  ])('are those of the base, whose checkout has %s', (_, former, own, differs) => {
    expect(findPolicies(base({ policies: former }), loadedWith(own))).toEqual({
      set: former ?? { rules: [] },
      source: { from: 'base', commit: COMMIT, differs },
      project: 'then',
    });
  });

  test('differ also in who approves', () => {
    const approvers = { ...set(), approvers: ['eve'] } as Config['policies'];
    expect(findPolicies(base({ policies: set() }), loadedWith(approvers))).toMatchObject({
      source: { differs: true },
    });
  });
});

describe('the limits of a run', () => {
  const limits = (deletes: number): Config =>
    ({
      ...{ limits: { deletes, deletes_percent: 30, updates_percent: 50, disables: 5 }, protected: [`p${deletes}`] },
      origins: { limits: {}, protected: new Map() },
    }) as unknown as Config;

  test('are those of the checkout for a run that is not judged, and before anything was applied', () => {
    const { limits: own, protected: patterns, origins } = limits(2);
    const expected = { limits: own, protected: patterns, origins };
    expect(findSafety(undefined, limits(2))).toEqual(expected);
    expect(findSafety({ from: 'checkout', why: 'no_base' }, limits(2))).toEqual(expected);
    expect(findSafety({ from: 'checkout', why: 'no_file' }, limits(2))).toEqual({
      ...expected,
      safety: { from: 'checkout', why: 'no_file' },
    });
  });

  test.each([
    [2, 9, 2],
    [9, 2, 2],
  ])('of the base with %i deletes and of the checkout with %i are the stricter ones', (former, own, deletes) => {
    const judge = { from: 'base', commit: COMMIT, config: limits(former) } as unknown as Judge;
    const found = findSafety(judge, limits(own));
    expect(found.limits.deletes).toBe(deletes);
    expect(found.protected).toEqual(expect.arrayContaining([`p${former}`, `p${own}`]));
    expect(found.safety).toMatchObject({ from: 'base', commit: COMMIT });
  });
});

describe('a change brings its own judge', () => {
  const REF = 'refs/flagwright/applied/main';
  const reasonOf = (code: string): NoBaseReason => ({ code, detail: 'x', name: 'x', commit: COMMIT }) as never;

  interface Place {
    readonly push?: string;
    readonly service?: string;
    readonly refs?: boolean;
  }

  test.each<[string, Place, boolean]>([
    ['not_recorded', { push: 'origin' }, true],
    ['no_repository', {}, true],
    ['no_repository', { push: 'origin' }, false],
    ['no_repository', { push: 'origin', service: 'embedded' }, true],
    ['no_repository', { refs: true }, true],
    ['git_missing', {}, true],
    ['git_missing', { push: 'origin' }, false],
    ['git_missing', { refs: true }, false],
    ['git_refused', {}, true],
    ['git_refused', { refs: true }, false],
    ['record_unknown', {}, false],
    ['journal_unreadable', {}, false],
  ])('where the base is unknown by %s in %j: %s', async (code, { push, service = 'remote', refs }, mayJudge) => {
    const { root } = createWorkspace({
      '.git/HEAD': 'ref: refs/heads/main\n',
      ...(refs === true ? { [path.join('.git', REF)]: `${COMMIT}\n` } : {}),
    });
    const config = { root, base: push === undefined ? {} : { push } };
    const judging = refuseUnproved(reasonOf(code), { config, project: { name: 'main', service } } as never);
    if (mayJudge) expect(await judging).toBeUndefined();
    else await expect(judging).rejects.toMatchObject({ code: 'base_unreadable' });
  });

  const searching = (opened: object, objects: object = {}): BaseSearch =>
    ({
      loaded: { config: { root: '/nowhere', base: {} }, project: { name: 'main', service: 'remote' } },
      checkout: { opened: Promise.resolve(opened), objectsOf: () => objects },
    }) as unknown as BaseSearch;

  test('where no base was applied, or none was to be asked for and none is recorded', async () => {
    const { session } = watchSession();
    const own = { from: 'checkout', why: 'no_base' };
    const none = { kind: 'none', reason: { code: 'not_recorded' } } as const;
    expect(await findJudge(session, searching({ kind: 'none' }), none)).toEqual(own);
    expect(await findJudge(session, searching({ kind: 'none' }), undefined)).toEqual(own);
  });

  test.each<[string, object, object, object, RegExp]>([
    ['is in no repository any more', { kind: 'commit', commit: COMMIT }, { kind: 'none' }, {}, /git checkout/],
    [
      'is not in this clone',
      { kind: 'commit', commit: COMMIT },
      { kind: 'open', repository: { shallow: true } },
      { read: async () => Promise.resolve(undefined) },
      /ccccccc/,
    ],
    [
      'has manifests that tell nothing',
      { kind: 'none', reason: { code: 'manifests_invalid', commit: COMMIT } },
      { kind: 'git_missing' },
      {},
      /git/,
    ],
    [
      'is damaged',
      { kind: 'none', reason: { code: 'commit_damaged', commit: COMMIT } },
      { kind: 'none' },
      {},
      /ccccccc/,
    ],
    [
      'cannot be read by git',
      { kind: 'commit', commit: COMMIT },
      { kind: 'open', repository: {} },
      {
        read: async () => {
          throw new GitError('bad object');
        },
      },
      /bad object/,
    ],
  ])('but not where the commit %s', async (_, facts, opened, objects, words) => {
    const { session } = watchSession();
    await expect(findJudge(session, searching(opened, objects), facts as never)).rejects.toMatchObject({
      code: 'base_unreadable',
      message: expect.stringMatching(words) as string,
    });
  });
});
