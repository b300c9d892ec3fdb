import { describe, expect, it } from 'vitest';
import { check, ENGINEERING, problems, PRODUCTION, SUPPORT } from '../../core/manifest/check.ts';

/** Flag key to the names (or ids) of its roles, for flags whose role access is managed. */
function access(text: string): Record<string, string[]> {
  return Object.fromEntries(
    check(text).desired.flags.flatMap((flag) =>
      flag.kind === 'declared' && flag.roleAccess !== undefined
        ? [[flag.key, flag.roleAccess.map(({ id, name }) => name ?? id)]]
        : [],
    ),
  );
}

describe('role access', () => {
  it.each([
    ['flags: { a: {} }', {}],
    ['flags: { a: { role_access: [] } }', { a: [] }],
    ['flags: { a: { role_access: [support, engineering] } }', { a: ['engineering', 'support'] }],
    [`flags: { a: { role_access: [${ENGINEERING.toUpperCase()}] } }`, { a: [ENGINEERING] }],
    [`flags: { a: { role_access: [${ENGINEERING}, engineering] } }`, { a: ['engineering'] }],
    ['flags: { a: {}, b: {} }\nrole_access: { support: [a] }', { a: ['support'] }],
    [
      'flags: { help-a: {}, help-b: {}, c: {} }\nrole_access: { support: ["help-*"] }',
      { 'help-a': ['support'], 'help-b': ['support'] },
    ],
    [
      'flags: { a: { role_access: [engineering] } }\nrole_access: { support: ["*"] }',
      { a: ['engineering', 'support'] },
    ],
    ['flags: { a: { role_access: [] } }\nrole_access: { support: ["{a,b}"] }', { a: ['support'] }],
    [`flags: { a: {} }\nrole_access: { ${SUPPORT}: [a] }`, { a: [SUPPORT] }],
    ['flags: { a: { role_access: [support], projects: { production: { role_access: null } } } }', {}],
    [
      'flags: { a: { role_access: [support], projects: { production: { role_access: [engineering] } } } }',
      { a: ['engineering'] },
    ],
    ['role_access: { support: [a] }\n---\nflags: { a: {} }', { a: ['support'] }],
  ])('is read from %s as %j', (text, expected) => {
    expect(problems(text)).toEqual([]);
    expect(access(text)).toEqual(expected);
  });

  it.each([
    ['flags: { a: { role_access: [enginering] } }', ['error role-unknown /flags/a/role_access/0']],
    [
      'flags: { a: { projects: { production: { role_access: [x] } } } }',
      ['error role-unknown /flags/a/projects/production/role_access/0'],
    ],
    ['flags: { a: {} }\nrole_access: { suport: [a] }', ['error role-unknown /role_access/suport']],
    ['flags: { a: {} }\nrole_access: { support: [b] }', ['error flag-unknown /role_access/support/0']],
    [
      'flags: { a: {} }\nrole_access: { support: ["b-*"] }',
      ['warning role-glob-matches-nothing /role_access/support/0'],
    ],
    [
      'flags: { a: {}, b: {} }\nrole_access: { support: ["!a"] }',
      ['warning role-glob-matches-nothing /role_access/support/0'],
    ],
    [
      'flags: { a: { deleted: true } }\nrole_access: { support: [a] }',
      ['warning role-access-on-deleted /role_access/support/0'],
    ],
    ['flags: { a: { only_in: [staging] } }\nrole_access: { nobody: [a], support: ["a*"] }', []],
    ['flags: { a: { role_access: [constructor] } }', ['error role-unknown /flags/a/role_access/0']],
  ])('in %s has the diagnostics %j', (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });

  it('with an unknown role is reported with a suggestion and the project', () => {
    const { diagnostics } = check('flags: { a: { role_access: [enginering] } }', PRODUCTION);
    expect(diagnostics[0]?.args).toEqual({ role: 'enginering', project: 'production', suggestion: 'engineering' });
  });

  it('of the top-level section has the place of the key or glob that grants it', () => {
    const [flag] = check('flags: { a: {} }\nrole_access:\n  support:\n    - "*"\n').desired.flags;
    expect(flag?.kind === 'declared' ? flag.roleAccess : undefined).toEqual([
      { id: SUPPORT, name: 'support', place: { file: 'flags.yaml', line: 4, column: 7 } },
    ]);
  });
});

/** Flag key to the levels that its manifest declares: `default`, and roles by name. */
function levels(text: string): Record<string, Record<string, string | null>> {
  return Object.fromEntries(
    check(text).desired.flags.flatMap((flag) => {
      if (flag.kind !== 'declared' || (flag.roleAccess ?? flag.everyone) === undefined) return [];
      const roles = (flag.roleAccess ?? []).map(({ id, name, level }) => [name ?? id, level ?? 'editor'] as const);
      return [[flag.key, { ...(flag.everyone && { default: flag.everyone.level }), ...Object.fromEntries(roles) }]];
    }),
  );
}

describe('access', () => {
  it.each([
    ['flags: { a: { access: {} } }', {}],
    ['flags: { a: { access: { roles: {} } } }', { a: {} }],
    ['flags: { a: { access: { default: viewer } } }', { a: { default: 'viewer' } }],
    ['flags: { a: { access: { default: inherited } } }', { a: { default: null } }],
    [
      'flags: { a: { access: { default: none, roles: { engineering: editor, support: manager } } } }',
      { a: { default: 'none', engineering: 'editor', support: 'manager' } },
    ],
    [`flags: { a: { access: { roles: { ${SUPPORT}: viewer } } } }`, { a: { [SUPPORT]: 'viewer' } }],
    [
      'flags: { a: { role_access: [engineering], access: { default: viewer } } }',
      { a: { default: 'viewer', engineering: 'editor' } },
    ],
    [
      'flags: { a: { access: { roles: { engineering: viewer } } } }\nrole_access: { support: [a] }',
      { a: { engineering: 'viewer', support: 'editor' } },
    ],
    [
      'flags: { a: { access: { default: none, roles: { engineering: viewer, support: editor } }, projects: { production: { access: { default: null, roles: { support: null } } } } } }',
      { a: { engineering: 'viewer' } },
    ],
    ['flags: { a: { access: { default: none }, projects: { production: { access: null } } } }', {}],
  ])('is read from %s as %j', (text, expected) => {
    expect(problems(text)).toEqual([]);
    expect(levels(text)).toEqual(expected);
  });

  it.each([
    ['flags: { a: { access: viewer } }', ['error type-wrong /flags/a/access']],
    ['flags: { a: { access: { default: owner } } }', ['error value-not-allowed /flags/a/access/default']],
    [
      'flags: { a: { access: { roles: { engineering: 3 } } } }',
      ['error value-not-allowed /flags/a/access/roles/engineering'],
    ],
    ['flags: { a: { access: { levels: {} } } }', ['error property-unknown /flags/a/access/levels']],
    [
      'flags: { a: { access: { roles: { enginering: viewer } } } }',
      ['error role-unknown /flags/a/access/roles/enginering'],
    ],
    [
      'flags: { a: { role_access: [support], access: { roles: { engineering: viewer } } } }',
      ['error combination-forbidden /flags/a/access/roles'],
    ],
    [
      'flags: { a: { role_access: [support], projects: { production: { access: { roles: { support: viewer } } } } } }',
      ['error combination-forbidden /flags/a/projects/production/access/roles'],
    ],
    [
      'flags: { a: { access: { roles: { support: viewer } } } }\nrole_access: { support: [a] }',
      ['error access-conflict /role_access/support/0'],
    ],
  ])('in %s has the diagnostics %j', (text, expected) => {
    expect(problems(text)).toEqual(expected);
  });
});
