/** Finds the facts about an exported flag, with its access, that its file does not show. */

import { isJsonObject, type JsonValue, memberOf } from '../../base/json.ts';
import { hasEncryptedPayloads } from '../../posthog/flag/model/encrypted-payloads.ts';
import { type Flag, viewFilters } from '../../posthog/flag/model/flag.ts';
import { PARTS_OF_OTHER_PRODUCTS } from '../../posthog/flag/model/canonical.ts';
import { idOf, type NameLookup } from '../../posthog/flag/model/references.ts';
import { heldAccess, type HeldAccess, isRefused } from '../../posthog/role-access/access.ts';
import type { ExportInput, ExportNote } from './export.ts';

export function findNotes(
  flag: Flag,
  input: Pick<ExportInput, 'roleAccess' | 'organization'>,
  names: NameLookup,
): ExportNote[] {
  return [
    ...referenceNotes(flag, names),
    ...accessNotes(flag, input),
    ...(heldFor(flag, input)?.roles ?? []).flatMap(({ role }): ExportNote[] =>
      names.role(role.id) === undefined
        ? [{ kind: 'role-without-name', key: flag.key, role: role.id, name: role.name }]
        : [],
    ),
    ...secretNotes(flag),
    ...filterNotes(flag),
  ];
}

function accessNotes(flag: Flag, input: Pick<ExportInput, 'roleAccess' | 'organization'>): ExportNote[] {
  const { key, id } = flag;
  const access = input.roleAccess?.[String(id)];
  if (access !== undefined && isRefused(access)) return [{ kind: 'access-refused', key }];
  const members = heldFor(flag, input)?.members.length ?? 0;
  return members === 0 ? [] : [{ kind: 'access-of-members', key, members }];
}

function referenceNotes(flag: Flag, names: NameLookup): ExportNote[] {
  const notes = viewFilters(flag.filters).properties.flatMap(({ part }): ExportNote[] => {
    const { type, key, value, cohort_name: name } = part;
    const id = idOf(type === 'flag' ? key : undefined);
    if (id !== undefined && names.flag(id) === undefined) return [{ kind: 'dependency-dangling', key: flag.key, id }];
    if (type !== 'cohort' || typeof value !== 'number' || names.cohort(value) !== undefined) return [];
    const told = typeof name === 'string' ? { name } : {};
    return [{ kind: 'cohort-without-alias', key: flag.key, cohort: value, ...told }];
  });
  return [...new Map(notes.map((note) => [JSON.stringify(note), note])).values()];
}

function secretNotes(flag: Flag): ExportNote[] {
  const stored: JsonValue | undefined = flag.filters?.payloads;
  const payloads = isJsonObject(stored) ? Object.keys(stored).sort() : [];
  if (payloads.length === 0 || !hasEncryptedPayloads(flag)) return [];
  return [{ kind: 'payloads-encrypted', key: flag.key, payloads }];
}

function filterNotes(flag: Flag): ExportNote[] {
  const format = viewFilters(flag.filters).opaqueVersion;
  if (format !== undefined) return [{ kind: 'filters-opaque', key: flag.key, format }];
  const members = PARTS_OF_OTHER_PRODUCTS.filter((name) => (memberOf(flag.filters ?? {}, name) ?? null) !== null);
  return members.length === 0 ? [] : [{ kind: 'filters-unmanaged', key: flag.key, members }];
}

/** `undefined` if it was not read, or the service does not show it. */
export function heldFor(
  { id }: Flag,
  { roleAccess, organization }: Pick<ExportInput, 'roleAccess' | 'organization'>,
): HeldAccess | undefined {
  const access = roleAccess?.[String(id)];
  return access === undefined ? undefined : heldAccess(access, organization);
}
