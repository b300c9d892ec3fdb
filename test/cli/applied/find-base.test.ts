/** The base of a saved plan: what was applied last, or else what the plan was compared with. */

import { describe, expect, test } from 'vitest';
import { findLaterBase } from '../../../src/cli/applied/find-base.ts';
import type { BaseSearch } from '../../../src/cli/applied/open-checkout.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import type { BaseFacts } from '../../../src/core/engine/base.ts';
import { GitError } from '../../../src/loop/git/objects.ts';

const session = {} as Session;
/** A folder without a repository, where nothing is recorded. */
const search = { checkout: { opened: Promise.resolve({ kind: 'none' }) } } as unknown as BaseSearch;
const unread = {
  checkout: {
    get opened(): never {
      throw new Error('not asked');
    },
  },
} as unknown as BaseSearch;
const made = (from: 'option' | 'ref'): BaseFacts => ({ kind: 'commit', commit: 'c'.repeat(40), from });

test('a commit that a user named when the plan was made stays, and nothing else is looked up', async () => {
  expect(await findLaterBase(session, unread, made('option'))).toEqual(made('option'));
});

test('where nothing is recorded, the base of the plan stays, and without one there is none', async () => {
  expect(await findLaterBase(session, search, made('ref'))).toEqual(made('ref'));
  const none = { kind: 'none', reason: { code: 'no_repository' } };
  expect(await findLaterBase(session, search, undefined)).toEqual(none);
  expect(await findLaterBase(session, search, { kind: 'none', reason: { code: 'not_recorded' } })).toEqual(none);
});

describe('what is recorded', () => {
  const [FIRST, SECOND, TAG, LOST] = ['a', 'b', 'd', 'e'].map((digit) => digit.repeat(40)) as [
    string,
    string,
    string,
    string,
  ];
  const rollouts = [{ key: 'checkout' }];

  /** A snapshot says what was recorded. Commits are `FIRST` and `SECOND`, and `TAG` names no commit. */
  const recorded = (snapshot: object, onRead: (name: string) => void = () => undefined): BaseSearch => {
    const objects = [FIRST, SECOND, `${FIRST}^{commit}`, `${SECOND}^{commit}`, TAG];
    const read = async (name: string): Promise<object | undefined> => {
      onRead(name);
      return Promise.resolve(objects.includes(name) ? {} : undefined);
    };
    const opened = Promise.resolve({ kind: 'open', repository: { shallow: true, folder: '/nowhere', caller: {} } });
    return { loaded: {}, snapshot, checkout: { opened, objectsOf: () => ({ read }) } } as unknown as BaseSearch;
  };

  test('later than the plan is its base, with what else is recorded', async () => {
    expect(await findLaterBase(session, recorded({ commit: FIRST, earlier: [], rollouts: [] }), made('ref'))).toEqual({
      kind: 'commit',
      commit: FIRST,
      from: 'snapshot',
    });
    const earlier = [{ key: 'a', commit: SECOND }, { key: 'b' }];
    expect(await findLaterBase(session, recorded({ commit: FIRST, earlier, rollouts }), undefined)).toEqual({
      kind: 'commit',
      commit: FIRST,
      from: 'snapshot',
      earlier,
      rollouts,
    });
  });

  test.each<[string, readonly string[]]>([
    ['the commit itself', [TAG]],
    ['one of an earlier part', [FIRST, SECOND, TAG]],
  ])('and is no commit, %s, leaves none where the plan had none', async (_, [commit, ...others]) => {
    const earlier = others.map((one, index) => ({ key: `f${index}`, commit: one }));
    expect(await findLaterBase(session, recorded({ commit, earlier }), undefined)).toEqual({
      kind: 'none',
      reason: { code: 'not_a_commit', name: TAG },
    });
    expect(await findLaterBase(session, recorded({ commit, earlier }), made('ref'))).toEqual(made('ref'));
  });

  test('and cannot be read by git leaves none, unless the run ends', async () => {
    const damaged = recorded({ commit: LOST }, () => {
      throw new GitError('bad object');
    });
    const interrupts = { checkpoint: (): void => undefined };
    expect(await findLaterBase({ interrupts } as unknown as Session, damaged, undefined)).toEqual({
      kind: 'none',
      reason: { code: 'git_refused', detail: 'bad object' },
    });
    const ending = {
      interrupts: {
        checkpoint: (): never => {
          throw new Error('interrupted');
        },
      },
    };
    await expect(findLaterBase(ending as unknown as Session, damaged, undefined)).rejects.toThrow('interrupted');
    const faulty = recorded({ commit: LOST }, () => {
      throw new TypeError('x is undefined');
    });
    await expect(findLaterBase({ interrupts } as unknown as Session, faulty, undefined)).rejects.toThrow(TypeError);
  });
});
