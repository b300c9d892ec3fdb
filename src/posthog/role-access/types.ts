/** The types of role access as a kind of resource. It is attached to flags, so a declared flag has the declared access. */

import type { AccessWarning, LockoutRisk, OwnAccessRisk, RoleChange } from './change.ts';
import type { RoleAccessProblems } from './problems.ts';

export interface RoleAccessTypes {
  readonly change: RoleChange;
  readonly warning: AccessWarning;
  readonly risk: LockoutRisk | OwnAccessRisk;
  readonly problems: RoleAccessProblems;
}
