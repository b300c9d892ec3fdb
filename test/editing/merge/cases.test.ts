/** What a merge writes for each way in which a further project differs. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { mergeManifests, type Merge } from '../../../src/editing/actions/merge.ts';
import { overlayEdits } from '../../../src/editing/flag/merge.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { LiveState } from '../../../src/posthog/live.ts';

const GROWTH = '11111111-1111-4111-8111-111111111111';
const SALES = '22222222-2222-4222-8222-222222222222';
const NAMES = { roles: { Growth: GROWTH, Sales: SALES }, cohorts: { beta: 42 } };
const PROJECTS = [
  { name: 'production', ...NAMES },
  { name: 'staging', ...NAMES },
] as const;

interface Given {
  readonly flags?: readonly Flag[];
  readonly access?: LiveState['roleAccess'];
  readonly keys?: ReadonlySet<string>;
}

/** Merges the project `staging` into one manifest. */
function merge(text: string, { flags = [], access, keys }: Given): Merge {
  return mergeManifests(
    {
      live: { flags, roleAccess: access ?? {} },
      withRoleAccess: access !== undefined,
      project: PROJECTS[1],
      projects: PROJECTS,
      manifests: [{ file: 'flags.yaml', text }],
      ...(keys === undefined ? {} : { keys }),
    },
    {},
  );
}

function live(key: string, fields: JsonObject = {}): Flag {
  return { id: 1, key, name: '', active: true, deleted: false, filters: all(100), tags: [], ...fields };
}

function all(rollout: number) {
  return { groups: [{ properties: [], rollout_percentage: rollout }], multivariate: null, payloads: {} };
}

function textOf({ edited }: Merge): string | undefined {
  return edited[0]?.text;
}

test.each([
  ['a shorthand', 'rollout_percentage: 10', all(30), 'rollout_percentage: 30'],
  [
    'filters',
    'filters: { groups: [{ rollout_percentage: 10 }], payloads: { "true": 1 } }',
    { ...all(30), payloads: { true: '1' } },
    'conditions: { "1": { rollout_percentage: 30 } }',
  ],
  [
    'filters without their payloads',
    'filters: { groups: [{ rollout_percentage: 10 }], payloads: { "true": 1 } }',
    all(10),
    'payloads: { "true": null }',
  ],
  [
    'JSON text as a payload that differs',
    `filters: { groups: [{ rollout_percentage: 10 }], payloads: { "true": '{"a": 1}' } }`,
    { ...all(10), payloads: { true: '{"a": 2}' } },
    `payloads: { "true": '{"a":2}' }`,
  ],
  [
    'JSON text as a payload that means the same',
    `filters: { groups: [{ rollout_percentage: 10 }], payloads: { "true": '{"a": 1}' } }`,
    { ...all(30), payloads: { true: '{"a":1}' } },
    'conditions: { "1": { rollout_percentage: 30 } }',
  ],
  [
    'conditions, of which the project lacks the second,',
    'filters: { groups: [{ rollout_percentage: 10 }, { rollout_percentage: 20 }, { rollout_percentage: 30 }] }',
    { ...all(10), groups: [10, 30].map((rollout) => ({ properties: [], rollout_percentage: rollout })) },
    'conditions: { "2": null }',
  ],
])('%s of the base gets an overlay of what differs', (_, declared, filters, overlay) => {
  const merged = merge(`flags:\n  checkout:\n    ${declared}\n`, { flags: [live('checkout', { filters })] });
  expect(merged).toMatchObject({ overlaid: ['checkout'], notMerged: [], limited: [] });
  expect(textOf(merged)).toBe(`flags:\n  checkout:\n    ${declared}\n    projects:\n      staging: { ${overlay} }\n`);
});

test('members and further fields are set beside those that the overlay has', () => {
  const text = `flags:
  checkout:
    active: true
    description: Checkout
    fields: { archived: false, evaluation_runtime: all }
    projects:
      staging:
        tags: [a] # kept
        fields:
          archived: true
`;
  const flags = [
    live('checkout', { name: 'Staging', tags: ['a'], archived: true, evaluation_runtime: 'server', active: true }),
  ];
  expect(textOf(merge(text, { flags }))).toBe(
    text
      .replace('archived: true\n', 'archived: true\n          evaluation_runtime: server\n')
      .replace('        tags:', '        description: Staging\n        tags:'),
  );
});

test('an overlay in another form is replaced', () => {
  const text = `flags:
  checkout:
    filters: { groups: [{ rollout_percentage: 10 }] }
    projects:
      staging: { rollout_percentage: 20, active: false }
`;
  const merged = merge(text, { flags: [live('checkout', { active: false, filters: all(30) })] });
  expect(textOf(merged)).toContain('staging: { active: false, filters: { groups: [{ rollout_percentage: 30 }] } }');
});

test('access is written in the form of the base where that can say it', () => {
  const access = { 1: [{ id: 5, role: { id: SALES, name: 'Sales' } }] };
  const list = merge('flags:\n  checkout: { role_access: [Growth] }\n', { flags: [live('checkout')], access });
  expect(textOf(list)).toBe(
    'flags:\n  checkout: { role_access: [Growth], projects: { staging: { role_access: [Sales] } } }\n',
  );
  const none = merge('flags:\n  checkout: { role_access: [Growth] }\n', {
    flags: [live('checkout')],
    access: { 1: [] },
  });
  expect(textOf(none)).toBe(
    'flags:\n  checkout: { role_access: [Growth], projects: { staging: { role_access: [] } } }\n',
  );
  const levels = merge('flags:\n  checkout: { access: { roles: { Growth: editor } } }\n', {
    flags: [live('checkout')],
    access,
  });
  expect(levels).toMatchObject({ overlaid: ['checkout'], notMerged: [] });
});

test('a flag that the project lacks is limited to the others, and one of other projects is declared for it too', () => {
  const text = 'flags:\n  gone: { active: true }\n  elsewhere: { active: true, only_in: [production] }\n';
  const merged = merge(text, { flags: [live('elsewhere')] });
  expect(merged).toMatchObject({ limited: ['gone'], notMerged: [] });
  expect(textOf(merged)).toBe(
    'flags:\n  gone: { active: true, only_in: [production] }\n  elsewhere: { active: true, only_in: [production, staging] }\n',
  );
});

test('keys limit a merge', () => {
  const text = 'flags:\n  a: { active: true }\n  b: { active: true }\n';
  const flags = [live('a', { active: false }), live('b', { id: 2, active: false })];
  expect(textOf(merge(text, { flags, keys: new Set(['b']) }))).toBe(
    'flags:\n  a: { active: true }\n  b: { active: true, projects: { staging: { active: false } } }\n',
  );
});

test.each([
  ['declared-deleted', 'flags:\n  a: { deleted: true }\n', [live('a')]],
  ['renamed', 'flags:\n  a: { active: true, previous_keys: [old] }\n', [live('old')]],
  ['renamed', 'flags:\n  a: { active: true, only_in: [production], previous_keys: [old] }\n', [live('old')]],
  ['declared-only-here', 'flags:\n  a: { active: true, only_in: [staging] }\n', []],
] as const)('%s: the flag is left as it is', (reason, text, flags) => {
  expect(merge(text, { flags })).toMatchObject({ edited: [], notMerged: [{ reason }] });
});

test('a declaration that an edit would change elsewhere is left, with what to write', () => {
  const text = 'flags:\n  a: &a { active: true, description: A }\n  b: *a\n';
  const flags = [live('a', { name: 'A', active: false }), live('b', { id: 2, name: 'A' })];
  const { edited, notMerged } = merge(text, { flags });
  expect(edited).toEqual([]);
  expect(notMerged).toEqual([
    {
      key: 'a',
      reason: 'not-editable',
      file: 'flags.yaml',
      suggestion: 'flags:\n  a:\n    projects:\n      staging: { active: false }',
    },
  ]);
});

test('filters that break rules are unchecked in the overlay', () => {
  const filters = {
    groups: [{ properties: [], rollout_percentage: 100 }],
    multivariate: { variants: [{ key: 'a', rollout_percentage: 40 }] },
  };
  const merged = merge('flags:\n  a: { rollout_percentage: 100 }\n', { flags: [live('a', { filters })] });
  expect(merged).toMatchObject({ overlaid: ['a'], notMerged: [] });
  expect(textOf(merged)).toContain('fields:');
});

test('conditions stand in the overlay in place of the rollout of the base', () => {
  const property = { key: 'plan', type: 'person', operator: 'exact', value: ['pro'] };
  const groups = [{ properties: [property], rollout_percentage: 30 }, ...all(5).groups];
  const merged = merge('flags:\n  a: { rollout_percentage: 100 }\n', {
    flags: [live('a', { filters: { ...all(5), groups } })],
  });
  expect(merged).toMatchObject({ overlaid: ['a'], notMerged: [] });
  expect(textOf(merged)).toContain('filters: { groups: [{ properties: [{ key: plan');
});

test('an overlay loses the access that the base has in another form', () => {
  const edits = overlayEdits({
    key: 'a',
    project: 'staging',
    declared: { access: { roles: { Growth: 'viewer' } } },
    exported: { role_access: [] },
    differing: new Set(['access']),
  });
  expect(edits).toEqual([{ path: ['flags', 'a', 'projects', 'staging'], value: { role_access: [], access: null } }]);
});
