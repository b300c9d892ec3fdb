/**
 * The operations on persons: list, read, write and split them, what happened to them, and those that an analysis finds by their behavior.
 *
 * The interface document and the real service disagree about most writes (docs/service/persons.md): the document
 * answers with the person, the real service with 201, 202 or 204 and no person, because it executes them later. A result
 * of `undefined` means accepted: a read right afterwards may still show the former state. For reports the document names few parameters
 * and shows one person as the sample body; the real service answers with lists. One object is then read as a list of one.
 */

import { FlagwrightError } from '../../../base/errors.ts';
import type { JsonPath } from '../../../base/json-pointer.ts';
import { plainText, stringifyJson } from '../../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { ReadAnswer } from '../answer.ts';
import {
  pagedListing,
  positionAfter,
  readNext,
  readPage,
  type Page,
  type Paged,
  type PagePosition,
} from '../listing.ts';
import { mapSpecs, type Operations, type RequestSpec, type Specs } from '../request-spec.ts';
import { readNothing, readObject, UnexpectedShape } from '../shape.ts';
import { readActivity, readObjects, type ActivityPage, type ActivityQuery } from './flag-insight.ts';

/** The number of a person or, on services since 2023, its UUID. */
export type PersonId = number | string;

/** Other fields are kept unchanged. All but `properties` are read-only. */
export interface Person extends JsonObject {
  /** A number; in answers of the analyses the UUID, or for a group its key. */
  readonly id: number | string;
  readonly uuid?: string;
  /** Derived by the service: e-mail address, a distinct id, or the id. */
  readonly name?: string;
  readonly distinct_ids?: readonly string[];
  readonly properties?: JsonObject;
  /** ISO 8601, UTC. */
  readonly created_at?: string;
}

/** The persons to list; filters combine with AND. */
export interface PersonListQuery {
  /** Persons per request, default 1000; the service's own default is 100, and it may return fewer. */
  readonly pageSize?: number;
  /** The number to skip. */
  readonly offset?: number;
  /** Exact, as is `email`. */
  readonly distinctId?: string;
  readonly email?: string;
  /** Part of an e-mail address, or a whole distinct id. */
  readonly search?: string;
  /** All must match; sent as a JSON string. */
  readonly properties?: readonly PersonPropertyFilter[];
}

export interface PersonPropertyFilter extends JsonObject {
  readonly key: string;
  readonly value?: JsonValue;
  /** `exact` when absent; the operators are those of flags (docs/conditions.md, "Properties"). */
  readonly operator?: string;
  readonly type?: string;
}

/** One page of the list. */
export interface PersonPage {
  readonly persons: readonly Person[];
  /** The number of persons in the whole list, if the service tells it: today's does, that of 2023 does not. */
  readonly total?: number;
  /** The offset of the next page; absent on the last one. */
  readonly next?: number;
}

/** A name or a value, and the number of persons that have it. */
export interface NameCount extends JsonObject {
  readonly name?: JsonValue;
  readonly count?: number;
}

/** Parameters by the service's names, including `limit` and `offset`. In a query, lists and objects are sent as JSON strings. */
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

export interface PersonListing {
  /**
   * Persons page by page, as they are used: `for await (const person of client.listPersons())`. The service gives no count,
   * so a person that is created or deleted during the reading may be missing; one that moves to the next page is returned
   * once.
   */
  listPersons(query?: PersonListQuery): Paged<Person>;
  /** One page of the same list, with the number of all persons. A person may come again on the next page. */
  pagePersons(query?: PersonListQuery): Promise<PersonPage>;
}

export interface PersonOperations extends PersonAnalysisOperations {
  /**
   * Creates a person. Document: POST on the list, answered with the person. Real service: throws `unexpected_status`
   * (405), since events create persons there.
   */
  createPerson(properties: JsonObject): Promise<Person | undefined>;
  /** One person by number or UUID. Throws `not_found`; for any other string the real service answers `validation`. */
  getPerson(id: PersonId): Promise<Person>;
  /** Merges properties into the existing ones. Document: 200 with the person; real: 204, since 2025 202. */
  updatePerson(id: PersonId, properties: JsonObject): Promise<Person | undefined>;
  /**
   * Deletes a person, with its events when `deleteEvents` is true. The parameter is omitted otherwise: the real service
   * reads `delete_events` as true even with the value `false`. Document and 2023: 204; since 2025 202.
   */
  deletePerson(id: PersonId, options?: { readonly deleteEvents?: boolean }): Promise<void>;
  /**
   * Splits the person into one person for each distinct id; `mainDistinctId` keeps the properties. Document: the person;
   * real: 201 `{"success": true}`, executed later. The real service reads `main_distinct_id`, the document `properties`.
   */
  splitPerson(
    id: PersonId,
    options?: { readonly mainDistinctId?: string; readonly properties?: JsonObject },
  ): Promise<Person | undefined>;
  /**
   * Sets one property. Document: `key` and `value` in the query; real: in the JSON body, 204 or 202. Both are sent; a
   * value that is no string is JSON in the query, and one of more than 1000 characters is only in the body.
   */
  setPersonProperty(id: PersonId, key: string, value: JsonValue): Promise<Person | undefined>;
  /** Removes one property. Document: `$unset` in the query; real: in the JSON body, 201. Both are sent. */
  unsetPersonProperty(id: PersonId, key: string): Promise<Person | undefined>;

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

const DEFAULT_PAGE_SIZE = 1000;

export function personListing({ send, projectPath }: Operations): PersonListing {
  const begin = ({ pageSize = DEFAULT_PAGE_SIZE, offset = 0 }: PersonListQuery): { limit: number; offset: number } => ({
    limit: pageSize,
    offset,
  });
  return {
    listPersons: (query = {}) =>
      pagedListing(send, begin(query), (position) => personPageSpec(projectPath, query, { ...position })),
    pagePersons: async (query = {}) => {
      const position = begin(query);
      const spec = personPageSpec(projectPath, query, { ...position, include_total: true });
      const read: ReadAnswer<PersonPage> = (body, status) => {
        const page = spec.read(body, status);
        const next = positionAfter(position, page)?.offset;
        return { persons: page.results, ...defined({ total: page.count, next }) };
      };
      return send({ ...spec, operation: 'pagePersons', read });
    },
  };
}

/** One page of the list; without a position the service chooses. */
function personPageSpec(
  projectPath: string,
  { distinctId, email, search, properties }: PersonListQuery,
  position: RequestSpec<unknown>['query'],
): RequestSpec<Page<Person>> {
  return {
    operation: 'listPersons',
    method: 'GET',
    path: `${projectPath}/persons/`,
    query: {
      ...{ distinct_id: distinctId, email, search },
      properties: properties === undefined ? undefined : stringifyJson(properties),
      ...position,
    },
    repeat: 'freely',
    read: (body) => readPage(body, readPerson),
  };
}

export function personSpecs(projectPath: string): Specs<PersonOperations> {
  const all = `${projectPath}/persons/`;
  const one = (id: PersonId): string => {
    const text = String(id);
    // Such a string would change the meaning of the path.
    if (/^\.*$/.test(text)) throw new FlagwrightError('usage', `'${text}' is not the id of a person.`);
    return `${all}${encodeURIComponent(text)}/`;
  };
  const get = <T>(operation: string, path: string, call: Pick<RequestSpec<T>, 'query' | 'read'>): RequestSpec<T> => ({
    ...{ operation, method: 'GET', path, repeat: 'freely', ...call },
  });
  const write = (spec: Pick<RequestSpec<unknown>, 'operation' | 'method' | 'path' | 'query' | 'body'>) =>
    ({ ...spec, repeat: 'unless_sent', read: readAccepted }) as const;
  const analysis =
    (operation: string, path: string) =>
    (parameters: AnalysisParameters = {}): RequestSpec<PersonAnalysis> =>
      get(operation, `${all}${path}/`, { query: asQuery(parameters), read: readAnalysis });
  // The request changes nothing: POST is for parameters that are too long for a URL.
  const posted =
    (operation: string, path: string) =>
    ({ limit, offset, ...body }: AnalysisParameters = {}): RequestSpec<PersonAnalysis> => ({
      ...get(operation, `${all}${path}/`, { query: asQuery({ limit, offset }), read: readAnalysis }),
      ...{ method: 'POST', body },
    });
  return {
    createPerson: (properties) => write({ operation: 'createPerson', method: 'POST', path: all, body: { properties } }),
    getPerson: (id) => get('getPerson', one(id), { read: (body) => readPerson(body) }),
    updatePerson: (id, properties) =>
      write({ operation: 'updatePerson', method: 'PATCH', path: one(id), body: { properties } }),
    deletePerson: (id, { deleteEvents = false } = {}) => ({
      ...{ operation: 'deletePerson', method: 'DELETE', path: one(id), repeat: 'until_gone' },
      query: { delete_events: deleteEvents ? true : undefined },
      read: (body, status) => readNothing(body, { status, expected: WITHOUT_BODY }),
    }),
    splitPerson: (id, { mainDistinctId, properties } = {}) => {
      const body = { main_distinct_id: mainDistinctId, properties };
      return write({ operation: 'splitPerson', method: 'POST', path: `${one(id)}split/`, body });
    },
    setPersonProperty: (id, key, value) => {
      const text = plainText(value);
      const query = { key, value: text.length > LONGEST_QUERY_VALUE ? undefined : text };
      const path = `${one(id)}update_property/`;
      return write({ operation: 'setPersonProperty', method: 'POST', path, query, body: { key, value } });
    },
    unsetPersonProperty: (id, key) => {
      const unset = { $unset: key };
      const path = `${one(id)}delete_property/`;
      return write({ operation: 'unsetPersonProperty', method: 'POST', path, query: unset, body: unset });
    },
    personActivity: (id, query) =>
      get('personActivity', `${one(id)}activity/`, { query: { ...query }, read: readActivity }),
    projectPersonActivity: (query) =>
      get('projectPersonActivity', `${all}activity/`, { query: { ...query }, read: readActivity }),
    personPropertiesTimeline: (id) =>
      get('personPropertiesTimeline', `${one(id)}properties_timeline/`, { read: (body) => readObject(body) }),
    personCohorts: (id) => get('personCohorts', `${all}cohorts/`, { query: { person_id: id }, read: readResults }),
    personProperties: () => get('personProperties', `${all}properties/`, { read: readObjects }),
    personValues: ({ key, value }) =>
      get('personValues', `${all}values/`, { query: { key, value }, read: readObjects }),
    personFunnel: analysis('personFunnel', 'funnel'),
    postPersonFunnel: posted('postPersonFunnel', 'funnel'),
    personFunnelCorrelation: analysis('personFunnelCorrelation', 'funnel/correlation'),
    postPersonFunnelCorrelation: posted('postPersonFunnelCorrelation', 'funnel/correlation'),
    personPath: analysis('personPath', 'path'),
    postPersonPath: posted('postPersonPath', 'path'),
    personLifecycle: analysis('personLifecycle', 'lifecycle'),
    personRetention: analysis('personRetention', 'retention'),
    personStickiness: analysis('personStickiness', 'stickiness'),
    personTrends: analysis('personTrends', 'trends'),
  };
}

/** Longer values are not safe in the URL of a request. */
const LONGEST_QUERY_VALUE = 1000;

/** The service answers 204, or 202 when it executes the write later. */
const WITHOUT_BODY: readonly number[] = [202, 204];

function asQuery(parameters: AnalysisParameters): Record<string, string | number | boolean | undefined> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'object' || typeof value === 'bigint' ? stringifyJson(value) : value,
    ]),
  );
}

/** A person where the service returns one; nothing, or `{"success": true}`, where it executes the write later. */
function readAccepted(body: JsonValue | undefined, status: number): Person | undefined {
  if (body === undefined) return readNothing(body, { status, expected: WITHOUT_BODY });
  const { success } = readObject(body);
  if (success === false) throw new UnexpectedShape(['success'], 'true');
  return success === true ? undefined : readPerson(body);
}

function readPerson(value: JsonValue | undefined, path: JsonPath = []): Person {
  const person = readObject(value, path);
  const id = person['id'] ?? person['uuid'];
  if (typeof id !== 'number' && typeof id !== 'string') {
    throw new UnexpectedShape([...path, 'id'], 'a number or a UUID');
  }
  return { ...person, id };
}

function readResults(body: JsonValue | undefined): readonly JsonObject[] {
  return readObjects(isJsonObject(body) && isJsonArray(body['results']) ? body['results'] : body);
}

/** `results` of `{ people, count }`; for retention `result` with one row per person; in the document one person. */
function readAnalysis(body: JsonValue | undefined): PersonAnalysis {
  const answer = readObject(body);
  const rows = [answer['results'], answer['result']].find(isJsonArray);
  if (rows === undefined) return { people: [readPerson(answer)], count: null, next: null, answer };
  const counts = rows.flatMap((row) => (isJsonObject(row) && typeof row['count'] === 'number' ? [row['count']] : []));
  const people = rows.flatMap((row) => {
    if (!isJsonObject(row)) return [row];
    return isJsonArray(row['people']) ? row['people'] : [row['person'] ?? row];
  });
  return {
    people: people.map((person) => readPerson(person, ['results'])),
    count: counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0),
    next: readNext(answer['next']) ?? null,
    answer,
  };
}

/** A delete has no answer body, in any format. CSV has no pages. */
type AnsweringOperations = Omit<PersonListing, 'pagePersons'> & Omit<PersonOperations, 'deletePerson'>;

/**
 * The operations on persons with `format=csv` and the same arguments. Each yields bytes that are read no faster than they
 * are used; the first read sends the request. Fails with `ServiceError`: `invalid_answer` when the service answers in
 * another format; `network` or `timeout` also midway, when the bytes so far are incomplete.
 */
export type PersonCsvOperations = {
  readonly [Name in keyof AnsweringOperations]: (
    ...args: Parameters<AnsweringOperations[Name]>
  ) => AsyncIterable<Uint8Array>;
};

/**
 * Persons as CSV, generated by the service and streamed. The real service exports a whole list, up to its own limit,
 * and ignores paging (docs/service/persons.md). Values are unchanged: a spreadsheet reads a value that starts with `=`
 * as a formula.
 */
export function personCsvOperations({ download, projectPath }: Operations): PersonCsvOperations {
  const { deletePerson: _answersNothing, ...specs } = personSpecs(projectPath);
  const asCsv = ({ read: _json, ...call }: RequestSpec<unknown>): AsyncIterable<Uint8Array> =>
    download({ ...call, query: { ...call.query, format: 'csv' }, accept: 'text/csv' });
  return {
    ...(mapSpecs<Omit<PersonOperations, 'deletePerson'>>(specs, asCsv) as Omit<PersonCsvOperations, 'listPersons'>),
    listPersons: (query = {}) =>
      asCsv(personPageSpec(projectPath, query, { limit: query.pageSize, offset: query.offset })),
  };
}
