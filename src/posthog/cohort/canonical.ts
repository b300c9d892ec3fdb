/** The canonical form of a cohort, in which two states of it are compared: for plans, staleness and verification. */

import {
  type JsonObject,
  definedKeys,
  isJsonObject,
  jsonEquals,
  memberOf,
  objectFrom,
  type JsonValue,
} from '../../base/json.ts';
import type { Difference } from '../../engine/diff.ts';
import { compareFields, pickFields, type FieldKind } from '../../engine/field-kind.ts';
import { mapLeaves } from '../flag/model/cohort-filters.ts';
import type { CohortBase } from './change.ts';
import type { Cohort } from './cohort.ts';

export const COHORT_FIELDS: FieldKind<Cohort> = {
  canonical: canonicalCohort,
  comparable: comparableCohort,
  implied: { deleted: false },
  retired: { deleted: true },
  units: new Set(['/filters']),
};

/** Compares a live cohort with its wanted fields; ignores other fields. */
export function compareCohort(wanted: JsonObject, cohort: Cohort): Difference[] {
  return compareFields(wanted, cohort, COHORT_FIELDS);
}

/** The fields that a plan may write. Others are computed, or grow with the service. */
const COMPARED = ['name', 'description', 'filters', 'is_static', 'deleted'];

/** Every field of a live cohort that is ever compared, in canonical form. */
export function comparableCohort(cohort: Cohort): JsonObject {
  return canonicalCohort({ is_static: false, deleted: false, ...pickFields(cohort, COMPARED) });
}

/** The plan's view of a cohort that it writes. `named`: those with the name that it gets. */
export function cohortBase(cohort: Cohort, written: readonly string[], named: readonly Cohort[] = []): CohortBase {
  const read = { deleted: false, ...pickFields(cohort, COMPARED) };
  const namesakes = named.map(({ id }) => id).filter((id) => id !== cohort.id);
  return {
    cohort: comparableCohort(cohort),
    former: sentCohort(pickFields(read, written)),
    ...(namesakes.length === 0 ? {} : { namesakes }),
  };
}

/** Some or all fields of a cohort, by API name. Idempotent. */
export function canonicalCohort(fields: JsonObject): JsonObject {
  return mapFilters(compared(fields, 'cohort'), (leaf) => compared(leaf, 'leaf'));
}

/** The same fields, complete and without what the service adds itself. Idempotent. */
export function sentCohort(fields: JsonObject): JsonObject {
  return mapFilters(fields, (leaf) => {
    const written = objectFrom(membersOf(leaf, (name) => !isInjected(name)));
    return withDefaults(written, ({ treat }) => treat.kind === 'default' && treat.sent === true);
  });
}

/** The same fields without what the service adds itself, and without members of leaves that say what no member says. */
export function statedCohort(fields: JsonObject): JsonObject {
  return mapFilters(fields, (leaf) =>
    objectFrom(membersOf(leaf, (name) => !isInjected(name) && !isImplied(name, leaf) && memberOf(leaf, name) !== null)),
  );
}

/** A value that requests write out is clearer if manifests have it, except for the key of a leaf on another cohort. */
function isImplied(name: string, leaf: JsonObject): boolean {
  return rowsOf('leaf', name).some(
    ({ treat }) =>
      treat.kind === 'default' &&
      (treat.sent !== true || leaf['type'] === 'cohort') &&
      (treat.types === undefined || treat.types.some((type) => type === leaf['type'])) &&
      jsonEquals(treat.value, memberOf(leaf, name) ?? null),
  );
}

function mapFilters(fields: JsonObject, change: (leaf: JsonObject) => JsonObject): JsonObject {
  const { filters } = fields;
  if (!isJsonObject(filters) || !isJsonObject(filters['properties'])) return fields;
  return { ...fields, filters: { ...filters, properties: mapLeaves(filters['properties'], change) } };
}

function compared(object: JsonObject, of: CohortTolerance['of']): JsonObject {
  const formed = membersOf(object, () => true).map(([name, value]): [string, JsonValue] => [
    name,
    toForms(rowsOf(of, name), value, object),
  ]);
  const kept = formed.filter(([name, value]) => !(of === 'leaf' && isInjected(name)) && !isAbsent(of, name, value));
  return of === 'leaf' ? withDefaults(objectFrom(kept), () => true) : objectFrom(kept);
}

function membersOf(object: JsonObject, holds: (name: string) => boolean): [string, JsonValue][] {
  return definedKeys(object)
    .filter(holds)
    .map((name) => [name, object[name] as JsonValue]);
}

function withDefaults(leaf: JsonObject, holds: (row: CohortTolerance) => boolean): JsonObject {
  const { type = null } = leaf;
  const implied = COHORT_TOLERANCES.filter(holds).flatMap(({ member, treat }): [string, JsonValue][] => {
    if (treat.kind !== 'default' || (memberOf(leaf, member) ?? null) !== null) return [];
    const isMeant = treat.types === undefined || treat.types.some((one) => one === type);
    return isMeant ? [[member, treat.value]] : [];
  });
  return implied.length === 0 ? leaf : { ...leaf, ...objectFrom(implied) };
}

/** Rows of the one table of differences that mean nothing; both sides of every comparison are brought into one form by it. */
function rowsOf(of: CohortTolerance['of'], name: string): readonly CohortTolerance[] {
  return COHORT_TOLERANCES.filter((row) => row.of === of && (row.member === name || row.member === '*'));
}

function isInjected(name: string): boolean {
  return rowsOf('leaf', name).some(({ treat }) => treat.kind === 'injected');
}

function isAbsent(of: CohortTolerance['of'], name: string, value: JsonValue): boolean {
  return rowsOf(of, name).some(
    ({ treat }) => treat.kind === 'absent' && treat.when.some((one) => jsonEquals(one, value)),
  );
}

function toForms(rows: readonly CohortTolerance[], value: JsonValue, owner: JsonObject): JsonValue {
  return rows.reduce((formed, { treat }) => (treat.kind === 'form' ? FORMS[treat.form](formed, owner) : formed), value);
}

const FORMS = {
  trimmed: (value: JsonValue): JsonValue => (typeof value === 'string' ? value.trim() : value),
  id: (value: JsonValue, { type }: JsonObject): JsonValue =>
    type === 'cohort' && typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
  operator: (value: JsonValue, { type }: JsonObject): JsonValue =>
    type === 'cohort' && (value === 'in' || value === 'exact') ? null : value,
  operand: (value: JsonValue, { operator }: JsonObject): JsonValue =>
    operator === 'is_set' || operator === 'is_not_set' ? null : value,
} satisfies Record<CohortForm, (value: JsonValue, owner: JsonObject) => JsonValue>;

/** `*` stands for every member. */
interface CohortTolerance {
  readonly of: 'cohort' | 'leaf';
  readonly member: string;
  readonly treat: CohortTreatment;
  readonly reason: string;
}

type CohortTreatment =
  /** Added by the service: neither compared nor sent. */
  | { readonly kind: 'injected' }
  /** Means the same as no value. */
  | { readonly kind: 'absent'; readonly when: readonly JsonValue[] }
  /** The meaning of an absent value in leaves of these types. `sent`: requests write it out. */
  | {
      readonly kind: 'default';
      readonly value: JsonValue;
      readonly types?: readonly (string | null)[];
      readonly sent?: true;
    }
  | { readonly kind: 'form'; readonly form: CohortForm };

type CohortForm = 'trimmed' | 'id' | 'operator' | 'operand';

export const COHORT_TOLERANCES: readonly CohortTolerance[] = [
  {
    of: 'cohort',
    member: 'name',
    treat: { kind: 'form', form: 'trimmed' },
    reason: 'the service trims names',
  },
  {
    of: 'cohort',
    member: 'description',
    treat: { kind: 'form', form: 'trimmed' },
    reason: 'the service trims descriptions',
  },
  {
    of: 'cohort',
    member: 'description',
    treat: { kind: 'absent', when: [''] },
    reason: 'a cohort without a description has an empty one',
  },
  { of: 'cohort', member: '*', treat: { kind: 'absent', when: [null] }, reason: 'null where there is no value' },

  {
    of: 'leaf',
    member: 'bytecode',
    treat: { kind: 'injected' },
    reason: 'compiled by the service on every write since 2025',
  },
  { of: 'leaf', member: 'bytecode_error', treat: { kind: 'injected' }, reason: 'why a leaf could not be compiled' },
  { of: 'leaf', member: 'conditionHash', treat: { kind: 'injected' }, reason: 'the hash of the compiled leaf' },
  {
    of: 'leaf',
    member: '*',
    treat: { kind: 'absent', when: [null] },
    reason: 'the service drops members that are null',
  },
  {
    of: 'leaf',
    member: 'negation',
    treat: { kind: 'default', value: false },
    reason: 'the service writes out that nothing is negated',
  },
  {
    of: 'leaf',
    member: 'type',
    treat: { kind: 'default', value: 'person', sent: true },
    reason: 'a leaf without a type, which the service refuses, is about a property of persons',
  },
  {
    of: 'leaf',
    member: 'key',
    treat: { kind: 'default', value: 'id', types: ['cohort'], sent: true },
    reason: 'a leaf on another cohort always has this key',
  },
  {
    of: 'leaf',
    member: 'operator',
    treat: { kind: 'default', value: 'exact', types: ['person', 'person_metadata', null], sent: true },
    reason: 'a property without an operator, which the service refuses, is compared for equality',
  },
  {
    of: 'leaf',
    member: 'operator',
    treat: { kind: 'form', form: 'operator' },
    reason:
      'cohorts of old have an operator in leaves on other cohorts, which the service refuses today: in means the same as none',
  },
  {
    of: 'leaf',
    member: 'value',
    treat: { kind: 'form', form: 'id' },
    reason: 'the id of another cohort may be text, which the service turns into a number',
  },
  {
    of: 'leaf',
    member: 'value',
    treat: { kind: 'form', form: 'operand' },
    reason: 'is_set and is_not_set ignore a value; the web interface writes the name of the operator',
  },
];
