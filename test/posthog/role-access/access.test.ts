/** Plans of access on today's service: what they change, warn of and refuse. */

import { describe, expect, it } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import type { DeclaredFlag, DesiredRole } from '../../../src/posthog/desired.ts';
import type { LiveState } from '../../../src/posthog/live.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import type { FlagAccess, Organization } from '../../../src/posthog/role-access/access.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';

const PLACE = { file: 'flags/test.yaml', line: 3, column: 5 };
const today = liveFlag(7, 'a', { user_access_level: 'manager' });

/** `everyone`, `member`, or the id of a role. */
type Levels = Readonly<Record<string, string>>;

function rules(levels: Levels, fields: object = {}): FlagAccess {
  const access_controls = Object.entries(levels).map(([subject, level]) => ({
    access_level: level,
    role: subject === 'everyone' || subject === 'member' ? null : subject,
    organization_member: subject === 'member' ? 'm1' : null,
  }));
  return {
    access_controls,
    user_can_edit_access_levels: true,
    inherited_access: { access_level: 'editor' },
    ...fields,
  };
}

function access(roles: Levels | undefined, everyone?: string | null): DeclaredFlag {
  const roleAccess = Object.entries(roles ?? {}).map(([id, level]): DesiredRole => ({
    id,
    ...(level === 'editor' ? {} : { level }),
    place: PLACE,
  }));
  return {
    ...declared('a'),
    ...(roles === undefined ? {} : { roleAccess }),
    ...(everyone === undefined ? {} : { everyone: { level: everyone, place: PLACE } }),
  };
}

function plan(flag: DeclaredFlag, live: FlagAccess, organization?: Organization): Plan {
  const state: LiveState = {
    ...liveState([today], { 7: live }),
    ...(organization === undefined ? {} : { organization }),
  };
  return planFor(desiredState(flag), state);
}

const acts = ({ changes }: Plan): unknown[] =>
  changes.map((change) =>
    change.resource === 'role_access'
      ? [change.action, change.role?.id, ...('level' in change ? [change.level] : [])]
      : change.action,
  );
const hazards = ({ hazards: found }: Plan): string[] => found.map(({ code }) => code);
const warnings = ({ warnings: found }: Plan): string[] => found.map(({ code }) => code);

describe('a plan', () => {
  it.each<[string, DeclaredFlag, Levels, unknown[]]>([
    ['nothing that is as declared', access({ r1: 'viewer' }, 'none'), { r1: 'viewer', everyone: 'none' }, []],
    ['a new role', access({ r1: 'manager' }), {}, [['grant', 'r1', 'manager']]],
    ['another level', access({ r1: 'editor' }), { r1: 'viewer' }, [['adjust', 'r1', 'editor']]],
    ['a role that is not declared', access({}), { r1: 'viewer' }, [['revoke', 'r1', 'viewer']]],
    ['the level of everyone', access(undefined, 'viewer'), { r1: 'viewer' }, [['adjust', undefined, 'viewer']]],
    [
      'the flag’s own level, to be inherited',
      access(undefined, null),
      { everyone: 'none' },
      [['adjust', undefined, null]],
    ],
    ['no level of a member', access({}, null), { member: 'none' }, []],
  ])('changes %s', (_name, flag, live, expected) => {
    expect(acts(plan(flag, rules(live)))).toEqual(expected);
  });

  it('raises levels before it lowers or revokes any', () => {
    const { changes } = plan(
      access({ r1: 'viewer', r2: 'manager' }),
      rules({ r1: 'manager', r2: 'viewer', r3: 'editor' }),
    );
    const raise = 'role_access:a:r2';
    expect(changes.map(({ ref, needs }) => [ref, needs])).toEqual(
      [
        ['role_access:a:r1', [raise]],
        [raise, []],
        ['role_access:a:r3', [raise]],
      ].toSorted(([a], [b]) => Number(a !== raise) - Number(b !== raise)),
    );
  });

  it.each<[string, DeclaredFlag, Levels, string[]]>([
    ['the last editor, where everyone may only view', access({}), { r1: 'editor', everyone: 'viewer' }, ['lockout']],
    ['the last editor, where everyone may edit', access({}), { r1: 'editor' }, []],
    ['the last editor, where a member may edit', access({}), { r1: 'editor', everyone: 'none', member: 'editor' }, []],
    ['editing from everyone', access(undefined, 'viewer'), {}, ['lockout']],
    ['editing from everyone, where a role may edit', access(undefined, 'viewer'), { r1: 'editor' }, []],
    ['the last manager', access({ r1: 'editor' }), { r1: 'manager' }, ['own_access']],
    ['one of two managers', access({ r1: 'editor', r2: 'manager' }), { r1: 'manager', r2: 'manager' }, []],
  ])('that takes %s has the hazards %j', (_name, flag, live, expected) => {
    expect(hazards(plan(flag, rules(live)))).toEqual(expected);
  });

  it('leaves out what the key may not read, and says so', () => {
    const made = plan(access({ r1: 'editor' }), { refused: 'API key missing required scope' });
    expect(acts(made)).toEqual([]);
    expect(made.warnings).toEqual([{ code: 'access_refused', key: 'a', detail: 'API key missing required scope' }]);
  });

  it('leaves out the levels of roles that nobody has paid for, and says so', () => {
    const made = plan(access({ r1: 'editor' }, 'viewer'), rules({ member: 'editor' }), {
      roleNames: {},
      lacksRoleAccess: true,
    });
    expect(acts(made)).toEqual([['adjust', undefined, 'viewer']]);
    expect(warnings(made)).toEqual(['access_of_members', 'access_unpaid']);
  });

  it('says that the owner of the key may not change it', () => {
    const fixed = rules({}, { user_can_edit_access_levels: false });
    expect(warnings(plan(access({ r1: 'viewer' }), fixed))).toEqual(['access_fixed']);
    expect(warnings(plan(access({}), fixed))).toEqual([]);
  });

  it('names a role that only the organization names', () => {
    const { changes } = plan(access({}), rules({ r1: 'viewer' }), {
      roleNames: { r1: 'growth' },
      lacksRoleAccess: false,
    });
    expect(changes).toMatchObject([{ action: 'revoke', role: { id: 'r1', name: 'growth' } }]);
  });

  it('refuses levels on a service of 2023, with the place of each', () => {
    const live = liveState([liveFlag(7, 'a')], { 7: [] });
    const make = (): unknown => planFor(desiredState(access({ r1: 'viewer', r2: 'editor' }, 'none')), live);
    expect(make).toThrow(FlagwrightError);
    expect(make).toThrow(
      expect.objectContaining({
        code: 'manifest_invalid',
        diagnostics: [
          { code: 'access-unsupported', severity: 'error', args: { key: 'a', level: 'none' }, place: PLACE },
          {
            code: 'access-unsupported',
            severity: 'error',
            args: { key: 'a', level: 'viewer', role: 'r1' },
            place: PLACE,
          },
        ],
      }) as Error,
    );
    const edits = planFor(desiredState(access({ r2: 'editor' }, null)), live);
    expect(edits.changes).toMatchObject([{ action: 'grant', role: { id: 'r2' } }]);
  });
});
