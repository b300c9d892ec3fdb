/** How flags stand: what code that reads them gets, as the manifests of all projects say. */

import { compareStrings } from '../base/compare-strings.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { Place } from '../base/place.ts';
import type { DeclaredFlag, DesiredFlag, DesiredState } from '../posthog/desired.ts';
import { findOwnership } from '../posthog/flag/model/fields.ts';
import { viewFilters } from '../posthog/flag/model/view.ts';

export interface FlagStanding {
  readonly key: string;
  readonly standing: Standing;
  /** The declaration. */
  readonly place?: Place;
  /** The current key of a renamed flag. */
  readonly to?: string;
}

/**
 * `disabled`, `rolled_out` and `deleted` hold in every project that declares the flag. `rolled_out`: everyone gets the same answer. `renamed`: a former
 * key. `undeclared`: it is live or known otherwise, and no manifest names it.
 */
export type Standing = (typeof STANDINGS)[number];

export const STANDINGS = ['active', 'disabled', 'rolled_out', 'deleted', 'renamed', 'undeclared'] as const;

/** Sorted by key. `others`: keys that need not be declared. */
export function findStandings(desired: readonly DesiredState[], others: readonly string[]): readonly FlagStanding[] {
  const byKey = new Map<string, DesiredFlag[]>();
  for (const flag of desired.flatMap(({ flags }) => flags)) byKey.set(flag.key, [...(byKey.get(flag.key) ?? []), flag]);
  const declared = [...byKey].map(([key, flags]) => standingOf(key, flags));
  const former = [...byKey.values()].flatMap((flags) => flags.flatMap(formerKeys)).filter(({ key }) => !byKey.has(key));
  const named = new Set([...declared, ...former].map(({ key }) => key));
  const live = others.filter((key) => !named.has(key));
  const all = [...declared, ...former, ...live.map((key): FlagStanding => ({ key, standing: 'undeclared' }))];
  return [...new Map(all.map((one) => [one.key, one])).values()].toSorted((a, b) => compareStrings(a.key, b.key));
}

function standingOf(key: string, flags: readonly DesiredFlag[]): FlagStanding {
  const place = flags[0]?.places.place;
  const declared = flags.filter((flag) => flag.kind === 'declared');
  const standing = ((): Standing => {
    if (declared.length === 0) return 'deleted';
    if (declared.every(({ fields }) => fields['active'] === false)) return 'disabled';
    return declared.every(isRolledOut) ? 'rolled_out' : 'active';
  })();
  return { key, standing, ...(place === undefined ? {} : { place }) };
}

function formerKeys(flag: DesiredFlag): readonly FlagStanding[] {
  if (flag.kind !== 'declared') return [];
  return flag.previousKeys.map((key) => ({ key, standing: 'renamed', to: flag.key, place: flag.places.place }));
}

function isRolledOut(flag: DeclaredFlag): boolean {
  return !isOfOthers(flag) && flag.fields['active'] !== false && sameAnswer(flag.fields) !== undefined;
}

/** What everyone gets by these fields of a flag: off, on, or a variant. A condition without filters includes everyone, and no variant or only one is left. */
export function sameAnswer({ active, filters }: JsonObject): boolean | string | undefined {
  if (active === false) return false;
  const view = viewFilters(filters);
  if (!isJsonObject(filters) || view.isOpaque) return undefined;
  if (Object.entries(filters).some(([name, value]) => !KNOWN.has(name) && (value ?? null) !== null)) return undefined;
  const all = view.conditions.filter(
    ({ part }) => (part.properties ?? []).length === 0 && (part.rollout_percentage ?? 100) === 100,
  );
  const shares = view.variants.filter(({ part }) => part.rollout_percentage !== 0);
  const isSame = shares.length < 2 && view.conditions.every(({ part }) => (part.variant ?? null) === null);
  return all.length > 0 && isSame ? (shares[0]?.part.key ?? true) : undefined;
}

/** Any other member may decide who gets what: groups, holdouts, early access. */
const KNOWN: ReadonlySet<string> = new Set(['groups', 'multivariate', 'payloads']);

export function isOfOthers({ ownership = [], fields }: DeclaredFlag): boolean {
  return ['/active', '/filters'].some((path) => (findOwnership(ownership, path, fields) ?? 'managed') !== 'managed');
}
