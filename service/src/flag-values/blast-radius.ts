/** `user_blast_radius`: how many persons or groups match a condition, regardless of its rollout. */

import { stringifyJson } from '../../../src/base/json-text.ts';
import { isJsonArray, isJsonObject, memberOf, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { matchesCondition } from '../../../src/evaluation/condition.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import { readObjectBody } from '../persons/write.ts';
import { buildPropertyFilter, checkProperties, type FilterPlace } from '../persons/filter.ts';
import { evaluationContext, type EvaluatedProperty } from '../evaluation/context.ts';

export function userBlastRadius(service: ServiceContext, call: Call): Answer {
  // Both eras compare the values of properties as strings here, unlike the evaluator of 2023.
  const rules = { ...service.rules, generation: 'rust-2026' } as const;
  const { condition, group_type_index: typeIndex = null } = readObjectBody(call);
  if (condition === undefined) throw invalidInput('A condition is required.');
  if (typeIndex !== null && (typeof typeIndex !== 'number' || !Number.isSafeInteger(typeIndex))) {
    throw invalid('invalid_input', 'A valid integer is required.', 'group_type_index');
  }
  const sent = readCondition(condition);
  const asked = { ...service, rules };
  const { affected, total } =
    typeIndex === null ? countPersons(asked, call, sent) : countGroups(asked, call, { sent, typeIndex });
  const names = service.rules.blastRadius;
  return { status: 200, body: { [names.affected]: affected, [names.total]: total } };
}

/** The properties that count: the values of other flags are not known here. A null condition means everybody. */
function readCondition(condition: JsonValue): JsonValue[] {
  if (condition !== null && !isJsonObject(condition)) {
    throw invalid('not_a_dict', 'Expected an object of items.', 'condition');
  }
  const properties = condition?.['properties'] ?? [];
  if (!isJsonArray(properties)) throw invalid('not_a_list', 'Expected a list of items.', 'condition');
  return properties.filter((property) => !isJsonObject(property) || property['type'] !== 'flag');
}

interface Radius {
  readonly affected: number;
  readonly total: number;
}

function countPersons(service: ServiceContext, { projectId }: Call, sent: readonly JsonValue[]): Radius {
  const { persons, cohorts } = service.store;
  const properties = checkProperties([...sent], { types: ['person', 'cohort'], attr: 'filters' });
  for (const { type, value = null } of properties) {
    if (type === 'cohort' && cohorts.find(projectId, Number(value)) === undefined) {
      throw invalid('invalid_input', `The cohort ${stringifyJson(value)} does not exist.`, 'filters');
    }
  }
  const filter = buildPropertyFilter(service, projectId, properties);
  return { affected: persons.count(projectId, filter), total: persons.count(projectId, {}) };
}

function countGroups(
  service: ServiceContext,
  { projectId }: Call,
  { sent, typeIndex }: { readonly sent: readonly JsonValue[]; readonly typeIndex: number },
): Radius {
  const wanted = sent.flatMap((property) => checkGroupProperty(property, typeIndex));
  const context = evaluationContext(service, projectId);
  const type = context.groupTypes[String(typeIndex)];
  const groups = service.store.groups.list(projectId, typeIndex);
  if (type === undefined) return { affected: 0, total: groups.length };
  const isAffected = ({ key, properties }: (typeof groups)[number]): boolean => {
    const groupProperties = { [type]: properties };
    const subject = { distinctId: '', personProperties: {}, groups: { [type]: key }, groupProperties };
    return matchesCondition({ properties: wanted }, { context, subject }, typeIndex) === true;
  };
  return { affected: groups.filter(isAffected).length, total: groups.length };
}

const OF_GROUPS: FilterPlace = { types: ['group'], attr: 'filters' };

/** A filter that cannot be evaluated is refused: the count informs a rollout, and must not look like everybody or nobody. */
function checkGroupProperty(sent: JsonValue, typeIndex: number): EvaluatedProperty[] {
  if (!isJsonObject(sent)) return checkProperties([sent], OF_GROUPS);
  if (sent['key'] === '$group_key') {
    const { equals: operator } = checkGroupKey(sent);
    return checkProperties([{ ...sent, ...defined({ operator }), group_type_index: typeIndex }], OF_GROUPS);
  }
  if (sent['group_type_index'] !== typeIndex) {
    throw invalidInput('The condition names another group type.');
  }
  return checkProperties([sent], OF_GROUPS);
}

interface GroupKeyOperator {
  readonly takesList: boolean;
  readonly equals?: string;
}

/** The operators of conditions on `$group_key`, and those that equal another one. Its value is the key of the group. */
const OPERATORS: Readonly<Record<string, GroupKeyOperator>> = {
  exact: { takesList: true },
  is_not: { takesList: true },
  in: { takesList: true, equals: 'exact' },
  not_in: { takesList: true, equals: 'is_not' },
  icontains: { takesList: false },
  not_icontains: { takesList: false },
  starts_with: { takesList: false },
  not_starts_with: { takesList: false },
  ends_with: { takesList: false },
  not_ends_with: { takesList: false },
  regex: { takesList: false },
  not_regex: { takesList: false },
};

/** Throws a 400 for an operator that is not supported, or not with a list. */
function checkGroupKey({ operator = null, value }: JsonObject): GroupKeyOperator {
  const name = operator ?? 'exact';
  const row = typeof name === 'string' ? memberOf(OPERATORS, name) : undefined;
  if (row === undefined) {
    throw invalidInput(`The operator ${stringifyJson(operator)} is not supported here.`);
  }
  if (isJsonArray(value) && !row.takesList) {
    throw invalidInput(`The operator ${stringifyJson(operator)} takes no list here.`);
  }
  return row;
}
