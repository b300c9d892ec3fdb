/** Checks the definition of a declared cohort: PostHog refuses groups and filters of any other form, and stores each slip. */

import { definedKeys, isJsonArray, isJsonObject, memberOf, type JsonObject, type JsonValue } from '../../base/json.ts';
import type { FindingOf } from '../../manifest/declaration.ts';
import type { Layer } from '../../manifest/layers.ts';
import { checkRegex } from '../flag/checks/operators.ts';
import type { FlagProblems, SlipProblems } from '../flag/checks/problems.ts';
import {
  ofProperties,
  ofProperty,
  slip,
  variablesIn,
  withoutIntended,
  type SlipFinding,
} from '../flag/checks/slips.ts';
import type { Property } from '../flag/model/flag.ts';
import { parseCohortPath } from './field-path.ts';
import type { CohortProblems, DefinitionProblem } from './problems.ts';

export type CohortFinding = FindingOf<
  CohortProblems & SlipProblems & Pick<FlagProblems, 'cohort-unknown' | 'regex-invalid' | 'regex-unknown'>
>;

/** Pointers are in the manifest's names. Values of the wrong shape were reported. */
export function checkDefinition({ value: { filters } }: Pick<Layer, 'value'>): CohortFinding[] {
  if (!isJsonObject(filters) || !isJsonObject(filters['properties'])) return [];
  const { properties } = filters;
  const at = '/filters/properties';
  return isGroup(properties) ? checkNode(properties, at) : [problem(at, 'no_group', '')];
}

/** The same slips as in the conditions of flags. `value`: of a layer. */
export function checkCohortSlips(value: JsonObject): SlipFinding[] {
  return withoutIntended(findCohortSlips(value), {
    fields: value,
    intended: value['intended'],
    parsePath: parseCohortPath,
  });
}

export function findCohortSlips({ name = null, description = null, filters = null }: JsonObject): SlipFinding[] {
  const root = isJsonObject(filters) ? filters['properties'] : undefined;
  return [
    ...variablesIn({ name, description, filters }, ''),
    ...(isJsonObject(root) ? slipsInGroup(root, '/filters/properties') : []),
  ];
}

function slipsInGroup({ type, values }: JsonObject, at: string): SlipFinding[] {
  if (!isJsonArray(values)) return [];
  if (values.length === 0) return [slip('cohort-empty', `${at}/values`, {})];
  const nodes = values.flatMap((part, index) =>
    isJsonObject(part) ? [{ part: part as Property, at: `${at}/values/${index}`, number: index + 1 }] : [],
  );
  const leaves = nodes.filter(({ part }) => !isGroup(part as JsonObject));
  return [
    ...leaves.flatMap((leaf) => ofProperty(leaf, (leaf.part as JsonObject)['negation'] === true)),
    ...ofProperties(leaves, { together: type === 'AND' }),
    ...nodes.flatMap((node) => slipsInGroup(node.part as JsonObject, node.at)),
  ];
}

function isGroup({ type }: JsonObject): boolean {
  return type === 'AND' || type === 'OR';
}

function checkNode(node: JsonValue, at: string): CohortFinding[] {
  if (!isJsonObject(node)) return [];
  if (!isGroup(node)) return checkLeaf(node, at);
  const { values } = node;
  const superfluous = definedKeys(node).filter((member) => member !== 'type' && member !== 'values');
  return [
    ...superfluous.map((member) => problem(at, 'superfluous', member)),
    ...(isJsonArray(values)
      ? values.flatMap((value, index) => checkNode(value, `${at}/values/${index}`))
      : [problem(at, 'missing', 'values')]),
  ];
}

function checkLeaf(leaf: JsonObject, at: string): CohortFinding[] {
  const { type = 'person' } = leaf;
  const form = memberOf(FORMS, typeof type === 'string' ? type : '');
  if (form === undefined) return [];
  const own = definedKeys(leaf).filter((member) => leaf[member] !== null);
  const missing = form.required.filter((member) => !own.includes(member));
  const superfluous =
    form.members === undefined
      ? []
      : OF_SOME.filter((member) => own.includes(member) && !form.members?.includes(member));
  return [
    ...missing.map((member) => problem(at, 'missing', member)),
    ...(needsValue(leaf) && !own.includes('value') && !missing.includes('value')
      ? [problem(at, 'missing', 'value')]
      : []),
    ...superfluous.map((member) => problem(`${at}/${member}`, 'superfluous', member)),
    ...checkRegex(leaf, at),
  ];
}

interface LeafForm {
  readonly required: readonly string[];
  /** Absent: any that the schema knows. */
  readonly members?: readonly string[];
}

/** Members that only some types of leaves have. Names that no leaf has were reported. */
const OF_SOME = [
  'operator',
  'event_type',
  'time_value',
  'time_interval',
  'operator_value',
  'seq_time_interval',
  'seq_time_value',
  'seq_event',
  'seq_event_type',
  'total_periods',
  'min_periods',
  'event_filters',
  'explicit_datetime',
  'explicit_datetime_to',
];

const PERSON: LeafForm = { required: ['key'], members: ['type', 'key', 'operator', 'value', 'negation'] };

const FORMS: Readonly<Record<string, LeafForm>> = {
  person: PERSON,
  person_metadata: PERSON,
  cohort: { required: ['value'], members: ['type', 'key', 'value', 'negation'] },
  behavioral: { required: ['key', 'value', 'event_type'] },
};

function needsValue({ operator }: JsonObject): boolean {
  return operator !== 'is_set' && operator !== 'is_not_set';
}

function problem(at: string, why: DefinitionProblem, member: string): CohortFinding {
  return { code: 'cohort-definition', severity: 'error', at, args: { why, member } };
}
