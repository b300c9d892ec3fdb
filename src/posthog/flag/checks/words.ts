/** The words for the problems of declared flags. */

import { memberOf } from '../../../base/json.ts';
import {
  cycleText,
  didYouMean,
  EITHER,
  ERROR,
  listed,
  memberOfProjects,
  projectsHave,
  projectsText,
  quoted,
  shown,
  sizeText,
  WARNING,
  type WordsFor,
  docsPage,
} from '../../../base/wording.ts';
import { FOREIGN_INDENT } from '../../../base/shape/problems.ts';
import { placeText } from '../../../core/manifest/problems.ts';
import { ROLLOUT_WORDS } from '../../../core/rollout/problems.ts';
import { findOperator } from '../model/operators.ts';
import {
  type FlagProblems,
  type OwnershipProblems,
  TOO_COSTLY,
  TOO_DEEP,
  type PayloadSchemaProblems,
} from './problems.ts';
import { SLIP_WORDS } from './slips.ts';
import { explainFieldPath } from '../../names/field-path-words.ts';
import type { SchemaFaultKind } from '../../../base/shape/user-schema.ts';
import { unreadableText } from '../../../base/yaml/problems.ts';

export const OWNERSHIP_WORDS: WordsFor<OwnershipProblems> = {
  'ownership-path-invalid': {
    title: 'A path in `ownership` names no field',
    severities: ERROR,
    hint: 'Write a path such as `active` or `conditions.2.rollout_percentage`, or a JSON pointer in the names of the API.',
    message: ({ path, problem }) => explainFieldPath(path, problem).message,
    remedy: ({ path, problem }) => explainFieldPath(path, problem).remedy,
  },
  'ownership-fixed': {
    title: 'A path in `ownership` names a field that is always managed',
    severities: ERROR,
    hint: 'Remove the path: the key of a flag, and whether the flag exists, are always managed.',
    message: ({ path }) => `${quoted(path)} is always managed.`,
  },
  'ownership-names-nothing': {
    title: 'A path in `ownership` names no part of the flag',
    severities: ERROR,
    hint: 'Correct the path: conditions are named by number, counted from 1, or by description, and variants by key.',
    message: ({ path }) => `The flag has nothing at ${quoted(path)}.`,
  },
  'ownership-unmanaged': {
    title: '`ownership` names a field that is not managed',
    severities: WARNING,
    hint: 'Remove the path, or declare the field: an undeclared field is not managed anyway.',
    message: ({ path, field }) => `${quoted(path)} has no effect: the manifest does not declare ${quoted(field)}.`,
  },
  'ownership-bounds-order': {
    title: 'The bounds of `between` are in the wrong order',
    severities: ERROR,
    hint: 'Write the lower bound first.',
    message: ({ low, high }) => `The lower bound ${low} is greater than the upper bound ${high}.`,
    remedy: ({ low, high }) => `Write \`between: [${high}, ${low}]\`.`,
  },
  'ownership-between-unfit': {
    title: '`between` is used for a value that is not a number',
    severities: ERROR,
    hint: 'Use `observed` or `initial`, or name a number such as `conditions.1.rollout_percentage`.',
    message: ({ path, found }) => `${quoted(path)} is not a number (${found}), so it has no bounds.`,
  },
  'ownership-value-outside': {
    title: 'A declared value is outside the bounds of its `ownership`',
    severities: ERROR,
    hint: 'Declare a value inside the bounds, or widen them.',
    message: ({ path, value, low, high }) => `${value} is outside the bounds ${low} to ${high} of ${quoted(path)}.`,
    remedy: ({ rule }) => `Declare a value inside the bounds, or widen them at ${placeText(rule)}.`,
  },
};

const PAYLOAD_SCHEMA_WORDS: WordsFor<PayloadSchemaProblems> = {
  'payload-schema-unreadable': {
    title: 'The schema of payloads cannot be read',
    severities: ERROR,
    hint: 'Write the path of the JSON Schema relative to the manifest; it must be in or below the folder of flagwright.yaml.',
    message: ({ schema, reason }) => `${shown(schema)} cannot be read: ${unreadableText(reason)}.`,
  },
  'payload-schema-not-json': {
    title: 'The schema of payloads is not JSON',
    severities: ERROR,
    hint: 'Fix the syntax of the JSON Schema.',
    message: ({ schema, line }) => `${shown(schema)} is not JSON${line === undefined ? '' : `: see line ${line}`}.`,
  },
  'payload-schema-invalid': {
    title: 'The schema of payloads is invalid, or has a keyword that flagwright does not check',
    severities: ERROR,
    hint: `Correct it, or write it without that keyword; ${docsPage('conditions#the-schema-of-payloads')} lists the keywords.`,
    message: ({ schema, at, fault, keyword = '' }) =>
      `${shown(schema)}${at === '' ? '' : `, at ${shown(at)}`}: ${SCHEMA_FAULTS[fault](shown(keyword))}.`,
  },
  'payload-schema-mismatch': {
    title: 'A payload does not match its schema',
    severities: ERROR,
    hint: 'Correct the payload, or the schema.',
    message: ({ payload, schema, ...mismatch }) =>
      mismatch.keyword === TOO_COSTLY
        ? `The payload ${quoted(payload)} cannot be checked against ${shown(schema)}: its patterns or references would take too long.`
        : `The payload ${quoted(payload)} does not match ${shown(schema)}: ${mismatchText(mismatch)}.`,
  },
  'payloads-unchecked': {
    title: 'Encrypted payloads cannot be checked against their schema',
    severities: WARNING,
    hint: 'No action needed if they match; encrypted payloads are not read.',
    message: ({ schema, payloads }) =>
      `Encrypted, so not checked against ${shown(schema)}: ${listed(payloads.slice(0, 8), 'and')}.`,
  },
};

export const FLAG_WORDS: WordsFor<FlagProblems> = {
  ...OWNERSHIP_WORDS,
  ...ROLLOUT_WORDS,
  ...PAYLOAD_SCHEMA_WORDS,
  ...SLIP_WORDS,
  'flag-duplicate': {
    title: 'Two manifests declare the same flag',
    severities: ERROR,
    hint: 'Declare each flag once; put differences between projects under `projects`.',
    message: ({ key, other }) => `Flag ${quoted(key)} is already declared at ${placeText(other)}.`,
  },
  'flag-key-invalid': {
    title: 'A flag key contains invalid characters',
    severities: ERROR,
    hint: 'Use letters, digits, `_` and `-`.',
    message: ({ key }) => `${quoted(key)} is not a valid flag key.`,
    remedy: ({ key }) => {
      if (FOREIGN_INDENT.test(key)) return 'Indent with spaces: this key begins with another white-space character.';
      return key === '__proto__' ? 'Choose another key.' : 'Use letters, digits, `_` and `-`.';
    },
  },
  'flag-key-too-long': {
    title: 'A flag key is too long',
    severities: ERROR,
    hint: 'Use at most 400 characters.',
    message: ({ length }) => `This key has ${length} characters.`,
  },
  'flag-unknown': {
    title: 'A flag is not declared in any manifest',
    severities: EITHER,
    hint: 'Correct the key or declare the flag; in a condition it is a warning, because the flag may exist unmanaged.',
    message: ({ key, project, ...rest }) =>
      `No manifest declares flag ${quoted(key)}${project === undefined ? '' : ` for ${projectsText({ ...rest, project })}`}.`,
    remedy: ({ suggestion }) => didYouMean(suggestion, 'Correct the key, or declare the flag.'),
  },
  'flag-depends-on-itself': {
    title: 'A flag depends on itself through its conditions',
    severities: ERROR,
    hint: 'Remove one of the conditions on other flags.',
    message: ({ cycle }) => `This flag depends on itself: ${cycleText(cycle)}.`,
  },
  'flag-depends-on-deleted': {
    title: 'A condition depends on a flag that is declared as deleted',
    severities: ERROR,
    hint: 'Remove the condition, or keep the flag.',
    message: ({ key }) => `Flag ${quoted(key)} is declared as deleted.`,
  },
  'flag-depends-on-disabled': {
    title: 'An active flag depends on an inactive flag',
    severities: WARNING,
    hint: 'Activate the other flag, or remove the condition: it is the same for everybody, and the service may refuse it.',
    message: ({ key, isMet }) =>
      `Flag ${quoted(key)} is not active, so ${isMet === true ? 'everybody meets this condition' : 'this condition never matches'}.`,
  },
  'cohort-unknown': {
    title: 'A cohort alias is neither declared nor configured for the project',
    severities: ERROR,
    hint: 'Correct the alias, declare the cohort, or add its id under `projects.*.cohorts` in flagwright.yaml.',
    message: ({ cohort, ...at }) => `${projectsHave(at)} no cohort alias ${quoted(cohort)}.`,
    remedy: ({ suggestion, ...at }) =>
      didYouMean(
        suggestion,
        `Declare it under \`cohorts:\` in a manifest, add it under ${memberOfProjects(at, 'cohorts')} in flagwright.yaml, or give the id.`,
      ),
  },
  'field-has-member': {
    title: '`fields` contains a field that has its own member',
    severities: ERROR,
    hint: 'Declare it by its own name.',
    message: ({ field }) => `${quoted(field)} cannot be declared under "fields".`,
    remedy: ({ member }) =>
      member === 'flags' ? "Change the flag's key under `flags`." : `Declare it as ${quoted(member)} of the flag.`,
  },
  'field-computed': {
    title: '`fields` contains a field that the service computes',
    severities: ERROR,
    hint: 'Remove it.',
    message: ({ field }) => `${quoted(field)} is computed by the service and cannot be declared.`,
  },
  'overlay-discards': {
    title: '`rollout_percentage` of an overlay discards targeting, variants or payloads',
    severities: ERROR,
    hint: 'Change single conditions under `conditions`, `{ 1: { rollout_percentage: 5 } }`, or declare all of them under `filters`.',
    message: ({ lost }) =>
      `This rollout replaces the filters declared for all projects and discards ${listed(lost.slice(0, 8).map(conditionMember), 'and')}.`,
    remedy: ({ unchecked }) =>
      unchecked
        ? `${CHANGE_ONE}, or all filters of the project under \`filters\`.`
        : `${CHANGE_ONE}, or all conditions under \`filters: { groups: [...] }\`; variants and payloads then stay unless they are null.`,
  },
  'overlay-base-missing': {
    title: 'An overlay changes a part of filters that the flag does not declare for all projects',
    severities: ERROR,
    hint: 'Declare `filters` for all projects, or all filters of the project under `filters` of the overlay.',
    message: ({ member }) =>
      `${quoted(member)} changes a part of the filters for all projects, but the flag declares none.`,
  },
  'condition-unknown': {
    title: 'An overlay changes a condition that the flag does not have',
    severities: ERROR,
    hint: 'Use the number of a condition, counted from 1, or its description.',
    message: ({ condition }) => `Outside the overlay, the flag has no condition ${quoted(condition)}.`,
    remedy: ({ known, suggestion }) => didYouMean(suggestion, useCondition(known)),
  },
  'condition-ambiguous': {
    title: 'An overlay names a condition by a description that several conditions share',
    severities: ERROR,
    hint: 'Use the number of the condition.',
    message: ({ condition, numbers }) =>
      `Conditions ${numbers.slice(0, 8).join(', ')}${numbers.length > 8 ? ' …' : ''} have the description ${quoted(condition)}.`,
    remedy: ({ numbers }) => `Use the number of one of them, such as ${numbers[0]}.`,
  },
  'condition-duplicate': {
    title: 'An overlay changes a condition twice',
    severities: ERROR,
    hint: 'Write all changes of a condition under one name.',
    message: ({ condition, first }) => `${quoted(condition)} and ${quoted(first)} are the same condition.`,
  },
  'conditions-none': {
    title: 'Filters have no condition',
    severities: WARNING,
    hint: 'Add a condition, such as `rollout_percentage: 0` for nobody; current services refuse to create a flag without one.',
    message: () => 'Without a condition the flag is off for everybody, and current services refuse to create it.',
    remedy: () => 'Add a condition; `{ rollout_percentage: 0 }` also matches nobody, and is accepted.',
  },
  'filters-too-large': {
    title: 'Filters are larger than the service accepts',
    severities: ERROR,
    hint: 'Use fewer conditions, or shorter lists and payloads; a cohort can replace a long list.',
    message: ({ bytes, limit }) =>
      `These filters have ${sizeText(bytes)}, more than the ${sizeText(limit)} that the service accepts.`,
  },
  'property-reserved': {
    title: 'A member is reserved by the service',
    severities: ERROR,
    hint: 'Remove it.',
    message: ({ property }) => `The service reserves ${quoted(property)} and refuses filters that contain it.`,
  },
  'variants-sum': {
    title: 'The percentages of the variants do not add up to 100',
    severities: ERROR,
    hint: 'Change them so that they add up to 100.',
    message: ({ sum }) => `The variants add up to ${sum}, not 100.`,
  },
  'variant-duplicate': {
    title: 'Two variants have the same key',
    severities: ERROR,
    hint: 'Rename or remove one of them.',
    message: ({ variant }) => `Another variant already has the key ${quoted(variant)}.`,
  },
  'variant-unknown': {
    title: 'A condition or an overlay names a variant that the flag does not have',
    severities: EITHER,
    hint: 'Correct the name or add the variant; in a condition on another flag it is a warning: that condition never matches.',
    message: ({ variant }) => `The flag has no variant ${quoted(variant)}.`,
    remedy: ({ suggestion, allowed = [] }) =>
      didYouMean(suggestion, allowed.length > 0 ? `Use ${listed(allowed)}.` : 'Correct the name, or add the variant.'),
  },
  'payload-key-unknown': {
    title: 'A payload does not belong to a variant',
    severities: ERROR,
    hint: 'Use the key of a variant, or `true` for a flag without variants.',
    message: ({ payload }) => `The payload ${quoted(payload)} does not belong to a variant.`,
    remedy: ({ allowed, suggestion }) => didYouMean(suggestion, `Use ${listed(allowed)}.`),
  },
  'payload-not-json': {
    title: 'A payload is a string that is not JSON text',
    severities: ERROR,
    hint: 'Write the value itself, or JSON text; a string payload is written `\'"text"\'`.',
    message: ({ payload }) => `The payload ${quoted(payload)} is a string that is not JSON text.`,
  },
  'operator-unfit': {
    title: 'An operator cannot be used with this type of property',
    severities: EITHER,
    hint: 'Use `in` and `not_in` for cohorts only, and `flag_evaluates_to` for flags only.',
    message: ({ operator, type }) =>
      `Operator ${quoted(operator)} cannot be used with a property of type ${quoted(type)}.`,
    remedy: ({ type, operator }) =>
      memberOf(TYPE_REMEDIES, type) ?? memberOf(OPERATOR_REMEDIES, operator) ?? 'Use another operator.',
  },
  'operator-refused': {
    title: 'The service refuses an operator in flags',
    severities: ERROR,
    hint: 'Use `gte` and `lte` in one condition for `between`, or `lt` and `gt` in two conditions for `not_between`.',
    message: ({ operator }) => `The service evaluates operator ${quoted(operator)}, but refuses it in flags.`,
    remedy: ({ operator }) =>
      operator === 'not_between'
        ? 'Use `lt` in one condition and `gt` in another.'
        : 'Use two properties in the same condition, with `gte` and `lte`.',
  },
  'operator-value-unfit': {
    title: 'A value does not fit its operator',
    severities: EITHER,
    hint: 'Write a value of the kind that the operator takes; it is a warning where the condition merely never matches.',
    message: ({ operator, expected, found }) => `Operator ${quoted(operator)} takes ${expected}, not ${shown(found)}.`,
    remedy: valueRemedy,
  },
  'regex-invalid': {
    title: 'A regular expression is invalid',
    severities: EITHER,
    hint: 'Fix it; it would never match. It is a warning where the service would store it.',
    message: ({ regex, detail }) => `${quoted(regex)} is not a valid regular expression: ${shown(detail)}.`,
  },
  'regex-refused': {
    title: 'The service would refuse a regular expression that the live flag lacks',
    severities: WARNING,
    hint: 'Use syntax that Python accepts too; the service stores it only if the live flag already has it.',
    message: ({ regex, detail }) =>
      `The service refuses ${quoted(regex)} where it is new: in Python's syntax, ${shown(detail)}.`,
  },
  'regex-unknown': {
    title: 'Only PostHog can evaluate a regular expression',
    severities: WARNING,
    hint: 'Simplify it; otherwise `test` and impact cannot tell whom it matches.',
    message: ({ regex, detail }) => `${quoted(regex)} is not evaluated here: ${shown(detail)}.`,
  },
  'aggregation-mixed': {
    title: 'A condition has a different group type than its flag',
    severities: ERROR,
    hint: 'Set `aggregation_group_type_index` on the flag or on each condition, but not on both.',
    message: ({ flagLevel, condition }) =>
      `The flag aggregates by ${counted(flagLevel)}, this condition by ${counted(condition)}.`,
  },
  'property-type-unfit': {
    title: 'A property does not fit the aggregation of its condition',
    severities: ERROR,
    hint: 'Conditions on persons take person, cohort and flag properties; conditions on groups take group properties.',
    message: ({ type, aggregation }) =>
      `A condition on ${aggregation}s cannot test a property of type ${quoted(type)}.`,
    remedy: ({ aggregation }) =>
      aggregation === 'group'
        ? 'Use a property of type "group", or remove `aggregation_group_type_index`.'
        : 'Set `aggregation_group_type_index`, or use a property of the person.',
  },
  'property-group-mismatch': {
    title: 'A property has a different group type than its condition',
    severities: ERROR,
    hint: 'Use the same group type for the property and the condition.',
    message: ({ found, expected }) => `The property has group type ${found}, the condition has ${expected}.`,
  },
};

const CHANGE_ONE =
  'Declare the change of one condition, `conditions: { 1: { rollout_percentage: 5 } }` with its number or description';

/** The conditions that exist: `Use 1 ("beta testers"), 2 or 3 ("staff").` */
function useCondition(known: readonly (string | null)[]): string {
  const names = known.map(
    (description, index) => `${index + 1}${description === null ? '' : ` (${quoted(description)})`}`,
  );
  const last = names.pop();
  if (last === undefined)
    return 'Outside the overlay, the flag has no conditions: declare them under `filters` of the overlay.';
  return `Use ${names.length === 0 ? '' : `${names.join(', ')} or `}${last}.`;
}

/** `condition 1 · properties` for `groups.0.properties`, as plans name it. */
function conditionMember(member: string): string {
  return member.replace(
    /^groups\.(\d+)\.(.*)$/,
    (_, index: string, name: string) => `condition ${Number(index) + 1} · ${name}`,
  );
}

const LIST_REMEDY =
  '`in` and `not_in` are for cohorts only; to match one of several values, use `exact` or `is_not` with a list.';

/** Remedies for types without a choice of operators, and for operators of one type only. */
const OPERATOR_REMEDIES: Readonly<Record<string, string>> = {
  in: LIST_REMEDY,
  not_in: LIST_REMEDY,
  flag_evaluates_to: '`flag_evaluates_to` is for flags only: set `type: flag`, or use another operator.',
};

const TYPE_REMEDIES: Readonly<Record<string, string>> = {
  flag: 'Use `operator: flag_evaluates_to` with `true`, `false` or a variant as the value.',
  cohort: 'Use `operator: in` or `operator: not_in`.',
};

function valueRemedy({ operator, expected, found }: FlagProblems['operator-value-unfit']): string {
  const own = findOperator(operator)?.renamedTo ?? operator;
  const other = /^\[|^a list$/.test(found) ? `${own}_multi` : /^"?\d+\.\d+\.\d/.test(found) ? `semver_${own}` : '';
  if (findOperator(other) !== undefined) return `Use \`${other}\`, or write ${expected}.`;
  const quotable = expected === 'a number in quotes' && /^-?\d/.test(found);
  return quotable ? `Put it in quotes: "${shown(found)}".` : `Write ${expected}.`;
}

function counted(groupType: number | null): string {
  return groupType === null ? 'persons' : `groups of type ${groupType}`;
}

const SCHEMA_FAULTS: Readonly<Record<SchemaFaultKind, (keyword: string) => string>> = {
  'not-a-schema': () => 'a schema is an object or a boolean',
  'too-deep': () => 'it is nested too deeply',
  'too-large': () => 'it has more than 1,000 parts',
  dialect: () => '`$schema` names neither draft 2020-12 nor draft 7',
  'keyword-unknown': (keyword) => `flagwright does not check the keyword \`${keyword}\``,
  'keyword-value': (keyword) => `\`${keyword}\` has an invalid value`,
  ignored: (keyword) => `draft 7 ignores \`${keyword}\` beside \`$ref\``,
  reference: () => '`$ref` leads to no schema in the same file',
  circle: () => 'the schema refers to itself for the same value',
};

function mismatchText({
  at,
  keyword,
  limit,
}: Omit<PayloadSchemaProblems['payload-schema-mismatch'], 'payload' | 'schema'>): string {
  const subject = at === '' ? 'it' : shown(at);
  if (keyword === TOO_DEEP) return `${subject} is nested too deeply`;
  if (keyword === 'required' || keyword === 'dependentRequired') return `${subject} is missing`;
  if (keyword === 'additionalProperties' || keyword === 'propertyNames' || keyword === 'false schema')
    return `${subject} is not allowed`;
  return `${subject} does not satisfy \`${keyword}${limit === undefined ? '' : `: ${shown(limit)}`}\``;
}
