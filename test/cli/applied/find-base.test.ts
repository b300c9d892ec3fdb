/** The base of a saved plan: what was applied last, or else what the plan was compared with. */

import { expect, test } from 'vitest';
import type { BaseSearch } from '../../../src/cli/applied/base-types.ts';
import { findLaterBase } from '../../../src/cli/applied/find-base.ts';
import type { Session } from '../../../src/cli/session/session.ts';
import type { BaseFacts } from '../../../src/engine/base.ts';

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
