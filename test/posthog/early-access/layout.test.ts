/** A live early access feature as a manifest declares it, and the alias that it gets. */

import { expect, test } from 'vitest';
import { chooseAlias, FEATURE_ORDER, writeFeature } from '../../../src/posthog/early-access/family.ts';
import type { LiveFeature } from '../../../src/posthog/early-access/feature.ts';

const LONG = 'x'.repeat(200);

test.each<[string, string, string[], string]>([
  ['the key of its flag', 'sharing', [], 'sharing'],
  ['the key with the first free number', 'sharing', ['sharing', 'sharing-2', 'sharing-4'], 'sharing-3'],
  ['the beginning of a long key', `${LONG}y`, [], LONG],
  ['the beginning of a long key with a number', LONG, [LONG], `${'x'.repeat(198)}-2`],
])('the alias of a feature is %s', (_what, flag, taken, alias) => {
  expect(chooseAlias(flag, new Set(taken))).toBe(alias);
});

test('a written feature names its flag only where the alias does not, and the short form omits what is empty', () => {
  const feature = {
    id: 1,
    name: 'Sharing',
    stage: 'beta',
    description: '',
    documentation_url: null,
    payload: null,
  } as unknown as LiveFeature;
  const written = (alias: string, minimal: boolean): string =>
    JSON.stringify(writeFeature(feature, { alias, flag: 'sharing', minimal }));
  expect(written('sharing', true)).toBe('{"name":"Sharing","stage":"beta"}');
  expect(written('share', true)).toBe('{"flag":"sharing","name":"Sharing","stage":"beta"}');
  expect(written('share', false)).toContain('"description":"","documentation_url":"","payload":{}');
});

test('members are in the order in which people read them, also for each project, and what is absent stays so', () => {
  const names = [
    'flag',
    'name',
    'description',
    'documentation_url',
    'payload',
    'stage',
    'intended',
    'deleted',
    'only_in',
    'projects',
  ];
  expect([FEATURE_ORDER.names, FEATURE_ORDER.members?.['projects']?.each?.names]).toEqual([names, names]);
  const feature = { id: 1, stage: 'beta', documentation_url: 'https://x.example', name: 'A' } as unknown as LiveFeature;
  const written = writeFeature(feature, { alias: 'a', flag: 'b', minimal: false });
  expect(Object.entries(written)).toEqual([
    ['flag', 'b'],
    ['name', 'A'],
    ['documentation_url', 'https://x.example'],
    ['stage', 'beta'],
  ]);
});
