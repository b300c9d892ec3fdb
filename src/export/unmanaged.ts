/** Finds what the manifests of an export leave undeclared although they could declare it. */

import { memberOf } from '../base/json.ts';
import { FLAG_FIELDS } from '../posthog/flag/fields.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import { isUsual } from '../posthog/flag/layout/flag.ts';
import type { HeldAccess } from '../posthog/role-access/access.ts';
import { heldFor } from './access.ts';
import type { ExportInput, ExportOptions, UnmanagedMember, UnmanagedReason } from './export.ts';

/** In the order of a manifest, role access last. `flags` are those that are in the files. */
export function findUnmanaged(
  flags: readonly Flag[],
  input: Pick<ExportInput, 'roleAccess' | 'organization'>,
  { minimal = false }: ExportOptions,
): UnmanagedMember[] {
  const count = (member: string, reason: UnmanagedReason, omits: (flag: Flag) => boolean): UnmanagedMember[] => {
    const omitting = flags.filter(omits).length;
    return omitting === 0 ? [] : [{ member, flags: omitting, reason }];
  };
  const fields = FLAG_FIELDS.flatMap((field): UnmanagedMember[] => {
    if (field.ownership === 'computed' || field.declaredBy !== undefined || field.api === 'filters') return [];
    const member = field.manifest ?? `fields.${field.api}`;
    if (field.write === undefined)
      return count(member, 'never-exported', (flag) => memberOf(flag, field.api) !== undefined);
    return minimal ? count(member, 'minimal', (flag) => isUsual(flag, field)) : [];
  });
  const roles =
    input.roleAccess === undefined
      ? count('role_access', 'not-read', () => true)
      : minimal
        ? count('role_access', 'minimal', (flag) => isBare(heldFor(flag, input)))
        : [];
  return [...fields, ...roles];
}

/** Nothing of it is written in the short form. */
function isBare(access: HeldAccess | undefined): boolean {
  return access !== undefined && access.roles.length === 0 && access.everyone === null;
}
