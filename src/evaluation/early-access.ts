/** Early access: a person who enrolled or declined gets that answer before any condition is evaluated. */

import { isJsonArray, isJsonObject, memberOf, type JsonValue } from '../base/json.ts';
import { UNKNOWN } from '../base/pattern/read-pattern.ts';
import type { Condition, Flag } from '../posthog/flag/model/flag.ts';
import { matchesFilters } from './condition.ts';
import { off, type Verdict } from './evaluation.ts';
import { findBucket } from './identifier.ts';
import type { FilterMatch } from './match-property.ts';
import { propertiesOf } from './parts.ts';
import { isRolledOut } from './rollout.ts';
import type { EvaluationScope } from './scope.ts';

/** `undefined` if the person neither enrolled nor declined, or the flag has no early access. */
export function findEarlyAccess(flag: Flag, scope: EvaluationScope): Verdict | undefined {
  const enrolled = flag.filters?.['feature_enrollment'] === true ? enrolment(flag, scope) : superCondition(flag, scope);
  if (enrolled === UNKNOWN) return off('unknown_pattern');
  return enrolled === undefined ? undefined : { value: enrolled, reason: 'super_condition_value', conditionIndex: 0 };
}

function enrolment(flag: Flag, scope: EvaluationScope): boolean | undefined {
  const name = enrolmentProperty(flag.key);
  if (!hasProperty(name, scope)) return undefined;
  return scope.context.assumptions?.enrolled?.(name) ?? isEnrolled(memberOf(scope.person, name));
}

/** The property of people who chose about the early access of a flag. */
function enrolmentProperty(key: string): string {
  return `$feature_enrollment/${key}`;
}

export function isEnrolled(value: JsonValue | undefined): boolean {
  return value === true || value === 'true';
}

function hasProperty(name: string, { context, person }: EvaluationScope): boolean {
  return context.assumptions?.has?.(name) ?? Object.hasOwn(person, name);
}

// The older form. It applies only to persons that have one of its properties, and never to groups.
function superCondition(flag: Flag, scope: EvaluationScope): FilterMatch | undefined {
  const groups = flag.filters?.['super_groups'];
  const first = isJsonArray(groups) ? groups[0] : undefined;
  if (!isJsonObject(first)) return undefined;
  const condition = first as Condition;
  const concerned = (propertiesOf(condition) ?? []).some(({ key }) => hasProperty(String(key), scope));
  if (!concerned) return undefined;
  const bucket = findBucket(flag, null, scope);
  const identifier = bucket.kind === 'identifier' ? bucket.identifier : scope.subject.distinctId;
  const matches = matchesFilters(condition, null, scope);
  return matches !== false && (isRolledOut({ flag, condition, identifier }, scope) ? matches : false);
}
