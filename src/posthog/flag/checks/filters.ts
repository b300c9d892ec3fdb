/** The checks of one flag's filters, which read them as `view.ts` does. A new check is a row here. */

import { stringifyJson } from '../../../base/json-text.ts';
import {
  canonicalText,
  isJsonArray,
  isJsonObject,
  memberOf,
  objectFrom,
  type JsonValue,
  objectOrEmpty,
  isJsonNumber,
  type JsonObject,
} from '../../../base/json.ts';
import { type Suggest, unstorableCharacter } from '../../../base/text.ts';
import { ALL_SOUND, type Soundness, type FindingOf } from '../../../core/manifest/declaration.ts';
import {
  type Filters,
  type Property,
  propertiesOf,
  viewFilters,
  type FiltersView,
  type PartAt,
  VARIANTS,
} from '../model/flag.ts';
import type { FlagFinding, FlagProblems } from './problems.ts';
import { checkUnknownMembers, RESERVED_MEMBERS } from './unknown-members.ts';
import { toPointer } from '../../../base/json-pointer.ts';
import { defined } from '../../../base/optional.ts';
import type { Severity } from '../../../base/diagnostic.ts';
import { findPythonFault } from '../../../base/pattern/python.ts';
import { readPattern } from '../../../base/pattern/read-pattern.ts';
import { isAcceptedDate, readDate } from '../model/dates.ts';
import { findOperator, type OperandKind } from '../model/operators.ts';

/** Parts of other products that can match although `groups` is empty. */
const OTHER_CONDITIONS = ['super_groups', 'feature_enrollment', 'holdout', 'holdout_groups'];

/** Bytes of compact JSON text; docs/service.md, "Filters". */
const MOST_BYTES = 512 * 1024;
/** A character is at most seven bytes: `\\\\u00fc`, an escape within a string. */
const SURELY_SMALL = MOST_BYTES / 7;

const INDEX = 'aggregation_group_type_index';

interface FilterCheck {
  readonly check: (view: FiltersView, sound: Soundness, suggest: Suggest) => readonly FlagFinding[];
  /** Whether the filters have what the check is about; default: all have. */
  readonly isConcerned?: (view: FiltersView) => boolean;
  /** Whether the check compares values that are each sound. */
  readonly together?: true;
}

const CHECKS: readonly FilterCheck[] = [
  { check: checkMembers },
  {
    check: checkVariants,
    isConcerned: ({ filters, conditions }) =>
      (filters.multivariate ?? null) !== null || conditions.some(({ part }) => (part.variant ?? null) !== null),
    together: true,
  },
  { check: checkPayloads, isConcerned: ({ filters }) => (filters.payloads ?? null) !== null, together: true },
  { check: checkOperators },
  { check: checkAggregation, together: true },
  { check: checkSize, together: true },
];

/**
 * `filters` may have mistakes of shape: every check covers only the sound parts. `unknownAllowed`: whether the flag is declared with
 * `unknown_members: allow`.
 */
export function checkFilters(
  filters: Filters,
  {
    sound,
    suggest,
    unknownAllowed,
  }: { readonly sound: Soundness; readonly suggest: Suggest; readonly unknownAllowed: boolean },
): FlagFinding[] {
  const view = viewFilters(filters);
  const concerned = CHECKS.filter(({ isConcerned }) => isConcerned?.(view) !== false);
  return [
    ...concerned.flatMap(({ check }) => check(view, sound, suggest)),
    ...checkUnknownMembers(view, unknownAllowed),
  ];
}

/** Checks only whether the values of filters fit together. `filters`: as the service has them, or would have them. */
export function checkTogether(filters: Filters): FlagFinding[] {
  const view = viewFilters(filters);
  return CHECKS.filter(({ isConcerned, together }) => together === true && isConcerned?.(view) !== false).flatMap(
    ({ check }) => check(view, ALL_SOUND, () => undefined),
  );
}

/** Current services refuse filters without `groups`; older ones ignore them silently (docs/service.md, "Filters"). */
function checkMembers({ filters }: FiltersView, sound: Soundness): FlagFinding[] {
  const found: FlagFinding[] = [];
  const isGiven = (value: JsonValue): boolean => (isJsonArray(value) ? value.length > 0 : Boolean(value));
  if (sound.at('/filters/groups')) {
    if (!Array.isArray(filters.groups))
      found.push({ code: 'property-missing', severity: 'error', at: '/filters', args: { property: 'groups' } });
    else if (filters.groups.length === 0 && !OTHER_CONDITIONS.some((name) => isGiven(memberOf(filters, name) ?? null)))
      found.push({ code: 'conditions-none', severity: 'warning', at: '/filters/groups', args: {} });
  }
  for (const property of RESERVED_MEMBERS.filter((name) => Object.hasOwn(filters, name)))
    found.push({ code: 'property-reserved', severity: 'error', at: `/filters/${property}`, args: { property } });
  return found;
}

/** Checks the size of a flag's filters. */
function checkSize({ filters }: FiltersView): FlagFinding[] {
  if (stringifyJson(filters).length <= SURELY_SMALL) return [];
  const { payloads } = filters;
  const texts = Object.entries(objectOrEmpty(payloads)).map(([key, value]): [string, JsonValue] => [
    key,
    typeof value === 'string' ? value : pythonText(stringifyJson(value ?? null)),
  ]);
  const stored = isJsonObject(payloads) ? { ...filters, payloads: objectFrom(texts) } : filters;
  const bytes = Buffer.byteLength(canonicalText(stored));
  if (bytes <= MOST_BYTES) return [];
  return [{ code: 'filters-too-large', severity: 'error', at: '/filters', args: { bytes, limit: MOST_BYTES } }];
}

/** The service stores every payload as JSON text, in ASCII and with a space after each comma and colon. */
function pythonText(json: string): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[,:]/g, (token) =>
    token.startsWith('"') ? token.replaceAll(/[\u0080-\uffff]/g, escaped) : `${token} `,
  );
}

/** Checks that the properties of a condition fit its aggregation: persons, or groups of one type. */
function checkAggregation({ filters, conditions }: FiltersView, sound: Soundness): FlagFinding[] {
  const flagLevel = sound.at(`/filters/${INDEX}`) ? (filters[INDEX] ?? null) : undefined;
  return conditions
    .filter(({ at }) => sound.at(`${at}/${INDEX}`))
    .flatMap((condition): FlagFinding[] => {
      const own = condition.part[INDEX];
      // A condition inherits the flag's group type. `undefined`: it is not known, because of a mistake.
      const aggregation = own === undefined ? flagLevel : own;
      const properties = propertiesOf(condition).filter(({ at }) =>
        ['type', 'group_type_index'].every((name) => sound.at(`${at}/${name}`)),
      );
      const found = properties.flatMap((property) =>
        aggregation === undefined ? [] : checkProperty(property, aggregation),
      );
      // The service does not support a condition with a different one.
      if (typeof flagLevel !== 'number' || own === undefined || own === flagLevel) return found;
      const args = { flagLevel, condition: own };
      return [{ code: 'aggregation-mixed', severity: 'error', at: `${condition.at}/${INDEX}`, args }, ...found];
    });
}

function checkProperty({ part, at }: PartAt<Property>, aggregation: number | null): FlagFinding[] {
  const type = part.type ?? 'person';
  if ((aggregation === null) === (type === 'group')) {
    const args = { type, aggregation: aggregation === null ? 'person' : 'group' } as const;
    return [{ code: 'property-type-unfit', severity: 'error', at, args }];
  }
  if (aggregation === null) return [];
  const found = part['group_type_index'] ?? null;
  if (found === null) {
    return [{ code: 'property-missing', severity: 'error', at, args: { property: 'group_type_index' } }];
  }
  if (typeof found !== 'number' || found === aggregation) return [];
  const where = `${at}/group_type_index`;
  return [{ code: 'property-group-mismatch', severity: 'error', at: where, args: { found, expected: aggregation } }];
}

/** Decimals such as 0.01 + 64.04 + 35.95 do not add up exactly in floating point; the service's tolerance. */
const SUM_TOLERANCE = 1e-9;

/** The characters that current services accept in a variant's key; older ones accepted anything (docs/service.md, "Filters"). */
const VARIANT_KEY = /^[A-Za-z0-9_\-./]+$/;

function checkVariants(view: FiltersView, sound: Soundness, suggest: Suggest): FlagFinding[] {
  const { variants } = view;
  const keys = variantKeysOf(view, sound);
  const findings: FlagFinding[] = [];
  if (variants.length > 0 && keys !== undefined && variants.every(({ at }) => sound.at(`${at}/rollout_percentage`))) {
    const sum = variants.reduce((total, { part }) => total + part.rollout_percentage, 0);
    const rounded = Number(sum.toFixed(10));
    if (Math.abs(sum - 100) > SUM_TOLERANCE)
      findings.push({ code: 'variants-sum', severity: 'error', at: VARIANTS, args: { sum: rounded } });
  }
  const seen = new Set<string>();
  for (const { part, at } of variants.filter((variant) => sound.at(`${variant.at}/key`))) {
    if (seen.has(part.key)) {
      findings.push({ code: 'variant-duplicate', severity: 'error', at: `${at}/key`, args: { variant: part.key } });
    }
    seen.add(part.key);
    if (!VARIANT_KEY.test(part.key)) {
      const args = { found: part.key, pattern: VARIANT_KEY.source };
      findings.push({ code: 'value-pattern', severity: 'warning', at: `${at}/key`, args });
    }
  }
  const known = new Set(keys);
  for (const { part, at } of keys === undefined ? [] : view.conditions) {
    const { variant } = part;
    if (typeof variant !== 'string' || known.has(variant)) continue;
    const args = unknownVariant(variant, known, suggest);
    findings.push({ code: 'variant-unknown', severity: 'error', at: `${at}/variant`, args });
  }
  return findings;
}

/** The arguments of `variant-unknown`: the name as written, and a suggestion if one is similar. */
export function unknownVariant(
  variant: string,
  keys: Iterable<string>,
  suggest: Suggest,
): { variant: string; suggestion?: string } {
  const suggestion = suggest(variant, keys);
  return { variant, ...defined({ suggestion }) };
}

/** The keys of all variants; `undefined` if a mistake makes them uncertain. */
export function variantKeysOf({ filters, variants }: FiltersView, sound: Soundness): string[] | undefined {
  const written = isJsonObject(filters.multivariate) ? filters.multivariate['variants'] : undefined;
  const all = isJsonArray(written) ? written.length : 0;
  const known = sound.at(VARIANTS) && variants.length === all && variants.every(({ at }) => sound.at(`${at}/key`));
  return known ? variants.flatMap(({ part: { key } }) => (typeof key === 'string' ? [key] : [])) : undefined;
}

/** The largest number of variants in one message. */
const MOST_SHOWN = 20;

/** Each payload must have its variant (or `true` without variants), and a string must be JSON text. */
function checkPayloads(view: FiltersView, sound: Soundness, suggest: Suggest): FlagFinding[] {
  const payloads = Object.entries(objectOrEmpty(view.filters.payloads));
  if (payloads.length === 0) return [];
  const variants = variantKeysOf(view, sound);
  const keys = variants?.length === 0 ? ['true'] : variants;
  const fitting = new Set(keys);
  const allowed = keys?.slice(0, MOST_SHOWN);
  return payloads.flatMap(([payload, value]) => {
    const at = `/filters/payloads${toPointer([payload])}`;
    const findings: FlagFinding[] = [];
    if (keys !== undefined && allowed !== undefined && !fitting.has(payload)) {
      const suggestion = suggest(payload, keys);
      const args = { payload, allowed, ...defined({ suggestion }) };
      findings.push({ code: 'payload-key-unknown', severity: 'error', at, args });
    }
    if (typeof value !== 'string') return findings;
    try {
      const character = unstorableIn(JSON.parse(value) as JsonValue);
      if (character !== undefined)
        findings.push({ code: 'character-forbidden', severity: 'error', at, args: { character } });
    } catch {
      findings.push({ code: 'payload-not-json', severity: 'error', at, args: { payload } });
    }
    return findings;
  });
}

// The character may be escaped in the text. Iterative, since the depth of the text is not limited.
function unstorableIn(value: JsonValue): string | undefined {
  const pending = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      const character = unstorableCharacter(next);
      if (character !== undefined) return character;
    } else if (isJsonArray(next)) {
      for (const element of next) pending.push(element);
    } else if (isJsonObject(next)) {
      for (const [name, member] of Object.entries(next)) pending.push(name, member ?? null);
    }
  }
  return undefined;
}

type PatternFinding = FindingOf<Pick<FlagProblems, 'regex-invalid' | 'regex-unknown'>>;

function checkOperators({ properties }: FiltersView, sound: Soundness): FlagFinding[] {
  return properties.flatMap((property) => {
    const [type, operator, value] = ['type', 'operator', 'value'].map((name) => sound.whole(`${property.at}/${name}`));
    const { part } = property;
    // Either is enough to know what the value must be: type cohort, or an operator on values only.
    const isOfValues = operator && findOperator(part.operator ?? '')?.subject === 'value';
    const isKindKnown = type ? operator || part.type === 'cohort' : isOfValues;
    return [
      ...(type && operator ? [...checkAccepted(property), ...checkFit(property)] : []),
      ...(value && isKindKnown ? checkValue(property) : []),
      ...(operator && value ? [...checkRegex(property.part, property.at), ...checkRefused(property)] : []),
    ];
  });
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
  const where = part.operator === undefined ? at : `${at}/operator`;
  const { subject = 'value' } = findOperator(operator) ?? {};
  const wanted = type === 'flag' || type === 'cohort' ? type : 'value';
  if (subject === wanted || (type === 'cohort' && (part.operator ?? null) === null)) return [];
  const severity = type === 'cohort' ? 'warning' : 'error';
  return [{ code: 'operator-unfit', severity, at: where, args: { operator, type } }];
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

/** Checks the regular expression of a filter, if it has one. */
export function checkRegex({ operator, value }: JsonObject, at: string): PatternFinding[] {
  if (findOperator(operator ?? null)?.operand !== 'regex' || typeof value !== 'string') return [];
  const pattern = readPattern(value);
  if (pattern.kind === 'known') return [];
  const args = { regex: value, detail: pattern.reason };
  if (pattern.kind === 'unknown') return [{ code: 'regex-unknown', severity: 'warning', at: `${at}/value`, args }];
  const severity = findPythonFault(value) === undefined ? 'warning' : 'error';
  return [{ code: 'regex-invalid', severity, at: `${at}/value`, args }];
}

// What evaluation cannot use is reported as that. A live flag may have any pattern: the service checks only new ones.
function checkRefused({ part: { operator, value }, at }: PartAt<Property>): FlagFinding[] {
  if (findOperator(operator ?? null)?.operand !== 'regex' || typeof value !== 'string') return [];
  const detail = readPattern(value).kind === 'invalid' ? undefined : findPythonFault(value);
  return detail === undefined
    ? []
    : [{ code: 'regex-refused', severity: 'warning', at: `${at}/value`, args: { regex: value, detail } }];
}

// Strings, numbers and short lists are shown as they are, anything larger by its type.
function shownValue(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return 'nothing';
  if (isJsonObject(value)) return 'a mapping';
  const text = stringifyJson(value);
  return isJsonArray(value) && text.length > 40 ? 'a list' : text;
}

/** `undefined` when the value fits; error when the service refuses it, warning when it can never match. */
type Verdict = (value: JsonValue) => Severity | undefined;

/** The values that fit each kind of operand, as messages describe them (docs/service.md, "Values"). */
const OPERAND_RULES: Readonly<Record<OperandKind, { readonly expected: string; readonly verdict: Verdict }>> = {
  none: { expected: 'anything', verdict: () => undefined },
  scalars: { expected: 'a string, number, boolean or a list of them', verdict: errorUnless(isScalarOrList) },
  string: { expected: 'a string', verdict: errorUnless(isString) },
  regex: { expected: 'a string', verdict: errorUnless(isString) },
  strings: {
    expected: 'a list of strings',
    verdict: errorUnless((value) => isJsonArray(value) && value.every(isString)),
  },
  // The service accepts any string here, but only a number can match.
  'number-string': {
    expected: 'a number in quotes',
    verdict: (value) => {
      if (!isString(value)) return 'error';
      return value.trim() !== '' && Number.isFinite(Number(value)) ? undefined : 'warning';
    },
  },
  // The service refuses the operators.
  'number-pair': { expected: 'a list of two numbers', verdict: () => undefined },
  // The service accepts some dates that its evaluation cannot read, such as a month.
  date: {
    expected: 'a date such as "2025-03-01" or "-30d"',
    verdict: (value) => {
      if (!isString(value)) return 'error';
      if (RELATIVE_DATE.test(value)) return undefined;
      if (!isAcceptedDate(value)) return 'error';
      return readDate(value) === undefined ? 'warning' : undefined;
    },
  },
  // Accepts up to three numbers and a pre-release, without a leading `v`: evaluation knows it, but not the check of a write.
  semver: {
    expected: 'a version such as "1.2.3"',
    verdict: errorUnless(matches(/^\d+(\.\d+){0,2}(-[0-9A-Za-z.+-]+)?$/)),
  },
  'semver-wildcard': {
    expected: 'a version such as "1.2.*"',
    verdict: errorUnless(matches(/^(?=[^.]+(\.[^.]+){0,2}$)\d+(\.\d+)*(\.\*)*$/)),
  },
  cohort: { expected: 'a cohort id or alias', verdict: errorUnless(isCohort) },
  'flag-result': {
    expected: 'true, false or a variant',
    verdict: errorUnless((value) => typeof value === 'boolean' || (isString(value) && value !== '')),
  },
};

function errorUnless(fits: (value: JsonValue) => boolean): Verdict {
  return (value) => (fits(value) ? undefined : 'error');
}

function isString(value: JsonValue): value is string {
  return typeof value === 'string';
}

function isScalar(value: JsonValue): boolean {
  return typeof value === 'string' || isJsonNumber(value) || typeof value === 'boolean';
}

function isScalarOrList(value: JsonValue): boolean {
  return isScalar(value) || (isJsonArray(value) && value.every((element) => isScalar(element) || element === null));
}

/** `7d` and `-7d` are seven days ago, in units of hours, days, weeks, months and years, below 10000. */
const RELATIVE_DATE = /^-?\d{1,4}[hdwmy]$/;

function matches(pattern: RegExp): (value: JsonValue) => boolean {
  return (value) => isString(value) && pattern.test(value);
}

function isCohort(value: JsonValue): boolean {
  if (isString(value) && !/^\d+$/.test(value)) return value !== '';
  return (isString(value) || typeof value === 'number') && Number.isSafeInteger(Number(value)) && Number(value) > 0;
}
