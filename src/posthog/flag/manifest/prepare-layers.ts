/** The layers of a flag, prepared for merging: an overlay replaces the base's filters in any form, or changes parts of them. */

import { toPointer } from '../../../base/json-pointer.ts';
import { isJsonObject, type JsonValue } from '../../../base/json.ts';
import type { Layers, PreparedLayers } from '../../../manifest/layers.ts';
import { mapMembers, type Located } from '../../../manifest/located.ts';
import { applyParts } from './overlay-parts.ts';
import { FILTERS, SHORTHAND, findTargeting, UNCHECKED } from './targeting.ts';

export function prepareLayers({ base, overlay }: Layers): PreparedLayers {
  const declared = mapMembers(base, (name, member) => (isEmpty(name, member) ? undefined : member));
  return applyParts({ base: withoutReplaced(declared, overlay?.value), overlay });
}

// `filters:` and `fields:` with no value declare nothing.
function isEmpty(name: string, { value }: Located): boolean {
  return value === null && (name === 'filters' || name === 'fields');
}

// The three forms of filters mean the same, so the form that an overlay uses replaces the base's as a whole.
function withoutReplaced(base: Located, overlay: JsonValue | undefined): Located {
  const [declared] = isJsonObject(overlay) ? findTargeting(overlay) : [];
  if (declared === undefined) return base;
  const replaced = [FILTERS, SHORTHAND, UNCHECKED].filter((form) => form !== declared || form === UNCHECKED);
  const isReplaced = (...path: string[]): boolean => replaced.includes(toPointer(path));
  return mapMembers(base, (name, member) => {
    if (isReplaced(name)) return undefined;
    if (name !== 'fields' || !isJsonObject(member.value)) return member;
    return mapMembers(member, (field, located) => (isReplaced(name, field) ? undefined : located));
  });
}
