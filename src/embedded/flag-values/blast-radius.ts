/** `user_blast_radius`: how many persons or groups match a condition, regardless of its roll-out. */

import { isJsonArray, isJsonObject, type JsonObject } from '../../base/json.ts';
import { matchesCondition } from '../../evaluation/condition.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid } from '../handler/envelope.ts';
import { objectBody } from '../persons/body.ts';
import { checkedProperties, propertyFilter } from '../persons/filter.ts';
import { evaluationContext, type Property } from '../evaluation/context.ts';

export function userBlastRadius(service: ServiceContext, call: Call): Answer {
  const { rules } = service;
  const { condition, group_type_index: typeIndex = null } = objectBody(call);
  if (condition === undefined || condition === null) {
    throw invalid('required', 'This field is required.', 'condition');
  }
  if (!isJsonObject(condition)) throw invalid('not_a_dict', 'Expected an object of items.', 'condition');
  if (typeIndex !== null && (typeof typeIndex !== 'number' || !Number.isSafeInteger(typeIndex))) {
    throw invalid('invalid_input', 'A valid integer is required.', 'group_type_index');
  }
  const properties = propertiesIn(condition, typeIndex === null ? ['person', 'cohort'] : ['group']);
  const { affected, total } =
    typeIndex === null ? ofPersons(service, call, properties) : ofGroups(service, call, { properties, typeIndex });
  return { status: 200, body: { [rules.blastRadius.affected]: affected, [rules.blastRadius.total]: total } };
}

/** The count informs a roll-out: a filter that cannot be evaluated must not look like everybody or nobody. */
function propertiesIn(condition: JsonObject, types: readonly string[]): Property[] {
  const properties = condition['properties'] ?? [];
  if (!isJsonArray(properties)) throw invalid('not_a_list', 'Expected a list of items.', 'condition');
  return checkedProperties(properties, { types, attr: 'condition' });
}

interface Radius {
  readonly affected: number;
  readonly total: number;
}

function ofPersons(service: ServiceContext, { projectId }: Call, properties: readonly Property[]): Radius {
  const { persons } = service.store;
  const filter = propertyFilter(service, projectId, properties);
  return { affected: persons.count(projectId, filter), total: persons.count(projectId, {}) };
}

function ofGroups(
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
