/** Checks that the shorthand of an overlay does not discard targeting, variants or payloads of the base. */

import { isJsonObject, jsonEquals, type JsonObject, type JsonValue } from '../../../base/json.ts';
import { fromPointer, toPointer } from '../../../base/json-pointer.ts';
import { findTargeting, SHORTHAND, UNCHECKED } from '../manifest/targeting.ts';
import { viewFilters } from '../view.ts';
import type { FlagFinding } from './problems.ts';

/** `rollout_percentage` of an overlay replaces the base's filters as a whole. Pointers are in the manifest's names. */
export function checkOverlayRollouts(base: JsonObject, overlays: readonly [string, JsonValue][]): FlagFinding[] {
  const lost = findDiscarded(base);
  if (lost.length === 0) return [];
  return overlays.flatMap(([project, overlay]): FlagFinding[] => {
    if (!isJsonObject(overlay) || findTargeting(overlay)[0] !== SHORTHAND || isDeletedBy(base, overlay)) return [];
    const at = toPointer(['projects', project]) + SHORTHAND;
    return [{ code: 'overlay-discards', severity: 'error', at, args: { lost, unchecked: isUncheckedIn(base) } }];
  });
}

/** Whether the flag is declared as deleted in the project of an overlay. */
export function isDeletedBy(base: JsonObject, overlay: JsonObject): boolean {
  return ('deleted' in overlay ? overlay : base)['deleted'] === true;
}

function isUncheckedIn(base: JsonObject): boolean {
  return findTargeting(base)[0] === UNCHECKED;
}

/** The parts of the base's filters that the shorthand cannot express, as members of the filters: `payloads`. */
function findDiscarded(base: JsonObject): string[] {
  const { filters, fields } = base;
  const declared = isUncheckedIn(base) && isJsonObject(fields) ? fields['filters'] : filters;
  if (!isJsonObject(declared)) return [];
  const { groups: _groups, ...others } = declared;
  const conditions = viewFilters(declared).conditions.flatMap(({ part, at }) =>
    Object.entries(part)
      .filter(([name, value]) => !REPLACED.includes(name) && !isEmpty(value as JsonValue))
      .map(([name]) =>
        fromPointer(at + toPointer([name]))
          .slice(1)
          .join('.'),
      ),
  );
  const parts = Object.entries(others).filter(([, value]) => !isEmpty(value as JsonValue));
  return [...conditions, ...parts.map(([name]) => name)];
}

/** Members of a condition that the overlay replaces, or that have no effect. */
const REPLACED: readonly string[] = ['rollout_percentage', 'description', 'sort_key'];

function isEmpty(value: JsonValue): boolean {
  return value === null || EMPTY.some((empty) => jsonEquals(value, empty));
}

const EMPTY: readonly JsonValue[] = [[], {}, false, { variants: [] }];
