/** What a run does not make keeps the commit at which it was applied last, each of two resources and fields its own. */

import { expect, test } from 'vitest';
import { type BaseFacts, type EarlierBase, findEarlier, type Unrecorded } from '../../../src/core/engine/base.ts';

const base = (...earlier: readonly EarlierBase[]): BaseFacts => ({
  kind: 'commit',
  commit: 'now',
  from: 'ref',
  earlier,
});
const OLD: EarlierBase = { key: 'a', commit: 'old' };
const TAGS: EarlierBase = { key: 'a', fields: ['tags'], commit: 'older' };

test.each<[string, readonly Unrecorded[], BaseFacts | undefined, readonly EarlierBase[]]>([
  ['nothing where everything is made', [], base(OLD), []],
  [
    'the base, sorted by key',
    [{ key: 'b' }, { key: 'a' }],
    base(),
    [
      { key: 'a', commit: 'now' },
      { key: 'b', commit: 'now' },
    ],
  ],
  ['what it had before, of each resource', [{ key: 'a' }, { key: 'b' }], base(OLD), [OLD, { key: 'b', commit: 'now' }]],
  [
    'what it had under its former key',
    [{ key: 'new', former: 'a' }],
    base(OLD, TAGS),
    [
      { ...OLD, key: 'new' },
      { ...TAGS, key: 'new' },
    ],
  ],
  [
    'no commit where there is no base',
    [{ key: 'a' }, { key: 'b', fields: ['name'] }],
    undefined,
    [{ key: 'a' }, { key: 'b', fields: ['name'] }],
  ],
  ['no commit where it had none', [{ key: 'a' }], base({ key: 'a' }), [{ key: 'a' }]],
  [
    'fields of one commit together, each once and sorted',
    [
      { key: 'a', fields: ['tags', 'name'] },
      { key: 'a', fields: ['name', 'active'] },
    ],
    base(),
    [{ key: 'a', fields: ['active', 'name', 'tags'], commit: 'now' }],
  ],
  [
    'a field that was left before apart from one that was not',
    [{ key: 'a', fields: ['name', 'tags'] }],
    base(TAGS),
    [{ key: 'a', fields: ['name'], commit: 'now' }, TAGS],
  ],
  [
    'a field apart from the resource that was left before as a whole',
    [{ key: 'a', fields: ['name', 'tags'] }],
    base(OLD, TAGS),
    [{ key: 'a', fields: ['name'], commit: 'old' }, TAGS],
  ],
  [
    'all of it before its fields',
    [{ key: 'a', fields: ['name'] }, { key: 'a' }],
    base(TAGS),
    [{ key: 'a', commit: 'now' }, TAGS],
  ],
  [
    'nothing of another resource',
    [{ key: 'b', fields: ['tags'] }],
    base(OLD, TAGS),
    [{ key: 'b', fields: ['tags'], commit: 'now' }],
  ],
])('keeps %s', (_, unmade, facts, expected) => {
  expect(findEarlier(unmade, facts)).toEqual(expected);
});
