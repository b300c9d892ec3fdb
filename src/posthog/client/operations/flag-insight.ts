/**
 * The operations that report on flags: activity, evaluation, reach.
 *
 * The interface document shows one flag as the sample body of each. A service that follows it literally answers with one
 * object, which is then read as a list of one; an object is returned unchanged.
 */

import { stringifyJson } from '../../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../base/json.ts';
import type { Operations, RequestSpec } from '../request-spec.ts';
import { readArray, readInteger, readObject, readText } from '../shape.ts';

/** Activity is paged by number, not by offset (docs/service/activity.md). */
export interface ActivityQuery {
  /** Entries per page, default 10. */
  readonly limit?: number;
  /** Counted from 1. */
  readonly page?: number;
}

export interface ActivityPage extends JsonObject {
  readonly results: readonly ActivityEntry[];
  readonly total_count?: number;
  readonly next?: string | null;
  readonly previous?: string | null;
}

export interface ActivityEntry extends JsonObject {
  readonly id?: string;
  /** `created`, `updated`, `deleted`. */
  readonly activity?: string;
  readonly item_id?: string;
  /** ISO 8601, UTC. */
  readonly created_at?: string;
}

/** Groups of a person by type: `{ company: 'acme' }`. */
export type Groups = Readonly<Record<string, string>>;

export interface EvaluationReason extends JsonObject {
  /** True, false, or the key of a variant. */
  readonly value?: boolean | string;
  readonly evaluation?: JsonObject & { readonly reason?: string; readonly condition_index?: number | null };
}

/** Keys are flag keys. */
export type EvaluationReasons = Readonly<Record<string, EvaluationReason>>;

export interface LocalEvaluation extends JsonObject {
  readonly flags?: readonly JsonObject[];
  /** Group type index, as a string, to the name of the group type. */
  readonly group_type_mapping?: JsonObject;
}

export interface MyFlag extends JsonObject {
  readonly feature_flag?: JsonObject;
  readonly value?: boolean | string;
}

/** The number of users that one condition reaches, and of all users. */
export interface BlastRadius {
  readonly affected: number;
  readonly total: number;
}

/** A flag as `dependentFlags` names it. */
interface DependentFlag extends JsonObject {
  readonly id: number;
  readonly key: string;
}

/** `reason`: why the flag has the status, for people. */
interface FlagStatus extends JsonObject {
  readonly status: string;
  readonly reason: string;
}

export interface FlagInsightOperations {
  /** One page of what happened to a flag, newest first. Throws `not_found`. */
  flagActivity(id: number, query?: ActivityQuery): Promise<ActivityPage>;
  /** One page of what happened to all flags of the project, newest first. */
  projectFlagActivity(query?: ActivityQuery): Promise<ActivityPage>;
  /** The value of each flag for a person, and the reason. */
  evaluationReasons(query: { readonly distinctId: string; readonly groups?: Groups }): Promise<EvaluationReasons>;
  /** The definitions that an SDK evaluates locally; services since June 2026 answer `not_found`, and have `getDefinitions`. */
  localEvaluation(): Promise<LocalEvaluation>;
  /**
   * The definitions of flags with which SDKs evaluate locally. `token`: the public one of the project. Throws `not_found` if a service has no
   * such path.
   */
  getDefinitions(token: string): Promise<JsonObject>;
  /** The value of each flag for the owner of the key. */
  myFlags(query?: { readonly groups?: Groups }): Promise<readonly MyFlag[]>;
  /** The active flags with a condition on this one (services since 2026). Throws `not_found`. */
  dependentFlags(id: number): Promise<readonly DependentFlag[]>;
  /** Whether the service calls the flag stale, and why (services since 2026). Throws `not_found`. */
  flagStatus(id: number): Promise<FlagStatus>;
  /** Counts the users that a condition reaches; writes nothing. */
  userBlastRadius(query: { readonly condition: JsonObject; readonly groupTypeIndex?: number }): Promise<BlastRadius>;
}

export function flagInsightOperations({ send, projectPath, apiPath }: Operations): FlagInsightOperations {
  const collection = `${projectPath}/feature_flags/`;
  const get = <T>(operation: string, path: string, options: Pick<RequestSpec<T>, 'query' | 'read'>): Promise<T> =>
    send({ operation, method: 'GET', path: `${collection}${path}`, repeat: 'freely', ...options });
  return {
    flagActivity: (id, query) => get('flagActivity', `${id}/activity/`, { query: { ...query }, read: readActivity }),
    projectFlagActivity: (query) =>
      get('projectFlagActivity', 'activity/', { query: { ...query }, read: readActivity }),
    evaluationReasons: ({ distinctId, groups }) =>
      get('evaluationReasons', 'evaluation_reasons/', {
        query: { distinct_id: distinctId, groups: groupsText(groups) },
        read: (body) => readObject(body) as EvaluationReasons,
      }),
    localEvaluation: () => get('localEvaluation', 'local_evaluation/', { read: (body) => readObject(body) }),
    getDefinitions: (token) =>
      send({
        operation: 'getDefinitions',
        method: 'GET',
        path: `${apiPath.slice(0, -'/api'.length)}/flags/definitions`,
        query: { token },
        repeat: 'freely',
        read: (body) => readObject(body),
      }),
    myFlags: (query) =>
      get('myFlags', 'my_flags/', { query: { groups: groupsText(query?.groups) }, read: readObjects }),
    dependentFlags: (id) => get('dependentFlags', `${id}/dependent_flags/`, { read: readDependents }),
    flagStatus: (id) => get('flagStatus', `${id}/status/`, { read: readStatus }),
    userBlastRadius: ({ condition, groupTypeIndex }) =>
      send({
        operation: 'userBlastRadius',
        method: 'POST',
        path: `${collection}user_blast_radius/`,
        body: { condition, group_type_index: groupTypeIndex ?? null },
        repeat: 'freely',
        read: readBlastRadius,
      }),
  };
}

function groupsText(groups: Groups | undefined): string | undefined {
  return groups && stringifyJson(groups);
}

export function readActivity(body: JsonValue | undefined): ActivityPage {
  const page = readObject(body);
  return isJsonArray(page['results'])
    ? { ...page, results: page['results'].filter(isJsonObject) }
    : { results: [page] };
}

export function readObjects(body: JsonValue | undefined): JsonObject[] {
  return (isJsonArray(body) ? body : [body]).map((element, index) => readObject(element, [index]));
}

function readDependents(body: JsonValue | undefined): DependentFlag[] {
  return readArray(body, []).map((element, index) => {
    const flag = readObject(element, [index]);
    return { ...flag, id: readInteger(flag['id'], [index, 'id']), key: readText(flag['key'], [index, 'key']) };
  });
}

function readStatus(body: JsonValue | undefined): FlagStatus {
  const answer = readObject(body);
  return { ...answer, status: readText(answer['status'], ['status']), reason: readText(answer['reason'], ['reason']) };
}

/** The names are `users_affected` and `total_users` in 2023, `affected` and `total` today. */
function readBlastRadius(body: JsonValue | undefined): BlastRadius {
  const answer = readObject(body);
  return {
    affected: readInteger(answer['affected'] ?? answer['users_affected'], ['affected']),
    total: readInteger(answer['total'] ?? answer['total_users'], ['total']),
  };
}
