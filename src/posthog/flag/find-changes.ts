/** One flag's change: create, update, restore or delete, or none. */

import { fromPointer } from '../../base/json-pointer.ts';
import { isJsonArray, isJsonObject, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { placeAt, type Place } from '../../base/place.ts';
import type { Divergence } from '../../core/engine/base.ts';
import { nameChange, createdFields, softDelete } from '../../core/engine/body-kind.ts';
import type { LastEdit } from '../../core/engine/change.ts';
import type { Difference } from '../../core/engine/diff.ts';
import type { Match } from '../../core/engine/matched.ts';
import type { ObservedValue } from '../../core/engine/ownership.ts';
import type { DeclaredFlag, DesiredFlag, RetiredFlag } from '../desired.ts';
import type { CreateFlag, DeleteFlag, FieldChange, FlagBase, FlagChange } from '../plan.ts';
import { canonicalFlag } from './model/canonical.ts';
import type { FlagWarning } from './change.ts';
import { compareFlag, type FlagComparison } from './compare-flag.ts';
import {
  classifyFlagDelete,
  classifyMissingFlag,
  completed,
  type FlagDifference,
  type FormerFlag,
} from './three-way.ts';
import { writableFields } from './comparison.ts';
import { hasEncryptedPayloads, withMarksReplaced, withPayloadDigests } from './model/encrypted-payloads.ts';
import { KNOWN_FIELDS } from './model/fields.ts';
import type { Flag } from './model/flag.ts';
import { splitByFormat } from './assess.ts';
import { newValuesOfOthers } from './owned-fields.ts';
import { createBody, updateBody } from './request-body.ts';
import type { FlagSnapshot } from './snapshot.ts';
import { viewFilters } from './model/view.ts';

export interface FlagOutcome {
  readonly changes: readonly FlagChange[];
  readonly warnings: readonly FlagWarning[];
  /** The number of values that the manifests and the service both moved away from the base, to the same value; absent without a base. */
  readonly converged?: number;
  readonly observed?: readonly ObservedValue[];
}

interface UndeclaredPart {
  readonly part: string;
  /** Empty where the part cannot change any value. */
  readonly warn: (key: string, value: JsonValue) => FlagWarning[];
}

const UNDECLARED_PARTS: readonly UndeclaredPart[] = [
  {
    part: 'holdout',
    warn: (key, value) => warnOfHoldout(key, 'holdout', isJsonObject(value) ? value['exclusion_percentage'] : 0),
  },
  {
    part: 'holdout_groups',
    warn: (key, value) => warnOfHoldout(key, 'holdout_groups', rolloutOf(firstOf(value))),
  },
  {
    part: 'super_groups',
    warn: (key, value) =>
      isNotEmpty(firstOf(value)?.['properties'])
        ? [{ code: 'early_access_undeclared', key, part: 'super_groups' }]
        : [],
  },
  {
    part: 'feature_enrollment',
    warn: (key, value) =>
      value === true ? [{ code: 'early_access_undeclared', key, part: 'feature_enrollment' }] : [],
  },
];

/** `live` is absent when the service has no such flag. */
export function changeFlag(
  { desired, live, base, isOther }: Match<DesiredFlag, Flag>,
  flags: FlagSnapshot,
): FlagOutcome {
  const former = defined({ base, isOther });
  if (desired.kind === 'retired') {
    const gone = live === undefined || live.deleted === true;
    return {
      changes: gone ? [] : [deleteFlag(live, flags, { ...former, retired: desired })],
      warnings: [],
      converged: 0,
    };
  }
  return live === undefined
    ? createMissing(desired, former, flags)
    : changeLive(compareFlag({ desired, live, ...former }, flags), live, flags);
}

function createMissing(given: DeclaredFlag, former: FormerFlag, flags: FlagSnapshot): FlagOutcome {
  const desired = completed(given);
  const format = viewFilters(desired.fields['filters']).opaqueVersion;
  if (format !== undefined) return { changes: [], warnings: [{ code: 'create_opaque', key: desired.key, format }] };
  return { changes: [createFlag(asCreated(desired), classifyMissingFlag(desired, former, flags))], warnings: [] };
}

/** Everybody gets a new remote configuration whose filters are not declared: the plan says so. */
function asCreated(desired: DeclaredFlag): DeclaredFlag {
  const { fields } = desired;
  if (fields['is_remote_configuration'] !== true || fields['filters'] !== undefined) return desired;
  return { ...desired, fields: { ...fields, filters: { groups: [{ rollout_percentage: 100 }] } } };
}

function changeLive(compared: FlagComparison, live: Flag, flags: FlagSnapshot): FlagOutcome {
  const { desired, seen, written, canonical, differences: found, valuesOfOthers } = compared;
  const shown = defined({ converged: compared.converged, observed: compared.observed });
  const differing = [...new Set(found.map(fieldOf))];
  const format = viewFilters(live.filters).opaqueVersion ?? viewFilters(written['filters']).opaqueVersion;
  const { writable: changedFields, warnings: opaque } =
    format === undefined
      ? { writable: differing, warnings: [] }
      : splitByFormat(differing, { key: desired.key, wanted: written, live, format });
  const warnings = [...compared.warnings, ...warnOfUndeclaredParts(desired, live), ...opaque];
  const differences = found.filter((difference) => changedFields.includes(fieldOf(difference)));
  if (differences.length === 0) return { changes: [], warnings, ...shown };
  const base = flagBase(seen, { compared: Object.keys(written), written: changedFields }, flags);
  const body = updateBody(changedFields, written, { former: base.former, canonical });
  const change = {
    ...nameChange('flag', desired.key),
    id: live.id,
    fields: differences.map((difference) => withSource(difference, desired)),
    body: seen === live ? body : withMarksReplaced(body, live),
    base,
    needs: [],
    source: placeOfFirst(differences, desired),
    ...(valuesOfOthers.length === 0 ? {} : { keeps: valuesOfOthers }),
  };
  return {
    changes: [{ action: live.deleted === true ? 'restore' : 'update', ...change }],
    warnings,
    ...shown,
  };
}

/** Whether a live flag differs from its declaration in its key at most. */
export function isAsDeclared(desired: DesiredFlag, live: Flag, flags: FlagSnapshot): boolean {
  const { changes, warnings } = changeFlag({ desired: { ...desired, key: live.key }, live }, flags);
  return changes.length === 0 && !warnings.some(({ code }) => code === 'filters_opaque');
}

interface Deletion extends FormerFlag {
  /** Absent: no manifest names the flag. */
  readonly retired?: RetiredFlag;
}

/** The soft delete of a flag that a manifest retires or that `--prune` removes. */
export function deleteFlag(live: Flag, flags: FlagSnapshot, { retired, ...former }: Deletion): DeleteFlag {
  const divergence = classifyFlagDelete(former, live, flags);
  const { key } = retired ?? live;
  const base = flagBase(live, { compared: [], written: ['deleted'] }, flags);
  return {
    ...softDelete('flag', key, { id: live.id, base, divergence }),
    reason: retired === undefined ? 'pruned' : 'retired',
    ...(retired === undefined ? {} : { source: placeAt(retired.places, '/deleted') }),
  };
}

function createFlag(desired: DeclaredFlag, divergence: Divergence | undefined): CreateFlag {
  const body = createBody(desired.key, desired.fields);
  const valuesOfOthers = newValuesOfOthers(desired);
  const shown = hasEncryptedPayloads(body) ? withPayloadDigests(canonicalFlag(desired.fields)) : desired.fields;
  const fields = createdFields(shown, desired.places, divergence);
  return {
    action: 'create',
    ...nameChange('flag', desired.key),
    ...(fields.length === 0 ? defined({ divergence }) : {}),
    fields,
    body,
    needs: [],
    source: desired.places.place,
    ...(valuesOfOthers.length === 0 ? {} : { keeps: valuesOfOthers }),
  };
}

/** The fields of a flag that a change is about. */
interface ChangedFields {
  /** Fields that the plan compared; known fields are always included. */
  readonly compared: readonly string[];
  readonly written: readonly string[];
}

/** The plan's view of a live flag. */
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

function withSource(difference: FlagDifference, desired: DeclaredFlag): FieldChange {
  const { path, before, after, divergence, base, bounds } = difference;
  return { path, ...defined({ before, after, source: placeAt(desired.places, path), divergence, base, bounds }) };
}

function placeOfFirst(differences: readonly Difference[], desired: DeclaredFlag): Place {
  return placeAt(desired.places, differences[0]?.path ?? '');
}

/**
 * Warns of parts that other products own and no manifest declares: they are not drift, but may decide the flag's value. Does not warn for a
 * disabled flag, or for one whose filters no manifest declares.
 */
function warnOfUndeclaredParts({ key, fields }: DeclaredFlag, live: Flag): FlagWarning[] {
  const { filters: declared } = fields;
  const active = fields['active'] ?? live.active;
  if (!isJsonObject(declared) || !isJsonObject(live.filters) || active === false || viewFilters(live.filters).isOpaque)
    return [];
  const { filters } = live;
  return UNDECLARED_PARTS.flatMap(({ part, warn }) => {
    const value = Object.hasOwn(declared, part) ? undefined : memberOf(filters, part);
    return value === undefined ? [] : warn(key, value);
  });
}

function warnOfHoldout(key: string, part: 'holdout' | 'holdout_groups', percent: JsonValue | undefined): FlagWarning[] {
  return typeof percent === 'number' && percent > 0 ? [{ code: 'holdout_undeclared', key, part, percent }] : [];
}

/** The service evaluates only the first condition of these lists. */
function firstOf(list: JsonValue): JsonObject | undefined {
  const first = isJsonArray(list) ? list[0] : undefined;
  return isJsonObject(first) ? first : undefined;
}

function rolloutOf(condition: JsonObject | undefined): JsonValue {
  return condition === undefined ? 0 : (condition['rollout_percentage'] ?? 100);
}

function isNotEmpty(list: JsonValue | undefined): boolean {
  return isJsonArray(list) && list.length > 0;
}

/** The last editor of a flag. `undefined` if the service names neither user nor time, as it did until 2025. */
export function readLastEdit({ last_modified_by: user, updated_at: at }: Flag): LastEdit | undefined {
  const by = readUser(user);
  if (by === undefined && typeof at !== 'string') return undefined;
  return defined({ by, at: at ?? undefined });
}

/** `undefined` if the service does not name the user. */
export function readUser(user: JsonValue | undefined): string | undefined {
  if (!isJsonObject(user)) return undefined;
  const { email, first_name: name } = user;
  return [email, name].find((text): text is string => typeof text === 'string' && text !== '');
}
