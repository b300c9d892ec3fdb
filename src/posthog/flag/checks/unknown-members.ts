/** Unknown members of filters: errors unless they are allowed, since a misread member can release a flag to everybody. */

import { toPointer } from '../../../base/json-pointer.ts';
import { isJsonObject, type JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import { nearest } from '../../../base/text.ts';
import {
  type Filters,
  type FiltersPart,
  KNOWN_MEMBERS,
  type FiltersView,
  type PartAt,
  viewFilters,
} from '../model/flag.ts';
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
  return !view.isOpaque && checkUnknownMembers(view, false).length > 0;
}

interface UnknownMember {
  readonly property: string;
  readonly part: FiltersPart;
  readonly at: string;
}

/** A loop, since nearly all flags have none. */
function unknownMembers({ filters, conditions, properties, variants }: FiltersView): UnknownMember[] {
  const found: UnknownMember[] = [];
  const { multivariate } = filters;
  findUnknown(found, 'filters', { part: filters, at: '/filters' });
  for (const condition of conditions) findUnknown(found, 'condition', condition);
  for (const property of properties) findUnknown(found, 'property', property);
  if (isJsonObject(multivariate))
    findUnknown(found, 'multivariate', { part: multivariate, at: '/filters/multivariate' });
  for (const variant of variants) findUnknown(found, 'variant', variant);
  return found;
}

function findUnknown(
  found: UnknownMember[],
  part: FiltersPart,
  { part: object, at }: Pick<PartAt<JsonObject>, 'part' | 'at'>,
): void {
  for (const property of Object.keys(object)) {
    if (object[property] === undefined || isKnown(property, part)) continue;
    found.push({ property, part, at: at + toPointer([property]) });
  }
}

/** Names that begin with `x-` are the user's own. */
function isKnown(name: string, part: FiltersPart): boolean {
  if (KNOWN_MEMBERS[part].includes(name)) return true;
  return (part === 'filters' && RESERVED_MEMBERS.includes(name)) || name.startsWith('x-');
}

interface Meant {
  readonly suggestion?: string;
  /** The part that has the member, if it is another one. */
  readonly owner?: FiltersPart | 'flag';
}

/** `undefined` if the name is not recognized. */
export function findMeant(name: string, part: FiltersPart | 'flag'): Meant | undefined {
  const members = MEANT[part];
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

export function findMeantOperator(name: string): string | undefined {
  return Object.hasOwn(OPERATORS_MEANT, name) ? OPERATORS_MEANT[name] : undefined;
}

/** Names of operators in other tools and languages. */
const OPERATORS_MEANT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['equals', 'equal', 'eq', 'is', '=', '==', 'one_of', 'any_of'].map((name) => [name, 'exact'])),
  ...Object.fromEntries(['not_equals', 'not_equal', 'neq', 'ne', '!='].map((name) => [name, 'is_not'])),
  ...{ '>': 'gt', greater_than: 'gt', '>=': 'gte', '<': 'lt', less_than: 'lt', '<=': 'lte' },
  ...{ matches: 'regex', matches_regex: 'regex', exists: 'is_set', not_exists: 'is_not_set' },
  ...{ contains: 'icontains', not_contains: 'not_icontains', does_not_contain: 'not_icontains' },
  ...{ before: 'is_date_before', after: 'is_date_after' },
};

const ROLLOUT = ['rollout', 'rollout_percent', 'percent', 'percentage', 'pct', 'weight', 'share', 'traffic'];
const SWITCH = ['active', 'enabled', 'disabled', 'on', 'off'];

const OF_VARIANTS = { suggestion: 'multivariate.variants', owner: 'filters' } as const;
const OF_PAYLOADS = { suggestion: 'payloads', owner: 'filters' } as const;
const OF_CONDITION = (suggestion: string): Meant => ({ suggestion, owner: 'condition' });
const SWITCHES = named(SWITCH, { suggestion: 'active', owner: 'flag' });

const MEANT: { readonly [part in FiltersPart | 'flag']: Readonly<Record<string, Meant>> } = {
  flag: {
    ...named(ROLLOUT, { suggestion: 'rollout_percentage' }),
    ...named(SWITCH, { suggestion: 'active' }),
    ...named(['groups', 'conditions'], { suggestion: 'groups', owner: 'filters' }),
    properties: OF_CONDITION('properties'),
    multivariate: { suggestion: 'multivariate', owner: 'filters' },
    variants: OF_VARIANTS,
    ...named(['payload', 'payloads'], OF_PAYLOADS),
    name: { suggestion: 'description' },
  },
  filters: {
    ...named([...ROLLOUT, 'rollout_percentage'], OF_CONDITION('rollout_percentage')),
    ...SWITCHES,
    conditions: { suggestion: 'groups' },
    properties: OF_CONDITION('properties'),
    variants: { suggestion: 'multivariate.variants' },
    variant: OF_CONDITION('variant'),
  },
  multivariate: {
    ...named([...ROLLOUT, 'rollout_percentage'], { suggestion: 'rollout_percentage', owner: 'variant' }),
    ...SWITCHES,
    payloads: OF_PAYLOADS,
  },
  condition: {
    ...named(ROLLOUT, { suggestion: 'rollout_percentage' }),
    ...SWITCHES,
    variants: OF_VARIANTS,
    multivariate: { suggestion: 'multivariate', owner: 'filters' },
    ...named(['payload', 'payloads'], OF_PAYLOADS),
    ...named(['key', 'operator', 'value'], { suggestion: 'properties' }),
  },
  property: {
    ...named([...ROLLOUT, 'rollout_percentage'], OF_CONDITION('rollout_percentage')),
    ...SWITCHES,
    ...named(['name', 'property'], { suggestion: 'key' }),
    op: { suggestion: 'operator' },
    variant: OF_CONDITION('variant'),
    variants: OF_VARIANTS,
  },
  variant: {
    ...named(ROLLOUT, { suggestion: 'rollout_percentage' }),
    ...SWITCHES,
    ...named(['variant', 'value'], { suggestion: 'key' }),
    ...named(['payload', 'payloads'], OF_PAYLOADS),
    properties: OF_CONDITION('properties'),
  },
};

function named(names: readonly string[], meant: Meant): Record<string, Meant> {
  return Object.fromEntries(names.map((name) => [name, meant]));
}
