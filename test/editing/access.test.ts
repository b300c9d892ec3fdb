/** How live access is written, in each form that a manifest has it in: lists of the flag, levels, and lists of roles. */

import { describe, expect, test } from 'vitest';
import { defined } from '../../src/base/optional.ts';
import { acceptLive, type AcceptInput } from '../../src/editing/actions/accept.ts';
import type { Accepted } from '../../src/editing/edit.ts';
import { readTexts } from '../../src/editing/texts.ts';
import { buildPlan } from '../../src/posthog/planning/build-plan.ts';
import { parseFieldPath } from '../../src/posthog/flag/model/fields.ts';
import type { Flag } from '../../src/posthog/flag/model/flag.ts';
import type { AccessRule } from '../../src/posthog/role-access/access.ts';

const [GROWTH, SALES, SUPPORT] = ['1', '2', '3'].map((digit) => `${digit.repeat(8)}-1111-4111-8111-111111111111`) as [
  string,
  string,
  string,
];
const PRODUCTION = { name: 'production', roles: { Growth: GROWTH, Sales: SALES }, cohorts: {} };
const STAGING = { ...PRODUCTION, name: 'staging' };

const FILTERS = { groups: [{ properties: [], rollout_percentage: 100 }], multivariate: null, payloads: {} };
const FLAG: Flag = { id: 1, key: 'checkout', name: '', active: true, filters: FILTERS, user_access_level: 'manager' };

/** The levels of the roles by id, and `everyone`. */
interface Levels {
  readonly roles?: Readonly<Record<string, string>>;
  readonly everyone?: string;
  readonly only?: AcceptInput['selection']['only'];
}

function accept(manifest: string, { roles = {}, everyone, only }: Levels, alone = true): Accepted {
  const projects = alone ? [PRODUCTION] : [PRODUCTION, STAGING];
  const manifests = [{ file: 'flags.yaml', text: manifest }];
  const rule = (level: string, role: string | null): AccessRule => ({
    access_level: level,
    role,
    organization_member: null,
    resource: 'feature_flag',
    resource_id: '1',
  });
  const controls = [
    ...Object.entries(roles).map(([role, level]) => rule(level, role)),
    ...(everyone === undefined ? [] : [rule(everyone, null)]),
  ];
  const access = { access_controls: controls, default_access_level: 'editor' };
  const live = {
    flags: [FLAG, { ...FLAG, id: 2, key: 'search' }],
    roleAccess: { 1: access, 2: { access_controls: [rule('editor', SALES)], default_access_level: 'editor' } },
    organization: { roleNames: { [GROWTH]: 'Growth', [SALES]: 'Sales' }, lacksRoleAccess: false },
  };
  const { desired, diagnostics } = readTexts(
    manifests,
    projects.map(({ name }) => name),
  ).resolve(PRODUCTION);
  expect(diagnostics).toEqual([]);
  const plan = buildPlan(desired, live);
  const selection = { pending: false, ...defined({ only }) };
  return acceptLive({ live, project: PRODUCTION, projects, manifests, plan, layer: 'auto', selection });
}

function textAfter(manifest: string, levels: Levels, alone?: boolean): string {
  const { edited, left } = accept(manifest, levels, alone);
  expect(left).toEqual([]);
  const text = edited[0]?.text ?? manifest;
  expect(accept(text, levels, alone)).toMatchObject({ edited: [], accepted: [], left: [] });
  return text;
}

const declared = (access: string): string => `flags:\n  checkout:\n    active: true\n${access}`;
const LEVELS = declared('    access: { default: viewer, roles: { Growth: editor } } # who\n');

describe('levels', () => {
  test('of a role move, come and go where they are written', () => {
    const everyone = 'viewer';
    expect(textAfter(LEVELS, { everyone, roles: { [GROWTH]: 'manager' } })).toBe(LEVELS.replace('editor', 'manager'));
    expect(textAfter(LEVELS, { everyone, roles: { [GROWTH]: 'editor', [SALES]: 'viewer' } })).toBe(
      LEVELS.replace('editor }', 'editor, Sales: viewer }'),
    );
    expect(textAfter(LEVELS, { everyone })).toBe(LEVELS.replace('{ Growth: editor }', '{}'));
    expect(textAfter(LEVELS, { everyone }, false)).toBe(
      `${LEVELS}    projects:\n      production: { access: { roles: { Growth: null } } }\n`,
    );
  });

  test('of a role without a name are written with its id', () => {
    const roles = { [GROWTH]: 'editor', [SUPPORT]: 'viewer' };
    expect(textAfter(LEVELS, { everyone: 'viewer', roles })).toBe(
      LEVELS.replace('editor }', `editor, ${SUPPORT}: viewer }`),
    );
  });

  test('of everyone move, and are inherited where the flag has none', () => {
    const roles = { [GROWTH]: 'editor' };
    expect(textAfter(LEVELS, { everyone: 'none', roles })).toBe(LEVELS.replace('viewer', 'none'));
    expect(textAfter(LEVELS, { roles })).toBe(LEVELS.replace('viewer', 'inherited'));
    const alone = declared('    access: { default: viewer }\n');
    expect(textAfter(alone, { everyone: 'editor', roles })).toBe(alone.replace('viewer', 'editor'));
  });

  test('are taken for one role, by its name or its id', () => {
    const roles = { [GROWTH]: 'manager', [SALES]: 'viewer' };
    for (const name of ['Sales', SALES]) {
      const path = parseFieldPath(`/role_access/roles/${name}`);
      if ('problem' in path) throw new Error(name);
      const { edited } = accept(LEVELS, { everyone: 'none', roles, only: { flags: [path] } });
      expect(edited.map(({ text }) => text)).toEqual([LEVELS.replace('editor }', 'editor, Sales: viewer }')]);
    }
  });

  test('of one project come into its overlay', () => {
    expect(textAfter(LEVELS, { everyone: 'viewer', roles: { [GROWTH]: 'manager' } }, false)).toBe(
      `${LEVELS}    projects:\n      production: { access: { roles: { Growth: manager } } }\n`,
    );
    expect(textAfter(LEVELS, { everyone: 'viewer', roles: { [SALES]: 'viewer' } }, false)).toBe(
      `${LEVELS}    projects:\n      production: { access: { roles: { Growth: null, Sales: viewer } } }\n`,
    );
    expect(textAfter(LEVELS, { roles: { [GROWTH]: 'editor' } }, false)).toBe(
      `${LEVELS}    projects:\n      production: { access: { default: inherited } }\n`,
    );
  });
});

describe('a list of the flag', () => {
  const LIST = declared('    role_access: [Growth] # the team\n');

  test('becomes levels when a role is no editor, for all its roles', () => {
    expect(textAfter(LIST, { roles: { [GROWTH]: 'editor', [SALES]: 'viewer' } })).toBe(
      declared('    # the team\n    access: { roles: { Growth: editor, Sales: viewer } }\n'),
    );
  });

  test('stays a list, and goes empty, while its roles are editors', () => {
    expect(textAfter(LIST, { roles: { [GROWTH]: 'editor', [SALES]: 'editor' } })).toBe(LIST.replace(']', ', Sales]'));
    expect(textAfter(LIST, {})).toBe(LIST.replace('[Growth]', '[]'));
  });

  test('beside a level for everyone keeps its form', () => {
    const both = declared('    role_access: [Growth]\n    access: { default: viewer }\n');
    expect(textAfter(both, { everyone: 'editor', roles: { [SALES]: 'editor' } })).toBe(
      both.replace('Growth', 'Sales').replace('viewer', 'editor'),
    );
  });
});

describe('lists of roles', () => {
  const LISTS = declared('role_access:\n  Growth: [checkout]\n');

  test('keep the roles that are editors there; another level is written at the flag', () => {
    expect(textAfter(LISTS, { roles: { [GROWTH]: 'editor', [SALES]: 'viewer' } })).toBe(
      LISTS.replace('role_access', '    access: { roles: { Sales: viewer } }\nrole_access'),
    );
  });

  test('lose a role and gain another, in its own list if there is one', () => {
    const lists = declared('role_access:\n  Growth: [checkout]\n  Sales: []\n');
    expect(textAfter(lists, { roles: { [GROWTH]: 'editor', [SALES]: 'editor' } })).toBe(
      lists.replace('Sales: []', 'Sales: [checkout]'),
    );
    expect(textAfter(LISTS, {})).toBe(
      LISTS.replace('[checkout]', '[]').replace('true\n', 'true\n    role_access: []\n'),
    );
  });

  test('of a role with another level now lose the flag', () => {
    expect(textAfter(LISTS, { roles: { [GROWTH]: 'viewer' } })).toBe(
      declared('    access: { roles: { Growth: viewer } }\nrole_access:\n  Growth: []\n'),
    );
    expect(accept(LISTS, { roles: { [GROWTH]: 'viewer' } }, false)).toMatchObject({
      edited: [],
      left: [{ key: 'checkout', reason: { code: 'granted-everywhere', role: 'Growth' } }],
    });
  });

  test('that name other flags stay as they are', () => {
    const lists = declared('  search: {}\nrole_access:\n  Growth: [checkout]\n  Sales: [search]\n');
    expect(textAfter(lists, { roles: { [GROWTH]: 'editor', [SALES]: 'editor' } })).toBe(
      lists.replace('[search]', '[search, checkout]'),
    );
  });

  test('of a role that has its id there', () => {
    const lists = declared(`role_access:\n  ${GROWTH}: [checkout]\n`);
    expect(textAfter(lists, { roles: { [GROWTH]: 'editor', [SUPPORT]: 'editor' } })).toBe(
      `${lists}  ${SUPPORT}: [checkout]\n`,
    );
  });
});
