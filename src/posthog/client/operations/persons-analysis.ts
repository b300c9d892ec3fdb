/**
 * The operations that find persons by their behaviour: funnel, correlation, path, trends, lifecycle, retention, stickiness.
 *
 * The interface document names only the parameter `format`, for POST a body with `properties`, and one person as the
 * answer. The real service accepts the parameters of the insight and answers with lists of people
 * (docs/service.md, "Persons"). Both are read into the same shape.
 */

import { stringifyJson } from '../../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { readNext, type PagePosition } from '../listing.ts';
import { readPerson, type Person } from './persons.ts';
import type { RequestSpec, Specs } from '../request-spec.ts';
import { readObject } from '../shape.ts';

/**
 * Parameters by the service's names, including `limit` and `offset`. In a query, lists and objects are sent as JSON
 * strings.
 */
export type AnalysisParameters = JsonObject;

export interface PersonAnalysis {
  /** Sorted by the service. */
  readonly people: readonly Person[];
  /** The service's count; null without one. */
  readonly count: number | null;
  /** The parameters of the next page. */
  readonly next: PagePosition | null;
  /** The whole answer, unchanged. */
  readonly answer: JsonObject;
}

export interface PersonAnalysisOperations {
  /** Persons of a step of a funnel. */
  personFunnel(parameters?: AnalysisParameters): Promise<PersonAnalysis>;
  /** The same by POST: parameters in the body, `limit` and `offset` in the query. */
  postPersonFunnel(parameters?: AnalysisParameters): Promise<PersonAnalysis>;
  /** Persons behind one correlation of a funnel. Removed from the service in 2025, with either method (`not_found`). */
  personFunnelCorrelation(parameters?: AnalysisParameters): Promise<PersonAnalysis>;
  postPersonFunnelCorrelation(parameters?: AnalysisParameters): Promise<PersonAnalysis>;
  /** Persons on a path. Removed from the service in 2025, with either method (`not_found`). */
  personPath(parameters?: AnalysisParameters): Promise<PersonAnalysis>;
  postPersonPath(parameters?: AnalysisParameters): Promise<PersonAnalysis>;
  /** Real service: `target_date` and `lifecycle_type` are required, otherwise `validation`. */
  personLifecycle(parameters?: AnalysisParameters): Promise<PersonAnalysis>;
  /** `answer.result` holds the activity of each person by period. Removed from the service in 2025 (`not_found`). */
  personRetention(parameters?: AnalysisParameters): Promise<PersonAnalysis>;
  /** Persons by the number of days on which they were active. */
  personStickiness(parameters?: AnalysisParameters): Promise<PersonAnalysis>;
  /** Persons behind one point of a trend. */
  personTrends(parameters?: AnalysisParameters): Promise<PersonAnalysis>;
}

export function personAnalysisSpecs(projectPath: string): Specs<PersonAnalysisOperations> {
  const get =
    (operation: string, path: string) =>
    (parameters: AnalysisParameters = {}): RequestSpec<PersonAnalysis> => ({
      operation,
      method: 'GET',
      path: `${projectPath}/persons/${path}/`,
      query: asQuery(parameters),
      repeat: 'freely',
      read: readAnalysis,
    });
  const post =
    (operation: string, path: string) =>
    ({ limit, offset, ...body }: AnalysisParameters = {}): RequestSpec<PersonAnalysis> => ({
      operation,
      method: 'POST',
      path: `${projectPath}/persons/${path}/`,
      query: asQuery({ limit, offset }),
      body,
      // The request changes nothing: POST is for parameters that are too long for a URL.
      repeat: 'freely',
      read: readAnalysis,
    });
  return {
    personFunnel: get('personFunnel', 'funnel'),
    postPersonFunnel: post('postPersonFunnel', 'funnel'),
    personFunnelCorrelation: get('personFunnelCorrelation', 'funnel/correlation'),
    postPersonFunnelCorrelation: post('postPersonFunnelCorrelation', 'funnel/correlation'),
    personPath: get('personPath', 'path'),
    postPersonPath: post('postPersonPath', 'path'),
    personLifecycle: get('personLifecycle', 'lifecycle'),
    personRetention: get('personRetention', 'retention'),
    personStickiness: get('personStickiness', 'stickiness'),
    personTrends: get('personTrends', 'trends'),
  };
}

function asQuery(parameters: AnalysisParameters): Record<string, string | number | boolean | undefined> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'object' || typeof value === 'bigint' ? stringifyJson(value) : value,
    ]),
  );
}

/** `results` of `{ people, count }`; for retention `result` with one row per person; in the document one person. */
function readAnalysis(body: JsonValue | undefined): PersonAnalysis {
  const answer = readObject(body);
  const rows = [answer['results'], answer['result']].find(isJsonArray);
  if (rows === undefined) return { people: [readPerson(answer)], count: null, next: null, answer };
  const counts = rows.flatMap((row) => (isJsonObject(row) && typeof row['count'] === 'number' ? [row['count']] : []));
  return {
    people: rows.flatMap(peopleOf).map((person) => readPerson(person, ['results'])),
    count: counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0),
    next: readNext(answer['next']) ?? null,
    answer,
  };
}

function peopleOf(row: JsonValue): readonly JsonValue[] {
  if (!isJsonObject(row)) return [row];
  if (isJsonArray(row['people'])) return row['people'];
  return [row['person'] ?? row];
}
