/** The words for role access in reports. */

import type { Labels, Quote } from '../../engine/labels.ts';
import type { RoleChange, RoleName } from '../plan.ts';

export const ROLE_ACCESS_LABELS: Labels<RoleChange> = {
  qualifier: ' (role access)',
  field: (pointer) => pointer,
  unit: () => '',
  absent: () => undefined,
  identity: ({ role }, detailed) => (detailed && role.name !== undefined ? [`role ${role.id}`] : []),
  target: ({ action, role }, quote) => `${action === 'grant' ? ' to ' : ' from '}${nameRole(role, quote)}`,
  drift: ({ action, role }, quote) =>
    action === 'grant'
      ? `: role ${nameRole(role, quote)} is declared but cannot edit it`
      : `: role ${nameRole(role, quote)} can edit it but is not declared`,
  consequences: () => [],
  // The service does not say who granted a role.
  lastEdit: () => undefined,
  need: 'a grant on ',
  keyOfRef,
  answeredId: 'entry_id',
};

function nameRole({ name, id }: RoleName, quote: Quote): string {
  return quote(name ?? id);
}

/** A ref is `role_access:KEY:ROLE-ID`, and a key may contain colons. */
function keyOfRef(ref: string): string {
  return ref.slice(ref.indexOf(':') + 1, ref.lastIndexOf(':'));
}
