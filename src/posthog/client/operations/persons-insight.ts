/**
 * The operations that report on persons: activity, timeline, cohorts, property names and values.
 *
 * The interface document shows one person as the sample body of each; as with flags, one object is then read as a list
 * of one.
 */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { personSegment, type PersonId } from '../person.ts';
import type { RequestSpec } from '../request-spec.ts';
import { readObject } from '../shape.ts';
import type { Specs } from '../specs.ts';
import { readActivity, readObjects, type ActivityPage, type ActivityQuery } from './flag-insight.ts';

/** A name or a value, and the number of persons that have it. */
export interface NameCount extends JsonObject {
  readonly name?: JsonValue;
  readonly count?: number;
}

export interface PersonInsightOperations {
  /** One page of what happened to a person, newest first. Throws `not_found`. */
  personActivity(id: PersonId, query?: ActivityQuery): Promise<ActivityPage>;
  /** One page of what happened to all persons of the project, newest first. */
  projectPersonActivity(query?: ActivityQuery): Promise<ActivityPage>;
  /** The changes of a person's properties over time, in the service's shape: `points`, `crossed_over` and dates. */
  personPropertiesTimeline(id: PersonId): Promise<JsonObject>;
  /** The cohorts of one person. The document names no parameter; the real service requires `person_id`, otherwise 500. */
  personCohorts(id: PersonId): Promise<readonly JsonObject[]>;
  /** The names of all properties. Removed from the service in 2025 (`not_found`). */
  personProperties(): Promise<readonly NameCount[]>;
  /** The values of one property. The document names no parameter; the real service returns nothing without `key`. */
  personValues(query: { readonly key: string; readonly value?: string }): Promise<readonly NameCount[]>;
}

export function personInsightSpecs(projectPath: string): Specs<PersonInsightOperations> {
  const get = <T>(operation: string, path: string, options: AnalysisRequest<T>): RequestSpec<T> => ({
    operation,
    method: 'GET',
    path: `${projectPath}/persons/${path}`,
    repeat: 'freely',
    ...options,
  });
  return {
    personActivity: (id, query) =>
      get('personActivity', `${personSegment(id)}/activity/`, { query: { ...query }, read: readActivity }),
    projectPersonActivity: (query) =>
      get('projectPersonActivity', 'activity/', { query: { ...query }, read: readActivity }),
    personPropertiesTimeline: (id) =>
      get('personPropertiesTimeline', `${personSegment(id)}/properties_timeline/`, {
        read: (body) => readObject(body),
      }),
    personCohorts: (id) => get('personCohorts', 'cohorts/', { query: { person_id: id }, read: readResults }),
    personProperties: () => get('personProperties', 'properties/', { read: readObjects }),
    personValues: ({ key, value }) => get('personValues', 'values/', { query: { key, value }, read: readObjects }),
  };
}

type AnalysisRequest<T> = Pick<RequestSpec<T>, 'query' | 'read'>;

function readResults(body: JsonValue | undefined): readonly JsonObject[] {
  return readObjects(isJsonObject(body) && isJsonArray(body['results']) ? body['results'] : body);
}
