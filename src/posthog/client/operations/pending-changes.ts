/**
 * The operations on changes to come: lists of change requests, which show the writes that wait for approval and the outcome of others, and
 * of scheduled changes, which the service will make by itself.
 */

import type { JsonPath } from '../../../base/json-pointer.ts';
import { arrayOrEmpty, objectOrEmpty, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { ListedRequest } from '../../../core/engine/change-request.ts';
import type { ScheduledChange } from '../../flag/schedules.ts';
import { readListing, readPage } from '../listing.ts';
import type { Operations } from '../request-spec.ts';
import { readObject, readText, readInteger, filled } from '../shape.ts';
import { describeRequest } from '../answer.ts';

export interface ChangeRequestOperations {
  /**
   * The newest hundred change requests of the project's flags, newest first: those that did not become a change, with `applied` the
   * others too. Newer services only; the older have `not_found`. A project without approvals, a paid feature, may answer 402.
   */
  listChangeRequests(options?: { readonly applied?: boolean }): Promise<readonly ListedRequest[]>;
}

const NOT_APPLIED = 'pending,approved,rejected,failed,expired';
const NEWEST = 100;

export function changeRequestOperations({ send, projectPath }: Operations): ChangeRequestOperations {
  return {
    listChangeRequests: ({ applied = false } = {}) =>
      send({
        operation: 'listChangeRequests',
        method: 'GET',
        path: `${projectPath}/change_requests/`,
        query: {
          resource_type: 'feature_flag',
          state: applied ? `${NOT_APPLIED},applied` : NOT_APPLIED,
          limit: NEWEST,
        },
        repeat: 'freely',
        read: (body) => readPage(body, readRequest).results,
      }),
  };
}

function readRequest(value: JsonValue, path: JsonPath): ListedRequest {
  const request = readObject(value, path);
  const { resource_id: resourceId, apply_error: failure } = request;
  const votes = arrayOrEmpty(request['approvals']).map(objectOrEmpty);
  const vote = votes.find(({ decision }) => decision === 'rejected');
  return {
    id: readText(request['id'], [...path, 'id']),
    state: readText(request['state'], [...path, 'state']),
    ...describeRequest(request, (text) => text),
    ...defined({
      resourceId: resourceId === null || resourceId === undefined ? undefined : Number(resourceId),
      openedBy: nameOf(request['created_by']),
      rejection: vote && defined({ by: nameOf(vote['created_by']), reason: filled(vote['reason']) }),
      failure: filled(failure),
    }),
  };
}

function nameOf(user: JsonValue | undefined): string | undefined {
  const { email, first_name: name }: JsonObject = objectOrEmpty(user);
  return filled(email) ?? filled(name);
}

export interface ScheduledChangeOperations {
  /** Every scheduled change of the project's flags, executed ones too. Newer services only; the older have `not_found`. */
  listScheduledChanges(): Promise<readonly ScheduledChange[]>;
}

const CHANGES_PER_PAGE = 500;

export function scheduledChangeOperations(operations: Operations): ScheduledChangeOperations {
  const { send, projectPath, concurrency, callee } = operations;
  return {
    listScheduledChanges: () =>
      readListing(send, {
        operation: 'listScheduledChanges',
        path: `${projectPath}/scheduled_changes/`,
        query: { model_name: 'FeatureFlag' },
        first: { limit: CHANGES_PER_PAGE },
        concurrency,
        callee,
        readEntry: readScheduledChange,
      }),
  };
}

function readScheduledChange(value: JsonValue, path: JsonPath): ScheduledChange {
  const change = readObject(value, path);
  return {
    ...change,
    id: readInteger(change['id'], [...path, 'id']),
    record_id: readText(change['record_id'], [...path, 'record_id']),
    scheduled_at: readText(change['scheduled_at'], [...path, 'scheduled_at']),
  };
}
