/** Checks each property against the row of its operator. */

import { stringifyJson } from '../../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../../base/json.ts';
import type { Property } from '../flag.ts';
import type { FiltersView, PartAt } from '../view.ts';
import { findOperator } from '../operators.ts';
import type { Soundness } from '../../../manifest/soundness.ts';
import type { FlagFinding } from './problems.ts';
import { OPERAND_RULES } from './operator-values.ts';
import { regexProblem } from './regex.ts';

export function checkOperators({ properties }: FiltersView, sound: Soundness): FlagFinding[] {
  return properties.flatMap((property) => {
    const [type, operator, value] = ['type', 'operator', 'value'].map((name) => sound.whole(`${property.at}/${name}`));
    return [
      ...(type && operator ? checkAccepted(property) : []),
      ...(type && operator ? checkFit(property) : []),
      ...(value && isKindKnown(property.part, { type, operator }) ? checkValue(property) : []),
      ...(operator && value ? checkRegex(property) : []),
    ];
  });
}

// Either is enough to know what the value must be: type cohort, or an operator on values only.
function isKindKnown(
  part: Property,
  sound: { readonly type: boolean | undefined; readonly operator: boolean | undefined },
): boolean {
  if (!sound.operator) return sound.type === true && part.type === 'cohort';
  return sound.type === true || findOperator(part.operator ?? '')?.subject === 'value';
}

function checkAccepted({ part, at }: PartAt<Property>): FlagFinding[] {
  const { operator, type } = part;
  if (typeof operator !== 'string' || type === 'cohort' || findOperator(operator)?.evaluatedOnly !== true) return [];
  return [{ code: 'operator-refused', severity: 'error', at: `${at}/operator`, args: { operator } }];
}

// Cohorts had no operator before 2025, and the service ignores a wrong one, so it is only a warning.
function checkFit({ part, at }: PartAt<Property>): FlagFinding[] {
  const type = part.type ?? 'person';
  const operator = part.operator ?? 'exact';
  const args = { operator, type };
  const written = part.operator ?? undefined;
  const where = part.operator === undefined ? at : `${at}/operator`;
  const { subject = 'value' } = findOperator(operator) ?? {};
  if (type === 'cohort') {
    if (written === undefined || subject === 'cohort') return [];
    return [{ code: 'operator-unfit', severity: 'warning', at: where, args }];
  }
  return subject === (type === 'flag' ? 'flag' : 'value')
    ? []
    : [{ code: 'operator-unfit', severity: 'error', at: where, args }];
}

function checkValue({ part, at }: PartAt<Property>): FlagFinding[] {
  const operator = part.operator ?? 'exact';
  const row = findOperator(operator);
  const operand = part.type === 'cohort' ? 'cohort' : row?.operand;
  if (operand === undefined || (part.type === 'flag') !== (operand === 'flag-result')) return [];
  const value = part.value;
  const { expected, verdict } = OPERAND_RULES[operand];
  const severity = verdict(value ?? null);
  if (severity === undefined) return [];
  const where = value === undefined ? at : `${at}/value`;
  const args = { operator: part.type === 'cohort' ? 'in' : operator, expected, found: shownValue(value) };
  return [{ code: 'operator-value-unfit', severity, at: where, args }];
}

function checkRegex({ part, at }: PartAt<Property>): FlagFinding[] {
  if (findOperator(part.operator ?? '')?.operand !== 'regex' || typeof part.value !== 'string') return [];
  const detail = regexProblem(part.value);
  if (detail === undefined) return [];
  return [{ code: 'regex-invalid', severity: 'error', at: `${at}/value`, args: { regex: part.value, detail } }];
}

// Strings, numbers and short lists are shown as they are, anything larger by its type.
function shownValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'nothing';
  if (isJsonObject(value)) return 'a mapping';
  const text = stringifyJson(value);
  return isJsonArray(value) && text.length > 40 ? 'a list' : text;
}
