/** Inputs for evaluation with defaults for what a case does not specify. */

import type { JsonObject, JsonValue } from '../../src/base/json.ts';
import { evaluateFlag } from '../../src/evaluation/evaluate.ts';
import type { Evaluation, EvaluationContext, EvaluationInput, Subject } from '../../src/evaluation/input.ts';
import type { Filters, Flag, Property } from '../../src/posthog/flag/model/flag.ts';

const NOW = new Date('2026-03-31T12:00:00Z');

export function contextWith(part: Partial<EvaluationContext> = {}): EvaluationContext {
  return { generation: 'rust-2026', now: NOW, timeZone: 'UTC', groupTypes: { '0': 'company' }, cohorts: {}, ...part };
}

export function subjectWith(part: Partial<Subject> = {}): Subject {
  return { distinctId: 'user-1', personProperties: {}, groups: {}, groupProperties: {}, ...part };
}

let lastId = 0;

export function flagWith(filters: Filters, part: Partial<Flag> = {}): Flag {
  lastId += 1;
  return { id: lastId, key: 'checkout-v2', active: true, deleted: false, filters, ...part };
}

export function person(key: string, operator: string | undefined, value?: JsonValue): Property {
  return {
    key,
    type: 'person',
    ...(operator === undefined ? {} : { operator }),
    ...(value === undefined ? {} : { value }),
  };
}

interface Surroundings {
  readonly context?: Partial<EvaluationContext>;
  readonly subject?: Partial<Subject>;
  readonly others?: readonly Flag[];
}

export function inputFor(
  flags: readonly Flag[],
  { context, subject, others = [] }: Surroundings = {},
): EvaluationInput {
  return { flags: [...flags, ...others], context: contextWith(context), subject: subjectWith(subject) };
}

/** Evaluates a flag that is there. */
export function evaluate(flag: Flag, surroundings: Surroundings = {}): Evaluation {
  const evaluation = evaluateFlag(flag.key, inputFor([flag], surroundings));
  if (evaluation === undefined) throw new Error(`The flag ${flag.key} was not evaluated.`);
  return evaluation;
}

/** The subject of a person with these properties. */
export function having(personProperties: JsonObject): Surroundings {
  return { subject: { personProperties } };
}
