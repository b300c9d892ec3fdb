/** The words for what is in a flag's filters: variants, payloads, operators and group types. */

import type { DiagnosticEntries } from './entry.ts';
import { didYouMean, EITHER, ERROR, listed, quoted, shown, WARNING } from './entry.ts';

export const FILTER_WORDS: DiagnosticEntries<
  | 'conditions-none'
  | 'filters-too-large'
  | 'property-reserved'
  | 'variants-sum'
  | 'variant-duplicate'
  | 'variant-unknown'
  | 'payload-key-unknown'
  | 'payload-not-json'
  | 'operator-unfit'
  | 'operator-value-unfit'
  | 'regex-invalid'
  | 'aggregation-mixed'
  | 'property-type-unfit'
  | 'property-group-mismatch'
> = {
  'conditions-none': {
    title: 'Filters have no condition',
    severities: WARNING,
    hint: 'Add a condition, such as `rollout_percentage: 0` for nobody; the service of today creates no flag without one.',
    message: () => 'There is no condition, so the flag is for nobody, and the service of today refuses to create it.',
    remedy: () => 'Add a condition; `{ rollout_percentage: 0 }` is for nobody too, and is not refused.',
  },
  'filters-too-large': {
    title: 'Filters are larger than the service accepts',
    severities: ERROR,
    hint: 'Use fewer conditions, or shorter lists and payloads; a cohort can stand for a long list.',
    message: ({ bytes, limit }) => `These filters have ${bytes} bytes; the service accepts ${limit}.`,
  },
  'property-reserved': {
    title: 'A name is used that the service keeps for itself',
    severities: ERROR,
    hint: 'Remove it.',
    message: ({ property }) => `The service keeps ${quoted(property)} for itself and refuses filters that have it.`,
  },
  'variants-sum': {
    title: 'The percentages of the variants do not add up to 100',
    severities: ERROR,
    hint: 'Change them so that they add up to 100.',
    message: ({ sum }) => `The variants add up to ${sum}, not to 100.`,
  },
  'variant-duplicate': {
    title: 'Two variants have the same key',
    severities: ERROR,
    hint: 'Rename or remove one of them.',
    message: ({ variant }) => `There is another variant ${quoted(variant)}.`,
  },
  'variant-unknown': {
    title: 'A condition names a variant that the flag does not have',
    severities: EITHER,
    hint: 'Correct the name or add the variant; for another flag it is a warning, because the condition never matches.',
    message: ({ variant }) => `There is no variant ${quoted(variant)}.`,
    remedy: ({ suggestion }) => didYouMean(suggestion, 'Correct the name, or add the variant.'),
  },
  'payload-key-unknown': {
    title: 'A payload belongs to no variant',
    severities: ERROR,
    hint: 'Use the key of a variant, or `true` for a flag without variants.',
    message: ({ payload }) => `The payload ${quoted(payload)} belongs to no variant.`,
    remedy: ({ allowed, suggestion }) => didYouMean(suggestion, `Use ${listed(allowed)}.`),
  },
  'payload-not-json': {
    title: 'A payload given as a string is not JSON text',
    severities: ERROR,
    hint: 'Write the value itself, or JSON text; a string is `\'"text"\'`.',
    message: ({ payload }) => `The payload ${quoted(payload)} is a string that is not JSON.`,
  },
  'operator-unfit': {
    title: 'An operator does not fit the type of the property',
    severities: EITHER,
    hint: 'Use `in` or `not_in` for cohorts only, and `flag_evaluates_to` for flags only.',
    message: ({ operator, type }) => `Operator ${quoted(operator)} does not fit a property of type ${quoted(type)}.`,
    remedy: ({ type, operator }) => TYPE_REMEDIES[type] ?? OPERATOR_REMEDIES[operator] ?? 'Use another operator.',
  },
  'operator-value-unfit': {
    title: 'A value does not fit its operator',
    severities: EITHER,
    hint: 'Write a value of the kind that is asked for; a warning is given where the condition never matches.',
    message: ({ operator, expected, found }) => `Operator ${quoted(operator)} takes ${expected}, not ${shown(found)}.`,
    remedy: ({ expected, found }) => valueRemedy(expected, found),
  },
  'regex-invalid': {
    title: 'A regular expression is not one',
    severities: ERROR,
    hint: 'Mend it; the service would take it for one that never matches.',
    message: ({ regex, detail }) => `${quoted(regex)} is not a regular expression: ${shown(detail)}.`,
  },
  'aggregation-mixed': {
    title: 'A condition has another group type than its flag',
    severities: ERROR,
    hint: 'Give `aggregation_group_type_index` for the flag, or for each condition, but not both.',
    message: ({ flagLevel, condition }) =>
      `The flag counts ${counted(flagLevel)}, this condition ${counted(condition)}.`,
  },
  'property-type-unfit': {
    title: 'A property is about something that the condition does not count',
    severities: ERROR,
    hint: 'Conditions on persons take properties of persons, cohorts and flags; conditions on groups those of groups.',
    message: ({ type, aggregation }) =>
      `A condition on ${aggregation}s cannot test a property of type ${quoted(type)}.`,
    remedy: ({ aggregation }) =>
      aggregation === 'group'
        ? 'Use a property of type "group", or remove `aggregation_group_type_index`.'
        : 'Set `aggregation_group_type_index`, or use a property of the person.',
  },
  'property-group-mismatch': {
    title: 'A property is about another group type than its condition',
    severities: ERROR,
    hint: 'Use the same group type for the property and the condition.',
    message: ({ found, expected }) => `The property is about group type ${found}, the condition about ${expected}.`,
  },
};

const LIST_REMEDY =
  '`in` and `not_in` are for cohorts only; for one of several values use `exact` or `is_not` with a list.';

/** Where the type leaves no choice of operators, and where the operator is for one type only. */
const OPERATOR_REMEDIES: Readonly<Record<string, string>> = {
  in: LIST_REMEDY,
  not_in: LIST_REMEDY,
  flag_evaluates_to: '`flag_evaluates_to` is for flags only: set `type: flag`, or use another operator.',
};

const TYPE_REMEDIES: Readonly<Record<string, string>> = {
  flag: 'Use `operator: flag_evaluates_to` with `true`, `false` or a variant as the value.',
  cohort: 'Use `operator: in` or `operator: not_in`.',
};

function valueRemedy(expected: string, found: string): string {
  const quotable = expected === 'a number in quotes' && /^-?\d/.test(found);
  return quotable ? `Put it in quotes: "${shown(found)}".` : `Write ${expected}.`;
}

function counted(groupType: number | null): string {
  return groupType === null ? 'persons' : `groups of type ${groupType}`;
}
