/** The edits of manifests that accept live state. */

import { describe, expect, test } from 'vitest';
import { acceptLive, type AcceptInput } from '../../../src/editing/actions/accept.ts';
import type { Accepted } from '../../../src/editing/edit.ts';
import { valueAt } from '../../../src/base/json-pointer.ts';
import { readYaml } from '../../../src/base/yaml/read.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import { parseFieldPath } from '../../../src/posthog/flag/model/fields.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { LiveState } from '../../../src/posthog/live.ts';

const GROWTH = '11111111-1111-4111-8111-111111111111';
const SALES = '22222222-2222-4222-8222-222222222222';

const NAMES = { roles: { Growth: GROWTH, Sales: SALES }, cohorts: { beta: 42, staff: 43 } };
const PRODUCTION = { name: 'production', ...NAMES };
const STAGING = { name: 'staging', roles: NAMES.roles, cohorts: { beta: 7, staff: 8 } };

interface Case {
  readonly manifest: string;
  readonly flags: readonly Flag[];
  readonly access?: LiveState['roleAccess'];
  readonly traces?: LiveState['traces'];
  readonly options?: Partial<Pick<AcceptInput, 'layer' | 'selection'>>;
  readonly alone?: boolean;
}

function accept({ manifest, flags, access = {}, traces = {}, options = {}, alone = false }: Case): Accepted {
  const projects = alone ? [PRODUCTION] : [PRODUCTION, STAGING];
  const manifests = [{ file: 'flags.yaml', text: manifest }];
  const live = { flags, roleAccess: access, traces };
  const names = projects.map(({ name }) => name);
  const { desired, diagnostics } = readTexts(manifests, names).resolve(PRODUCTION);
  expect(diagnostics).toEqual([]);
  const plan = buildPlan(desired, live);
  return acceptLive({
    live,
    project: PRODUCTION,
    projects,
    manifests,
    plan,
    layer: 'auto',
    selection: { pending: false },
    ...options,
  });
}

function textAfter(given: Case): string {
  const { edited, left } = accept(given);
  expect(left).toEqual([]);
  const [file] = edited;
  const text = file?.text ?? given.manifest;
  expect(accept({ ...given, manifest: text })).toMatchObject({ edited: [], accepted: [], left: [] });
  return text;
}

function live(key: string, fields: JsonObject = {}): Flag {
  return { id: 1, key, name: '', active: true, deleted: false, filters: all(100), tags: [], ...fields };
}

function all(rollout: number): JsonObject {
  return { groups: [{ properties: [], rollout_percentage: rollout }], multivariate: null, payloads: {} };
}

function only(...texts: readonly string[]): AcceptInput['selection'] {
  const flags = texts.map((text) => {
    const path = parseFieldPath(text);
    if ('problem' in path) throw new Error(text);
    return path;
  });
  return { only: { flags }, pending: false };
}

const SHORT = `# Checkout.
flags:
  # The new one.
  checkout:
    description: 'New checkout'   # short
    active: true
    rollout_percentage: 10  # careful

  other: { active: false }
`;

test('a value is written where it is, and nothing else changes', () => {
  const flags = [live('checkout', { name: 'New checkout', filters: all(25) }), live('other', { id: 2, active: false })];
  expect(textAfter({ manifest: SHORT, flags, alone: true })).toBe(SHORT.replace('10  #', '25  #'));
});

test('a value that other projects share is written into the overlay of the project', () => {
  const flags = [live('checkout', { name: 'New checkout', filters: all(25) }), live('other', { id: 2, active: true })];
  expect(textAfter({ manifest: SHORT, flags })).toBe(
    SHORT.replace('# careful\n', '# careful\n    projects:\n      production: { rollout_percentage: 25 }\n').replace(
      '{ active: false }',
      '{ active: false, projects: { production: { active: true } } }',
    ),
  );
});

test('a new member stands where an export would write it', () => {
  const manifest = `flags:
  # All of it.
  checkout:
    active: true
    # Who gets it.
    filters:
      groups:
        - rollout_percentage: 10
    ownership: { tags: initial }

    projects:
      production: { tags: [a] }
`;
  const variants = [
    { key: 'a', rollout_percentage: 50 },
    { key: 'b', rollout_percentage: 50 },
  ];
  const property = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
  const filters = {
    groups: [{ properties: [property], rollout_percentage: 10 }],
    multivariate: { variants },
    payloads: {},
    aggregation_group_type_index: null,
  };
  const given = { manifest, flags: [live('checkout', { active: false, tags: ['a'], filters, deleted: true })] };
  expect(textAfter({ ...given, alone: true })).toBe(
    manifest.replace('\n    projects', '    deleted: true\n\n    projects'),
  );
  const restored = { ...given, flags: [live('checkout', { active: false, tags: ['a'], filters })] };
  expect(textAfter({ ...restored, alone: true })).toBe(
    manifest.replace('true', 'false').replace(
      '- rollout_percentage: 10\n',
      `- properties:
            - { key: plan, type: person, operator: exact, value: pro }
          rollout_percentage: 10
      multivariate:
        variants:
          - { key: a, rollout_percentage: 50 }
          - { key: b, rollout_percentage: 50 }
`,
    ),
  );
  expect(textAfter({ manifest, flags: [live('checkout', { active: false, tags: ['a'], filters: all(30) })] })).toBe(
    manifest.replace(
      'production: { tags',
      'production: { active: false, conditions: { "1": { rollout_percentage: 30 } }, tags',
    ),
  );
});

test('the members of a new overlay are in their usual order', () => {
  const manifest = 'flags:\n  checkout: { active: true, description: A, rollout_percentage: 10 }\n';
  const flags = [live('checkout', { active: false, name: 'B', filters: all(30) })];
  expect(textAfter({ manifest, flags })).toBe(
    manifest.replace(
      '10 }',
      '10, projects: { production: { description: B, active: false, rollout_percentage: 30 } } }',
    ),
  );
});

test('--layer base writes for all projects', () => {
  const flags = [live('checkout', { name: 'New checkout', filters: all(25) }), live('other', { id: 2, active: false })];
  const options = { layer: 'base' } as const;
  expect(textAfter({ manifest: SHORT, flags, options })).toBe(SHORT.replace('10  #', '25  #'));
});

test('--layer project writes into the overlay, also where no other project is declared', () => {
  const flags = [live('checkout', { name: 'New checkout', filters: all(25) }), live('other', { id: 2, active: false })];
  const options = { layer: 'project' } as const;
  expect(textAfter({ manifest: SHORT, flags, options, alone: true })).toBe(
    SHORT.replace('# careful\n', '# careful\n    projects:\n      production: { rollout_percentage: 25 }\n'),
  );
});

const CONDITIONS = `flags:
  checkout:
    active: true
    filters:
      groups:
        # Staff first.
        - properties:
            - { key: id, type: cohort, value: staff }
          rollout_percentage: 100
        - properties:
            - { key: plan, type: person, operator: exact, value: [pro, team] }
          rollout_percentage: 20 # and more
`;

function conditions(second: JsonObject): JsonObject {
  const staff = { properties: [{ key: 'id', type: 'cohort', value: 43 }], rollout_percentage: 100 };
  const plan = { key: 'plan', type: 'person', operator: 'exact', value: ['pro', 'team'] };
  return {
    groups: [staff, { properties: [plan], rollout_percentage: 20, ...second }],
    multivariate: null,
    payloads: {},
  };
}

test('one condition of a shared list is named in the overlay', () => {
  const flags = [live('checkout', { filters: conditions({ rollout_percentage: 50 }) })];
  expect(textAfter({ manifest: CONDITIONS, flags })).toBe(
    `${CONDITIONS}    projects:\n      production: { conditions: { "2": { rollout_percentage: 50 } } }\n`,
  );
});

test('the variants that differ from a shared list are named in the overlay, and a further variant replaces the list', () => {
  const half = (key: string): JsonObject => ({ key, rollout_percentage: 50 });
  const [first, second] = [half('control'), half('test')];
  const manifest = `flags:
  checkout:
    active: true
    filters:
      groups: [{ rollout_percentage: 100 }]
      multivariate: { variants: [{ key: control, rollout_percentage: 50 }, { key: test, rollout_percentage: 50 }] }
`;
  const overlayFor = (...variants: readonly JsonObject[]): string => {
    const text = textAfter({
      manifest,
      flags: [live('checkout', { filters: { ...all(100), multivariate: { variants } } })],
    });
    expect(text.startsWith(manifest)).toBe(true);
    return text.slice(manifest.length);
  };
  const [less, more] = [
    { ...first, rollout_percentage: 20 },
    { ...second, rollout_percentage: 80 },
  ];
  expect(overlayFor(less, more)).toBe(`    projects:
      production:
        variants: { control: { rollout_percentage: 20 }, test: { rollout_percentage: 80 } }
`);
  expect(overlayFor({ ...first, name: 'Control' }, second)).toBe(`    projects:
      production: { variants: { control: { name: Control } } }
`);
  expect(overlayFor(less, second, { ...second, key: 'blue', rollout_percentage: 30 })).toContain('filters:');
});

test('the overlay that changes a condition is edited where it says the value', () => {
  const manifest = `${CONDITIONS}    projects:\n      production:\n        conditions: { 2: { rollout_percentage: 30 } } # half\n`;
  const flags = [live('checkout', { filters: conditions({ rollout_percentage: 50 }) })];
  expect(textAfter({ manifest, flags })).toBe(manifest.replace('30', '50'));
});

test('--only takes the named parts and leaves the others', () => {
  const manifest = SHORT;
  const flags = [live('checkout', { name: 'Renamed', filters: all(25) }), live('other', { id: 2, active: false })];
  const accepted = accept({ manifest, flags, alone: true, options: { selection: only('description') } });
  expect(accepted.edited.map(({ text }) => text)).toEqual([SHORT.replace("'New checkout'", "'Renamed'")]);
});

test('--only takes one condition', () => {
  const filters = conditions({ rollout_percentage: 50 });
  const flags = [live('checkout', { name: 'x', active: false, filters })];
  const options = { selection: only('conditions.2.rollout_percentage') };
  const { edited } = accept({ manifest: CONDITIONS, flags, alone: true, options });
  expect(edited.map(({ text }) => text)).toEqual([CONDITIONS.replace('20 #', '50 #')]);
});

test('--only takes one of two conditions beside another field, and leaves the other condition', () => {
  const { groups } = conditions({ rollout_percentage: 50 }) as { readonly groups: readonly JsonObject[] };
  const [staff = {}, plan = {}] = groups;
  const filters = { ...conditions({}), groups: [{ ...staff, rollout_percentage: 90 }, plan] };
  const flags = [live('checkout', { active: false, filters })];
  const options = { selection: only('active', 'conditions.2.rollout_percentage') };
  const { edited } = accept({ manifest: CONDITIONS, flags, alone: true, options });
  expect(edited.map(({ text }) => text)).toEqual([CONDITIONS.replace('20 #', '50 #').replace('true', 'false')]);
});

test('a flag that was deleted in the service is declared as deleted', () => {
  const flags = [
    live('checkout', { deleted: true, name: 'New checkout', filters: all(10) }),
    live('other', { id: 2, active: false }),
  ];
  expect(textAfter({ manifest: SHORT, flags, alone: true })).toBe(
    SHORT.replace('# careful\n', '# careful\n    deleted: true\n'),
  );
  expect(textAfter({ manifest: SHORT, flags })).toBe(
    SHORT.replace('# careful\n', '# careful\n    projects:\n      production: { deleted: true }\n'),
  );
});

test('a flag that never was in the project is left', () => {
  const flags = [live('other', { id: 2, active: false })];
  expect(accept({ manifest: SHORT, flags })).toMatchObject({
    edited: [],
    left: [{ key: 'checkout', reason: { code: 'not-live' }, place: { line: 4 } }],
  });
});

test('a flag that had the key and was deleted is declared as deleted; one that has another key now is left', () => {
  const other = live('other', { id: 2, active: false });
  const traces = { flags: [{ kind: 'former', key: 'checkout', id: 1, evidence: 'logged' }] } as const;
  const gone = live('checkout:deleted:1', { deleted: true });
  expect(textAfter({ manifest: SHORT, flags: [other, gone], traces, alone: true })).toBe(
    SHORT.replace('# careful\n', '# careful\n    deleted: true\n'),
  );
  expect(accept({ manifest: SHORT, flags: [other, live('checkout-2')], traces, alone: true })).toMatchObject({
    edited: [],
    left: [{ key: 'checkout', reason: { code: 'renamed', key: 'checkout-2' } }],
  });
  const elsewhere = { flags: [{ kind: 'former', key: 'checkout', id: 9, evidence: 'recorded' }] } as const;
  expect(accept({ manifest: SHORT, flags: [other], traces: elsewhere, alone: true })).toMatchObject({
    left: [{ key: 'checkout', reason: { code: 'not-live' } }],
  });
});

test('a flag that is declared as deleted and live is declared as it is', () => {
  const manifest = 'flags:\n  checkout:\n    deleted: true # for now\n    description: Old\n    active: false\n';
  const flags = [live('checkout', { name: 'New', filters: all(50) })];
  expect(textAfter({ manifest, flags, alone: true })).toBe(
    'flags:\n  checkout:\n    description: New\n    active: true\n',
  );
  const overlay = 'flags:\n  checkout:\n    active: true\n    projects: { production: { deleted: true } }\n';
  expect(textAfter({ manifest: overlay, flags })).not.toContain('deleted');
  const bare = 'flags:\n  checkout: { deleted: true }\n';
  expect(accept({ manifest: bare, flags, alone: true })).toMatchObject({ left: [], edited: [expect.anything()] });
});

test('of encrypted payloads, the parts beside them are taken', () => {
  const fields = '    fields: { is_remote_configuration: true, has_encrypted_payloads: true }\n';
  const groups = '      groups: [{ rollout_percentage: 10 }, { rollout_percentage: 20 }]\n';
  const manifest = `flags:\n  checkout:\n    active: true\n    filters:\n${groups}      payloads: { "true": { color: red } }\n${fields}`;
  const lives = [50, 60].map((rollout) => ({ properties: [], rollout_percentage: rollout }));
  const filters = { groups: lives, multivariate: null, payloads: { true: '********* (encrypted)' } };
  const flags = [live('checkout', { filters, is_remote_configuration: true, has_encrypted_payloads: true })];
  const options = { selection: only('conditions.1') };
  expect(accept({ manifest, flags, alone: true, options })).toMatchObject({
    left: [],
    edited: [{ text: manifest.replace('10', '50') }],
  });
});

test('a payload that a key hides stays the mark beside a condition that is taken', () => {
  const mark = '"********* (encrypted)"';
  const fields = '    fields: { is_remote_configuration: true, has_encrypted_payloads: true }\n';
  const groups = '      groups: [{ rollout_percentage: 10 }, { rollout_percentage: 20 }]\n';
  const manifest = `flags:\n  checkout:\n    active: true\n    filters:\n${groups}      payloads: { "true": '${mark}' }\n${fields}`;
  const lives = [50, 60].map((rollout) => ({ properties: [], rollout_percentage: rollout }));
  const filters = { groups: lives, multivariate: null, payloads: { true: '{"color":"red"}' } };
  const flags = [live('checkout', { filters, is_remote_configuration: true, has_encrypted_payloads: true })];
  for (const path of ['conditions.1', 'payloads', 'conditions']) {
    const { edited, left } = accept({ manifest, flags, alone: true, options: { selection: only(path) } });
    const text = edited[0]?.text ?? manifest;
    expect({
      left,
      payload: valueAt(readYaml('', text).documents[0]?.value as JsonObject, '/flags/checkout/filters/payloads/true'),
    }).toEqual({ left: [], payload: mark });
  }
});

test.each<[service: string, stored: JsonObject]>([
  ['says so', { has_encrypted_payloads: true }],
  ['stores it in plain text', {}],
])(
  'of a secret that differs where the service %s, the mark is written, also where only a part is taken',
  (_service, stored) => {
    const groups = '      groups: [{ rollout_percentage: 10 }]\n';
    const fields = '    fields: { is_remote_configuration: true, has_encrypted_payloads: true }\n';
    const manifest = `flags:\n  checkout:\n    active: true\n    filters:\n${groups}      payloads: { "true": { color: red } }\n${fields}`;
    const filters = { groups: [{ properties: [], rollout_percentage: 50 }], payloads: { true: '{"color":"blue"}' } };
    const flags = [live('checkout', { filters, is_remote_configuration: true, ...stored })];
    expect(accept({ manifest, flags, alone: true, options: { selection: only('payloads') } })).toMatchObject({
      left: [],
      edited: [{ text: manifest.replace('{ color: red }', `'"********* (encrypted)"'`) }],
    });
  },
);

test('filters that break a rule of manifests are written unchecked, and stay so while they break it', () => {
  const manifest =
    'flags:\n  checkout:\n    active: true # on\n    filters:\n      groups: [{ rollout_percentage: 10 }]\n';
  const variants = (last: number): JsonObject => ({
    groups: [{ properties: [], rollout_percentage: 10 }],
    multivariate: {
      variants: [
        { key: 'x', rollout_percentage: 50 },
        { key: 'y', rollout_percentage: last },
      ],
    },
  });
  const flags = [live('checkout', { filters: variants(49.99) })];
  const text = textAfter({ manifest, flags, alone: true });
  expect(text).toContain('active: true # on\n    fields:\n      filters:');
  const changed = textAfter({ manifest: text, flags: [live('checkout', { filters: variants(49.5) })], alone: true });
  expect(changed).toBe(text.replace('49.99', '49.5'));
});

test.each([
  ['gets the consent to it', '', '\n    unknown_members: allow'],
  ['keeps the consent that is there', '\n    unknown_members: allow', '\n    unknown_members: allow'],
])('a flag with a member that this release does not know %s', (_, before, after) => {
  const manifest = `flags:\n  checkout:\n    filters: { groups: [{ rollout_percentage: 10 }] }${before}\n`;
  const filters = { ...all(10), bandit_policy: { kind: 'thompson' } };
  expect(textAfter({ manifest, flags: [live('checkout', { filters })], alone: true })).toBe(
    `flags:\n  checkout:\n    filters: { groups: [{ rollout_percentage: 10 }], bandit_policy: { kind: thompson } }${after}\n`,
  );
});

test('a string in double quotes keeps them', () => {
  const manifest = 'flags:\n  checkout:\n    active: true\n    description: "One page" # shown\n';
  expect(textAfter({ manifest, flags: [live('checkout', { name: 'Two pages' })], alone: true })).toBe(
    manifest.replace('One page', 'Two pages'),
  );
});

test('parts of filters that other products decide are left out of what is written', () => {
  const manifest = 'flags:\n  checkout:\n    active: true\n    fields:\n      filters: {}\n';
  const flags = [live('checkout', { filters: { holdout: { id: 0 }, later: 0 } })];
  expect(textAfter({ manifest, flags, alone: true })).toBe(manifest.replace(' {}', '\n        later: 0'));
});

const ACCESS = `flags:
  checkout:
    active: true
    role_access: [Growth] # the team
`;

function entry(id: string, name: string): { id: number; role: { id: string; name: string } } {
  return { id: name.length, role: { id, name } };
}

test('a role with access is added to the list of the flag', () => {
  const flags = [live('checkout')];
  const access = { 1: [entry(GROWTH, 'Growth'), entry(SALES, 'Sales')] };
  expect(textAfter({ manifest: ACCESS, flags, access, alone: true })).toBe(
    ACCESS.replace('[Growth]', '[Growth, Sales]'),
  );
});

const ROLE = `flags:
  checkout:
    active: true
role_access:
  Growth:
    - checkout
`;

test('a role with access is added to the lists of roles, where access is declared there', () => {
  const access = { 1: [entry(GROWTH, 'Growth'), entry(SALES, 'Sales')] };
  expect(textAfter({ manifest: ROLE, flags: [live('checkout')], access, alone: true })).toBe(
    `${ROLE}  Sales: [checkout]\n`,
  );
  expect(textAfter({ manifest: ROLE, flags: [live('checkout')], access })).toBe(
    ROLE.replace('    active: true\n', '    active: true\n    projects:\n      production: { role_access: [Sales] }\n'),
  );
});

test('a role without access is taken from its own list, where only the project is configured', () => {
  const manifest = `${ROLE}  Sales: [checkout] # since May\n`;
  const given = { manifest, flags: [live('checkout')], access: { 1: [entry(SALES, 'Sales')] } };
  expect(textAfter({ ...given, alone: true })).toBe(manifest.replace('\n    - checkout', ' []'));
  expect(accept(given)).toMatchObject({
    edited: [],
    left: [{ key: 'checkout', reason: { code: 'granted-everywhere', role: 'Growth' }, place: { line: 6 } }],
  });
});

test('a role whose list names the flag by a pattern is left, with the place of the pattern', () => {
  const manifest = ROLE.replace('- checkout', '- check*');
  expect(accept({ manifest, flags: [live('checkout')], access: { 1: [] }, alone: true })).toMatchObject({
    edited: [],
    left: [
      {
        key: 'checkout',
        reason: { code: 'granted-by-pattern', role: 'Growth', pattern: 'check*' },
        place: { line: 6, column: 7 },
      },
    ],
  });
});

const RENAMED = `flags:
  # Renamed in the service.
  'checkout': # quoted
    active: true
`;

test('a key that moved in the service is taken over, with the former one as a previous key', () => {
  const manifest = RENAMED.replace("'checkout'", "'checkout-v2'").replace(
    'true\n',
    'true\n    previous_keys: [checkout]\n',
  );
  const back = { manifest, flags: [live('checkout', { active: false })], alone: true };
  expect(textAfter(back)).toBe(`${RENAMED.replace('true', 'false')}    previous_keys: [checkout-v2]\n`);
  expect(accept({ ...back, alone: false })).toMatchObject({ edited: [], left: [{ reason: { code: 'key-in-use' } }] });
});

test('what is taken over of a key that moved is found in the declaration that has the key now, beside others', () => {
  const moved = '  checkout-v2:\n    previous_keys: [checkout]\n    active: true\n';
  const manifest = `flags:\n  another: { active: true, previous_keys: [older] }\n${moved}`;
  const flags = [live('another', { id: 2 }), live('checkout', { active: false })];
  expect(accept({ manifest, flags, alone: true }).accepted).toMatchObject([
    {
      key: 'checkout-v2',
      changes: [
        { path: '/key', place: { line: 3 } },
        { path: '/active', place: { line: 5 } },
      ],
    },
  ]);
});

const MOVED = 'flags:\n  checkout-v2: { only_in: [production], active: true, previous_keys: [checkout] }\n';

test.each([
  [
    'a dependency',
    '  other: { filters: { groups: [{ properties: [{ key: checkout-v2, type: flag, operator: flag_evaluates_to, value: true }] }] } }\n',
    { by: 'flags', names: ['other'] },
    3,
  ],
  [
    'the lists of roles',
    'role_access: { Sales: [checkout-v2], Growth: [checkout-v2] }\n',
    { by: 'roles', names: ['Growth', 'Sales'] },
    3,
  ],
  [
    'an early access feature',
    'early_access: { sharing: { flag: checkout-v2, only_in: [production] } }\n',
    { by: 'features', names: ['early_access:sharing'] },
    3,
  ],
  [
    'an early access feature with the key as its alias',
    'early_access: { checkout-v2: { only_in: [production] } }\n',
    { by: 'features', names: ['early_access:checkout-v2'] },
    3,
  ],
  ['another declaration', '  checkout: { only_in: [staging], active: true }\n', { by: 'declaration' }, 3],
])('a key that moved is left where %s names it', (_what, more, use, line) => {
  const dependency = { key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true };
  const filters = { ...all(100), groups: [{ properties: [dependency], rollout_percentage: 100 }] };
  const flags = [live('checkout'), live('other', { id: 2, filters })];
  const access = { 1: [entry(GROWTH, 'Growth'), entry(SALES, 'Sales')] };
  const { edited, left } = accept({ manifest: MOVED + more, flags, access });
  expect([edited, left]).toMatchObject([
    [],
    [
      {
        key: 'checkout-v2',
        reason: { code: 'key-in-use', key: 'checkout-v2', renamed: 'checkout', use },
        place: { line },
      },
    ],
  ]);
  expect(left[0]).not.toHaveProperty('suggestion');
});

test('with the layer of the base, a key that moved is left where only another project uses it', () => {
  const manifest = RENAMED.replace("'checkout'", 'checkout-v2');
  const feature = 'early_access: { sharing: { flag: checkout-v2, only_in: [staging] } }\n';
  const flags = [live('checkout', { active: false })];
  const options = { layer: 'base' } as const;
  const back = manifest.replace('true\n', 'true\n    previous_keys: [checkout]\n');
  expect(accept({ manifest: back, flags, options }).left).toEqual([]);
  expect(accept({ manifest: back + feature, flags, options })).toMatchObject({
    edited: [],
    left: [{ reason: { use: { by: 'features', names: ['early_access:sharing'] } } }],
  });
});

test('a key that moved in one project only is left, with the two declarations to write, which a plan then finds applied', () => {
  const manifest = `flags:
  checkout:
    active: true
    previous_keys: [checkout-v2, older]
    rollout_percentage: 10
    projects:
      production: { rollout_percentage: 20 }
`;
  const flags = [live('checkout-v2', { filters: all(20) })];
  const { edited, left } = accept({ manifest, flags });
  expect(edited).toEqual([]);
  const suggestion = `flags:
  checkout:
    only_in: [staging]
  checkout-v2:
    active: true
    rollout_percentage: 20
    previous_keys: [older, checkout]
    only_in: [production]`;
  expect(left).toMatchObject([
    { reason: { code: 'key-in-use', use: { by: 'projects', names: ['staging'] } }, place: { line: 2 }, suggestion },
  ]);
  const apart = suggestion.slice(suggestion.indexOf('  checkout-v2'));
  const written = `${manifest.replace('previous_keys: [checkout-v2, older]', 'only_in: [staging]')}${apart}\n`;
  expect(textAfter({ manifest: written, flags })).toBe(written);
  expect(textAfter({ manifest, flags, options: { layer: 'base' } })).toBe(
    manifest.replace('  checkout:', '  checkout-v2:').replace('[checkout-v2, older]', '[older, checkout]'),
  );
});

test('with the layer of the project, a key that moved in one project only gets a declaration of its own', () => {
  const manifest = `flags:
  checkout: # both
    active: true # on
    previous_keys: [older]
    rollout_percentage: 10
    projects:
      production: { rollout_percentage: 20 }
      staging: { tags: [x] }
  other: { active: true }
`;
  const flags = [live('checkout-v2', { filters: all(30) }), live('other', { id: 2 })];
  const traces = { flags: [{ kind: 'former', key: 'checkout', id: 1, evidence: 'recorded' }] } as const;
  expect(textAfter({ manifest, flags, traces, options: { layer: 'project' } })).toBe(`flags:
  checkout: # both
    active: true # on
    previous_keys: [older]
    rollout_percentage: 10
    only_in: [staging]
    projects:
      staging: { tags: [x] }
  other: { active: true }
  checkout-v2:
    active: true
    rollout_percentage: 30
    previous_keys: [older, checkout]
    only_in: [production]
`);
  const alone = manifest.replace('      staging: { tags: [x] }\n', '');
  expect(textAfter({ manifest: alone, flags, traces, options: { layer: 'project' } })).not.toContain('projects:');
});

test('a declaration that others share through an anchor is not split', () => {
  const manifest = `flags:
  checkout: &a { active: true }
  other: *a
`;
  const traces = { flags: [{ kind: 'former', key: 'checkout', id: 1, evidence: 'recorded' }] } as const;
  const flags = [live('checkout-v2'), live('other', { id: 2 })];
  expect(accept({ manifest, flags, traces, options: { layer: 'project' } })).toMatchObject({
    edited: [],
    left: [{ key: 'checkout', reason: { code: 'anchor' } }],
  });
});

test('a name that YAML cannot hold is left, without members that nobody could write', () => {
  const manifest = 'flags:\n  checkout:\n    fields:\n      filters: { later: { "": "" } }\n';
  const flags = [live('checkout', { filters: { later: { '\0': {} } } })];
  const { edited, left } = accept({ manifest, flags, alone: true });
  expect([edited, left]).toMatchObject([[], [{ key: 'checkout', reason: { code: 'unwritable' } }]]);
  expect(left[0]).not.toHaveProperty('suggestion');
});

test('where a member is only removed, nothing is left to write by hand', () => {
  const manifest = 'flags:\n  checkout: &a { deleted: true }\n  other: *a\n';
  const { edited, left } = accept({ manifest, flags: [live('checkout')], alone: true });
  expect([edited, left]).toMatchObject([[], [{ key: 'checkout', reason: { code: 'anchor' } }]]);
  expect(left[0]).not.toHaveProperty('suggestion');
});

describe('a payload that is JSON text in the manifest stays text', () => {
  const written = (payload: string): string =>
    `flags:\n  checkout:\n    filters:\n      groups: [{ rollout_percentage: 10 }]\n      payloads: { "true": ${payload} }\n`;
  const payload = (value: JsonValue): readonly Flag[] => [
    live('checkout', { filters: { ...all(10), payloads: { true: value } } }),
  ];

  test.each<[string, JsonValue, string]>([
    [`'{"color": "red"}'`, '{"color": "blue"}', `'{"color":"blue"}'`],
    // As services before 2026 hold it after a value was sent.
    [`'{"color": "red"}'`, { color: 'blue' }, `'{"color":"blue"}'`],
    [`'"red"'`, '["blue"]', `'["blue"]'`],
    [`'[1]'`, '"blue"', `'"blue"'`],
    ['{ color: red }', '{"color": "blue"}', '{ color: blue }'],
  ])('%s, live %j', (before, value, after) => {
    const given = { flags: payload(value), alone: true };
    expect(textAfter({ ...given, manifest: written(before) })).toBe(written(after));
  });

  test('but for null, which is no text', () => {
    const given = { manifest: written(`'{"color": "red"}'`), flags: payload(null), alone: true };
    expect(textAfter(given)).toBe(written('null'));
  });

  test('also in an overlay, which names no payload that means the same', () => {
    const manifest = written(`'{"color": "red"}'`);
    expect(textAfter({ manifest, flags: payload('{"color": "blue"}') })).toBe(
      `${manifest}    projects:\n      production: { payloads: { "true": '{"color":"blue"}' } }\n`,
    );
    expect(textAfter({ manifest, flags: payload('{ "color":"red" }') })).toBe(manifest);
  });
});

describe('null, which removes in an overlay', () => {
  const FILTERS = 'flags:\n  checkout:\n    filters:\n      groups: [{ rollout_percentage: 10 }]\n';

  test('is written as JSON text where it is in a payload', () => {
    const manifest = `${FILTERS}      payloads: { "true": { x: 1, y: [null] } }\n`;
    const payload = (text: string): readonly Flag[] => [
      live('checkout', { filters: { ...all(10), payloads: { true: text } } }),
    ];
    const overlaid = `${manifest}    projects:\n      production: { payloads: { "true": '{"x":null,"y":[null]}' } }\n`;
    expect(textAfter({ manifest, flags: payload('{"x": null, "y": [null]}') })).toBe(overlaid);
    expect(textAfter({ manifest: overlaid, flags: payload('{"x": 2, "y": [null]}') })).toBe(
      overlaid.replace('"x":null', '"x":2'),
    );
    expect(textAfter({ manifest, flags: payload('{"x": 1, "y": [null]}') })).toBe(manifest);
    // An overlay does not name what the base has.
    const nulls = `${FILTERS}      payloads: { "true": { x: null } }\n`;
    const [flag] = payload('{"x": null}');
    const flags = [live('checkout', { filters: { ...flag?.filters, groups: all(20)['groups'] as JsonValue } })];
    expect(textAfter({ manifest: nulls, flags })).toBe(
      `${nulls}    projects:\n      production: { conditions: { "1": { rollout_percentage: 20 } } }\n`,
    );
  });

  test.each<[string, string, JsonObject, string]>([
    [
      'a member',
      'ensure_experience_continuity: true',
      { ensure_experience_continuity: null },
      'ensure_experience_continuity: null\n    projects:\n      staging: { ensure_experience_continuity: true }',
    ],
    [
      'a value in a field',
      'fields: { x: { y: 1, z: 2 } }',
      { x: { y: null, z: 2 } },
      'fields: { x: { y: null, z: 2 } }\n    projects:\n      staging: { fields: { x: { "y": 1 } } }',
    ],
    [
      'a member that the overlay had',
      'projects:\n      production: { performed_rollback: true }',
      { performed_rollback: null },
      'performed_rollback: null\n    projects:\n      staging: { performed_rollback: null }',
    ],
  ])('is written for all projects, and overlays keep what the others have: %s', (_what, member, fields, after) => {
    const manifest = `flags:\n  checkout:\n    ${member}\n`;
    const given = { manifest, flags: [live('checkout', fields)] };
    expect(textAfter(given)).toBe(manifest.replace(member, after));
    expect(accept({ ...given, options: { layer: 'project' } })).toMatchObject({
      edited: [],
      left: [{ reason: { code: 'not-expressible' } }],
    });
  });

  const AGGREGATED = {
    ...all(10),
    groups: [{ properties: [], rollout_percentage: 10, aggregation_group_type_index: 0 }],
    aggregation_group_type_index: null,
  };

  const KEPT = { aggregation_group_type_index: null, groups: [{ rollout_percentage: 10 }] };

  test.each<[string, string, JsonObject]>([
    ['filters', 'filters:\n      groups: [{ rollout_percentage: 10 }]\n', { filters: KEPT }],
    [
      'unchecked filters',
      'fields: { filters: { groups: [{ rollout_percentage: 10 }] } }\n',
      { fields: { filters: KEPT } },
    ],
    ['no filters', 'projects: { production: { rollout_percentage: 10 } }\n', { filters: null }],
  ])('is written for all projects where it is in filters, and the others keep %s', (_what, member, staging) => {
    const manifest = `flags:\n  checkout:\n    ${member}`;
    const text = textAfter({ manifest, flags: [live('checkout', { filters: AGGREGATED })] });
    expect(text).toMatch(/\n {4}(fields|filters):(.|\n)*aggregation_group_type_index: null(.|\n)*projects:/);
    const written = readYaml('', text).documents[0]?.value;
    expect(valueAt(written, '/flags/checkout/projects')).toEqual({ staging });
  });

  test('is left where the shorthand of another project would discard what is written for all', () => {
    const manifest = 'flags:\n  checkout:\n    rollout_percentage: 10\n';
    const { left } = accept({ manifest, flags: [live('checkout', { filters: AGGREGATED })] });
    expect(left).toMatchObject([{ reason: { code: 'not-expressible' } }]);
  });
});
