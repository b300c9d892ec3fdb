/** `user_blast_radius`: how many persons, or groups, a condition is about, whatever its roll-out. */

import { isJsonObject, type JsonObject } from '../../base/json.ts';
import { matchesCondition } from '../../evaluation/condition.ts';
import type { Answer, Call, ServiceContext } from '../call.ts';
import { invalid } from '../envelope.ts';
import { objectBody } from '../persons/body.ts';
import { propertyFilter } from '../persons/filter.ts';
import { propertiesOf } from '../flags/conditions.ts';
import { evaluationContext, type Condition, type Property } from './context.ts';

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
  const { affected, total } =
    typeIndex === null ? ofPersons(service, call, condition) : ofGroups(service, call, { condition, typeIndex });
  return { status: 200, body: { [rules.blastRadius.affected]: affected, [rules.blastRadius.total]: total } };
}

interface Radius {
  readonly affected: number;
  readonly total: number;
}

function ofPersons(service: ServiceContext, { projectId }: Call, condition: JsonObject): Radius {
  const { persons } = service.store;
  const filter = propertyFilter(service, projectId, propertiesOf(condition) as readonly JsonObject[] as Property[]);
  return { affected: persons.count(projectId, filter), total: persons.count(projectId, {}) };
}

function ofGroups(
  service: ServiceContext,
  { projectId }: Call,
  { condition, typeIndex }: { readonly condition: JsonObject; readonly typeIndex: number },
): Radius {
  const context = evaluationContext(service, projectId);
  const type = context.groupTypes[String(typeIndex)];
  if (type === undefined) throw invalid('invalid_input', `There is no group type ${typeIndex}.`, 'group_type_index');
  const groups = service.store.groups.list(projectId, typeIndex);
  const isAffected = ({ key, properties }: (typeof groups)[number]): boolean => {
    const groupProperties = { [type]: properties };
    const subject = { distinctId: '', personProperties: {}, groups: { [type]: key }, groupProperties };
    return matchesCondition(condition as Condition, { context, subject }, typeIndex);
  };
  return { affected: groups.filter(isAffected).length, total: groups.length };
}
