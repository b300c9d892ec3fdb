/** Lists and reads change requests, and decides about one: an approver approves or rejects it, or its requester withdraws it. */

import { isJsonObject, objectOrEmpty, type JsonObject } from '../../../src/base/json.ts';
import {
  mayCancel,
  mayVote,
  votesOf,
  isOutdated,
  refreshRequests,
  ownVote,
  serializeRequest,
} from '../approvals/requests.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { type Answer, type Call, type Handler, type ServiceContext, userOf } from '../handler/call.ts';
import { Refusal, conflict, forbidden, invalid, orNotFound } from '../handler/envelope.ts';
import type { StoredRequest } from '../store/approvals.ts';
import { formatOf } from '../filters/conditions.ts';
import { changeFlag, changeFlagWithRules } from '../flags/update.ts';
import { addFlag } from '../flags/create.ts';
import type { StoredFlag } from '../store/flag.ts';
import { answerPage } from '../handler/lists.ts';

/** The last approval that the policy asks for makes the change at once, or at the time of the scheduled change that waits for it. */
export function approveRequest(service: ServiceContext, call: Call): Answer {
  const counted = service.store.transaction(() => {
    const { found, vote: earlier } = openFor(service, call);
    if (earlier !== undefined) return undefined;
    const request = vote(service, found, { decision: 'approved', reason: reasonIn(call) });
    const approvals = votesOf(request.fields).filter(({ decision }) => decision === 'approved').length;
    const quorum = Number(objectOrEmpty(request.fields['policy_snapshot'])['quorum']);
    const state = approvals < quorum ? request.state : 'approved';
    return { request: keep(service, { ...request, state }), approvals, quorum };
  });
  if (counted === undefined) return voted();
  const { request, approvals, quorum } = counted;
  if (approvals >= quorum && service.store.scheduledChanges.isBound(request.projectId, request.id)) {
    return decided(service, request, { status: 'approved', message: 'The change is approved and made at its time.' });
  }
  if (approvals >= quorum) return applied(service, request);
  return decided(service, request, { status: 'approved', message: `${approvals} of ${quorum} approvals are given.` });
}

/** The approval counts even where the change cannot be made, so its transaction is not that of the change. */
function applied(service: ServiceContext, request: StoredRequest): Answer {
  try {
    const made = service.store.transaction(() => makeApproved(service, request));
    const { result_data: result = null } = made.fields;
    return decided(service, made, { status: 'applied', message: 'The change is approved and made.', result });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const failed = service.store.transaction(() => failApproved(service, request, error));
    return decided(service, failed, {
      status: 'failed',
      message: `The change is approved and cannot be made: ${error.message}`,
    });
  }
}

/** Makes the change in the transaction of the caller. Throws a refusal if it can no longer be made. */
export function makeApproved(service: ServiceContext, request: StoredRequest): StoredRequest {
  // The write is made as it was sent, in the name of its requester.
  const asRequester: ServiceContext = { ...service, user: objectOrEmpty(request.fields['created_by']) };
  const flag = (request.resourceId === null ? createFlag : updateFlag)(asRequester, request);
  const result_data = { resource_id: flag.id, resource_version: flag.version };
  const { created_by: applied_by = null } = request.fields;
  const fields = { ...request.fields, applied_by, applied_at: formatTimestamp(service.now()), result_data };
  return keep(service, { ...request, state: 'applied', fields });
}

export function failApproved(service: ServiceContext, request: StoredRequest, error: Refusal): StoredRequest {
  return keep(service, { ...request, state: 'failed', fields: { ...request.fields, apply_error: error.message } });
}

/** One vote is enough. A reason is required. */
export function rejectRequest(service: ServiceContext, call: Call): Answer {
  return service.store.transaction(() => {
    const { found, vote: earlier } = openFor(service, call);
    const reason = reasonIn(call);
    if (reason === '') return refused('A rejection needs a reason.');
    if (earlier !== undefined) return voted();
    const request = keep(service, { ...vote(service, found, { decision: 'rejected', reason }), state: 'rejected' });
    return decided(service, request, { status: 'rejected', message: 'The change request is rejected.' });
  });
}

/** The service has no separate state for it: a withdrawn request is one that its requester rejected. */
export const cancelRequest: Handler = (service, call) =>
  service.store.transaction(() => {
    requireFeature(service);
    refreshRequests(service, call.projectId);
    const found = findRequest(service, call);
    if (!mayCancel(service, found)) throw forbidden('You cannot withdraw this change request.');
    const own = { decision: 'rejected', reason: reasonIn(call) || 'Withdrawn by the requester' };
    const request = keep(service, { ...vote(service, found, own), state: 'rejected' });
    return decided(service, request, { status: 'canceled', message: 'The change request is withdrawn.' });
  });

/** The request, and the earlier vote of the caller. */
function openFor(service: ServiceContext, call: Call): { found: StoredRequest; vote: JsonObject | undefined } {
  requireFeature(service);
  refreshRequests(service, call.projectId);
  const found = findRequest(service, call);
  const verdict = mayVote(service, found);
  if (!verdict.allowed) throw forbidden(verdict.why);
  return { found, vote: ownVote(service, found) };
}

function vote(
  service: ServiceContext,
  request: StoredRequest,
  own: { readonly decision: string; readonly reason: string },
): StoredRequest {
  const { now, randomUuid } = service;
  const cast = { id: randomUuid(), created_by: userOf(service), ...own, created_at: formatTimestamp(now()) };
  return { ...request, fields: { ...request.fields, approvals: [...votesOf(request.fields), cast] } };
}

function keep(service: ServiceContext, request: StoredRequest): StoredRequest {
  const kept = { ...request, fields: { ...request.fields, updated_at: formatTimestamp(service.now()) } };
  service.store.approvals.updateRequest(kept);
  return kept;
}

function reasonIn({ body }: Call): string {
  const { reason } = objectOrEmpty(body);
  return typeof reason === 'string' ? reason.trim() : '';
}

function decided(service: ServiceContext, request: StoredRequest, said: JsonObject): Answer {
  const { status = null, message = null, ...others } = said;
  return { status: 200, body: { status, message, change_request: serializeRequest(request, service), ...others } };
}

function voted(): Answer {
  return refused('You have voted on this change request already.');
}

/** These refusals are not in the error envelope. */
function refused(error: string): Answer {
  return { status: 400, body: { error } };
}

/** A live flag with the key, which somebody else has created since, counts as the requested one. */
function createFlag(service: ServiceContext, request: StoredRequest): StoredFlag {
  const values = requestedValues(request);
  const { key } = values;
  const holder = typeof key === 'string' ? service.store.flags.findByKey(request.projectId, key) : undefined;
  return holder?.deleted === false ? holder : addFlag(service, request.projectId, values);
}

function updateFlag(service: ServiceContext, request: StoredRequest): StoredFlag {
  const before = service.store.flags.find(request.projectId, Number(request.resourceId));
  if (before === undefined || isOutdated(service, request)) {
    throw conflict('The flag has changed since the request was opened.');
  }
  const values = requestedValues(request);
  const intent = objectOrEmpty(request.fields['intent']);
  if (formatOf(before.filters) !== 'conditions') {
    const { version = null } = objectOrEmpty(intent['preconditions']);
    return changeFlagWithRules(service, { before, values, body: { ...values, version } });
  }
  const keepsOutdated = intent['skip_opportunistic_filter_cleanup'] === true;
  return changeFlag(service, { before, values, keepsOutdated });
}

/** Includes the payloads that the request hides. */
function requestedValues({ fields }: StoredRequest): JsonObject {
  const values = objectOrEmpty(objectOrEmpty(fields['intent'])['full_request_data']);
  const { filters } = values;
  const secrets = fields['secrets'];
  if (!isJsonObject(filters) || !isJsonObject(secrets)) return values;
  return { ...values, filters: { ...filters, payloads: { ...objectOrEmpty(filters['payloads']), ...secrets } } };
}

/** Lists change requests in any state, the newest first. */
export function listRequests(service: ServiceContext, call: Call): Answer {
  requireFeature(service);
  refreshRequests(service, call.projectId);
  return answerPage(call, findAsked(service, call), (request) => serializeRequest(request, service));
}

export function getRequest(service: ServiceContext, call: Call): Answer {
  requireFeature(service);
  refreshRequests(service, call.projectId);
  return { status: 200, body: serializeRequest(findRequest(service, call), service) };
}

function findRequest(service: ServiceContext, call: Call): StoredRequest {
  const id = (call.params['id'] ?? '').toLowerCase();
  return orNotFound(findAsked(service, call).find((stored) => stored.id === id));
}

/** The query limits a list and a single read alike. `state` has one state or several, separated by commas. */
function findAsked({ store }: ServiceContext, { query, projectId }: Call): readonly StoredRequest[] {
  const states = query.get('state') || undefined;
  const requester = query.get('requester') || undefined;
  if (requester !== undefined && !/^\d+$/.test(requester)) throw invalid('invalid', 'Enter a number.', 'requester');
  const isAsked = (name: string, value: string | null): boolean => (query.get(name) || value) === value;
  return store.approvals
    .requests(projectId)
    .filter(
      ({ state, action, resourceId, fields }) =>
        (states === undefined || states.split(',').includes(state)) &&
        (requester === undefined || objectOrEmpty(fields['created_by'])['id'] === Number(requester)) &&
        isAsked('action_key', action) &&
        isAsked('resource_type', 'feature_flag') &&
        isAsked('resource_id', resourceId),
    );
}

export function requireFeature({ store }: ServiceContext): void {
  if (!store.organization.missingFeatures().has('approvals')) return;
  throw new Refusal('Approvals are a paid feature.', { status: 402, type: 'server_error', code: 'payment_required' });
}
