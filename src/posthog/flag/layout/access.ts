/** Writes who has access to a flag: the short list of roles where that says all, levels otherwise. */

import type { JsonObject } from '../../../base/json.ts';
import type { NameLookup } from '../../names.ts';
import { EDITOR, INHERITED, type HeldAccess } from '../../role-access/access.ts';

interface AccessOptions {
  readonly names: NameLookup;
  readonly minimal: boolean;
}

/** In the short form, what nobody chose is omitted. Otherwise a service with levels gets all of them, so that drift sees each. */
export function writeAccess(access: HeldAccess | undefined, { names, minimal }: AccessOptions): JsonObject {
  if (access === undefined) return {};
  const { wire, everyone } = access;
  const roles = access.roles
    .map(({ role, level }) => [names.role(role.id) ?? role.id, level] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const isList = everyone === null && roles.every(([, level]) => level === EDITOR);
  if (isList && minimal && roles.length === 0) return {};
  if (isList && (minimal || wire === 'entries')) return { role_access: [...new Set(roles.map(([name]) => name))] };
  return {
    access: {
      ...(minimal && everyone === null ? {} : { default: everyone ?? INHERITED }),
      ...(minimal && roles.length === 0 ? {} : { roles: Object.fromEntries(roles) }),
    },
  };
}
