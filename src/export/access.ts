/** The access to a flag as an export sees it. */

import type { Flag } from '../posthog/flag/flag.ts';
import { heldAccess, type HeldAccess } from '../posthog/role-access/access.ts';
import type { ExportInput } from './export.ts';

/** `undefined` if it was not read, or the service does not show it. */
export function heldFor(
  { id }: Flag,
  { roleAccess, organization }: Pick<ExportInput, 'roleAccess' | 'organization'>,
): HeldAccess | undefined {
  const access = roleAccess?.[String(id)];
  return access === undefined ? undefined : heldAccess(access, organization);
}
