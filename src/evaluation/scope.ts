/** The values that all steps of one evaluation share. */

import type { JsonObject } from '../base/json.ts';
import type { FlagValue } from './evaluation.ts';
import { GENERATIONS, type GenerationRules } from './generations.ts';
import { withInitialProperties } from './initial-properties.ts';
import type { EvaluationContext, EvaluationInput, Subject } from './input.ts';

export interface Scope {
  readonly rules: GenerationRules;
  readonly context: EvaluationContext;
  readonly subject: Subject;
  /** The person's properties, `distinct_id` included. */
  readonly person: JsonObject;
  /** The value of another flag, by id or key; `undefined` for a flag without a value. */
  readonly flagValue: (key: string) => FlagValue | undefined;
}

export function createScope(
  { context, subject }: Pick<EvaluationInput, 'context' | 'subject'>,
  flagValue: Scope['flagValue'],
): Scope {
  const rules = GENERATIONS[context.generation];
  const given = { distinct_id: subject.distinctId, ...subject.personProperties };
  const person = rules.fillsInitialProperties ? withInitialProperties(given) : given;
  return { rules, context, subject, person, flagValue };
}

/** The properties of the subject's group of a type, `$group_key` included; none for an unknown type or group. */
export function groupProperties(typeIndex: number, { context, subject }: Scope): JsonObject {
  const type = context.groupTypes[String(typeIndex)];
  if (type === undefined || !Object.hasOwn(subject.groups, type)) return {};
  const properties = Object.hasOwn(subject.groupProperties, type) ? subject.groupProperties[type] : {};
  return { $group_key: subject.groups[type], ...properties };
}
