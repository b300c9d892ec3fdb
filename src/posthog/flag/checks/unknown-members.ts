/** Unknown members of filters: errors unless they are allowed, since a misread member can release a flag to everybody. */

import { definedKeys, isJsonObject, type JsonObject } from '../../../base/json.ts';
import { toPointer } from '../../../base/json-pointer.ts';
import { defined } from '../../../base/optional.ts';
import { nearest } from '../../../base/text.ts';
import type { Filters } from '../flag.ts';
import { KNOWN_MEMBERS } from '../known-members.ts';
import { isOpaque } from '../opaque.ts';
import { viewFilters, type FiltersView, type PartAt } from '../view.ts';
import { findMeant, type FiltersPart } from './meant-members.ts';
import type { FlagFinding } from './problems.ts';

/** Members that the service refuses with any value (docs/service.md, "Filters"). */
export const RESERVED_MEMBERS: readonly string[] = ['version'];

/** The member of a declared flag that allows unknown members, and its value. */
export const CONSENT: readonly ['unknown_members', 'allow'] = ['unknown_members', 'allow'];

export function hasConsent(flag: JsonObject): boolean {
  return flag[CONSENT[0]] === CONSENT[1];
}

/** A name that resembles a known one is an error even where unknown members are `allowed`. */
export function checkUnknownMembers(view: FiltersView, allowed: boolean): FlagFinding[] {
  return unknownMembers(view).flatMap(({ property, part, at }): FlagFinding[] => {
    const meant = findMeant(property, part) ?? defined({ suggestion: nearest(property, KNOWN_MEMBERS[part]) });
    const isClear = meant.suggestion !== undefined;
    if (allowed && !isClear) return [];
    const args = { property, ...meant, ...(isClear ? {} : { consent: CONSENT.join(': ') }) };
    return [{ code: 'property-unknown', severity: 'error', at, args }];
  });
}

/** Whether the filters can be declared only with consent to unknown members. */
export function needsConsent(filters: Filters): boolean {
  const view = viewFilters(filters);
  return !isOpaque(filters) && checkUnknownMembers(view, false).length > 0;
}

interface UnknownMember {
  readonly property: string;
  readonly part: FiltersPart;
  readonly at: string;
}

function unknownMembers({ filters, conditions, properties, variants }: FiltersView): UnknownMember[] {
  const { multivariate } = filters;
  return [
    ...unknownIn('filters', { part: filters, at: '/filters' }),
    ...conditions.flatMap((condition) => unknownIn('condition', condition)),
    ...properties.flatMap((property) => unknownIn('property', property)),
    ...(isJsonObject(multivariate)
      ? unknownIn('multivariate', { part: multivariate, at: '/filters/multivariate' })
      : []),
    ...variants.flatMap((variant) => unknownIn('variant', variant)),
  ];
}

/** Names that begin with `x-` are the user's own. */
function unknownIn(part: FiltersPart, { part: object, at }: PartAt<JsonObject>): UnknownMember[] {
  const known = KNOWN_MEMBERS[part];
  const isKnown = (name: string): boolean =>
    known.includes(name) || (part === 'filters' && RESERVED_MEMBERS.includes(name)) || name.startsWith('x-');
  const unknown = definedKeys(object).filter((name) => !isKnown(name));
  return unknown.map((property) => ({ property, part, at: at + toPointer([property]) }));
}
