/** Changes of access after which nobody may edit a flag, or its owner of the key may not, beside those after which somebody may. */

import { describe, expect, test } from 'vitest';
import type { DesiredLevel, DesiredRole } from '../../../src/posthog/desired.ts';
import type { FlagAccess, AccessRule } from '../../../src/posthog/role-access/access.ts';
import { allowing, declared, desiredState, entry, liveFlag, liveState, planFor } from '../../helpers/states.ts';

const PLACE = { file: 'flags/test.yaml', line: 1, column: 1 };

interface Wanted {
  readonly roles?: Readonly<Record<string, { readonly level?: string }>>;
  readonly everyone?: string | null;
}

function hazardsOf(access: FlagAccess, { roles, everyone }: Wanted): unknown {
  const flag = {
    ...declared('a'),
    ...(roles === undefined
      ? {}
      : { roleAccess: Object.entries(roles).map(([id, level]): DesiredRole => ({ id, ...level, place: PLACE })) }),
    ...(everyone === undefined ? {} : { everyone: { level: everyone, place: PLACE } satisfies DesiredLevel }),
  };
  const { changes, hazards } = planFor(desiredState(flag), liveState([liveFlag(1, 'a')], { '1': access }), {
    exceptions: allowing(),
  });
  expect(changes.length).toBeGreaterThan(0);
  return hazards.map(({ code }) => code);
}

describe('in 2023', () => {
  test.each<[string, readonly string[], Wanted, readonly string[]]>([
    ['the only role goes', ['r1'], { roles: {} }, ['lockout']],
    ['both roles go', ['r1', 'r2'], { roles: {} }, ['lockout']],
    ['one of two roles goes', ['r1', 'r2'], { roles: { r2: {} } }, []],
    ['one role takes the place of another', ['r1'], { roles: { r2: {} } }, []],
    ['the first role comes', [], { roles: { r1: {} } }, []],
  ])('where %s', (_, held, wanted, codes) => {
    expect(
      hazardsOf(
        held.map((role, index) => entry(index + 1, role)),
        wanted,
      ),
    ).toEqual(codes);
  });
});

describe('today', () => {
  const rule = (role: string | null, access_level: string, member: string | null = null): AccessRule => ({
    access_level,
    role,
    organization_member: member,
  });
  const held = (rules: readonly AccessRule[], more: object = {}): FlagAccess => ({ access_controls: rules, ...more });

  test.each<[string, FlagAccess, Wanted, readonly string[]]>([
    [
      'everyone and the only role become viewers',
      held([rule('r1', 'manager'), rule(null, 'editor')]),
      { roles: { r1: { level: 'viewer' } }, everyone: 'viewer' },
      ['lockout'],
    ],
    [
      'everyone becomes a viewer, and a role stays a manager',
      held([rule('r1', 'manager'), rule(null, 'editor')]),
      { everyone: 'viewer' },
      [],
    ],
    [
      'everyone becomes a viewer, and a role stays an editor',
      held([rule('r1', 'editor'), rule(null, 'manager')], { user_can_edit_access_levels: true }),
      { everyone: 'viewer' },
      ['own_access'],
    ],
    [
      'everyone inherits what may edit',
      held([rule('r1', 'editor'), rule(null, 'editor')], { default_access_level: 'editor' }),
      { roles: {}, everyone: null },
      [],
    ],
    [
      'everyone inherits what may not edit',
      held([rule('r1', 'editor'), rule(null, 'editor')], {
        default_access_level: 'viewer',
        inherited_access: 'viewer',
      }),
      { roles: {}, everyone: 'viewer' },
      ['lockout'],
    ],
    [
      'a member stays an editor',
      held([rule('r1', 'editor'), rule(null, 'viewer'), rule(null, 'editor', 'm1')]),
      { roles: {} },
      [],
    ],
    ['nobody could edit before', held([rule('r1', 'viewer'), rule(null, 'viewer')]), { roles: {} }, []],
  ])('where %s', (_, access, wanted, codes) => {
    expect(hazardsOf(access, wanted)).toEqual(codes);
  });
});
