/** Checks of a flag as it is written, before any project is looked at: names of projects, fields and layers. */

import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { fromPointer, toPointer } from '../../../base/json-pointer.ts';
import { nearest } from '../../../base/text.ts';
import { FLAG_FIELDS, SERVICE_FIELDS } from '../fields.ts';
import type { ManifestFlag } from '../../../manifest/manifest.ts';
import { targetingOf } from '../manifest/targeting.ts';
import { placedTexts } from '../../../manifest/texts.ts';
import type { Finding } from '../../../manifest/finding.ts';

/** Pointers of these findings are in the manifest's names, `/projects/staging`. */
export function checkDeclaration({ value }: ManifestFlag, projects: readonly string[]): Finding[] {
  const overlays = Object.entries(isJsonObject(value['projects']) ? value['projects'] : {});
  return [
    ...checkLayer(value, ''),
    ...overlays.flatMap(([project, overlay]) => {
      const at = toPointer(['projects', project]);
      return [...checkProject(project, { projects, at }), ...(isJsonObject(overlay) ? checkLayer(overlay, at) : [])];
    }),
    ...placedTexts(value['only_in']).flatMap(({ text, index }) =>
      checkProject(text, { projects, at: `/only_in/${index}` }),
    ),
  ];
}

function checkProject(
  project: string,
  { projects, at }: { readonly projects: readonly string[]; readonly at: string },
): Finding[] {
  if (projects.includes(project)) return [];
  const suggestion = nearest(project, projects);
  const args = suggestion === undefined ? { project } : { project, suggestion };
  return [{ code: 'project-unknown', severity: 'error', at, args }];
}

function checkLayer(layer: JsonObject, at: string): Finding[] {
  const fields = isJsonObject(layer['fields']) ? layer['fields'] : {};
  return [
    ...checkTargeting(layer, at),
    ...Object.keys(fields).flatMap((field) => checkField(field, at + toPointer(['fields', field]))),
  ];
}

/** Filters, the shorthand for them and unchecked filters say the same thing: a layer has one of them. */
function checkTargeting(layer: JsonObject, at: string): Finding[] {
  const [first, ...others] = targetingOf(layer);
  return others.map((other) => {
    const properties = [first, other].map((pointer = '') => fromPointer(pointer).join('.'));
    return { code: 'combination-forbidden', severity: 'error', at: at + other, args: { properties } };
  });
}

/** Members of a manifest that stand for a field of another name, or for none. */
const OTHER_MEMBERS: ReadonlyMap<string, string> = new Map([
  ...FLAG_FIELDS.flatMap(({ api, manifest }) =>
    manifest === undefined || api === 'filters' ? [] : [[api, manifest] as const],
  ),
  ['deleted', 'deleted'],
  ['description', 'description'],
  ['role_access', 'role_access'],
  ['rollout_percentage', 'rollout_percentage'],
]);

function checkField(field: string, at: string): Finding[] {
  const member = OTHER_MEMBERS.get(field);
  if (member !== undefined) return [{ code: 'field-has-member', severity: 'error', at, args: { field, member } }];
  if (field === 'key') return [{ code: 'field-has-member', severity: 'error', at, args: { field, member: 'flags' } }];
  return SERVICE_FIELDS.has(field) ? [{ code: 'field-computed', severity: 'error', at, args: { field } }] : [];
}
