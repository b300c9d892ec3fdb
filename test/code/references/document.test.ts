/** The document of another repository's references: what is read of it, and that nothing is proved by one that is not whole, its own and fresh. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { fingerprintOf } from '../../../src/core/engine/plan-document.ts';
import {
  isSealedDocument,
  readReferences,
  writeReferences,
  type ReadSource,
} from '../../../src/code/references/document.ts';
import { useFinder } from '../../../src/code/references/use.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { search } from './support.ts';

const DAY = 86_400_000;
const AT = '2026-03-01T00:00:00.000Z';
const SOURCE = { repository: 'github.com/acme/web', file: 'refs/web.json', maxAgeDays: 7 };
const FILES = {
  'src/a.ts': "posthog.isFeatureEnabled('new-checkout')\nposthog.isFeatureEnabled('new-chekout')\n",
  'src/b.ts': "posthog.isFeatureEnabled(`new-${name}`)\n// 'old-banner'\nsearch();\n",
};
const keys = ['new-checkout', 'old-banner', 'search', 'unread'];
const code = search(FILES, { keys });
const whole = writeReferences({ name: SOURCE.repository, commit: 'c'.repeat(40), at: AT, code });

/** The document with other members, and the digest of what it says. */
function signed(members: JsonObject): JsonObject {
  const { digest: _, ...rest } = { ...whole, ...members };
  return { ...rest, digest: fingerprintOf(rest) };
}

function read(document: JsonObject | string, days = 1): ReadSource {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return readReferences(text, SOURCE, Date.parse(AT) + days * DAY);
}

test('a whole document says what was found, by the published schema', () => {
  expect(schemaErrors('references', whole)).toEqual([]);
  expect(code.loose.size).toBeGreaterThan(0);
  expect(read(whole)).toEqual({
    kind: 'read',
    repository: { name: SOURCE.repository, commit: 'c'.repeat(40), at: AT, code },
  });
});

test('a document of files on disk has no commit', () => {
  const document = writeReferences({ name: SOURCE.repository, at: AT, code });
  expect(document).not.toHaveProperty('commit');
  expect(read(document)).toEqual({ kind: 'read', repository: { name: SOURCE.repository, at: AT, code } });
});

describe('nothing is known of a repository whose document', () => {
  const place = { repository: SOURCE.repository, file: SOURCE.file };
  test.each<[string, JsonObject | string, number, string]>([
    ['is not JSON', '{', 1, 'it is not JSON'],
    ['is a list', '[]', 1, 'it is not a document of `flagwright refs export`'],
    ['lacks a member', signed({ skipped: undefined } as never), 1, 'it is not a document of `flagwright refs export`'],
    ['has no digest', { ...whole, digest: undefined } as never, 1, 'it is not a document of `flagwright refs export`'],
    ['was edited', { ...whole, keys: [...keys, 'z'] }, 1, 'it was edited or truncated: its digest differs'],
    [
      'has a fresh time that it did not have',
      { ...whole, created_at: '2026-03-02T00:00:00.000Z' },
      1,
      'it was edited or truncated: its digest differs',
    ],
    ['is of a time that is ahead by more than a day', whole, -1.01, 'its time is in the future'],
    ['has no time', signed({ created_at: 'yesterday' }), 1, 'it is not a document of `flagwright refs export`'],
    [
      'has a time that does not exist',
      signed({ created_at: '2026-13-01T00:00:00.000Z' }),
      1,
      'its time does not exist',
    ],
  ])('%s', (_what, document, days, detail) => {
    expect(read(document, days)).toEqual({ kind: 'gap', gap: { code: 'source_unreadable', ...place, detail } });
  });

  test('is that of another one', () => {
    const found = 'github.com/acme/web2';
    expect(read(signed({ repository: found }))).toEqual({
      kind: 'gap',
      gap: { code: 'source_renamed', ...place, found },
    });
  });
});

describe('the age of a document', () => {
  test.each([-1, 0, 7])('of %d days proves what it says', (days) => {
    expect(read(whole, days)).not.toHaveProperty('gap');
  });

  test('of more days is told, and then nothing of it is certain, and nothing not read', () => {
    const old = read(whole, 7.9);
    if (old.kind !== 'read' || old.gap === undefined) throw new Error('It is read with a gap.');
    const { repository, gap } = old;
    expect(gap).toEqual({
      code: 'source_old',
      ...{ repository: SOURCE.repository, file: SOURCE.file },
      days: 7,
      max_days: 7,
    });
    expect(repository.code.unknownReads).toEqual([]);
    expect(repository.code.references.map(({ key, certain }) => `${key} ${certain}`).sort()).toEqual([
      'new-checkout false',
      'new-chekout false',
      'old-banner false',
    ]);
    const find = useFinder({ repositories: [repository], gaps: [gap] });
    expect(['new-checkout', 'new-chekout', 'unread'].map((key) => find(key).verdict)).toEqual([
      'unknown',
      'unknown',
      'unknown',
    ]);
    expect(find('new-chekout').references).toMatchObject([{ form: 'call', place: { file: 'src/a.ts', line: 2 } }]);
  });
});

test.each<[string, string, boolean]>([
  ['as it was written', JSON.stringify(whole), true],
  ['laid out otherwise', JSON.stringify(whole, null, 2), true],
  ['of another kind, with a fingerprint', JSON.stringify({ a: 1, fingerprint: fingerprintOf({ a: 1 }) }), true],
  ['that was edited', JSON.stringify({ ...whole, keys: [...keys, 'z'] }), false],
  ['without its seal', JSON.stringify({ ...whole, digest: undefined }), false],
  ['that was cut', JSON.stringify(whole).slice(0, -1), false],
  ['in a list', JSON.stringify([whole]), false],
  ['far behind the beginning of the file', ' '.repeat(200) + JSON.stringify(whole), false],
  ['that is code', "isFeatureEnabled('new-checkout')", false],
  ['that is empty', '', false],
])('a document %s is no code of people: %s', (_what, text, expected) => {
  expect(isSealedDocument(Buffer.from(text))).toBe(expected);
});
