/** Finds the live resource of each declared one, family by family, each after those to which its resources refer. */

import { defined } from '../base/optional.ts';
import { familyOf } from '../engine/kind.ts';
import type { WorldToPlan } from '../engine/make-plan.ts';
import type { Matches } from '../engine/match.ts';
import type { DesiredState } from './desired.ts';
import { RESOLVABLE_FAMILIES, type OwnFamily } from './families.ts';
import type { MatchedFamilies, MatchedFamily } from './family.ts';
import { findHeldBack, holdBack, type HeldBack, type NamedPair } from './held-back.ts';
import { KINDS } from './kinds.ts';
import type { LiveState } from './live.ts';
import type { PostHog } from './model.ts';
import { nameResource } from './resource-name.ts';
import { takeSnapshot, type ProjectSnapshot } from './snapshot.ts';

type PlannedFamily = NonNullable<WorldToPlan<PostHog>['further']>[number];

export interface PlannedFamilies {
  /** Matches of the main family. */
  readonly matches: Matches<PostHog['desired'], PostHog['live']>;
  readonly further: readonly PlannedFamily[];
  /** The resources have the names that the plan gives them. */
  readonly snapshot: ProjectSnapshot;
  /** The former names of the resources in the base, if they differ; all in the form of options. */
  readonly formerNames: ReadonlyMap<string, string>;
}

/** `former`: what the base declared. */
export function matchFamilies(
  desired: DesiredState,
  live: LiveState,
  former: DesiredState | undefined,
): PlannedFamilies {
  let snapshot = takeSnapshot(live);
  let earlier: MatchedFamilies = {};
  const found: FamilyMatch[] = [];
  for (const family of RESOLVABLE_FAMILIES) {
    const matched: MatchedResources | undefined = family.match({ desired, live, former, snapshot, earlier });
    if (matched === undefined) continue;
    found.push({ family, matched });
    earlier = { ...earlier, [family.section]: matched };
    snapshot = family.name(snapshot, matched.names);
  }
  for (const kind of KINDS) kind.refuse?.(desired, snapshot);
  const held = findHeldBack(found.flatMap(sharedNames), found.flatMap(namePairs));
  const planned = found.map((one) => toPlanned(one, held, snapshot));
  const [main, ...further] = planned.toSorted((a, b) => placeOf(a) - placeOf(b));
  if (main === undefined) throw new TypeError('The main family is always matched.');
  return { matches: main.matches, further, snapshot, formerNames: new Map(found.flatMap(formerNamesIn)) };
}

type MatchedResources = MatchedFamily<PostHog['desired'], PostHog['live']>;

interface FamilyMatch {
  readonly family: OwnFamily;
  readonly matched: MatchedResources;
}

/** The main family is the first one. */
function placeOf({ name }: PlannedFamily): number {
  return KINDS.findIndex((kind) => kind.name === name);
}

function sharedNames({ family: { kind }, matched }: FamilyMatch): string[] {
  return matched.shared.map(({ desired }) => nameResource(kind, desired.key));
}

function namePairs({ family: { kind }, matched }: FamilyMatch): NamedPair[] {
  const own = KINDS.filter((one) => familyOf(one) === kind);
  return matched.matches.pairs.map(({ desired, live }) => ({
    name: nameResource(kind, desired.key),
    needs: own.flatMap((one) => one.dependencies?.(desired) ?? []),
    isLive: live !== undefined && live.deleted !== true,
  }));
}

/** A resource that cannot be identified is in a pair without a live one. */
function toPlanned({ family, matched }: FamilyMatch, held: HeldBack, snapshot: ProjectSnapshot): PlannedFamily {
  const { matches, shared, warnings, released } = matched;
  const pairs = [...matches.pairs, ...shared.map(({ desired }) => ({ desired }))];
  const ofShared = shared.length === 0 ? [] : (family.warnOfShared?.(shared, held, snapshot) ?? []);
  return {
    name: family.kind,
    matches: {
      ...matches,
      pairs: pairs.map((pair) => holdBack(pair, nameResource(family.kind, pair.desired.key), held)),
    },
    live: [],
    warnings: [...warnings, ...ofShared],
    ...defined({ released }),
  };
}

function formerNamesIn({ family: { kind }, matched }: FamilyMatch): [string, string][] {
  return matched.matches.pairs.flatMap(({ desired, base }): [string, string][] =>
    base === undefined || base === null || base.key === desired.key
      ? []
      : [[nameResource(kind, desired.key), nameResource(kind, base.key)]],
  );
}
