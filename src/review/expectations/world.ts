/** The declared flags and cohorts of one project, and a person of a test file, in the form in which they are evaluated. */

import { isJsonObject, objectOrEmpty, type JsonObject } from '../../base/json.ts';
import type { KnownCohort, EvaluationContext, Subject } from '../../evaluation/input.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import { cohortValues, mapReferences, nameOfReference, withCohortIds } from '../../posthog/flag/model/references.ts';
import { leavesOf, withCohortIds as withCohortIdsIn, readReference } from '../../posthog/flag/model/cohort-filters.ts';
import type { DeclaredFlag, DesiredState } from '../../posthog/desired.ts';
import type { ProjectNames } from '../../posthog/project.ts';
import type { NamedPerson } from './expectation.ts';

/** The evaluated state: before a plan, after it, or as the manifests declare it. */
export interface FlagWorld {
  /** The flags with known conditions. A dependency on any other flag is unknown. */
  readonly flags: readonly Flag[];
  /** Keys are ids. A cohort whose definition is unknown has the members that people name. */
  readonly cohorts: Readonly<Record<string, KnownCohort>>;
  /** The id of a cohort that people or conditions name. */
  readonly cohortId: (name: string | number) => number;
}

/**
 * A field that no manifest declares has the value of a new flag. A flag whose conditions no manifest declares is left out,
 * since the service decides about them, unless it is disabled.
 */
export function declaredWorld({ flags, cohorts = [] }: DesiredState, names: ProjectNames): FlagWorld {
  const ids = new Map(Object.entries(names.cohorts));
  for (const { key, id } of cohorts) if (id !== undefined) ids.set(key, id);
  const cohortId = createCohortIds(ids);
  const declared = flags.filter((flag) => flag.kind === 'declared');
  const evaluated = declared.filter(hasKnownConditions).map((flag, index) => toFlag(flag, index, cohortId));
  const definitions = cohorts.flatMap(({ key, ...cohort }): [number, JsonObject | undefined][] => {
    if (cohort.kind === 'retired') return [];
    const { filters } = withCohortIdsIn(cohort.fields, cohortId);
    return [[cohortId(key), isJsonObject(filters) ? filters : undefined]];
  });
  const retired = cohorts.filter(({ kind }) => kind === 'retired').map(({ key }) => cohortId(key));
  return { flags: evaluated, cohorts: knownCohorts({ flags: evaluated, definitions, retired }), cohortId };
}

/** An alias without an id gets one that no service gives. */
export function createCohortIds(known: ReadonlyMap<string, number>): FlagWorld['cohortId'] {
  const made = new Map<string, number>();
  return (name) => {
    const reference = readReference(name) ?? name;
    if (typeof reference === 'number') return reference;
    const id = known.get(reference) ?? made.get(reference) ?? -1 - made.size;
    if (!known.has(reference)) made.set(reference, id);
    return id;
  };
}

function hasKnownConditions({ fields }: DeclaredFlag): boolean {
  return isJsonObject(fields['filters']) || fields['active'] === false;
}

function toFlag({ key, fields }: DeclaredFlag, index: number, cohortId: FlagWorld['cohortId']): Flag {
  const named = withCohortIds(fields, cohortId);
  const filters = objectOrEmpty(named['filters']);
  return { ...named, id: index + NOT_AN_ID, key, filters: mapReferences(filters, { flag: nameOfReference }) };
}

/** Ids are whole numbers, and keys have no point: no dependency of a manifest is read as one of these. */
const NOT_AN_ID = 0.5;

interface KnownCohorts {
  readonly flags: readonly Flag[];
  /** The definitions by id; `undefined` for a cohort without a known one. */
  readonly definitions: readonly (readonly [number, JsonObject | undefined])[];
  readonly retired: readonly number[];
}

/** A cohort without a known definition has the members that people name. */
export function knownCohorts({ flags, definitions, retired }: KnownCohorts): Record<string, KnownCohort> {
  const named = [
    ...flags.flatMap(({ filters }) => cohortValues(filters)),
    ...definitions.flatMap(([, filters]) =>
      leavesOf(filters).map(({ type, value }) => (type === 'cohort' ? value : null)),
    ),
  ].flatMap((value) => readReference(value ?? undefined) ?? []);
  const gone = new Set(retired);
  const listed = named.filter((id) => typeof id === 'number' && !gone.has(id));
  return {
    ...Object.fromEntries(listed.map((id): [string, KnownCohort] => [String(id), { kind: 'static' }])),
    ...Object.fromEntries(definitions.map(([id, filters]): [string, KnownCohort] => [String(id), toCohort(filters)])),
  };
}

function toCohort(filters: JsonObject | undefined): KnownCohort {
  const properties = filters?.['properties'];
  return isJsonObject(properties) ? { kind: 'dynamic', properties } : { kind: 'static' };
}

/** The context of an evaluation, other than flags and cohorts. */
export type SubjectContext = Pick<EvaluationContext, 'generation'> & {
  /** Milliseconds since 1970. */
  readonly now: number;
};

/** The person is a member of each cohort that it names, even if the definition says otherwise. */
export function toSubject(
  person: NamedPerson,
  world: FlagWorld,
  { now, ...surroundings }: SubjectContext,
): { readonly subject: Subject; readonly context: EvaluationContext } {
  const { id, properties, groups, deviceId, anonymousId } = person;
  const cohortIds = person.cohorts.map(world.cohortId);
  const named = cohortIds.map((cohort): [string, KnownCohort] => [String(cohort), { kind: 'static' }]);
  return {
    subject: {
      distinctId: id,
      personProperties: properties,
      groups: mapGroups(groups, ({ key }) => key),
      groupProperties: mapGroups(groups, (group) => group.properties),
      cohortIds,
      ...(deviceId === undefined ? {} : { deviceId }),
      ...(anonymousId === undefined ? {} : { anonymousId }),
    },
    context: {
      ...surroundings,
      now: new Date(now),
      // The manifests do not say the project's zone; it matters only to times without an offset.
      timeZone: 'UTC',
      groupTypes: GROUP_TYPES,
      cohorts: named.length === 0 ? world.cohorts : { ...world.cohorts, ...Object.fromEntries(named) },
    },
  };
}

function mapGroups<Value>(
  groups: NamedPerson['groups'],
  valueOf: (group: NamedPerson['groups'][string]) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(groups).map(([index, group]) => [index, valueOf(group)]));
}

/** Manifests name types of groups by index, so the index is the name. */
const GROUP_TYPES = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [String(index), String(index)]));
