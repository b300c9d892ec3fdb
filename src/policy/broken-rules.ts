/** The rules that a plan breaks, safety rules and policies in one list with the same facts, for whoever shows or reads them. */

import type { JsonObject } from '../base/json.ts';
import { defined } from '../base/optional.ts';
import type { Place } from '../base/place.ts';
import type { Origin } from '../engine/safety.ts';
import type { Change, Hazard } from '../posthog/plan.ts';
import { isRefusal, type Finding } from './finding.ts';
import type { Level } from './basis/head.ts';
import { liftsOfPolicy, liftsOfSafety, RULE_TABLE, type Lift } from './rule-table.ts';

export type BrokenRule =
  /** `change`: the one that it is about, if the report has it. `isLifted`: by an option or a permit. */
  | { readonly sort: 'safety'; readonly hazard: Hazard; readonly change?: Change; readonly isLifted: boolean }
  | { readonly sort: 'policy'; readonly finding: Finding };

export interface Broken {
  readonly hazards?: readonly Hazard[];
  /** Hazards that an option or a permit lifts. */
  readonly overridden?: readonly Hazard[];
  readonly findings?: readonly Finding[];
  readonly changes?: readonly Change[];
}

/** Safety rules first: nothing of the configuration turns them off. */
export function brokenRules({ hazards = [], overridden = [], findings = [], changes = [] }: Broken): BrokenRule[] {
  const byRef = new Map(changes.map((change) => [change.ref, change]));
  const toBroken =
    (isLifted: boolean) =>
    (hazard: Hazard): BrokenRule => ({
      sort: 'safety',
      hazard,
      isLifted,
      ...defined({ change: 'ref' in hazard ? byRef.get(hazard.ref) : undefined }),
    });
  return [
    ...hazards.map(toBroken(false)),
    ...overridden.map(toBroken(true)),
    ...findings.map((finding): BrokenRule => ({ sort: 'policy', finding })),
  ];
}

/** Whether apply refuses the plan for it. */
export function refuses(broken: BrokenRule): boolean {
  return broken.sort === 'safety' ? !broken.isLifted : isRefusal(broken.finding);
}

export function ruleOf(broken: BrokenRule): string {
  return broken.sort === 'safety' ? broken.hazard.code : broken.finding.rule;
}

/** The line of the manifests that asks for the change. */
export function placeOf(broken: BrokenRule): Place | undefined {
  return broken.sort === 'safety' ? broken.change?.source : broken.finding.place;
}

export function liftsOf(broken: BrokenRule): readonly Lift[] {
  if (broken.sort === 'safety') return liftsOfSafety(broken.hazard.permit);
  const { level, facts } = broken.finding;
  return facts.what === 'own_exhausted' ? [] : liftsOfPolicy(level);
}

/** An entry of the member `broken_rules`. `words`: members added to its facts. */
export function brokenRuleDocument(broken: BrokenRule, words: JsonObject = {}): JsonObject {
  const place = placeOf(broken);
  return {
    rule: ruleOf(broken),
    sort: broken.sort,
    level: levelOf(broken),
    refuses: refuses(broken),
    ...aboutOf(broken),
    ...defined({ place: place && placeDocument(place), set_by: setByOf(broken) }),
    ...originDocument(originOf(broken)),
    lifted_by: liftsOf(broken).map((lift) =>
      'permit' in lift ? { ...lift, permit: { ...lift.permit } } : { ...lift },
    ),
    ...words,
  };
}

function levelOf(broken: BrokenRule): Level {
  return broken.sort === 'safety' ? 'error' : broken.finding.level;
}

/** Empty if it is about the run as a whole, such as a limit. */
function aboutOf(broken: BrokenRule): JsonObject {
  if (broken.sort === 'policy') {
    const { resource, key, ref } = broken.finding;
    return { resource, key, ref };
  }
  const { hazard, change } = broken;
  if (!('ref' in hazard)) return {};
  return { ...defined({ resource: change?.resource }), key: hazard.key, ref: hazard.ref };
}

/** The setting that holds the rule: the limit or the flags of a safety rule. */
export function setByOf(broken: BrokenRule): string | undefined {
  return broken.sort === 'policy' ? 'policies.rules' : RULE_TABLE[broken.hazard.code].setBy;
}

/** The place of that setting; `undefined` if the rule always holds. */
export function originOf(broken: BrokenRule): Origin | undefined {
  if (broken.sort === 'safety') return 'origin' in broken.hazard ? broken.hazard.origin : undefined;
  const { policy: place, commit } = broken.finding;
  return { from: 'configuration', place, ...defined({ commit }) };
}

function originDocument(origin: Origin | undefined): JsonObject {
  if (origin === undefined) return {};
  if (origin.from !== 'configuration') return { origin: { ...origin } };
  return { origin: { ...origin, place: placeDocument(origin.place) } };
}

function placeDocument({ file, line, column }: Place): JsonObject {
  return { file, line, column };
}
