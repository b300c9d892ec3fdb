/** The predicate on one property that a filter asks of a person. Equal predicates are one, however the filters are written. */

import { canonicalText, isJsonArray, type JsonValue, memberOf } from '../../base/json.ts';
import { isKnownFilter } from '../effects/audience.ts';
import { isEnrolled } from '../../evaluation/evaluate.ts';
import { GENERATIONS } from '../../evaluation/generations.ts';
import type { EvaluationContext } from '../../evaluation/input.ts';
import { matchesProperty } from '../../evaluation/match-property.ts';
import { parseDate } from '../../evaluation/values/dates.ts';
import { parseNumber, jsonText } from '../../evaluation/values/scalars.ts';
import { parseVersion, type Version, versionText } from '../../evaluation/values/semver.ts';
import { readDate } from '../../posthog/flag/model/dates.ts';
import type { Property } from '../../posthog/flag/model/flag.ts';
import { findOperator, type OperatorRow } from '../../posthog/flag/model/operators.ts';
import { isTruthLike } from '../../posthog/flag/model/normal-forms.ts';

/**
 * `value`: equality with one of `values`. `part`: `values` are parts of a string. `truth`, `number`, `date …` and `version`: functions of
 * what the value reads as. `free`: nothing is known except that it is a function of the person.
 */
export type PredicateKind =
  | 'set'
  | 'value'
  | 'part'
  | 'truth'
  | 'number'
  | 'date with offset'
  | 'date without offset'
  | 'relative date'
  | 'version'
  | 'free';

export interface Predicate {
  /** Unique in its property. */
  readonly name: string;
  readonly kind: PredicateKind;
  readonly operator: string;
  readonly wanted: JsonValue;
  readonly values: ReadonlySet<string>;
  /** The predicate of the same property that cannot be true together with this one. */
  readonly excludes?: string;
  /** Whether a value matches; `undefined` for a missing property. Must not be called for a `free` predicate with a value. */
  readonly test: (found: JsonValue | undefined) => boolean;
}

/** What a filter asks. */
export type PredicateQuestion =
  /** The answer is the same for everybody. */
  | { readonly kind: 'constant'; readonly answer: boolean }
  /** This release does not know the operator or the type. The answer still depends only on the person. */
  | { readonly kind: 'unknown'; readonly subject: string }
  | {
      readonly kind: 'predicate';
      /** The property: of whom, and its key. */
      readonly subject: string;
      readonly predicate: Predicate;
      /** Whether the filter matches if the predicate is true, or if it is false. */
      readonly isTrue: boolean;
    };

export type PredicateContext = Pick<EvaluationContext, 'generation' | 'now' | 'timeZone'>;

/** Does not take filters on flags. `aggregation`: the group type of the condition; null means persons. */
export function askedBy(filter: Property, aggregation: number | null, reading: PredicateContext): PredicateQuestion {
  const { value = null } = filter;
  if (!isKnownFilter(filter) || filter['negation'] === true) {
    return { kind: 'unknown', subject: `unknown ${canonicalText({ filter, aggregation })}` };
  }
  if (filter.type === 'cohort') return memberOfCohort(jsonText(value), filter.operator === 'not_in');
  const name = filter.operator ?? 'exact';
  const { operand, negates, renamedTo }: Partial<OperatorRow> = findOperator(name) ?? {};
  if (operand !== 'none' && value === null) return { kind: 'constant', answer: false };
  const operator = negates ?? renamedTo ?? name;
  const isTotal = TOTAL.has(operator);
  const predicate = predicateOf(isTotal ? operator : (renamedTo ?? name), value, reading);
  const owner = ownerOf(filter, aggregation);
  const isTrue = !(isTotal && negates !== undefined);
  if (owner === undefined) return { kind: 'constant', answer: predicate.test(undefined) === isTrue };
  return { kind: 'predicate', subject: `${owner} ${filter.key}`, predicate, isTrue };
}

/** The operators that can compare any two values, so that their negations are exactly the opposite. */
const TOTAL: ReadonlySet<string> = new Set([
  'exact',
  'is_set',
  'icontains',
  'icontains_multi',
  'starts_with',
  'ends_with',
]);

/** Matches evaluation; `undefined` for the group of a condition on persons. */
function ownerOf({ type, ...filter }: Property, aggregation: number | null): string | undefined {
  if (type === 'person' || (type === undefined && aggregation === null)) return 'person';
  const own = filter['group_type_index'];
  const index = typeof own === 'number' ? own : aggregation;
  return index === null ? undefined : `group ${index}`;
}

/** A cohort that does not exist here has neither members nor non-members. */
function memberOfCohort(id: string, isOutside: boolean): PredicateQuestion {
  const [name, excludes] = isOutside ? ['not_in', 'in'] : ['in', 'not_in'];
  const predicate = { ...FREE, name, operator: name, excludes };
  return { kind: 'predicate', subject: `cohort ${id}`, predicate, isTrue: true };
}

const FREE: Predicate = {
  name: '',
  kind: 'free',
  operator: '',
  wanted: null,
  values: new Set(),
  test: () => false,
};

/** A fact that is true or false of a person. */
export function factOf(subject: string): Extract<PredicateQuestion, { readonly kind: 'predicate' }> {
  return { kind: 'predicate', subject, predicate: FREE, isTrue: true };
}

export function enrolledBy(property: string): Extract<PredicateQuestion, { readonly kind: 'predicate' }> {
  const predicate: Predicate = { ...FREE, name: 'enrolled', kind: 'truth', test: isEnrolled };
  return { kind: 'predicate', subject: `person ${property}`, predicate, isTrue: true };
}

function predicateOf(operator: string, wanted: JsonValue, reading: PredicateContext): Predicate {
  const kind = kindOf(operator, wanted, reading);
  const values = valuesOf(kind, wanted, { operator, reading });
  const name = (own: string): string => `${memberOf(NAMES, own) ?? own} ${textOf(kind, wanted, values)}`;
  const negation = operator.startsWith('not_') ? operator.slice('not_'.length) : `not_${operator}`;
  return {
    name: name(operator),
    kind,
    operator,
    wanted,
    values,
    ...(TOTAL.has(operator) ? {} : { excludes: name(negation) }),
    test: (found) => {
      const filter: Property = { key: 'x', operator, value: wanted };
      return matchesProperty(filter, found === undefined ? {} : { x: found }, reading) === true;
    },
  };
}

/** One operator is the other with a list of one. */
const NAMES: Readonly<Record<string, string>> = { icontains_multi: 'icontains' };

/** Equal texts ask for the same. */
function textOf(kind: PredicateKind, wanted: JsonValue, values: ReadonlySet<string>): string {
  if (kind === 'set') return '';
  if (kind === 'truth') return String(readsTrue(wanted));
  return values.size > 0 ? canonicalText([...values].toSorted()) : canonicalText(wanted);
}

/** A value that cannot be read here may have a meaning for the service: the predicate may be true or false of any value. */
function kindOf(operator: string, wanted: JsonValue, reading: PredicateContext): PredicateKind {
  const { generation } = reading;
  const comparesNumbers = generation !== 'python-2023' || operator.endsWith('between');
  switch (findOperator(operator)?.operand) {
    case 'none':
      return 'set';
    case 'scalars':
      return comparesTruth(wanted, generation) ? 'truth' : 'value';
    case 'string':
    case 'strings':
      return 'part';
    case 'number-string':
    case 'number-pair':
      return comparesNumbers && (isJsonArray(wanted) ? wanted : [wanted]).every(isNumber) ? 'number' : 'free';
    case 'date':
      return parseDate(jsonText(wanted), reading) === undefined ? 'free' : dateKind(jsonText(wanted));
    case 'semver':
    case 'semver-wildcard':
      return versionIn(wanted) === undefined ? 'free' : 'version';
    case 'regex':
    case 'cohort':
    case 'flag-result':
    case undefined:
      return 'free';
  }
}

function comparesTruth(wanted: JsonValue, generation: PredicateContext['generation']): boolean {
  if (generation === 'rust-2026-explicit') return isJsonArray(wanted) && wanted.length === 0;
  return generation === 'rust-2026' && isTruthLike(wanted);
}

function isNumber(value: JsonValue): boolean {
  return parseNumber(value) !== undefined;
}

/** The order of two dates may depend on the time zone of the project, unless both are of one kind. */
function dateKind(text: string): PredicateKind {
  if (/^-?\d+[a-z]$/.test(text)) return 'relative date';
  const read = readDate(text);
  if (typeof read === 'number') return 'date with offset';
  // The day alone, read by the lenient reader, is at the time of day of the evaluation.
  if (read?.year === undefined || read.time === undefined) return 'free';
  return read.offset === undefined && read.reader === 'project' ? 'date without offset' : 'date with offset';
}

function valuesOf(
  kind: PredicateKind,
  wanted: JsonValue,
  { operator, reading: { generation } }: { readonly operator: string; readonly reading: PredicateContext },
): ReadonlySet<string> {
  const list = isJsonArray(wanted) && operator !== 'icontains' && !operator.endsWith('_with') ? wanted : [wanted];
  if (kind === 'value') return new Set(list.map((one) => equalityName(one, generation)));
  const { text, lowerCase } = GENERATIONS[generation];
  return new Set(kind === 'part' ? list.map((one) => lowerCase(text(one))) : []);
}

/** Values of one name equal the same values. */
export function equalityName(value: JsonValue, generation: PredicateContext['generation']): string {
  return generation !== 'python-2023' ? jsonText(value).toLowerCase() : canonicalText(value);
}

function readsTrue(wanted: JsonValue): boolean {
  if (isJsonArray(wanted)) return wanted.every(readsTrue);
  return jsonText(wanted).toLowerCase() === 'true';
}

/** The version that a filter compares with; of a pattern, what stands before its wildcard. */
export function versionIn(wanted: JsonValue): Version | undefined {
  const stem = versionText(wanted).replace(/\.?[*xX].*/, '');
  return parseVersion(wanted) ?? parseVersion(stem === '' ? '0' : stem);
}

/** The numbers that a filter compares with. */
export function numbersIn({ wanted }: Predicate): number[] {
  return (isJsonArray(wanted) ? wanted : [wanted]).flatMap((one) => parseNumber(one) ?? []);
}
