/** A person of a test file as the subject of an evaluation. */

import type { KnownCohort, EvaluationContext, Subject } from '../evaluation/input.ts';
import type { NamedPerson } from './expectation.ts';
import type { FlagWorld } from './world.ts';

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
