/** Operators and what each compares with: the table, and the check of a property against its row. */

import { stringifyJson } from '../../../base/json-text.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../../base/json.ts';
import type { Filters, Property } from '../flag.ts';
import { conditionsOf, propertiesOf, type Located } from './conditions.ts';
import type { Soundness } from '../../../manifest/soundness.ts';
import type { Finding } from '../../../manifest/finding.ts';
import { VALUE_KINDS, type ValueKind } from './operator-values.ts';
import { regexProblem } from './regex.ts';

/** Every operator of docs/service.md, "Operators", with the kind of value it takes. */
export const OPERATORS: Readonly<Record<string, ValueKind>> = {
  exact: 'scalars',
  is_not: 'scalars',
  is_set: 'anything',
  is_not_set: 'anything',
  icontains: 'text',
  not_icontains: 'text',
  icontains_multi: 'texts',
  not_icontains_multi: 'texts',
  starts_with: 'text',
  not_starts_with: 'text',
  ends_with: 'text',
  not_ends_with: 'text',
  regex: 'text',
  not_regex: 'text',
  gt: 'number-text',
  gte: 'number-text',
  lt: 'number-text',
  lte: 'number-text',
  min: 'number-text',
  max: 'number-text',
  between: 'number-pair',
  not_between: 'number-pair',
  is_date_exact: 'date',
  is_date_before: 'date',
  is_date_after: 'date',
  semver_eq: 'semver',
  semver_neq: 'semver',
  semver_gt: 'semver',
  semver_gte: 'semver',
  semver_lt: 'semver',
  semver_lte: 'semver',
  semver_tilde: 'semver',
  semver_caret: 'semver',
  semver_wildcard: 'semver-wildcard',
  in: 'cohort',
  not_in: 'cohort',
  flag_evaluates_to: 'flag-result',
};

const COHORT_OPERATORS: ReadonlySet<string> = new Set(['in', 'not_in']);
const OTHER_TYPES_OPERATORS: ReadonlySet<string> = new Set([...COHORT_OPERATORS, 'flag_evaluates_to']);

export function checkOperators(filters: Filters, sound: Soundness): Finding[] {
  return conditionsOf(filters)
    .flatMap(propertiesOf)
    .flatMap((property) => {
      const [type, operator, value] = ['type', 'operator', 'value'].map((name) =>
        sound.whole(`${property.at}/${name}`),
      );
      return [
        ...(type && operator ? checkFit(property) : []),
        ...(value && isKindKnown(property.part, { type, operator }) ? checkValue(property) : []),
        ...(operator && value ? checkRegex(property) : []),
      ];
    });
}

// One of the two is enough to know what the value must be: a cohort, or an operator that no other type has.
function isKindKnown(
  part: Property,
  sound: { readonly type: boolean | undefined; readonly operator: boolean | undefined },
): boolean {
  if (!sound.operator) return sound.type === true && part.type === 'cohort';
  return sound.type === true || (typeof part.operator === 'string' && !OTHER_TYPES_OPERATORS.has(part.operator));
}

// Cohorts had no operator before 2025 and the service does not look at another one, so that is no more than odd.
function checkFit({ part, at }: Located<Property>): Finding[] {
  const type = part.type ?? 'person';
  const operator = part.operator ?? 'exact';
  const args = { operator, type };
  const written = part.operator ?? undefined;
  const where = part.operator === undefined ? at : `${at}/operator`;
  if (type === 'cohort') {
    if (written === undefined || COHORT_OPERATORS.has(written)) return [];
    return [{ code: 'operator-unfit', severity: 'warning', at: where, args }];
  }
  const fits = (type === 'flag') === (operator === 'flag_evaluates_to') && !COHORT_OPERATORS.has(operator);
  return fits ? [] : [{ code: 'operator-unfit', severity: 'error', at: where, args }];
}

function checkValue({ part, at }: Located<Property>): Finding[] {
  const operator = part.operator ?? 'exact';
  const kind = part.type === 'cohort' ? 'cohort' : OPERATORS[operator];
  if (kind === undefined || ((part.type ?? 'person') === 'flag') !== (kind === 'flag-result')) return [];
  const value = part.value;
  const { expected, verdict } = VALUE_KINDS[kind];
  const severity = verdict(value ?? null);
  if (severity === undefined) return [];
  const where = value === undefined ? at : `${at}/value`;
  const args = { operator: part.type === 'cohort' ? 'in' : operator, expected, found: shownValue(value) };
  return [{ code: 'operator-value-unfit', severity, at: where, args }];
}

function checkRegex({ part, at }: Located<Property>): Finding[] {
  if ((part.operator !== 'regex' && part.operator !== 'not_regex') || typeof part.value !== 'string') return [];
  const detail = regexProblem(part.value);
  if (detail === undefined) return [];
  return [{ code: 'regex-invalid', severity: 'error', at: `${at}/value`, args: { regex: part.value, detail } }];
}

// Texts, numbers and short lists as they stand, anything larger by what it is.
function shownValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'nothing';
  if (isJsonObject(value)) return 'a mapping';
  const text = stringifyJson(value);
  return isJsonArray(value) && text.length > 40 ? 'a list' : text;
}
