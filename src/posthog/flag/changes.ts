/** One flag's change: create, update, restore or delete, or none. */

import { isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../../base/json.ts';
import { fromPointer } from '../../base/json-pointer.ts';
import { defined } from '../../base/optional.ts';
import { placeAt, type Place } from '../../base/place.ts';
import { canonicalFlag } from './canonical.ts';
import type { DeclaredFlag, DesiredFlag, RetiredFlag } from '../desired.ts';
import type { Match } from '../../engine/matched.ts';
import {
  hasEncryptedPayloads,
  withDeclaredSecrecy,
  withMarksReplaced,
  withPayloadDigests,
} from './encrypted-payloads.ts';
import { KNOWN_FIELDS } from './fields.ts';
import { keyOnceRestored, type Flag } from './flag.ts';
import { withCommonAggregation } from './forms.ts';
import { readLastEdit } from './last-edit.ts';
import { splitByFormat, warnOfOpaqueCreate } from './opaque.ts';
import { flagReferences } from './references.ts';
import { comparableFields, findDifferences, writableFields } from './comparison.ts';
import { refTo } from '../../engine/change.ts';
import type { Difference } from '../../engine/diff.ts';
import type { CreateFlag, DeleteFlag, FieldChange, FlagBase, FlagChange } from '../plan.ts';
import type { FlagWarning } from './change.ts';
import { createBody, updateBody } from './request-body.ts';
import type { FlagSnapshot } from './snapshot.ts';
import { warnOfUndeclaredParts } from './undeclared-parts.ts';

export interface FlagOutcome {
  readonly changes: readonly FlagChange[];
  readonly warnings: readonly FlagWarning[];
}

/** `live` is absent when the service has no such flag. */
export function changeFlag({ desired, live }: Match<DesiredFlag, Flag>, flags: FlagSnapshot): FlagOutcome {
  if (desired.kind === 'declared') return changeDeclared(desired, live, flags);
  const gone = live === undefined || live.deleted === true;
  return { changes: gone ? [] : [deleteFlag(live, flags, desired)], warnings: [] };
}

function changeDeclared(given: DeclaredFlag, live: Flag | undefined, flags: FlagSnapshot): FlagOutcome {
  const desired = completed(given);
  if (live === undefined) {
    const opaque = warnOfOpaqueCreate(desired.key, desired.fields['filters']);
    return opaque === undefined
      ? { changes: [createFlag(desired)], warnings: [] }
      : { changes: [], warnings: [opaque] };
  }
  const { wanted, warnings: unsupported } = supportedFields(desired, live);
  const notes = [...unsupported, ...warnOfUndeclaredParts(desired, live)];
  if (Object.keys(wanted).every((field) => isAsWritten(wanted[field], live[field])))
    return { changes: [], warnings: notes };
  const seen = withDeclaredSecrecy(live, desired.fields);
  const canonical = { live: flags.comparable(seen), wanted: comparableFields(wanted, flags.comparable(seen), flags) };
  const found = findDifferences(canonical.wanted, canonical.live, wanted);
  const { writable: changedFields, warnings: opaque } = splitByFormat([...new Set(found.map(fieldOf))], {
    key: desired.key,
    wanted,
    live,
  });
  const warnings = [...notes, ...opaque];
  const differences = found.filter((difference) => changedFields.includes(fieldOf(difference)));
  if (differences.length === 0) return { changes: [], warnings };
  const base = flagBase(seen, { compared: Object.keys(wanted), written: changedFields }, flags);
  const body = updateBody(changedFields, wanted, { former: base.former, canonical });
  const change = {
    ref: refTo('flag', desired.key),
    resource: 'flag' as const,
    key: desired.key,
    id: live.id,
    fields: differences.map((difference) => withSource(difference, desired)),
    body: seen === live ? body : withMarksReplaced(body, live),
    base,
    needs: [],
    source: placeOfFirst(differences, desired),
  };
  return { changes: [{ action: live.deleted === true ? 'restore' : 'update', ...change }], warnings };
}

/** Whether a live flag is as a manifest declares it, but for its key. */
export function isAsDeclared(desired: DesiredFlag, live: Flag, flags: FlagSnapshot): boolean {
  const { changes, warnings } = changeFlag({ desired: { ...desired, key: live.key }, live }, flags);
  return changes.length === 0 && !warnings.some(({ code }) => code === 'filters_opaque');
}

/** The soft delete of a flag that a manifest retires or that `--prune` removes. */
export function deleteFlag(live: Flag, flags: FlagSnapshot, retired: RetiredFlag | undefined): DeleteFlag {
  return {
    action: 'delete',
    ref: refTo('flag', live.key),
    resource: 'flag',
    key: live.key,
    id: live.id,
    fields: [{ path: '/deleted', before: false, after: true }],
    body: { deleted: true },
    base: flagBase(live, { compared: [], written: ['deleted'] }, flags),
    needs: [],
    reason: retired === undefined ? 'pruned' : 'retired',
    ...(retired === undefined ? {} : { source: placeAt(retired.places, '/deleted') }),
  };
}

function createFlag(desired: DeclaredFlag): CreateFlag {
  const body = createBody(desired.key, desired.fields);
  const shown = hasEncryptedPayloads(body) ? withPayloadDigests(canonicalFlag(desired.fields)) : desired.fields;
  return {
    action: 'create',
    ref: refTo('flag', desired.key),
    resource: 'flag',
    key: desired.key,
    fields: Object.entries(shown).flatMap(([field, after]) =>
      after === undefined ? [] : [{ path: `/${field}`, after, source: placeAt(desired.places, `/${field}`) }],
    ),
    body,
    needs: [],
    source: desired.places.place,
  };
}

/** Adds what a manifest implies. */
function completed(desired: DeclaredFlag): DeclaredFlag {
  const { filters } = desired.fields;
  const meant = isJsonObject(filters) ? withCommonAggregation(filters) : filters;
  return meant === filters ? desired : { ...desired, fields: { ...desired.fields, filters: meant } };
}

/** Equal values need no canonical form. Dependencies always do: they are written by key and read by id. */
function isAsWritten(wanted: JsonValue | undefined, live: JsonValue | undefined): boolean {
  return jsonEquals(wanted, live) && !(isJsonObject(wanted) && flagReferences(wanted).length > 0);
}

/**
 * The fields to compare: what is declared and this service knows, and what adopting this live flag implies. A field that the
 * service never answers would always differ.
 */
function supportedFields(desired: DeclaredFlag, live: Flag): { wanted: JsonObject; warnings: FlagWarning[] } {
  const warnings: FlagWarning[] = [];
  const wanted: Record<string, JsonObject[string]> = {};
  if (keyOnceRestored(live) !== desired.key) wanted['key'] = desired.key;
  if (live.deleted === true) wanted['deleted'] = false;
  if (live.archived === true && desired.fields['active'] === true && desired.fields['archived'] === undefined) {
    wanted['archived'] = false;
    warnings.push({ code: 'unarchives', key: desired.key, id: live.id });
  }
  for (const [field, value] of Object.entries(desired.fields)) {
    if (Object.hasOwn(live, field)) wanted[field] = value;
    else warnings.push({ code: 'field_unsupported', key: desired.key, field });
  }
  return { wanted, warnings };
}

/** Which fields of a flag a change is about. */
interface ChangedFields {
  /** Fields that the plan compared; known fields are always included. */
  readonly compared: readonly string[];
  readonly written: readonly string[];
}

/** What the plan saw of a live flag. */
export function flagBase(live: Flag, { compared, written }: ChangedFields, flags: FlagSnapshot): FlagBase {
  const counts = (field: string): boolean => KNOWN_FIELDS.has(field) || compared.includes(field);
  return {
    version: live.version ?? null,
    ...defined({ edited: readLastEdit(live) }),
    flag: Object.fromEntries(Object.entries(flags.comparable(live)).filter(([field]) => counts(field))),
    former: writableFields(live, written, flags),
  };
}

function fieldOf({ path }: Difference): string {
  return fromPointer(path)[0] ?? '';
}

function withSource(difference: Difference, desired: DeclaredFlag): FieldChange {
  return { ...difference, source: placeAt(desired.places, difference.path) };
}

function placeOfFirst(differences: readonly Difference[], desired: DeclaredFlag): Place {
  return placeAt(desired.places, differences[0]?.path ?? '');
}
