/** `evaluation_reasons`: the value of each flag for a person, with its reason. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Evaluation } from '../../../src/evaluation/input.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { evaluateAll, projectFlags } from '../evaluation/flags.ts';
import { readGroups, readWantedKeys } from './query.ts';
import { describeReason } from './reason-words.ts';
import { serialise } from '../flags/serialise.ts';
import type { StoredFlag } from '../store/flag.ts';
import { EMBEDDED_DISTINCT_ID } from '../handler/user.ts';
import { minimalFlag } from './minimal-flag.ts';

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
    sorted.map((evaluation) => [evaluation.key, serialiseReason(evaluation, evaluatedFlags === 'minimal')]),
  );
  return { status: 200, body };
}

function isDisabled({ reason }: Evaluation): boolean {
  return reason === 'flag_disabled';
}

function serialiseReason(evaluation: Evaluation, withDescription: boolean): JsonObject {
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
  const show = (flag: StoredFlag): JsonObject => (isMinimal ? minimalFlag(flag) : serialise(service, flag));
  const shown = flags.filter(({ active, key }) => (isMinimal || active) && isWanted(key));
  const body = shown.map((flag) => ({ feature_flag: show(flag), value: evaluations.get(flag.key)?.value }));
  return { status: 200, body };
}
