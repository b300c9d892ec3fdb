/** Checks a flag as it is written, before a project is considered: the members of each of its layers. */

import { fromPointer, toPointer, valueAt } from '../../../base/json-pointer.ts';
import { isJsonObject, objectOrEmpty, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { membersIn, type Declaration } from '../../../manifest/declaration.ts';
import { API_NAMES, FLAG_FIELDS, MEMBER_NAMES } from '../fields.ts';
import { isComputed } from '../ownership.ts';
import { FILTERS, findTargeting, PARTS, SHORTHAND, UNCHECKED } from '../manifest/targeting.ts';
import { checkOverlayParts } from './overlay-parts.ts';
import { checkOverlayRollouts, isDeletedBy } from './overlay-rollout.ts';
import type { FlagFinding } from './problems.ts';
import { CONSENT } from './unknown-members.ts';

/** Pointers of these findings are in the manifest's names, `/projects/staging/fields/name`. */
export function checkLayers(declaration: Declaration): FlagFinding[] {
  const members = membersIn(declaration);
  const overlays = Object.entries(objectOrEmpty(members['projects']));
  return [
    ...checkLayer(members, ''),
    ...checkOverlayRollouts(members, overlays as [string, JsonValue][]),
    ...overlays.flatMap(([project, overlay]) =>
      isJsonObject(overlay) ? checkOverlay(members, overlay, toPointer(['projects', project])) : [],
    ),
  ];
}

function checkOverlay(base: JsonObject, overlay: JsonObject, at: string): FlagFinding[] {
  const found = [...checkLayer(overlay, at), ...checkPartsAlone(overlay, at)];
  return found.length > 0 || isDeletedBy(base, overlay) ? found : checkOverlayParts(base, overlay, at);
}

/** Changes of parts are changes of the base's filters, so an overlay with filters of its own has none. */
function checkPartsAlone(overlay: JsonObject, at: string): FlagFinding[] {
  const own = [FILTERS, SHORTHAND, UNCHECKED].find((form) => valueAt(overlay, form) !== undefined);
  if (own === undefined) return [];
  return PARTS.filter((part) => Object.hasOwn(overlay, part)).map((part) => ({
    code: 'combination-forbidden',
    severity: 'error',
    at: at + toPointer([part]),
    args: { properties: [fromPointer(own).join('.'), part] },
  }));
}

function checkLayer(layer: JsonObject, at: string): FlagFinding[] {
  const fields = objectOrEmpty(layer['fields']);
  return [
    ...checkTargeting(layer, at),
    ...Object.keys(fields).flatMap((field) => checkField(field, at + toPointer(['fields', field]))),
  ];
}

/** Filters, their shorthand and unchecked filters mean the same, so a layer may have only one of them. */
function checkTargeting(layer: JsonObject, at: string): FlagFinding[] {
  const [first, ...others] = findTargeting(layer);
  return others.map((other) => {
    const properties = [first, other].map((pointer = '') => fromPointer(pointer).join('.'));
    return { code: 'combination-forbidden', severity: 'error', at: at + other, args: { properties } };
  });
}

/** The member that declares a field, for names that `fields` must not have. Unchecked filters are allowed there. */
const DECLARED_BY: ReadonlyMap<string, string> = new Map([
  ...[...API_NAMES.keys(), 'role_access', 'access', 'rollout_percentage', CONSENT[0]].map(
    (member) => [member, member] as const,
  ),
  ...MEMBER_NAMES,
  ...FLAG_FIELDS.flatMap((field) =>
    field.ownership === 'managed' && field.declaredBy !== undefined ? [[field.api, field.declaredBy] as const] : [],
  ),
]);

function checkField(field: string, at: string): FlagFinding[] {
  const member = field === 'filters' ? undefined : DECLARED_BY.get(field);
  if (member !== undefined) return [{ code: 'field-has-member', severity: 'error', at, args: { field, member } }];
  return isComputed(field) ? [{ code: 'field-computed', severity: 'error', at, args: { field } }] : [];
}
