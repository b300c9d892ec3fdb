/** Refuses declared levels that the project's service cannot hold: roles of 2023 can edit a flag, and that is all. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { summarizeWith } from '../../base/wording.ts';
import type { DiagnosticOf } from '../../base/diagnostic.ts';
import type { DeclaredFlag, DesiredState } from '../desired.ts';
import type { Wire } from './access.ts';
import type { RoleAccessProblems } from './problems.ts';
import { ROLE_ACCESS_WORDS } from './words.ts';

type UnsupportedAccess = DiagnosticOf<Pick<RoleAccessProblems, 'access-unsupported'>>;

/** @throws {FlagwrightError} `manifest_invalid` with the place of each of them. */
export function refuseUnsupportedAccess({ flags }: DesiredState, wire: Wire | undefined): void {
  if (wire !== 'entries') return;
  const diagnostics = flags.flatMap((flag) => (flag.kind === 'declared' ? findUnsupportedAccess(flag) : []));
  if (diagnostics.length === 0) return;
  throw new FlagwrightError('manifest_invalid', summarizeWith(ROLE_ACCESS_WORDS, diagnostics), { diagnostics });
}

function findUnsupportedAccess({ key, roleAccess = [], everyone }: DeclaredFlag): UnsupportedAccess[] {
  const roles = roleAccess.flatMap(({ id, name = id, level, place }): UnsupportedAccess[] =>
    level === undefined ? [] : [problem({ key, level, role: name }, place)],
  );
  return typeof everyone?.level === 'string'
    ? [problem({ key, level: everyone.level }, everyone.place), ...roles]
    : roles;
}

function problem(args: UnsupportedAccess['args'], place: UnsupportedAccess['place']): UnsupportedAccess {
  return { code: 'access-unsupported', severity: 'error', args, ...defined({ place }) };
}
