/** Lists the change requests of a project, and reads one. */

import { serializeRequest } from '../approvals/serialize.ts';
import { refreshRequests } from '../approvals/refresh.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid, notFound, Refusal } from '../handler/envelope.ts';
import { answerPage } from '../handler/paging.ts';
import { objectOrEmpty } from '../../../src/base/json.ts';
import type { StoredRequest } from '../store/approvals.ts';

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

export function findRequest(service: ServiceContext, call: Call): StoredRequest {
  const id = (call.params['id'] ?? '').toLowerCase();
  const request = findAsked(service, call).find((stored) => stored.id === id);
  if (request === undefined) throw notFound();
  return request;
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
