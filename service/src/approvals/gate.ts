/**
 * The approval gate: a write that a policy covers opens a change request and is not made. (docs/service/approvals.md)
 */

import {
  objectOrEmpty,
  type JsonObject,
  isJsonObject,
  memberOf,
  type JsonValue,
  arrayOrEmpty,
  canonicalText,
  isJsonArray,
  jsonEquals,
} from '../../../src/base/json.ts';
import { formatOf, groupsOf, propertiesOf } from '../filters/conditions.ts';
import { SECRET_MARK } from '../filters/posthog.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import { type Answer, type ServiceContext, userOf } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { type GatedAction, type StoredPolicy, type StoredRequest, GATED_ACTIONS } from '../store/approvals.ts';
import { type StoredFlag, countedVersion } from '../store/flag.ts';
import { durationMs } from './duration.ts';
import { isApprover, isExempt, refreshRequests, RESOURCE_TYPE, serializeRequest } from './requests.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import { defined } from '../../../src/base/optional.ts';

export interface PlannedWrite extends Omit<RequestedWrite, 'after'> {
  readonly projectId: string;
  /** The flag as the write would leave it; throws where the write would be refused anyway. */
  readonly draft: () => StoredFlag;
}

/** The answer in place of the write; `undefined` if it may be made. Runs in the transaction of the caller. */
export function gate(service: ServiceContext, planned: PlannedWrite): Answer | undefined {
  const found = findGate(service, planned);
  return found === undefined || 'status' in found ? found : askUnder(service, found);
}

/** Whether the write needs an approval. Opens no request. */
export function wouldGate(service: ServiceContext, planned: PlannedWrite): boolean {
  return findGate(service, planned) !== undefined;
}

interface GateQuestion {
  readonly policy: StoredPolicy;
  readonly write: RequestedWrite;
  readonly projectId: string;
}

/** The policy that covers the write, or the refusal of a write that several cover. */
function findGate(
  service: ServiceContext,
  { draft, projectId, ...sent }: PlannedWrite,
): GateQuestion | Answer | undefined {
  const policies = enabledPolicies(service, projectId);
  const hasRules = sent.before !== undefined && service.rules.formats && formatOf(sent.before.filters) !== 'conditions';
  if (policies.length === 0 || hasRules) return undefined;
  const write: RequestedWrite = { ...sent, after: draft() };
  const matches = findActions(write).flatMap((action) => {
    const own = policies.filter((policy) => policy.action === action);
    return own.length === 0 ? [] : [own];
  });
  const [own] = matches;
  if (own === undefined) return undefined;
  // One request carries the approval of one action, whatever the conditions of the policies say.
  if (matches.length > 1) {
    const message = 'The write needs approvals of several actions.';
    return conflict(
      message,
      matches.flatMap(([first]) => (first === undefined ? [] : [{ ...named(first), action_key: first.action }])),
    );
  }
  // The policy that counts is the first one.
  const [policy] = own;
  const movement = gatedValuesOf(write.before, write.after);
  const matching = own.filter(({ fields }) => matchesConditions(objectOrEmpty(fields['conditions']), movement));
  if (matching.length > 1) return conflict('The write matches several approval policies.', matching.map(named));
  if (policy === undefined || isExempt(service, policy) || !matching.includes(policy)) return undefined;
  return { policy, write, projectId };
}

/**
 * A flag with rules is never written while a policy for writes of flags is enabled, whoever writes: not even disabled or deleted, and
 * no change request is opened. (docs/service/rules.md)
 */
export function refuseGoverned(service: ServiceContext, projectId: string): void {
  if (enabledPolicies(service, projectId).length === 0) return;
  const detail = 'An approval policy for writes of feature flags is enabled, and a flag with rules cannot be approved.';
  throw invalid('unsupported_config_version', detail, null);
}

/** Empty if the organization has no approvals, a paid feature. */
function enabledPolicies({ store, rules }: ServiceContext, projectId: string): StoredPolicy[] {
  if (!rules.approvals || store.organization.missingFeatures().has('approvals')) return [];
  return store.approvals.policies(projectId).filter(({ isEnabled }) => isEnabled);
}

function askUnder(service: ServiceContext, asking: GateQuestion): Answer {
  const { policy } = asking;
  const open = findOpen(service, policy.action, asking);
  if (open !== undefined) {
    const code = 'change_request_pending';
    return ask(open, { code, message: 'A change request for this action is open already.', approvers: {} });
  }
  const request = openRequest(service, asking);
  service.store.approvals.insertRequest(request);
  const approvers = objectOrEmpty(policy.fields['approver_config']);
  const isOwn = policy.fields['allow_self_approve'] !== true && isApprover(service, approvers);
  const message = `The write waits for the approval of ${isOwn ? 'another approver' : 'an approver'}.`;
  return ask(request, { code: 'approval_required', message, approvers });
}

/** The service tells creations apart by nothing: the open one of any flag counts. */
function findOpen(
  service: ServiceContext,
  action: GatedAction,
  { write, projectId }: GateQuestion,
): StoredRequest | undefined {
  refreshRequests(service, projectId);
  return service.store.approvals
    .openRequests(projectId)
    .find((request) => request.action === action && request.resourceId === resourceIdOf(write));
}

function resourceIdOf({ before }: Pick<CheckedWrite, 'before'>): string | null {
  return before === undefined ? null : String(before.id);
}

function openRequest(service: ServiceContext, { policy, write, projectId }: GateQuestion): StoredRequest {
  const { now, randomUuid } = service;
  const intent = buildIntent(policy.action, write);
  const [opened, time] = [now(), formatTimestamp(now())];
  const expires = new Date(opened.getTime() + durationMs(policy.fields['expires_after'] ?? null));
  const secrets = secretsOf(write);
  return {
    id: randomUuid(),
    projectId,
    action: policy.action,
    resourceId: resourceIdOf(write),
    state: 'pending',
    fields: {
      intent,
      intent_display: displayIntent(policy.action, intent),
      policy_snapshot: snapshotOf(policy),
      validation_status: 'valid',
      validation_errors: null,
      validated_at: null,
      created_by: userOf(service),
      applied_by: null,
      created_at: time,
      updated_at: time,
      expires_at: formatTimestamp(expires),
      applied_at: null,
      apply_error: '',
      result_data: null,
      approvals: [],
      ...(Object.keys(secrets).length > 0 && { secrets }),
    },
  };
}

/** Later changes of the policy do not concern the request. */
function snapshotOf({ fields }: StoredPolicy): JsonObject {
  const { quorum = 1, users = [], roles = [] } = objectOrEmpty(fields['approver_config']);
  const { allow_self_approve = false, conditions = {}, bypass_org_membership_levels = [], bypass_roles = [] } = fields;
  return { quorum, users, roles, allow_self_approve, conditions, bypass_org_membership_levels, bypass_roles };
}

function ask(
  request: StoredRequest,
  { code, message, approvers }: { readonly code: string; readonly message: string; readonly approvers: JsonObject },
): Answer {
  return {
    status: 409,
    body: {
      code,
      status: 'approval_required',
      detail: message,
      message,
      resource_type: RESOURCE_TYPE,
      resource_id: request.resourceId,
      change_request_id: request.id,
      change_request: serializeRequest(request),
      required_approvers: approvers,
    },
  };
}

function conflict(error: string, conflicting: JsonObject[]): Answer {
  const guidance = 'Send one request for each of them.';
  return { status: 400, body: { code: 'policy_conflict', error, conflicting_policies: conflicting, guidance } };
}

function named({ id, action, projectId }: StoredPolicy): JsonObject {
  const of = projectId === null ? 'the organization' : `project ${projectId}`;
  return { id, name: `${action} of ${of}` };
}

type NumberComparison = (a: number, b: number) => boolean;

const COMPARISONS: ReadonlyMap<JsonValue | undefined, NumberComparison> = new Map<
  JsonValue | undefined,
  NumberComparison
>([
  ['>', (a, b) => a > b],
  ['<', (a, b) => a < b],
  ['>=', (a, b) => a >= b],
  ['<=', (a, b) => a <= b],
  ['==', (a, b) => a === b],
  ['!=', (a, b) => a !== b],
]);

/**
 * A policy without conditions, or with incomplete or unknown ones, matches every write of its action. A field that the write does not
 * change, or that the service does not know, has no values.
 */
function matchesConditions(conditions: JsonObject, { before, after }: GatedSides): boolean {
  const { type, field } = conditions;
  const [old, now] = typeof field === 'string' ? [memberOf(before, field), memberOf(after, field)] : [];
  if (type === 'any_change') return field === undefined || changedPaths(old, now).length > 0;
  if (type !== 'before_after' && type !== 'change_amount') return true;
  const compare = COMPARISONS.get(conditions['operator']);
  const { value: limit } = conditions;
  if (typeof field !== 'string' || compare === undefined || typeof limit !== 'number') return true;
  const amounts = type === 'before_after' ? [...valuesByPath(now).values()].map(amountOf) : distances(old, now);
  return amounts.some((amount) => amount !== undefined && compare(amount, limit));
}

/** The service counts true as 1. A condition as a whole has no amount, and so equals none. */
function amountOf(value: JsonValue): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (isJsonObject(value)) return Number.NaN;
  return typeof value === 'number' ? value : undefined;
}

/** The distances of values that are on both sides. */
function distances(before: GatedValues[string] = [], after: GatedValues[string] = []): (number | undefined)[] {
  const old = valuesByPath(before);
  return after.map(({ path, value }) => {
    const [was, is] = [old.get(path), value].map((one) => (one === undefined ? undefined : amountOf(one)));
    return was === undefined || is === undefined || Number.isNaN(is - was) ? undefined : is - was;
  });
}

interface RequestedWrite extends CheckedWrite {
  /** An action on the flag keeps outdated members of `filters`, and the approved write does too. */
  readonly keepsOutdated?: boolean;
}

function buildIntent(action: GatedAction, write: RequestedWrite): JsonObject {
  const { before, values, after } = write;
  const isUpdate = action === 'feature_flag.update';
  const gated = gatedValuesOf(before, after);
  return {
    flag_id: before?.id ?? null,
    flag_key: before?.key ?? values['key'] ?? null,
    current_state: isUpdate ? { ...gated.before } : { active: before?.active ?? false },
    gated_changes: isUpdate ? { ...gated.after } : defined({ active: values['active'] }),
    ...(isUpdate && { triggered_paths: triggeredPaths(gated) }),
    full_request_data: withoutSecrets(write),
    // An approved write applies only to this version.
    preconditions: {
      version: before === undefined ? null : countedVersion(before),
      updated_at: before?.fields['updated_at'] ?? null,
    },
    ...(!isUpdate && { skip_opportunistic_filter_cleanup: write.keepsOutdated === true }),
    http_method: before === undefined ? 'POST' : 'PATCH',
  };
}

/** The values of a write, with marks instead of payloads to encrypt. */
function withoutSecrets({ values, after }: CheckedWrite): JsonObject {
  const secrets = secretsOf({ values, after });
  const { filters } = values;
  if (!isJsonObject(filters) || Object.keys(secrets).length === 0) return values;
  const marked = Object.keys(secrets).map((name) => [name, SECRET_MARK] as const);
  const payloads = { ...objectOrEmpty(filters['payloads']), ...Object.fromEntries(marked) };
  return { ...values, filters: { ...filters, payloads } };
}

/** The payloads to encrypt, by name. */
function secretsOf({ values, after }: Pick<CheckedWrite, 'values' | 'after'>): JsonObject {
  if (after.fields['has_encrypted_payloads'] !== true) return {};
  const { payloads } = objectOrEmpty(values['filters']);
  return Object.fromEntries(Object.entries(objectOrEmpty(payloads)).filter(([, value]) => value !== SECRET_MARK));
}

/** The content for the page of the request. */
function displayIntent(action: GatedAction, intent: JsonObject): JsonObject {
  const { current_state: before = {}, gated_changes: gated = {}, full_request_data: asked = {} } = intent;
  const key = typeof intent['flag_key'] === 'string' ? intent['flag_key'] : '';
  if (action !== 'feature_flag.update') {
    const verb = action === 'feature_flag.enable' ? 'Enable' : 'Disable';
    return { description: `${verb} the flag ${key}.`, before, after: asked };
  }
  const paths = (intent['triggered_paths'] ?? []) as string[];
  const moves = paths.map((path) => moveText(before as GatedValues, gated as GatedValues, path));
  const description = `Change who gets the flag ${key}: ${moves.join('; ')}.`;
  return { description, before, after: gated, triggered_paths: paths };
}

function moveText(before: GatedValues, after: GatedValues, path: string): string {
  const [old, now] = [before, after].map(({ rollout_percentage: percentages }) => valuesByPath(percentages).get(path));
  if (old === undefined && now === undefined) return path;
  const text = (value: JsonValue | undefined): string => (value === undefined ? 'none' : `${stringifyJson(value)}%`);
  return `${path}: ${text(old)} to ${text(now)}`;
}

/** A write of one flag that is checked and not made yet. */
interface CheckedWrite {
  /** Absent for a new flag. */
  readonly before?: StoredFlag;
  /** The flag as the write would leave it. */
  readonly after: StoredFlag;
  /** The sent values, checked, by their names in the interface. */
  readonly values: JsonObject;
}

/** Sorted as in the service. */
function findActions(write: CheckedWrite): GatedAction[] {
  return GATED_ACTIONS.filter((action) => DETECTORS[action](write));
}

/** The service looks at what is sent: a flag that is created without `active` is enabled. */
const DETECTORS: { readonly [Action in GatedAction]: (write: CheckedWrite) => boolean } = {
  'feature_flag.enable': ({ before, values }) =>
    before === undefined ? values['active'] !== false : values['active'] === true && !before.active,
  'feature_flag.disable': ({ before, values }) => before?.active === true && values['active'] === false,
  'feature_flag.update': (write) => triggeredPaths(gatedValuesOf(write.before, write.after)).length > 0,
};

/** A value, and where the flag has it. */
interface GatedValue extends JsonObject {
  readonly path: string;
  readonly value: JsonValue;
}

/** Keys are the names of the fields that a policy can be about: `rollout_percentage`, `release_conditions`. */
type GatedValues = Readonly<Record<string, readonly GatedValue[]>>;

interface GatedSides {
  readonly before: GatedValues;
  readonly after: GatedValues;
}

/** Release conditions are there only where they change, of an existing flag that no product owns. */
function gatedValuesOf(before: StoredFlag | undefined, after: StoredFlag): GatedSides {
  const percentages = {
    before: { rollout_percentage: percentagesOf(before) },
    after: { rollout_percentage: percentagesOf(after) },
  };
  // Products write the conditions of their own flags, which cannot wait.
  const { experiment_set: experiments, features } = before?.fields ?? {};
  const isOwned = [experiments, features].some((owners) => arrayOrEmpty(owners).length > 0);
  if (before === undefined || isOwned) return percentages;
  const [old, now] = [releaseConditionsOf(before), releaseConditionsOf(after)];
  if (changedPaths(old, now).length === 0) return percentages;
  return {
    before: { ...percentages.before, release_conditions: old },
    after: { ...percentages.after, release_conditions: now },
  };
}

/** The changed paths of all fields. */
function triggeredPaths({ before, after }: GatedSides): string[] {
  return Object.keys(after).flatMap((field) => changedPaths(memberOf(before, field), after[field]));
}

/** The paths at which both sides differ, or one has no value. */
function changedPaths(before: readonly GatedValue[] = [], after: readonly GatedValue[] = []): string[] {
  const [old, now] = [valuesByPath(before), valuesByPath(after)];
  return [...new Set([...old.keys(), ...now.keys()])].filter(
    (path) => !jsonEquals(old.get(path) ?? null, now.get(path) ?? null),
  );
}

function valuesByPath(values: readonly GatedValue[] = []): ReadonlyMap<string, JsonValue> {
  return new Map(values.map(({ path, value }) => [path, value]));
}

/** The percentages of conditions, the holdout and variants. */
function percentagesOf(flag: Pick<StoredFlag, 'filters'> | undefined): GatedValue[] {
  const { groups = null, holdout = null, multivariate = null } = flag?.filters ?? {};
  const variants = isJsonObject(multivariate) ? (multivariate['variants'] ?? null) : null;
  return [
    ...percentagesIn(groups, 'groups', 'rollout_percentage'),
    ...percentagesIn(holdout, 'holdout', 'exclusion_percentage'),
    ...percentagesIn(variants, 'multivariate.variants', 'rollout_percentage'),
  ];
}

function percentagesIn(container: JsonValue, path: string, member: string): GatedValue[] {
  const holders = isJsonArray(container)
    ? container.map((holder, index) => ({ holder, at: `${path}[${index}]` }))
    : [{ holder: container, at: path }];
  return holders.flatMap(({ holder, at }) => {
    const value = isJsonObject(holder) ? memberOf(holder, member) : undefined;
    return value === undefined ? [] : [{ path: `${at}.${member}`, value }];
  });
}

/** All but the percentages. */
function releaseConditionsOf({ filters, fields }: StoredFlag): GatedValue[] {
  const ofFlag = filters['aggregation_group_type_index'] ?? null;
  return [
    { path: 'bucketing_identifier', value: fields['bucketing_identifier'] ?? 'distinct_id' },
    { path: 'early_exit', value: filters['early_exit'] === true },
    { path: 'feature_enrollment', value: filters['feature_enrollment'] === true },
    ...groupsOf(filters).map((group, index) => ({
      path: `groups[${index}]`,
      value: {
        properties: propertiesOf(group)
          .map(withoutDefaults)
          .toSorted((one, other) => (canonicalText(one) < canonicalText(other) ? -1 : 1)),
        aggregation_group_type_index: group['aggregation_group_type_index'] ?? ofFlag,
        variant: group['variant'] === '' ? null : (group['variant'] ?? null),
      },
    })),
  ];
}

/** Removes members that are only shown, or mean the same as their absence. */
function withoutDefaults({
  label: _label,
  cohort_name: _cohort,
  group_key_names: _group,
  ...property
}: JsonObject): JsonObject {
  const { operator, negation } = property;
  return Object.fromEntries(
    Object.entries(property).filter(
      ([name, value]) =>
        value !== null &&
        !(name === 'operator' && operator === 'exact') &&
        !(name === 'negation' && negation === false),
    ),
  );
}
