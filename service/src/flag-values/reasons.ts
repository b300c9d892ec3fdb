/** `evaluation_reasons`: the value of each flag for a person, with its reason. */

import { type JsonObject, arrayOrEmpty } from '../../../src/base/json.ts';
import type { Evaluation, Reason } from '../../../src/evaluation/input.ts';
import { type Answer, type Call, type ServiceContext, EMBEDDED_DISTINCT_ID } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { evaluateAll, projectFlags, readGroupKeys } from '../evaluation/flags.ts';
import { serialize } from '../flags/serialize.ts';
import type { StoredFlag } from '../store/flag.ts';
import { minimalFlag } from './definitions.ts';
import { parseJson } from '../../../src/base/json-text.ts';
import type { NamedSubject } from '../evaluation/context.ts';

export function evaluationReasons(service: ServiceContext, call: Call): Answer {
  const { projectId, query } = call;
  const distinctId = query.get('distinct_id') ?? '';
  if (distinctId === '') throw invalid('required', 'This field is required.', 'distinct_id');
  const { evaluatedFlags } = service.rules;
  const isWanted = (evaluatedFlags === 'minimal' ? readWantedKeys(call) : undefined) ?? ((): boolean => true);
  const evaluations = evaluateAll(service, projectId, { distinctId, groups: readGroups(query) });
  const wanted = [...evaluations.values()].filter(({ key }) => isWanted(key));
  // Inactive flags come last, as in the service.
  const sorted = wanted.toSorted((a, b) => Number(isDisabled(a)) - Number(isDisabled(b)));
  const body = Object.fromEntries(
    sorted.map((evaluation) => [evaluation.key, serializeReason(evaluation, evaluatedFlags === 'minimal')]),
  );
  return { status: 200, body };
}

function isDisabled({ reason }: Evaluation): boolean {
  return reason === 'flag_disabled';
}

function serializeReason(evaluation: Evaluation, withDescription: boolean): JsonObject {
  const { value, conditionIndex } = evaluation;
  const reason = isDisabled(evaluation) ? 'disabled' : evaluation.reason;
  const description = withDescription ? { description: describeReason(evaluation) } : {};
  return { value, evaluation: { reason, condition_index: conditionIndex, ...description } };
}

export function myFlags(service: ServiceContext, call: Call): Answer {
  const { projectId, query } = call;
  const isMinimal = service.rules.evaluatedFlags === 'minimal';
  const isWanted = (isMinimal ? readWantedKeys(call) : undefined) ?? ((): boolean => true);
  const flags = projectFlags(service, projectId);
  const evaluations = evaluateAll(service, projectId, { distinctId: EMBEDDED_DISTINCT_ID, groups: readGroups(query) });
  const show = (flag: StoredFlag): JsonObject => (isMinimal ? minimalFlag(flag) : serialize(service, flag));
  const shown = flags.filter(({ active, key }) => (isMinimal || active) && isWanted(key));
  const body = shown.map((flag) => ({ feature_flag: show(flag), value: evaluations.get(flag.key)?.value }));
  return { status: 200, body };
}

/** `groups`: a JSON object of group types and group keys. */
function readGroups(query: URLSearchParams): NamedSubject['groups'] {
  const text = query.get('groups');
  if (text === null || text === '') return {};
  try {
    return readGroupKeys(parseJson(text));
  } catch {
    throw invalid('invalid_input', 'Expected a JSON object of group types and keys.', 'groups');
  }
}

/** `flag_keys`: a JSON list, or keys separated by commas; `undefined` for all flags. */
function readWantedKeys({ query }: Call): ((key: string) => boolean) | undefined {
  const texts = query.getAll('flag_keys').filter((text) => text !== '');
  if (texts.length === 0) return undefined;
  const keys = new Set(texts.flatMap(readKeys));
  return (key) => keys.has(key);
}

function readKeys(text: string): string[] {
  if (!text.startsWith('[')) return text.split(',').map((key) => key.trim());
  try {
    const list = parseJson(text);
    return arrayOrEmpty(list).filter((key) => typeof key === 'string');
  } catch {
    throw invalid('invalid_input', 'Expected a JSON list of keys.', 'flag_keys');
  }
}

const WORDS: Readonly<Record<Reason, string>> = {
  super_condition_value: 'Matched a super condition',
  holdout_condition_value: 'Matched a holdout condition',
  condition_match: 'Matched condition set',
  out_of_rollout_bound: 'Out of rollout bound',
  no_condition_match: 'No matching condition set',
  no_group_type: 'No matching group type',
  flag_disabled: 'Feature flag is disabled',
  experiment_paused: 'The split is paused',
  missing_dependency: 'A dependency is missing',
  unknown_format: 'The format of the filters is not supported',
  unknown_pattern: 'Only PostHog can evaluate a regular expression of the filters',
};

/** The same for a flag with rules. */
const WORDS_OF_RULES: Readonly<Partial<Record<Reason, (rule: number) => string>>> = {
  condition_match: (rule) => `Matched rule ${rule}`,
  out_of_rollout_bound: (rule) => `Rule ${rule} rollout miss`,
  experiment_paused: (rule) => `Rule ${rule} is paused`,
  holdout_condition_value: (rule) => `Rule ${rule} holdout`,
  no_condition_match: () => 'No rule matched',
};

/** Numbers condition sets and rules from 1, as the web interface does. */
export function describeReason({
  reason,
  conditionIndex,
  ruled,
}: Pick<Evaluation, 'reason' | 'conditionIndex' | 'ruled'>): string {
  const ofRule = ruled === undefined ? undefined : WORDS_OF_RULES[reason];
  if (ofRule !== undefined) return ofRule((conditionIndex ?? 0) + 1);
  if (reason !== 'condition_match' || conditionIndex === null) return WORDS[reason];
  return `${WORDS[reason]} ${conditionIndex + 1}`;
}
