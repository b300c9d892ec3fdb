/**
 * The slips that release or hide a flag without a word: one table over conditions, groups of cohorts, their properties and the strings of a
 * declaration. The service stores each of them. A path in `intended` silences one place. A new slip is a row.
 */

import type { Severity } from '../../../base/diagnostic.ts';
import {
  arrayOrEmpty,
  canonicalText,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  memberOf,
  type JsonObject,
  type JsonValue,
} from '../../../base/json.ts';
import { toPointer } from '../../../base/json-pointer.ts';
import { defined } from '../../../base/optional.ts';
import { quoted, type WordsFor } from '../../../base/wording.ts';
import { matchesField, type FieldPath, type FieldPathProblem } from '../../../core/engine/field-path.ts';
import { ALL_SOUND, type FindingOf, type Soundness } from '../../../core/manifest/declaration.ts';
import { readDate } from '../model/dates.ts';
import { parseFieldPath } from '../model/fields.ts';
import { type Condition, type Property, type PartAt, propertiesOf, rolloutOf, viewFilters } from '../model/flag.ts';
import { findOperator, type OperandKind } from '../model/operators.ts';
import type { SlipProblems } from './problems.ts';

type SlipCode = keyof SlipProblems;

export type SlipFinding = FindingOf<SlipProblems>;

interface Slip<Code extends SlipCode> {
  /** An error where no reading of the condition makes sense. */
  readonly severity: Severity;
  /** Why the service's reading is not what the file seems to say: the title of the diagnostic. */
  readonly reason: string;
  readonly message: (args: SlipProblems[Code]) => string;
  readonly remedy: string;
}

const SLIPS: { readonly [Code in SlipCode]: Slip<Code> } = {
  'value-excludes-none': {
    severity: 'error',
    reason: 'A property with an empty value excludes nobody',
    message: ({ operator, list }) =>
      list
        ? `Operator ${quoted(operator)} with an empty list excludes no value.`
        : `Every string contains the empty string: operator ${quoted(operator)} matches everybody who has the property.`,
    remedy: 'Write the value, or remove the property.',
  },
  'value-allows-none': {
    severity: 'warning',
    reason: 'A property with an empty value allows no value',
    message: ({ operator, list }) =>
      list
        ? `Operator ${quoted(operator)} with an empty list allows no value.`
        : `Every string contains the empty string: operator ${quoted(operator)} matches only those who lack the property.`,
    remedy: 'Write the value, or remove the condition.',
  },
  'text-in-quotes': {
    severity: 'error',
    reason: 'A key is in quotation marks',
    message: ({ text }) => `The quotation marks are part of ${quoted(text)}.`,
    remedy: 'Remove them.',
  },
  'text-spaces': {
    severity: 'warning',
    reason: 'A key or a value begins or ends with white space',
    message: ({ text }) => `The white space around ${quoted(text.trim())} is part of the string and is compared.`,
    remedy: 'Remove it.',
  },
  'text-variable': {
    severity: 'warning',
    reason: 'A string looks like a variable that was not replaced',
    message: ({ text }) => `${quoted(text)} is sent as it is: flagwright does not replace variables.`,
    remedy: 'Write the value itself.',
  },
  'filters-contradict': {
    severity: 'warning',
    reason: 'Two properties that must both match contradict each other',
    message: ({ key, earlier, scale }) =>
      `No ${scale ?? (key === '' ? 'cohort' : quoted(key))} meets both this property and property ${earlier}: together they match nobody.`,
    remedy: 'Remove one of them, or write two conditions.',
  },
  'filter-repeated': {
    severity: 'warning',
    reason: 'A condition or a group has the same property twice',
    message: ({ earlier }) => `Property ${earlier} says the same.`,
    remedy: 'Remove one of them, or correct it.',
  },
  'condition-shadowed': {
    severity: 'warning',
    reason: 'A condition has no effect, since an earlier one matches the same people',
    message: ({ number, earlier, everybody }) =>
      everybody
        ? `Condition ${number} has no effect: condition ${earlier} matches everybody.`
        : `Condition ${number} has no effect: condition ${earlier} matches all of its people, at the same share or a larger one.`,
    remedy: 'Remove it, or put it first.',
  },
  'cohort-empty': {
    severity: 'warning',
    reason: 'A group of a cohort has no filters',
    message: () => 'This group has no filters.',
    remedy: 'Add filters, or remove it: evaluators disagree about whether an empty group matches everybody or nobody.',
  },
  'remote-for-nobody': {
    severity: 'warning',
    reason: 'A remote configuration that is on has a rollout of 0%',
    message: () => 'At 0%, evaluation gives nobody the payload, but requests to `remote_config` get it anyway.',
    remedy: 'Write the share of people who get it, or `active: false`.',
  },
  'intended-needless': {
    severity: 'warning',
    reason: 'A path in `intended` names no place with such a problem',
    message: ({ path }) => `Nothing at ${quoted(path)} needs to be intended.`,
    remedy: 'Remove the path, or correct it: the names are those of `ownership`.',
  },
};

const INTENDED = 'If it is intended, name the place in `intended`.';

export const SLIP_WORDS: WordsFor<SlipProblems> = Object.fromEntries(
  Object.entries(SLIPS).map(([code, { severity, reason, message, remedy }]) => [
    code,
    {
      title: reason,
      severities: [severity],
      hint: code === 'intended-needless' ? remedy : `${remedy} ${INTENDED}`,
      message,
    },
  ]),
) as unknown as WordsFor<SlipProblems>;

export function slip<Code extends SlipCode>(code: Code, at: string, args: SlipProblems[Code]): SlipFinding {
  return { code, severity: SLIPS[code].severity, at, args } as unknown as SlipFinding;
}

/** The slips in the fields of a flag, at pointers in the API's names. */
export function checkSlips(fields: JsonObject, { sound, intended, hasSteps = false }: SlipScope): SlipFinding[] {
  const found = [...findSlips(fields, sound), ...(hasSteps ? [] : findUnreached(fields, sound))];
  return withoutIntended(found, { fields, intended, parsePath: parseFieldPath });
}

interface SlipScope {
  readonly sound: Soundness;
  readonly intended?: JsonValue | undefined;
  /** A value that changes over time may begin with 0%. */
  readonly hasSteps?: boolean;
}

/** `intended`: the paths of the declaration, which silence the places below. */
export function withoutIntended(
  found: readonly SlipFinding[],
  {
    fields,
    intended,
    parsePath,
  }: {
    readonly fields: JsonObject;
    readonly intended: JsonValue | undefined;
    readonly parsePath: (text: string) => FieldPath | { readonly problem: FieldPathProblem };
  },
): SlipFinding[] {
  const paths = arrayOrEmpty(intended).flatMap((text, index) =>
    typeof text === 'string' ? [{ text, at: `/intended/${index}`, path: parsePath(text) }] : [],
  );
  const silences = ({ path }: (typeof paths)[number], { at }: SlipFinding): boolean =>
    'steps' in path && matchesField(path, at, fields);
  return [
    ...found.filter((finding) => !paths.some((path) => silences(path, finding))),
    ...paths
      .filter((path) => !found.some((finding) => silences(path, finding)))
      .map(({ text, at }) => slip('intended-needless', at, { path: text })),
  ];
}

/** The places in filters that no manifest can declare without naming them in `intended`. */
export function findIntended(filters: JsonObject): readonly string[] {
  return placesOfErrors(findSlips({ filters }, ALL_SOUND));
}

export function placesOfErrors(found: readonly SlipFinding[]): readonly string[] {
  return [...new Set(found.flatMap(({ severity, at }) => (severity === 'error' ? at : [])))];
}

function findSlips({ name, tags, filters }: JsonObject, sound: Soundness): SlipFinding[] {
  const view = viewFilters(filters);
  const groups = view.isOpaque ? null : (view.filters.groups ?? null);
  const texts: JsonObject = { name: name ?? null, tags: tags ?? null, filters: { groups } };
  const variables = variablesIn(texts, '');
  if (view.isOpaque) return variables;
  const whole = view.conditions.filter(({ at }) => sound.whole(at));
  const properties = view.properties.filter(({ at }) => sound.whole(at));
  return [
    ...variables,
    ...properties.flatMap((property) => ofProperty(property)),
    ...whole.flatMap((condition) => ofProperties(propertiesOf(condition), { together: true })),
    ...findShadowed(whole),
  ];
}

/** No condition of a remote configuration that is on gives anybody its payload. */
function findUnreached({ filters, active, ...fields }: JsonObject, sound: Soundness): SlipFinding[] {
  const { isOpaque, conditions, filters: members } = viewFilters(filters);
  if (fields['is_remote_configuration'] !== true || active === false || isOpaque) return [];
  const enrols = ['feature_enrollment', 'super_groups', 'holdout'].some(
    (name) => (memberOf(members, name) ?? null) !== null,
  );
  const isZero = ({ part, at }: PartAt<Condition>): boolean => sound.whole(at) && rolloutOf(part) === 0;
  const [first] = conditions;
  if (first === undefined || enrols || !conditions.every(isZero)) return [];
  return [slip('remote-for-nobody', `${first.at}/rollout_percentage`, {})];
}

/** The strings of a value that look as if a variable were replaced in them. */
export function variablesIn(value: JsonValue, at: string): SlipFinding[] {
  if (typeof value === 'string') return /\$\{\w+\}/.test(value) ? [slip('text-variable', at, { text: value })] : [];
  if (isJsonArray(value)) return value.flatMap((one, index) => variablesIn(one, `${at}/${index}`));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => variablesIn(one ?? null, at + toPointer([name])));
}

const OF_PARTS: ReadonlySet<OperandKind> = new Set(['string', 'strings', 'regex']);

/** `negated`: the opposite of the operator's answer counts, as in filters of cohorts. */
export function ofProperty({ part, at }: PartAt<Property>, negated = false): SlipFinding[] {
  const { key, type, operator } = part;
  const value: JsonValue = part.value ?? null;
  const row = findOperator(operator ?? 'exact');
  const texts = (isJsonArray(value) ? value : [value]).map((text, index) => ({
    text,
    where: isJsonArray(value) ? `${at}/value/${index}` : `${at}/value`,
  }));
  const found = typeof key === 'string' && type !== 'cohort' ? ofText(key, `${at}/key`, true) : [];
  if (row === undefined || row.subject !== 'value') return found;
  const list = isJsonArray(value) && value.length === 0;
  const isPart = OF_PARTS.has(row.operand) && texts.some(({ text }) => text === '');
  if (row.operand !== 'none' && (list || isPart)) {
    // An empty list has no element that could match; an empty part is in every string.
    const code = (list === (row.negates !== undefined)) !== negated ? 'value-excludes-none' : 'value-allows-none';
    found.push(slip(code, `${at}/value`, { operator: operator ?? 'exact', list }));
  }
  const spelled = row.operand === 'scalars' || row.operand === 'string' || row.operand === 'strings';
  return spelled ? [...found, ...texts.flatMap(({ text, where }) => ofText(text, where, false))] : found;
}

/** Straight quotation marks are common in values. */
const QUOTED = /^\s*(?:["'“”„‟«»‹›‘’‚‛][\s\S]*["'“”„‟«»‹›‘’‚‛])\s*$/;

function ofText(text: JsonValue, at: string, isKey: boolean): SlipFinding[] {
  if (typeof text !== 'string') return [];
  if (isKey && QUOTED.test(text)) return [slip('text-in-quotes', at, { text })];
  return text.trim() === text || text.trim() === '' ? [] : [slip('text-spaces', at, { text })];
}

/** `together`: all of them must match. */
export function ofProperties(
  properties: readonly PartAt<Property>[],
  { together }: { readonly together: boolean },
): SlipFinding[] {
  const found: SlipFinding[] = [];
  for (const [index, one] of properties.entries()) {
    for (const { part, number: earlier } of properties.slice(0, index)) {
      const scale = together ? scaleOfGap(one.part, part) : undefined;
      if (identity(one.part) === identity(part)) found.push(slip('filter-repeated', one.at, { earlier }));
      else if (scale !== undefined || (together && contradict(one.part, part))) {
        const key = one.part.type === 'cohort' ? '' : String(one.part.key);
        found.push(slip('filters-contradict', one.at, { key, earlier, ...defined({ scale }) }));
      }
    }
  }
  return found;
}

/** What a property asks, in one form. */
function identity(property: Property): string {
  const { label: _label, cohort_name: _name, group_key_names: _names, ...asked } = property as JsonObject;
  const operator = asked['operator'] ?? (asked['type'] === 'cohort' ? 'in' : 'exact');
  return canonicalText({ type: 'person', ...asked, operator, negation: asked['negation'] ?? false });
}

function contradict(one: Property, other: Property): boolean {
  if (subjectOf(one) !== subjectOf(other) || isNegated(one) || isNegated(other)) return false;
  // What it asks of an event is in members of its own.
  if ((one.type as string | undefined) === 'behavioral') return false;
  if (one.type === 'cohort') return isOpposite(one, other);
  const [a, b] = [findOperator(one.operator ?? 'exact'), findOperator(other.operator ?? 'exact')];
  if (a === undefined || b === undefined) return false;
  return isOpposite(one, other) || excludes(one, other) || excludes(other, one);
}

function subjectOf({ type = 'person', key, ...rest }: Property): string {
  return canonicalText([type, String(key), rest['group_type_index'] ?? null]);
}

function isNegated(property: Property): boolean {
  return property['negation'] === true;
}

/** An operator and its negation with the same value. */
function isOpposite(one: Property, other: Property): boolean {
  const operatorOf = ({ operator, type }: Property): string => operator ?? (type === 'cohort' ? 'in' : 'exact');
  const [a, b] = [operatorOf(one), operatorOf(other)];
  if (findOperator(a)?.negates !== b && findOperator(b)?.negates !== a) return false;
  return findOperator(a)?.operand === 'none' || jsonEquals(one.value ?? null, other.value ?? null);
}

/** Whether `one` is equality with values of which `other` allows none, or asks of a property that `other` does not want. */
function excludes(one: Property, other: Property): boolean {
  const operator = one.operator ?? 'exact';
  const against = other.operator ?? 'exact';
  if (one.type === 'flag')
    return !jsonEquals(one.value ?? null, other.value ?? null) && one.value !== true && other.value !== true;
  if (against === 'is_not_set') return findOperator(operator)?.negates === undefined && operator !== 'is_not_set';
  const [wanted, compared] = [equalities(one), equalities(other)];
  if (operator !== 'exact' || wanted === undefined || compared === undefined) return false;
  // Services of 2023 tell case apart, and later ones do not: it must be so in both.
  const folded = new Set([...compared].map((text) => text.toLowerCase()));
  if (against === 'exact') return ![...wanted].some((text) => folded.has(text.toLowerCase()));
  return against === 'is_not' && [...wanted].every((text) => compared.has(text));
}

type Scale = NonNullable<SlipProblems['filters-contradict']['scale']>;

/** A value on a scale, as numbers that are compared one by one; two values are in a known order only if they have the same `form`. */
interface RangeEnd {
  readonly scale: Scale;
  readonly form: string;
  readonly at: readonly number[];
}

/** The sides to which an operator is open, and whether it takes its bound in. */
const RANGES: Readonly<Record<string, { readonly side: -1 | 0 | 1; readonly takesIn?: true }>> = {
  gt: { side: 1 },
  gte: { side: 1, takesIn: true },
  min: { side: 1, takesIn: true },
  lt: { side: -1 },
  lte: { side: -1, takesIn: true },
  max: { side: -1, takesIn: true },
  is_date_after: { side: 1 },
  is_date_exact: { side: 0, takesIn: true },
  is_date_before: { side: -1 },
  semver_gt: { side: 1 },
  semver_gte: { side: 1, takesIn: true },
  semver_eq: { side: 0, takesIn: true },
  semver_lt: { side: -1 },
  semver_lte: { side: -1, takesIn: true },
};

/** What has no value in both of two ranges. */
function scaleOfGap(one: Property, other: Property): Scale | undefined {
  const [range, against] = [memberOf(RANGES, one.operator ?? ''), memberOf(RANGES, other.operator ?? '')];
  if (range === undefined || against === undefined || isNegated(one) || isNegated(other)) return undefined;
  const [a, b] = [boundOf(one), boundOf(other)];
  if (a === undefined || a.form !== b?.form || subjectOf(one) !== subjectOf(other)) return undefined;
  const order = Math.sign(a.at.map((part, index) => part - (b.at[index] ?? 0)).find((gap) => gap !== 0) ?? 0);
  const isApart =
    order === 0
      ? range.side * against.side !== 1 && !(range.takesIn === true && against.takesIn === true)
      : range.side !== -order && against.side !== order;
  return isApart ? a.scale : undefined;
}

function boundOf({ operator, value }: Property): RangeEnd | undefined {
  if (typeof value !== 'string') return undefined;
  const operand = findOperator(operator ?? null)?.operand;
  if (operand === 'number-string') {
    const isNumber = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value);
    return isNumber ? { scale: 'number', form: 'number', at: [Number(value)] } : undefined;
  }
  if (operand === 'semver') {
    const [, ...parts] = /^(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?$/.exec(value) ?? [];
    return parts.length === 0
      ? undefined
      : { scale: 'version', form: 'version', at: parts.map((one) => Number(one ?? 0)) };
  }
  return operand === 'date' ? dateBound(value) : undefined;
}

function dateBound(text: string): RangeEnd | undefined {
  const scale = 'date';
  const [, ago, unit] = /^-?(\d{1,4})([hdwmy])$/.exec(text) ?? [];
  if (unit !== undefined) return { scale, form: unit, at: [-Number(ago)] };
  const read = readDate(text);
  if (typeof read !== 'object') return read === undefined ? undefined : { scale, form: 'instant', at: [read] };
  const { year, month, day, time, offset, reader } = read;
  if (year === undefined || month === undefined || day === undefined || time === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const form = offset === undefined && reader === 'project' ? 'wall clock' : 'instant';
  return { scale, form, at: [date.getTime() + time - (offset ?? 0) * 60_000] };
}

/** The values as equality compares them; `undefined` where it compares truth, or values of other types. */
function equalities({ value }: Property): ReadonlySet<string> | undefined {
  const values = isJsonArray(value ?? null) ? (value as readonly JsonValue[]) : [value ?? null];
  const texts = values.flatMap((one) => (typeof one === 'string' ? [one] : []));
  const isPlain =
    texts.length > 0 && texts.length === values.length && !texts.some((one) => /^(?:true|false)$/i.test(one));
  return isPlain ? new Set(texts) : undefined;
}

/** Conditions behind one that matches whenever they do: the hash of a person is the same in all conditions. */
function findShadowed(conditions: readonly PartAt<Condition>[]): SlipFinding[] {
  const seen: {
    readonly number: number;
    readonly asked: ReadonlySet<string>;
    readonly share: number;
    readonly group: JsonValue;
    readonly forces: boolean;
  }[] = [];
  return conditions.flatMap(({ part, at, number }) => {
    const asked = new Set(propertiesOf({ part, at, number }).map((property) => identity(property.part)));
    const share = rolloutOf(part);
    const group = part.aggregation_group_type_index ?? null;
    // Services of 2023 take conditions with a variant first.
    const forces = typeof part.variant === 'string' && part.variant !== '';
    if (share === undefined || ((part.properties ?? null) !== null && !isJsonArray(part.properties as JsonValue)))
      return [];
    const before = seen.find(
      (one) =>
        one.share >= share &&
        one.group === group &&
        (one.forces || !forces) &&
        [...one.asked].every((each) => asked.has(each)),
    );
    seen.push({ number, asked, share, group, forces });
    if (before === undefined || share === 0) return [];
    return [
      slip('condition-shadowed', at, {
        number,
        earlier: before.number,
        everybody: before.asked.size === 0 && before.share === 100,
      }),
    ];
  });
}
