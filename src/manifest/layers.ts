/** A flag as it is declared for one project: its base with the project's overlay merged in. */

import { isJsonObject, type JsonObject } from '../base/json.ts';
import { fromPointer, toPointer, valueAt } from '../base/json-pointer.ts';
import type { PlaceTree } from '../base/place.ts';
import type { ManifestFlag } from './manifest.ts';
import { membersOf, mergePatch, type Located } from './merge-patch.ts';
import { FILTERS, SHORTHAND, targetingOf, UNCHECKED } from '../posthog/flag/manifest/targeting.ts';

/** A flag with the members of a manifest, overlay applied. */
export interface LayeredFlag {
  readonly key: string;
  readonly value: JsonObject;
  readonly places: PlaceTree;
  /** The pointer from the top of the file to where a member stands: in the base or in the overlay. */
  readonly pathOf: (memberPointer: string) => string;
}

/** Members that say something about the flag in all projects, so that an overlay has none of them. */
const BASE_ONLY: ReadonlySet<string> = new Set(['projects', 'only_in', 'previous_keys']);

export function layerFlag(flag: ManifestFlag, project: string): LayeredFlag {
  const overlay = overlayOf(flag, project);
  const base = withoutReplaced(
    keepMembers(flag, (name) => !BASE_ONLY.has(name)),
    overlay?.value,
  );
  const merged = overlay === undefined ? base : mergePatch(base, overlay);
  const root = toPointer(['flags', flag.key]);
  const overlayRoot = root + toPointer(['projects', project]);
  return {
    key: flag.key,
    value: isJsonObject(merged.value) ? merged.value : {},
    places: { place: flag.places.place, ...(merged.places.children ? { children: merged.places.children } : {}) },
    pathOf: (pointer) => (isWrittenIn(overlay?.value, pointer) ? overlayRoot : root) + pointer,
  };
}

function overlayOf(flag: ManifestFlag, project: string): Located | undefined {
  const projects = membersOf(flag).find(([name]) => name === 'projects')?.[1];
  const overlay = membersOf(projects).find(([name]) => name === project)?.[1];
  return overlay === undefined || !isJsonObject(overlay.value) ? undefined : overlay;
}

// Filters in their three forms say the same thing: the one that an overlay has replaces, whole, the one of the base.
function withoutReplaced(base: Located, overlay: Located['value'] | undefined): Located {
  const [declared] = isJsonObject(overlay) ? targetingOf(overlay) : [];
  if (declared === undefined) return base;
  const replaced = [FILTERS, SHORTHAND, UNCHECKED].filter((form) => form !== declared || form === UNCHECKED);
  const isReplaced = (...path: string[]): boolean => replaced.includes(toPointer(path));
  const kept = keepMembers(base, (name) => !isReplaced(name));
  return mapMembers(kept, (name, member) =>
    name === 'fields' && isJsonObject(member.value)
      ? mapMembers(member, (field, located) => (isReplaced(name, field) ? undefined : located))
      : member,
  );
}

// `filters:` and `fields:` with nothing after them declare nothing.
function keepMembers(located: Located, keeps: (name: string) => boolean): Located {
  const isEmpty = (name: string, { value }: Located): boolean =>
    value === null && (name === 'filters' || name === 'fields');
  return mapMembers(located, (name, member) => (keeps(name) && !isEmpty(name, member) ? member : undefined));
}

/** The mapping with each member changed, or left out where that gives `undefined`. */
function mapMembers(located: Located, change: (name: string, member: Located) => Located | undefined): Located {
  const members = membersOf(located).flatMap(([name, member]): [string, Located][] => {
    const changed = change(name, member);
    return changed === undefined ? [] : [[name, changed]];
  });
  return {
    value: Object.fromEntries(members.map(([name, member]) => [name, member.value])),
    places: {
      place: located.places.place,
      children: Object.fromEntries(members.map(([name, member]) => [name, member.places])),
    },
  };
}

// Lists are replaced whole, so what is in a list of the overlay was written there.
function isWrittenIn(overlay: Located['value'] | undefined, pointer: string): boolean {
  return fromPointer(pointer).length > 0 && valueAt(overlay, pointer) !== undefined;
}
