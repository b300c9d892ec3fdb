/** Which layer declares each explained value, and what it replaces. */

import { expect, test } from 'vitest';
import { definedKeys } from '../../../src/base/json.ts';
import { explainFields, isAround, toSeek } from '../../../src/posthog/declared/explain.ts';
import { parseFieldPath } from '../../../src/posthog/flag/model/fields.ts';
import { check } from '../../core/manifest/check.ts';

const TEXT = `early_access:
  share:
    flag: sharing
    stage: draft
    name: Share
    projects:
      production: { stage: beta, documentation_url: https://x.example }
      staging: { name: Staging }
`;

function explained(project: string, path?: string) {
  const declaration = check(TEXT).files[0]?.declarations.find(({ key }) => key === 'share');
  const parsed = path === undefined ? undefined : parseFieldPath(path);
  if (declaration === undefined || (parsed !== undefined && 'problem' in parsed)) throw new Error('no such place');
  const partsOf = (fields: object): string[] => definedKeys(fields as never).map((name) => `/${name}`);
  return explainFields(declaration, project, { partsOf, ...(parsed === undefined ? {} : { path: parsed }) }).map(
    ({ path: pointer, value, layer, place, replaces }) => [
      pointer,
      value,
      layer,
      place.line,
      ...(replaces === undefined ? [] : [replaces.value, replaces.place.line]),
    ],
  );
}

test('a value is of the overlay of the project where that has it, and says what it replaces', () => {
  expect(explained('production')).toEqual([
    ['/flag', 'sharing', 'base', 3],
    ['/stage', 'beta', 'overlay', 7, 'draft', 4],
    ['/name', 'Share', 'base', 5],
    ['/documentation_url', 'https://x.example', 'overlay', 7],
  ]);
  expect(explained('staging')).toEqual([
    ['/flag', 'sharing', 'base', 3],
    ['/stage', 'draft', 'base', 4],
    ['/name', 'Staging', 'overlay', 8, 'Share', 5],
  ]);
  expect(explained('other').map(([pointer, , layer]) => [pointer, layer])).toEqual([
    ['/flag', 'base'],
    ['/stage', 'base'],
    ['/name', 'base'],
  ]);
});

test('only the values at the asked place are explained', () => {
  expect(explained('production', 'name')).toEqual([['/name', 'Share', 'base', 5]]);
});

test('a place is around another, is it, or is below it', () => {
  const path = parseFieldPath('conditions.1.rollout_percentage');
  if ('problem' in path) throw new Error('names a place');
  const fields = { filters: { groups: [{ rollout_percentage: 1 }, {}] } };
  const around = ['/filters', '/filters/groups', '/filters/groups/0', '/filters/groups/0/rollout_percentage'];
  expect(around.map((pointer) => isAround(path, pointer, fields))).toEqual(around.map(() => true));
  const others = ['/active', '/filters/payloads', '/filters/groups/1', '/filters/groups/0/variant'];
  expect(others.map((pointer) => isAround(path, pointer, fields))).toEqual(others.map(() => false));
});

test('a declared value is sought without a live value where the live resource lacks it or what is around it', () => {
  const values = ['/a', '/a/b', '/ab', '/c'].map((path) => ({ path, value: 1 }));
  const differences = [
    { path: '/a', after: 1 },
    { path: '/c', before: 2, after: 1 },
  ];
  expect(toSeek(values, differences)).toEqual([
    { path: '/a', after: 1 },
    { path: '/a/b', after: 1 },
    { path: '/ab', after: 1, before: 1 },
    { path: '/c', after: 1, before: 1 },
  ]);
});
