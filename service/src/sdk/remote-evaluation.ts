/** `/flags` and the older `/decide`: the values of all flags for one person. */

import { plainText } from '../../../src/base/json-text.ts';
import {
  arrayOrEmpty,
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  memberOf,
  objectOrEmpty,
  type JsonObject,
} from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { isUndecided, type Evaluation, type Generation } from '../../../src/evaluation/input.ts';
import { keepText } from '../handler/lists.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import type { NamedSubject } from '../evaluation/context.ts';
import { evaluateAll, readGroupKeys, projectFlags } from '../evaluation/flags.ts';
import { describeReason } from '../flag-values/reasons.ts';
import { formatOf } from '../filters/conditions.ts';
import { hasExperiment } from '../flags/keys.ts';
import { countedVersion, storedValue, type StoredFlag } from '../store/flag.ts';
import { definitions } from '../flag-values/definitions.ts';
import { localDefinitions } from '../flag-values/local-evaluation.ts';
import { createHash } from 'node:crypto';

export interface EvaluatedStoredFlag {
  readonly flag: StoredFlag;
  readonly evaluation: Evaluation;
}

/** `?v=2` answers whole flags, and later versions those with typed values; otherwise values and payloads. Inactive flags are left out. */
export function flags(service: ServiceContext, call: Call): Answer {
  const evaluated = evaluateFor(service, call, 'rust-2026').filter(({ flag }) => flag.active);
  const version = Number(/^\d+$/.exec(call.query.get('v') ?? '')?.[0] ?? 1);
  const serialize = version === 2 ? serializeFlag : serializeTyped;
  const values = version < 2 ? valuesAndPayloads(evaluated) : { flags: serializeFlags(evaluated, serialize) };
  const config = call.query.get('config') === 'true' ? CONFIG : {};
  const requestId = service.randomUuid();
  const body = {
    ...config,
    errorsWhileComputingFlags: hasErrors(evaluated),
    ...values,
    requestId,
    evaluatedAt: service.now().getTime(),
  };
  return { status: 200, body };
}

/** Version 1 lists the enabled flags, 2 has their values, 3 the values of all active flags, 4 equals `/flags?v=2`. */
export function decide(service: ServiceContext, call: Call): Answer {
  const evaluated = evaluateFor(service, call, service.rules.generation).filter(({ flag }) => flag.active);
  const requestId = service.randomUuid();
  const version = call.query.get('v') ?? '1';
  const body = {
    ...CONFIG,
    errorsWhileComputingFlags: hasErrors(evaluated),
    ...selectValues(evaluated, version),
    requestId,
  };
  return { status: 200, body };
}

/** The configuration that web SDKs expect of products that this service lacks. */
const CONFIG: JsonObject = {
  config: { enable_collect_everything: true },
  supportedCompression: ['gzip', 'gzip-js'],
  toolbarParams: {},
  isAuthenticated: false,
  sessionRecording: false,
  siteApps: [],
};

/** An SDK then keeps the values that it had. */
function hasErrors(evaluated: readonly EvaluatedStoredFlag[]): boolean {
  return evaluated.some(({ evaluation }) => isUndecided(evaluation.reason));
}

function selectValues(evaluated: readonly EvaluatedStoredFlag[], version: string): JsonObject {
  if (version === '4') return { flags: serializeFlags(evaluated, serializeFlag) };
  if (version === '3') return valuesAndPayloads(evaluated);
  const { featureFlags } = valuesAndPayloads(evaluated.filter(({ evaluation }) => evaluation.enabled));
  return { featureFlags: version === '2' ? featureFlags : Object.keys(featureFlags) };
}

/** The flags that a body asks for, for the person that it names. */
export function evaluateFor(
  service: ServiceContext,
  call: Pick<Call, 'projectId' | 'body'>,
  generation: Generation,
): EvaluatedStoredFlag[] {
  const { projectId } = call;
  const body = objectOrEmpty(call.body);
  const subject = readSubject(body);
  const all = projectFlags(service, projectId);
  const rules = { ...service.rules, generation };
  const evaluations = evaluateAll({ ...service, rules }, projectId, subject);
  return all
    .filter((flag) => isRequested(flag, body))
    .flatMap((flag) => {
      const evaluation = evaluations.get(flag.key);
      return evaluation === undefined ? [] : [{ flag, evaluation }];
    });
}

function readSubject(body: JsonObject): NamedSubject {
  const { distinct_id: id, groups, person_properties: person, group_properties: group } = body;
  const distinctId = isJsonNumber(id) ? String(id) : id;
  if (typeof distinctId !== 'string' || distinctId === '') {
    throw invalid('missing_distinct_id', 'A distinct_id is required to evaluate flags.', 'distinct_id');
  }
  const anonymousId = readString(body, '$anon_distinct_id');
  const deviceId =
    readString(body, '$device_id') ?? (isJsonObject(person) ? readString(person, '$device_id') : undefined);
  return {
    distinctId,
    groups: readGroupKeys(groups),
    ...(isJsonObject(person) && { personProperties: person }),
    ...(isJsonObject(group) && { groupProperties: group }),
    ...defined({ anonymousId, deviceId }),
  };
}

function readString(object: JsonObject, name: string): string | undefined {
  const value = memberOf(object, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** An SDK may request only some flags, and names its runtime and its contexts. */
function isRequested(flag: StoredFlag, body: JsonObject): boolean {
  const { flag_keys_to_evaluate: keys, evaluation_runtime: runtime, evaluation_contexts: contexts } = body;
  const ownRuntime = storedValue(flag, 'evaluation_runtime') ?? 'all';
  const ownContexts = arrayOrEmpty(storedValue(flag, 'evaluation_contexts'));
  return (
    (!isJsonArray(keys) || keys.includes(flag.key)) &&
    (typeof runtime !== 'string' || ownRuntime === 'all' || ownRuntime === runtime) &&
    (!isJsonArray(contexts) || ownContexts.length === 0 || ownContexts.some((own) => contexts.includes(own)))
  );
}

function serializeFlags(
  evaluated: readonly EvaluatedStoredFlag[],
  serialize: (one: EvaluatedStoredFlag) => JsonObject,
): JsonObject {
  return Object.fromEntries(evaluated.map((one) => [one.flag.key, serialize(one)]));
}

/** Readers of this form know no paused split. */
const OLDER_CODES: Readonly<Record<string, string>> = {
  unknown_format: 'flag_data_parsing_error',
  unknown_pattern: 'flag_data_parsing_error',
  experiment_paused: 'no_condition_match',
};

/** Payload and `has_experiment` are always present. */
function serializeFlag({ flag, evaluation }: EvaluatedStoredFlag): JsonObject {
  const { key, enabled, variant = null, reason, conditionIndex } = evaluation;
  return {
    key,
    enabled,
    variant,
    ...(isUndecided(reason) && { failed: true }),
    reason: {
      code: memberOf(OLDER_CODES, reason) ?? reason,
      condition_index: conditionIndex,
      description: describeReason(evaluation),
    },
    metadata: {
      id: flag.id,
      version: countedVersion(flag),
      description: null,
      payload: payloadText(evaluation) ?? null,
      has_experiment: hasExperiment(flag),
    },
  };
}

/** What decided about a flag with rules. */
const CODES_OF_RULES: Readonly<Record<string, string>> = {
  condition_match: 'targeting_match',
  out_of_rollout_bound: 'rollout_miss',
  holdout_condition_value: 'holdout',
  no_condition_match: 'no_rule_match',
};

/** A flag with conditions has its value in the same form, and its payload beside it. */
function serializeTyped({ flag, evaluation }: EvaluatedStoredFlag): JsonObject {
  const { key, value, variant, reason, conditionIndex, ruled } = evaluation;
  const isFailed = isUndecided(reason);
  const { id, type } = ruled ?? {};
  const code = isFailed ? 'error' : ruled === undefined ? reason : (memberOf(CODES_OF_RULES, reason) ?? reason);
  return {
    key,
    value: isFailed ? null : ruled === undefined ? value : ruled.value,
    ...(isFailed && { failed: true }),
    reason: { code, condition_index: conditionIndex, description: describeReason(evaluation) },
    metadata: {
      id: flag.id,
      version: countedVersion(flag),
      config_version: formatOf(flag.filters) === 'conditions' ? 1 : (flag.filters['version'] ?? null),
      has_experiment: hasExperiment(flag),
      payload: (ruled === undefined ? payloadText(evaluation) : undefined) ?? null,
      ...defined({ rule_id: id, rule_type: type, variant_key: ruled === undefined ? variant : undefined }),
    },
  };
}

function valuesAndPayloads(evaluated: readonly EvaluatedStoredFlag[]): {
  readonly featureFlags: JsonObject;
  readonly featureFlagPayloads: JsonObject;
} {
  const values = evaluated.map(({ evaluation }) => [evaluation.key, evaluation.value]);
  const payloads = evaluated.flatMap(({ evaluation }) => {
    const text = payloadText(evaluation);
    return text === undefined ? [] : [[evaluation.key, text] as const];
  });
  return { featureFlags: Object.fromEntries(values), featureFlagPayloads: Object.fromEntries(payloads) };
}

/** SDKs expect a string of JSON. */
export function payloadText({ payload }: Evaluation): string | undefined {
  if (payload === undefined) return undefined;
  return isJsonObject(payload) ? keepText(payload) : plainText(payload);
}

/** `/flags/definitions`, in today's form in both profiles: only today's SDKs request it. */
export function sdkDefinitions(service: ServiceContext, call: Call): Answer {
  return unlessSame(call, definitions(service, call.projectId));
}

/** `/api/feature_flag/local_evaluation`, for older SDKs. */
export function sdkLocalEvaluation(service: ServiceContext, call: Call): Answer {
  return unlessSame(call, localDefinitions(service, call));
}

function unlessSame(call: Call, body: JsonObject): Answer {
  return unlessKnown(call, hashOf(body), body);
}

const hashes = new WeakMap<JsonObject, string>();

function hashOf(body: JsonObject): string {
  const hash = hashes.get(body) ?? hashTexts(keepText(body));
  hashes.set(body, hash);
  return hash;
}

export function hashTexts(...texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 32);
}

/** The hash covers all that the body depends on. */
export function unlessKnown({ ifNoneMatch = '' }: Call, hash: string, body: JsonObject): Answer {
  const headers = { ETag: `W/"${hash}"`, 'Cache-Control': 'private, must-revalidate' };
  const known = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  if (known.includes(`"${hash}"`) || known.includes('*')) return { status: 304, headers };
  return { status: 200, headers, body };
}
