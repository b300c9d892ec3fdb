import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { OwnKind } from '../../../src/posthog/kind-types.ts';
import { isOfMain, nameResource, readName, readRef } from '../../../src/posthog/names/resource-name.ts';
import { explainPathOf, parsePathOf } from '../../../src/posthog/resource-path.ts';
import { holds } from '../../helpers/runs.ts';

test.each([
  ['checkout', 'flag', 'flags', 'checkout'],
  ['cohort', 'flag', 'flags', 'cohort'],
  ['cohort:beta', 'cohort', 'cohorts', 'beta'],
  ['cohort:a:b', 'cohort', 'cohorts', 'a:b'],
  ['early_access:new-cart', 'early_access', 'early_access', 'new-cart'],
  ['my-cohort:beta', 'flag', 'flags', 'my-cohort:beta'],
  ['beta:cohort', 'flag', 'flags', 'beta:cohort'],
])('%s names the %s in `%s` with the key %s', (name, kind, section, key) => {
  expect(readName(name)).toEqual({ kind, section, key });
  expect(isOfMain(name)).toBe(kind === 'flag');
});

test.each([
  ['flag:search', 'flag', 'search'],
  ['flag:b:c', 'flag', 'b:c'],
  ['flag:cohort:a', 'flag', 'cohort:a'],
  ['flag_active:search', 'flag', 'search'],
  ['cohort:a:b', 'cohort', 'a:b'],
  ['early_access:a:b', 'early_access', 'a:b'],
  ['role_access:a:r1', 'role_access', 'a'],
  ['role_access:b:c:r1', 'role_access', 'b:c'],
  ['by-hand', 'flag', 'by-hand'],
  ['constructor:a', 'flag', 'a'],
])('the ref %s is of the %s %s', (ref, kind, key) => {
  expect(readRef(ref)).toEqual({ kind, key });
});

test('a name is read as the resource that it was made of', () => {
  const flagKey = fc.stringMatching(/^[\w-]{1,20}$/);
  holds(100, [fc.constantFrom<OwnKind>('flag', 'cohort', 'early_access'), flagKey], (kind, key) => {
    expect(readName(nameResource(kind, key))).toMatchObject({ kind, key });
  });
});

test.each([
  ['checkout', 'conditions.1.rollout_percentage'],
  ['cohort:beta', 'definition.1'],
  ['early_access:new-cart', 'stage'],
])('the places in %s have the names of its own kind', (name, text) => {
  expect(parsePathOf(name, text)).toMatchObject({ text });
  for (const other of ['checkout', 'cohort:beta', 'early_access:new-cart'].filter((one) => one !== name)) {
    expect(parsePathOf(other, text)).toHaveProperty('problem');
  }
});

test.each([
  ['checkout', '`active`'],
  ['cohort:beta', '`definition.1.2.value`'],
  ['early_access:new-cart', '`stage`'],
])('what names no place in %s is explained by places that it has', (name, example) => {
  const parsed = parsePathOf(name, '');
  if (!('problem' in parsed)) throw new Error('It names a place.');
  expect(explainPathOf(name, '', parsed.problem).remedy).toContain(example);
});
