/** The people of a test: written as in test files, and checked here, since nothing else checks them at run time. */

import { parseJson, stringifyJson } from '../base/json-text.ts';
import { memberOf, type JsonObject } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import { nearest } from '../base/text.ts';
import { didYouMean, listed, quoted } from '../base/wording.ts';
import type { NamedPerson } from '../expectations/expectation.ts';
import { toPerson } from '../expectations/people.ts';
import type { TestPerson, TestGroup } from './api.ts';
import { usageError } from './errors.ts';

/** The names that people may use, and the people whom the service knows. */
export interface KnownToPeople {
  readonly project: string;
  /** Aliases of the project's cohorts. */
  readonly cohorts: ReadonlySet<string>;
  /** The index of each group type by its name. */
  readonly groupTypes: Readonly<Record<string, number>>;
  /** Keys are distinct ids. What a person says precedes what is known of it. */
  readonly people: ReadonlyMap<string, TestPerson>;
}

/** @throws {FlagwrightError} `usage` for a member, a cohort or a type of groups that does not exist, or a value that is no JSON. */
export function readPerson(person: TestPerson, known: KnownToPeople): NamedPerson {
  checkMembers(person);
  const stored = known.people.get(person.id);
  const { id, properties, groups, cohorts, device_id, anonymous_id } = {
    ...stored,
    ...person,
    properties: { ...stored?.properties, ...person.properties },
    groups: { ...stored?.groups, ...person.groups },
  };
  for (const cohort of cohorts ?? []) checkCohort(person, cohort, known);
  return toPerson(id, {
    id,
    properties: toJson(properties, `the properties of ${quoted(id)}`),
    groups: Object.fromEntries(
      Object.entries(groups).map(([name, group]) => [groupIndex(name, known), toGroup(name, group)]),
    ),
    ...defined({ cohorts, device_id, anonymous_id }),
  });
}

const MEMBERS: { readonly [Member in keyof Required<TestPerson>]: true } = {
  id: true,
  properties: true,
  groups: true,
  cohorts: true,
  device_id: true,
  anonymous_id: true,
};

function checkMembers(person: TestPerson): void {
  const { id } = (person as TestPerson | null | undefined) ?? {};
  if (typeof id !== 'string' || id === '') {
    throw usageError('A person needs an id.', "Pass an object such as { id: 'ada-7', properties: { plan: 'pro' } }.");
  }
  const unknown = Object.keys(person).find((member) => !Object.hasOwn(MEMBERS, member));
  if (unknown === undefined) return;
  throw usageError(
    `A person has no member ${quoted(unknown)}.`,
    didYouMean(nearest(unknown, Object.keys(MEMBERS)), 'Properties of the person belong under `properties`.'),
  );
}

function checkCohort({ id }: TestPerson, cohort: string | number, { cohorts, project }: KnownToPeople): void {
  if (typeof cohort === 'number' || /^\d+$/.test(cohort) || cohorts.has(cohort)) return;
  throw usageError(
    `${quoted(id)} is in cohort ${quoted(cohort)}, which ${project} does not have.`,
    didYouMean(nearest(cohort, cohorts), 'Use an alias of flagwright.yaml or of the manifests, or an id.'),
  );
}

function groupIndex(name: string, { groupTypes }: KnownToPeople): string {
  const index = memberOf(groupTypes, name);
  if (index !== undefined) return String(index);
  if (/^\d+$/.test(name)) return name;
  const names = Object.keys(groupTypes);
  throw usageError(
    `The index of the group type ${quoted(name)} is unknown.`,
    names.length === 0
      ? `Pass it to loadFlags, as in { groupTypes: { ${name}: 0 } }.`
      : didYouMean(nearest(name, names), `Add it to groupTypes, which has ${listed(names, 'and')}.`),
  );
}

function toGroup(name: string, group: TestGroup): { readonly key: string | number; readonly properties: JsonObject } {
  if (typeof group !== 'object') return { key: group, properties: {} };
  return { key: group.key, properties: toJson(group.properties ?? {}, `the properties of group ${quoted(name)}`) };
}

/** Gives dates their JSON text, and drops what JSON cannot hold, as a library does that sends properties. */
function toJson(value: Readonly<Record<string, unknown>>, what: string): JsonObject {
  try {
    return parseJson(stringifyJson(value as JsonObject)) as JsonObject;
  } catch (cause) {
    throw usageError(`JSON cannot hold ${what}.`, 'Remove the circular references.', cause);
  }
}
