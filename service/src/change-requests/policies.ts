/** Approval policies: list, create, change and delete. Only the owner of the organization may write them. */

import { objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { readDuration, TWO_WEEKS } from '../approvals/duration.ts';
import { serializePolicy } from '../approvals/requests.ts';
import { boolean, choice, integer, list, object, text } from '../flags/field-types.ts';
import { readFields, type BodyField } from '../flags/fields.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { type Answer, type Call, type Handler, type ServiceContext, EMBEDDED_USER, userOf } from '../handler/call.ts';
import { forbidden, invalid, invalidInput, orNotFound } from '../handler/envelope.ts';
import { answerPage } from '../handler/lists.ts';
import { GATED_ACTIONS, type GatedAction, type StoredPolicy } from '../store/approvals.ts';
import { requireFeature } from './requests.ts';

const FIELDS: readonly BodyField[] = [
  { name: 'action_key', type: choice([...GATED_ACTIONS]), required: true },
  { name: 'conditions', type: object },
  { name: 'approver_config', type: readApprovers, required: true },
  { name: 'allow_self_approve', type: boolean },
  { name: 'bypass_org_membership_levels', type: list(integer) },
  { name: 'bypass_roles', type: list(text()) },
  { name: 'expires_after', type: readDuration },
  { name: 'enabled', type: boolean },
];

export function listPolicies(service: ServiceContext, call: Call): Answer {
  requireFeature(service);
  const enabled = call.query.get('enabled');
  const action = call.query.get('action_key');
  const found = ofProject(service, call.projectId).filter(
    (policy) =>
      (action === null || policy.action === action) &&
      (enabled === null || policy.isEnabled === (enabled.toLowerCase() === 'true')),
  );
  return answerPage(call, found, serializePolicy);
}

export function getPolicy(service: ServiceContext, call: Call): Answer {
  requireFeature(service);
  return { status: 200, body: serializePolicy(findPolicy(service, call)) };
}

export function createPolicy(service: ServiceContext, call: Call): Answer {
  return service.store.transaction(() => {
    requireOwner(service);
    const values = readFields(call.body, FIELDS);
    const { action_key: action } = values;
    if (ofProject(service, call.projectId).some((policy) => policy.action === action)) {
      throw invalidInput('The project has a policy for this action already.');
    }
    const policy = newPolicy(service, call.projectId, values);
    service.store.approvals.putPolicy(policy);
    return { status: 201, body: serializePolicy(policy) };
  });
}

/** A policy with checked values, and defaults for others. `projectId`: null for one of the organization. */
export function newPolicy(service: ServiceContext, projectId: string | null, values: JsonObject): StoredPolicy {
  const time = formatTimestamp(service.now());
  const { action_key: action, enabled = true, ...others } = values;
  const fields = { ...DEFAULTS, ...others, created_by: userOf(service), created_at: time, updated_at: time };
  return { id: service.randomUuid(), projectId, action: action as GatedAction, isEnabled: enabled === true, fields };
}

const DEFAULTS = {
  conditions: {},
  approver_config: {},
  allow_self_approve: false,
  bypass_org_membership_levels: [],
  bypass_roles: [],
  expires_after: TWO_WEEKS,
};

/** A PUT requires the required fields; what it leaves out stays. */
export const replacePolicy: Handler = updating(false);
export const updatePolicy: Handler = updating(true);

function updating(partial: boolean): Handler {
  return (service, call) =>
    service.store.transaction(() => {
      requireOwner(service);
      const before = findPolicy(service, call);
      const {
        action_key: action = before.action,
        enabled = before.isEnabled,
        ...others
      } = readFields(call.body, FIELDS, { partial });
      const fields = { ...before.fields, ...others, updated_at: formatTimestamp(service.now()) };
      const after = { ...before, action: action as GatedAction, isEnabled: enabled === true, fields };
      service.store.approvals.putPolicy(after);
      return { status: 200, body: serializePolicy(after) };
    });
}

export function deletePolicy(service: ServiceContext, call: Call): Answer {
  return service.store.transaction(() => {
    requireOwner(service);
    service.store.approvals.removePolicy(findPolicy(service, call).id);
    return { status: 204 };
  });
}

/** Excludes policies of the organization, which are not below a project. */
function ofProject({ store }: ServiceContext, projectId: string): StoredPolicy[] {
  return store.approvals.policies(projectId).filter((policy) => policy.projectId !== null);
}

function findPolicy(service: ServiceContext, { projectId, params: { id = '' } }: Call): StoredPolicy {
  return orNotFound(ofProject(service, projectId).find((one) => one.id === id.toLowerCase()));
}

function requireOwner(service: ServiceContext): void {
  requireFeature(service);
  if (userOf(service)['id'] === EMBEDDED_USER['id']) return;
  throw forbidden('Only admins of the organization may change approval policies.');
}

function readApprovers(value: JsonValue, name: string): JsonValue {
  const { quorum = 0 } = objectOrEmpty(object(value, name));
  if (typeof quorum !== 'number' || quorum < 1) throw invalid('invalid_input', 'Quorum must be at least 1.', name);
  return value;
}
