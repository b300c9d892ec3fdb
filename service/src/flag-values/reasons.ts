/** `evaluation_reasons`: the value of each flag for a person, with its reason. */

import type { JsonObject } from '../../../src/base/json.ts';
import type { Evaluation } from '../../../src/evaluation/evaluation.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { evaluateAll } from '../evaluation/flags.ts';
import { readGroups, readWantedKeys } from './query.ts';
import { describeReason } from './reason-words.ts';

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
