/** `user_blast_radius`: how many persons or groups match a condition, regardless of its roll-out. */

import { isJsonArray, isJsonObject, type JsonObject } from '../../base/json.ts';
import { matchesCondition } from '../../evaluation/condition.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { readObjectBody } from '../persons/body.ts';
import { checkProperties, buildPropertyFilter } from '../persons/filter.ts';
import { evaluationContext, type Property } from '../evaluation/context.ts';

export function userBlastRadius(service: ServiceContext, call: Call): Answer {
  const { rules } = service;
  const { condition, group_type_index: typeIndex = null } = readObjectBody(call);
  if (condition === undefined || condition === null) {
    throw invalid('required', 'This field is required.', 'condition');
  }
  if (!isJsonObject(condition)) throw invalid('not_a_dict', 'Expected an object of items.', 'condition');
  if (typeIndex !== null && (typeof typeIndex !== 'number' || !Number.isSafeInteger(typeIndex))) {
    throw invalid('invalid_input', 'A valid integer is required.', 'group_type_index');
  }
  const properties = readProperties(condition, typeIndex === null ? ['person', 'cohort'] : ['group']);
  const { affected, total } =
    typeIndex === null
      ? countPersons(service, call, properties)
      : countGroups(service, call, { properties, typeIndex });
  return { status: 200, body: { [rules.blastRadius.affected]: affected, [rules.blastRadius.total]: total } };
}

/** The count informs a roll-out: a filter that cannot be evaluated must not look like everybody or nobody. */
function readProperties(condition: JsonObject, types: readonly string[]): Property[] {
  const properties = condition['properties'] ?? [];
  if (!isJsonArray(properties)) throw invalid('not_a_list', 'Expected a list of items.', 'condition');
  return checkProperties(properties, { types, attr: 'condition' });
}

interface Radius {
  readonly affected: number;
  readonly total: number;
}

function countPersons(service: ServiceContext, { projectId }: Call, properties: readonly Property[]): Radius {
  const { persons } = service.store;
  const filter = buildPropertyFilter(service, projectId, properties);
  return { affected: persons.count(projectId, filter), total: persons.count(projectId, {}) };
}

function countGroups(
  service: ServiceContext,
  { projectId }: Call,
  { properties: wanted, typeIndex }: { readonly properties: readonly Property[]; readonly typeIndex: number },
): Radius {
  const context = evaluationContext(service, projectId);
  const type = context.groupTypes[String(typeIndex)];
  if (type === undefined) throw invalid('invalid_input', `Group type ${typeIndex} does not exist.`, 'group_type_index');
  const groups = service.store.groups.list(projectId, typeIndex);
  const isAffected = ({ key, properties }: (typeof groups)[number]): boolean => {
    const groupProperties = { [type]: properties };
    const subject = { distinctId: '', personProperties: {}, groups: { [type]: key }, groupProperties };
    return matchesCondition({ properties: wanted }, { context, subject }, typeIndex);
  };
  return { affected: groups.filter(isAffected).length, total: groups.length };
}
