import { expect, test } from 'vitest';
import { acceptLive, type AcceptInput } from '../../../src/editing/accept/accept.ts';
import type { Accepted } from '../../../src/editing/accept/accepted.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import type { JsonObject } from '../../../src/base/json.ts';
import { buildPlan } from '../../../src/posthog/build-plan.ts';
import { parseFieldPath } from '../../../src/posthog/flag/field-path.ts';
import type { Flag } from '../../../src/posthog/flag/flag.ts';
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
  readonly options?: Partial<Pick<AcceptInput, 'layer' | 'selection'>>;
  readonly alone?: boolean;
}

function accept({ manifest, flags, access = {}, options = {}, alone = false }: Case): Accepted {
  const projects = alone ? [PRODUCTION] : [PRODUCTION, STAGING];
  const manifests = [{ file: 'flags.yaml', text: manifest }];
  const live = { flags, roleAccess: access };
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
  const again = accept({ ...given, manifest: text });
  expect(again).toMatchObject({ edited: [], accepted: [], left: [] });
  return text;
}

function live(key: string, fields: JsonObject = {}): Flag {
  return { id: 1, key, name: '', active: true, deleted: false, filters: all(100), tags: [], ...fields };
}

function all(rollout: number): JsonObject {
  return { groups: [{ properties: [], rollout_percentage: rollout }], multivariate: null, payloads: {} };
}

function only(text: string): AcceptInput['selection'] {
  const path = parseFieldPath(text);
  if ('problem' in path) throw new Error(text);
  return { only: [path], pending: false };
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

test.each([
  [
    'a dependency',
    '  other: { filters: { groups: [{ properties: [{ key: checkout-v2, type: flag, operator: flag_evaluates_to, value: true }] }] } }\n',
  ],
  ['the list of a role', 'role_access: { Growth: [checkout-v2] }\n'],
  ['another project', '  checkout: { only_in: [staging], active: true }\n'],
])('a key that moved is left where %s names it', (_what, more) => {
  const manifest = `flags:\n  checkout-v2: { only_in: [production], active: true, previous_keys: [checkout] }\n${more}`;
  const dependency = { key: '1', type: 'flag', operator: 'flag_evaluates_to', value: true };
  const filters = { ...all(100), groups: [{ properties: [dependency], rollout_percentage: 100 }] };
  const flags = [live('checkout'), live('other', { id: 2, filters })];
  expect(accept({ manifest, flags, access: { 1: [entry(GROWTH, 'Growth')] } })).toMatchObject({
    edited: [],
    left: [{ key: 'checkout-v2', reason: { code: 'key-in-use' } }],
  });
});
