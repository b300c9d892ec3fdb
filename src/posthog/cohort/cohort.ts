/**
 * A cohort: in the shape of the service's interface (docs/service/cohorts.md), as manifests declare it for one project, under the alias by
 * which manifests and plans name it, and in the canonical form in which two states of it are compared.
 */

import {
  pickMembers,
  definedKeys,
  jsonEquals,
  memberOf,
  objectFrom,
  type JsonObject,
  type JsonValue,
} from '../../base/json.ts';
import type { PlaceTree } from '../../base/place.ts';
import type { Difference } from '../../core/engine/diff.ts';
import { compareFields, pickFields, type FieldKind } from '../../core/engine/field-kind.ts';
import type { LiveResource } from '../../core/engine/snapshot.ts';
import type { NamedIds } from '../family.ts';
import { mapDefinition } from '../flag/model/cohort-filters.ts';
import { snapshotFlags } from '../flag/snapshot.ts';
import type { ProjectSnapshot } from '../snapshot.ts';
import type { CohortBase } from './change.ts';

/** The fields that manifests declare under their own names. */
interface DeclaredFields {
  readonly name?: string | null;
  readonly description?: string | null;
  /** The definition of a dynamic cohort: `properties` is a tree of AND and OR. */
  readonly filters?: JsonValue;
}

/** The fields that are compared but have no value in manifests. */
interface CohortStates {
  /** A list of persons, rather than conditions on them. */
  readonly is_static?: boolean;
  readonly deleted?: boolean;
}

export type CohortMember = keyof DeclaredFields;
export type CohortFieldName = CohortMember | keyof CohortStates;

/**
 * All that the lists of a cohort's fields say of each: what is compared, declared, exported, explained, undone, kept in a snapshot file and
 * searched for personal data derives from it, and the schemas of manifests and snapshots do not compile without the field. `none`: the value
 * of a cohort that has none.
 */
export const COHORT_FIELDS: Readonly<
  Record<CohortMember, { readonly form: 'text' | 'definition'; readonly none: JsonValue }> &
    Record<keyof CohortStates, { readonly form: 'state'; readonly none: JsonValue }>
> = {
  name: { form: 'text', none: null },
  description: { form: 'text', none: '' },
  is_static: { form: 'state', none: false },
  filters: { form: 'definition', none: null },
  deleted: { form: 'state', none: false },
};

export const COHORT_FIELD_NAMES = Object.keys(COHORT_FIELDS) as readonly CohortFieldName[];

export const COHORT_MEMBERS: readonly CohortMember[] = COHORT_FIELD_NAMES.filter(
  (name): name is CohortMember => COHORT_FIELDS[name].form !== 'state',
);

export const COHORT_TEXTS: readonly CohortMember[] = COHORT_MEMBERS.filter(
  (name) => COHORT_FIELDS[name].form === 'text',
);

/** The value of a field that a cohort does not have. */
export function noneOf(field: string): JsonValue {
  return memberOf<{ readonly none: JsonValue }>(COHORT_FIELDS, field)?.none ?? null;
}

/** A set of persons that conditions name by id. Fields that are not named here are kept as they came. */
export interface Cohort extends JsonObject, DeclaredFields, CohortStates {
  readonly id: number;
  /** Members are being computed from a definition that may be newer than they are. */
  readonly is_calculating?: boolean;
  /** Persons, as of the last calculation. */
  readonly count?: number | null;
}

/** The name as it is compared. */
export function nameOf({ name }: Pick<Cohort, 'name'>): string {
  return name?.trim() ?? '';
}

/** The cohorts in use with a name, the first one first. */
export function findNamesakes(all: readonly Cohort[], name: string): readonly Cohort[] {
  return all.filter((one) => nameOf(one) === name.trim() && one.deleted !== true).toSorted((a, b) => a.id - b.id);
}

/** The members of a request that give a cohort its name: one that comes back has its own again, unless it gets another. */
export function namingOf(
  { action, body }: { readonly action: string; readonly body: JsonObject },
  { name }: JsonObject,
): JsonObject {
  return action === 'restore' ? { name, ...body } : body;
}

/** Those with the name that the members of a request give; none if they give no name. */
export function namesakesOf({ name }: JsonObject, all: readonly Cohort[]): readonly Cohort[] {
  return typeof name === 'string' ? findNamesakes(all, name) : [];
}

/** One that must not exist (`deleted: true`) is retired. */
export type DesiredCohort = DeclaredCohort | (CohortIdentity & { readonly kind: 'retired' });

/** A dynamic cohort that must exist. Absent members are not managed. */
export interface DeclaredCohort extends CohortIdentity {
  readonly kind: 'declared';
  readonly previousKeys: readonly string[];
  /**
   * The managed fields by their API name. A cohort that the definition names is an id, or the alias of a declared cohort without
   * one.
   */
  readonly fields: JsonObject;
}

interface CohortIdentity {
  /** The alias. */
  readonly key: string;
  /** The id that the configuration gives the alias. */
  readonly id?: number;
  /** The names of the live cohort if it has no id; the current one is the first. */
  readonly names: readonly [string, ...string[]];
  /** Places by API field name: `/name`, `/filters/properties/values/0`. The root is the alias. */
  readonly places: PlaceTree;
}

/** A live cohort under the alias of the declaration that it is matched with. */
export interface LiveCohort extends LiveResource {
  readonly id: number;
  readonly cohort: Cohort;
}

export interface CohortSnapshot {
  /** The cohorts that were read, also deleted ones. */
  readonly all: readonly Cohort[];
  readonly byId: (id: number) => Cohort | undefined;
  readonly idOf: (alias: string) => number | undefined;
  readonly aliasOf: (id: number) => string | undefined;
}

export function snapshotCohorts(
  all: readonly Cohort[],
  aliases: ReadonlyMap<string, number> = new Map(),
): CohortSnapshot {
  const byId = new Map(all.map((cohort) => [cohort.id, cohort]));
  const aliasById = new Map([...aliases].map(([alias, id]) => [id, alias]));
  return {
    all,
    byId: (id) => byId.get(id),
    idOf: (alias) => aliases.get(alias),
    aliasOf: (id) => aliasById.get(id),
  };
}

/** The same live state, in which cohorts have aliases, with their ids. Conditions of flags name them so, too. */
export function nameCohorts(snapshot: ProjectSnapshot, aliases: NamedIds): ProjectSnapshot {
  if (aliases.length === 0) return snapshot;
  const { flags, cohorts, ...others } = snapshot;
  const named = snapshotCohorts(cohorts.all, new Map(aliases.map(([alias, id]) => [alias, Number(id)])));
  return { flags: snapshotFlags({ ...flags, cohortIdOf: named.idOf }), cohorts: named, ...others };
}

export const COHORT_COMPARISON: FieldKind<Cohort> = {
  canonical: canonicalCohort,
  comparable: comparableCohort,
  implied: { deleted: false },
  retired: { deleted: true },
  units: new Set(['/filters']),
};

/** Compares a live cohort with its wanted fields; ignores other fields. */
export function compareCohort(wanted: JsonObject, cohort: Cohort): Difference[] {
  return compareFields(wanted, cohort, COHORT_COMPARISON);
}

/** Every field of a live cohort that is ever compared, in canonical form. Others are computed, or grow with the service. */
export function comparableCohort(cohort: Cohort): JsonObject {
  return canonicalCohort({ ...USUAL_STATES, ...pickFields(cohort, COHORT_FIELD_NAMES) });
}

/** The states of a cohort of which nothing else is known. */
export const USUAL_STATES: JsonObject = objectFrom(
  COHORT_FIELD_NAMES.filter((name) => COHORT_FIELDS[name].form === 'state').map((name) => [name, noneOf(name)]),
);

/** The plan's view of a cohort that it writes. `named`: those with the name that it gets. */
export function cohortBase(cohort: Cohort, written: readonly string[], named: readonly Cohort[] = []): CohortBase {
  const read = { ...USUAL_STATES, ...pickFields(cohort, COHORT_FIELD_NAMES) };
  const namesakes = named.map(({ id }) => id).filter((id) => id !== cohort.id);
  return {
    cohort: comparableCohort(cohort),
    former: sentCohort(pickFields(read, written)),
    ...(namesakes.length === 0 ? {} : { namesakes }),
  };
}

/** Some or all fields of a cohort, by API name. Idempotent. */
export function canonicalCohort(fields: JsonObject): JsonObject {
  return mapDefinition(compared(fields, 'cohort'), (leaf) => withDefaults(compared(leaf, 'leaf')));
}

/** The same fields, complete and without what the service adds itself. Idempotent. */
export function sentCohort(fields: JsonObject): JsonObject {
  return mapDefinition(fields, (leaf) =>
    withDefaults(
      pickMembers(leaf, (name) => !isInjected(name)),
      ({ sent }) => sent === true,
    ),
  );
}

/** The same fields without what the service adds itself, and without members of leaves that say what no member says. */
export function statedCohort(fields: JsonObject): JsonObject {
  return mapDefinition(fields, (leaf) =>
    pickMembers(leaf, (name, value) => value !== null && !isInjected(name) && !isImplied(name, leaf)),
  );
}

/** A value that requests write out is clearer if manifests have it, except for the key of a leaf on another cohort. */
function isImplied(name: string, leaf: JsonObject): boolean {
  return DEFAULTS.some(
    (row) =>
      row.member === name &&
      (row.sent !== true || leaf['type'] === 'cohort') &&
      isMeant(row, leaf) &&
      jsonEquals(row.value, memberOf(leaf, name) ?? null),
  );
}

function compared(object: JsonObject, of: CohortTolerance['of']): JsonObject {
  const members = definedKeys(object).flatMap((name): [string, JsonValue][] => {
    const rows = COHORT_TOLERANCES.filter((row) => row.of === of && (row.member === name || row.member === '*'));
    const value = rows.reduce((formed, { treat }) => {
      const form = memberOf<(typeof FORMS)[Form]>(FORMS, treat);
      return form === undefined ? formed : form(formed, object);
    }, object[name] as JsonValue);
    const isNothing = rows.some(
      (row) => row.treat === 'injected' || (row.treat === 'absent' && jsonEquals(row.value, value)),
    );
    return isNothing ? [] : [[name, value]];
  });
  return objectFrom(members);
}

function withDefaults(leaf: JsonObject, holds: (row: Default) => boolean = () => true): JsonObject {
  const implied = DEFAULTS.filter(
    (row) => holds(row) && isMeant(row, leaf) && (memberOf(leaf, row.member) ?? null) === null,
  );
  return { ...leaf, ...objectFrom(implied.map(({ member, value }) => [member, value])) };
}

function isMeant({ types }: Default, { type = null }: JsonObject): boolean {
  return types === undefined || types.some((one) => one === type);
}

function isInjected(name: string): boolean {
  return COHORT_TOLERANCES.some(({ member, treat }) => member === name && treat === 'injected');
}

const FORMS: Readonly<Record<Form, (value: JsonValue, owner: JsonObject) => JsonValue>> = {
  trimmed: (value) => (typeof value === 'string' ? value.trim() : value),
  id: (value, { type }) =>
    type === 'cohort' && typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value,
  operator: (value, { type }) => (type === 'cohort' && (value === 'in' || value === 'exact') ? null : value),
  operand: (value, { operator }) => (operator === 'is_set' || operator === 'is_not_set' ? null : value),
};

type Form = 'trimmed' | 'id' | 'operator' | 'operand';

/** A difference that means nothing. Both sides of every comparison are brought into one form by the one table of them. */
type CohortTolerance = {
  readonly of: 'cohort' | 'leaf';
  /** `*` stands for every member. */
  readonly member: string;
  readonly reason: string;
} &
  /** Added by the service: neither compared nor sent. */
  (
    | { readonly treat: 'injected' }
    /** Means the same as no value. */
    | { readonly treat: 'absent'; readonly value: JsonValue }
    | Default
    | { readonly treat: Form }
  );

/** The meaning of an absent value in leaves of these types. `sent`: requests write it out. */
interface Default {
  readonly member: string;
  readonly treat: 'default';
  readonly value: JsonValue;
  readonly types?: readonly (string | null)[];
  readonly sent?: true;
}

export const COHORT_TOLERANCES: readonly CohortTolerance[] = [
  ...COHORT_TEXTS.map(
    (member) => ({ of: 'cohort', member, treat: 'trimmed', reason: 'the service trims strings' }) as const,
  ),
  ...COHORT_MEMBERS.filter((member) => noneOf(member) !== null).map(
    (member) =>
      ({
        of: 'cohort',
        member,
        treat: 'absent',
        value: noneOf(member),
        reason: 'what a cohort without one has',
      }) as const,
  ),
  { of: 'cohort', member: '*', treat: 'absent', value: null, reason: 'null where there is no value' },

  { of: 'leaf', member: 'bytecode', treat: 'injected', reason: 'compiled by the service on every write since 2025' },
  { of: 'leaf', member: 'bytecode_error', treat: 'injected', reason: 'why a leaf could not be compiled' },
  { of: 'leaf', member: 'conditionHash', treat: 'injected', reason: 'the hash of the compiled leaf' },
  { of: 'leaf', member: '*', treat: 'absent', value: null, reason: 'the service drops members that are null' },
  { of: 'leaf', member: 'negation', treat: 'default', value: false, reason: 'the service writes it out' },
  {
    of: 'leaf',
    member: 'type',
    treat: 'default',
    value: 'person',
    sent: true,
    reason: 'a leaf without a type, which the service refuses, is about a property of persons',
  },
  {
    of: 'leaf',
    member: 'key',
    treat: 'default',
    value: 'id',
    types: ['cohort'],
    sent: true,
    reason: 'a leaf on another cohort always has this key',
  },
  {
    of: 'leaf',
    member: 'operator',
    treat: 'default',
    value: 'exact',
    types: ['person', 'person_metadata', null],
    sent: true,
    reason: 'a property without an operator, which the service refuses, is compared for equality',
  },
  {
    of: 'leaf',
    member: 'operator',
    treat: 'operator',
    reason:
      'cohorts of old have one in leaves on other cohorts, which the service refuses today: in means the same as none',
  },
  {
    of: 'leaf',
    member: 'value',
    treat: 'id',
    reason: 'the service turns a cohort id written as a string into a number',
  },
  {
    of: 'leaf',
    member: 'value',
    treat: 'operand',
    reason: 'is_set and is_not_set ignore a value; the web interface writes the name of the operator',
  },
];

const DEFAULTS = COHORT_TOLERANCES.filter((row) => row.treat === 'default');
