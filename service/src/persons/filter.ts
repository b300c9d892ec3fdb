/** Reads the filters of the person list: `distinct_id`, `email`, `search`, and `properties` with every operator. */

import { parseJson, plainText, stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { matchesCondition } from '../../../src/evaluation/condition.ts';
import { matchesProperty, VALUE_OPERATORS } from '../../../src/evaluation/match-property.ts';
import { readPattern } from '../../../src/base/pattern/read-pattern.ts';
import type { Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { evaluationContext, subjectOfPerson, type EvaluatedProperty } from '../evaluation/context.ts';
import { type PersonRecord, type PersonFilter, propertyTerm } from '../store/person-scan.ts';

/** An empty parameter counts as absent. */
export function readPersonFilter(service: ServiceContext, call: Call): PersonFilter {
  const distinctId = call.query.get('distinct_id') || undefined;
  const email = call.query.get('email') || undefined;
  const search = call.query.get('search')?.trim() || undefined;
  return {
    ...defined({ distinctId, email, search }),
    ...buildPropertyFilter(service, call.projectId, readProperties(call.query.getAll('properties'))),
  };
}

/** Matches persons with all of the properties, which are checked already. */
export function buildPropertyFilter(
  service: ServiceContext,
  projectId: string,
  properties: readonly EvaluatedProperty[],
): Pick<PersonFilter, 'terms' | 'test'> {
  if (properties.length === 0) return {};
  const context = evaluationContext(service, projectId);
  const ofPersons = properties.filter(isOwnProperty);
  const others = properties.filter((property) => !isOwnProperty(property));
  const terms = ofPersons.map(({ key, operator, value = null }) =>
    propertyTerm({ key: String(key), operator: operator ?? 'exact', value }),
  );
  // Filters beyond the person's own properties cost a query each, and are rare.
  const testOthers = (person: PersonRecord): boolean =>
    service.store.persons
      .distinctIds(person.id)
      .map((id) => subjectOfPerson(service, person, id))
      .some((subject) => matchesCondition({ properties: others }, { context, subject }) === true);
  return {
    terms: terms.filter((term) => term !== undefined),
    test: (person) =>
      ofPersons.every((property) => matchesProperty(property, person.properties, context) === true) &&
      (others.length === 0 || testOthers(person)),
  };
}

function isOwnProperty({ type = 'person', key }: EvaluatedProperty): boolean {
  return type === 'person' && key !== 'distinct_id';
}

/** A JSON list, or several parameters with a filter each. */
function readProperties(texts: readonly string[]): EvaluatedProperty[] {
  return texts.filter((text) => text !== '').flatMap((text) => checkProperties(parse(text)));
}

/** The types that filters may have, and the parameter that they come from. */
export interface FilterPlace {
  /** The first is the default. */
  readonly types: readonly string[];
  readonly attr: string;
}

const ON_PERSONS: FilterPlace = { types: ['person', 'cohort'], attr: 'properties' };

/** A list of filters, or one. Throws a 400 for a filter that cannot be evaluated. */
export function checkProperties(value: JsonValue, place: FilterPlace = ON_PERSONS): EvaluatedProperty[] {
  const filters = isJsonArray(value) ? value : [value];
  return filters.map((filter) => {
    const found = isJsonObject(filter)
      ? findProblem(filter, place)
      : 'each filter must be an object with key, value and operator';
    if (found !== undefined) throw problem(found, place.attr);
    return filter as EvaluatedProperty;
  });
}

function findProblem(filter: JsonObject, { types }: FilterPlace): string | undefined {
  const { key, type = types[0] as string, operator, value = null } = filter;
  if ((typeof key !== 'string' && typeof key !== 'number') || key === '') return 'a filter requires a key';
  if (typeof type !== 'string' || !types.includes(type)) return `the type ${stringifyJson(type)} is not supported here`;
  if (type === 'cohort') return undefined;
  const name = plainText(operator ?? 'exact');
  const known = VALUE_OPERATORS.get(name);
  if (known === undefined) return `unknown operator ${stringifyJson(name)}`;
  if (known.needsValue && value === null) return `${name} requires a value`;
  const pattern = plainText(value);
  return known.operand === 'regex' && readPattern(pattern).kind !== 'known'
    ? `${stringifyJson(value)} is not a supported regular expression`
    : undefined;
}

function parse(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch {
    throw problem('the parameter is not JSON', 'properties');
  }
}

function problem(detail: string, attr: string): Error {
  return invalid('invalid_input', `Invalid properties: ${detail}.`, attr);
}
