/** The OpenFeature Remote Evaluation Protocol (OFREP 0.3): the values of one flag, or of all, for an evaluation context. */

import { plainText } from '../../../src/base/json-text.ts';
import { canonicalText, isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { isUndecided, type Reason, type UndecidedReason } from '../../../src/evaluation/input.ts';
import { variantsOf } from '../filters/conditions.ts';
import { describeReason } from '../flag-values/reasons.ts';
import { keepText } from '../handler/lists.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { Refusal } from '../handler/envelope.ts';
import { countedVersion } from '../store/flag.ts';
import { hashTexts, unlessKnown, evaluateFor, payloadText, type EvaluatedStoredFlag } from './remote-evaluation.ts';

export type OfrepErrorCode = 'PARSE_ERROR' | 'TARGETING_KEY_MISSING' | 'INVALID_CONTEXT' | 'FLAG_NOT_FOUND' | 'GENERAL';

/** Only providers of server SDKs ask for single flags, so flags for clients are not found. */
export function ofrepFlag(service: ServiceContext, call: Call): Answer {
  const { projectId, params } = call;
  const { key = '' } = params;
  const question = { ...readQuestion(call), flag_keys_to_evaluate: [key], evaluation_runtime: 'server' };
  const [found] = evaluateFor(service, { projectId, body: question }, 'rust-2026');
  if (found === undefined) {
    const facts = { status: 404, type: 'invalid_request', code: 'FLAG_NOT_FOUND' } as const;
    throw new Refusal(`Project ${projectId} has no flag "${key}" for server SDKs.`, facts);
  }
  const body = serializeFlag(found);
  return { status: 'errorCode' in body ? 400 : 200, body };
}

/** Only providers of client SDKs ask for all flags, so flags for servers are left out. */
export function ofrepFlags(service: ServiceContext, call: Call): Answer {
  const { projectId } = call;
  const question = { ...readQuestion(call), evaluation_runtime: 'client' };
  const evaluated = evaluateFor(service, { projectId, body: question }, 'rust-2026');
  const body = { flags: evaluated.map(serializeFlag) };
  // Versions and ids in the body change with every edit of a flag, even one that leaves the value.
  return unlessKnown(call, hashTexts(canonicalText(question), keepText(body)), body);
}

/** The names of members that are not properties of the person are those of PostHog's own OpenFeature providers. */
function readQuestion({ body }: Call): JsonObject {
  const { context } = objectOrEmpty(body);
  if (!isJsonObject(context)) throw wrongContext('The body has no "context" that is an object.');
  const { targetingKey, groups = {}, group_properties: groupProperties = {}, ...properties } = context;
  if (targetingKey === undefined || targetingKey === null || targetingKey === '') {
    throw wrongContext('The context has no "targetingKey": the distinct id of the person.', 'TARGETING_KEY_MISSING');
  }
  if (typeof targetingKey !== 'string') throw wrongContext('"targetingKey" is not a string.');
  if (!isMapOf(groups, (value) => typeof value === 'string' || typeof value === 'number'))
    throw wrongContext('"groups" is not an object of group keys by group type.');
  if (!isMapOf(groupProperties, isJsonObject)) {
    throw wrongContext('"group_properties" is not an object of properties by group type.');
  }
  return { distinct_id: targetingKey, groups, group_properties: groupProperties, person_properties: properties };
}

function wrongContext(detail: string, code: OfrepErrorCode = 'INVALID_CONTEXT'): Refusal {
  return new Refusal(detail, { status: 400, type: 'validation_error', code });
}

function isMapOf(value: JsonValue, isMember: (member: JsonValue | undefined) => boolean): boolean {
  return isJsonObject(value) && Object.values(value).every(isMember);
}

/** `variant` is always present: Python's provider needs it. */
function serializeFlag({ flag, evaluation }: EvaluatedStoredFlag): JsonObject {
  const { key, value, reason, ruled } = evaluation;
  const posthogReason = describeReason(evaluation);
  const metadata = {
    id: flag.id,
    version: countedVersion(flag),
    posthog_reason: posthogReason,
    ...defined({ payload: ruled === undefined ? payloadText(evaluation) : undefined }),
  };
  if (isUndecided(reason)) return { key, errorCode: 'PARSE_ERROR', errorDetails: posthogReason, metadata };
  // Without a value of the flag the default in the code counts. A flag with variants is read as a string, and off is no string: so do
  // PostHog's own providers.
  const [isDefault, answer] =
    ruled === undefined
      ? [value === false && variantsOf(flag.filters).length > 0, value]
      : [ruled.value === null, ruled.value];
  return { key, ...(!isDefault && { value: answer }), reason: REASONS[reason], variant: plainText(answer), metadata };
}

/** The protocol has no reason for "no rule matched"; the definition of `TARGETING_MATCH` is any evaluation of rules. */
const REASONS: Readonly<Record<Exclude<Reason, UndecidedReason>, string>> = {
  super_condition_value: 'TARGETING_MATCH',
  holdout_condition_value: 'SPLIT',
  condition_match: 'TARGETING_MATCH',
  out_of_rollout_bound: 'SPLIT',
  no_condition_match: 'TARGETING_MATCH',
  no_group_type: 'TARGETING_MATCH',
  flag_disabled: 'DISABLED',
  experiment_paused: 'SPLIT',
  missing_dependency: 'UNKNOWN',
};
