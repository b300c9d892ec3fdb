/** The history says who executed a run, from which commit: a record may be damaged, or of another release. */

import { expect, it } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { readOrigin } from '../../../src/loop/journal/read.ts';

it.each<[string, JsonValue | undefined, object]>([
  [
    'all members',
    { actor: { name: 'ana', host: 'laptop', ci: 'GitHub Actions', url: 'https://x' }, commit: 'c0ffee' },
    { actor: { name: 'ana', host: 'laptop', ci: 'GitHub Actions', url: 'https://x' }, commit: 'c0ffee' },
  ],
  ['a name alone', { actor: { name: 'ana' } }, { actor: { name: 'ana' } }],
  ['a commit alone', { commit: 'c0ffee' }, { commit: 'c0ffee' }],
  ['an actor without a name', { actor: { host: 'laptop' }, commit: 'c0ffee' }, { commit: 'c0ffee' }],
  ['an actor that is no object', { actor: 'ana' }, {}],
  [
    'members of other types',
    { actor: { name: 'ana', host: 1, ci: null, url: [] }, commit: 7, more: 'x' },
    { actor: { name: 'ana' } },
  ],
  ['no origin', undefined, {}],
  ['an origin that is no object', ['ana'], {}],
])('%s', (_name, value, origin) => {
  expect(readOrigin(value)).toEqual(origin);
});
