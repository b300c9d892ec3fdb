/** Joins the safety rules and the policies that a plan breaks into one list with the same facts, for reports and documents. */

import type { JsonObject } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import { exceptedBy, type Lifted, type Permit } from '../../core/engine/exceptions.ts';
import type { Origin } from '../../core/engine/safety.ts';
import type { Change, Hazard, Plan } from '../../posthog/plan.ts';
import { type Finding, isRefusal } from './finding.ts';

export type BrokenRule =
  /** `change`: the one that the hazard is about, if the report has it. */
  | { readonly sort: 'safety'; readonly hazard: Hazard; readonly change?: Change; readonly lifted?: Lifted }
  | { readonly sort: 'policy'; readonly finding: Finding };

/** Safety rules come first: no configuration turns them off. `lifted`: those that exceptions lift. */
export function brokenRules({
  hazards = [],
  lifted = [],
  findings = [],
  changes = [],
}: {
  readonly hazards?: readonly Hazard[];
  readonly lifted?: Plan['lifted'];
  readonly findings?: readonly Finding[];
  readonly changes?: readonly Change[];
}): BrokenRule[] {
  const byRef = new Map(changes.map((change) => [change.ref, change]));
  const ofSafety = (hazard: Hazard, by?: Lifted): BrokenRule => {
    const change = 'ref' in hazard ? byRef.get(hazard.ref) : undefined;
    return { sort: 'safety', hazard, ...(change && { change }), ...(by && { lifted: by }) };
  };
  return [
    ...hazards.map((hazard) => ofSafety(hazard)),
    ...lifted.map(({ hazard, by }) => ofSafety(hazard, by)),
    ...findings.map((finding): BrokenRule => ({ sort: 'policy', finding })),
  ];
}

/** The hazards of a plan, whether they refuse it or exceptions lift them. */
export function knownHazards({ hazards, lifted = [] }: Pick<Plan, 'hazards' | 'lifted'>): readonly Hazard[] {
  return [...hazards, ...lifted.map(({ hazard }) => hazard)];
}

/** Whether apply refuses the plan because of the rule. */
export function refuses(broken: BrokenRule): boolean {
  return broken.sort === 'safety' ? broken.lifted === undefined : isRefusal(broken.finding);
}

export function ruleOf(broken: BrokenRule): string {
  return broken.sort === 'safety' ? broken.hazard.code : broken.finding.rule;
}

/** A safety rule is an error. */
export function levelOf(broken: BrokenRule): Finding['level'] {
  return broken.sort === 'safety' ? 'error' : broken.finding.level;
}

/** What lifts it; absent if nothing does. */
export function liftedOf(broken: BrokenRule): Lifted | undefined {
  return broken.sort === 'safety' ? broken.lifted : broken.finding.lifted;
}

/** The line of the manifests that asks for the change. */
export function placeOf(broken: BrokenRule): Place | undefined {
  return broken.sort === 'safety' ? broken.change?.source : broken.finding.place;
}

/** The ways to lift a rule that a plan breaks. */
type Lift =
  /** An option of the run, which is an exception that is made by hand. */
  | { readonly by: 'option'; readonly permit: Permit }
  /** An approval of a person whom the run names. */
  | { readonly by: 'approval' }
  /** An entry in the file of exceptions, for the rule that it names. */
  | { readonly by: 'exception'; readonly rule: string };

/** A warning refuses nothing. */
export function liftsOf(broken: BrokenRule): readonly Lift[] {
  if (broken.sort === 'safety') {
    const { permit } = broken.hazard;
    const rule = exceptedBy(broken.hazard)?.rule;
    return permit && rule !== undefined
      ? [
          { by: 'exception', rule },
          { by: 'option', permit },
        ]
      : [];
  }
  const { level, facts, rule } = broken.finding;
  if (facts.what === 'own_exhausted' || level === 'warning') return [];
  const exception = { by: 'exception', rule } as const;
  return level === 'error' ? [exception] : [{ by: 'approval' }, exception];
}

/** An entry of the member `broken_rules`. `words`: members added to its facts. */
export function brokenRuleDocument(broken: BrokenRule, words: JsonObject = {}): JsonObject {
  const [place, origin, setBy] = [placeOf(broken), originOf(broken), setByOf(broken)];
  return {
    rule: ruleOf(broken),
    sort: broken.sort,
    level: levelOf(broken),
    refuses: refuses(broken),
    ...aboutOf(broken),
    ...(place && { place: placeDocument(place) }),
    ...(setBy !== undefined && { set_by: setBy }),
    ...(origin && {
      origin: origin.from === 'configuration' ? { ...origin, place: placeDocument(origin.place) } : { ...origin },
    }),
    lifted_by: liftsOf(broken).map((lift) =>
      'permit' in lift ? { ...lift, permit: { ...lift.permit } } : { ...lift },
    ),
    ...words,
  };
}

/** Empty if the rule is about the run as a whole, such as a limit. */
function aboutOf(broken: BrokenRule): JsonObject {
  if (broken.sort === 'policy') {
    const { resource, key, ref } = broken.finding;
    return { resource, key, ref };
  }
  const { hazard, change } = broken;
  if (!('ref' in hazard)) return {};
  return { ...(change && { resource: change.resource }), key: hazard.key, ref: hazard.ref };
}

/** The setting that holds the rule: the limit or the flags of a safety rule. */
export function setByOf(broken: BrokenRule): string | undefined {
  return broken.sort === 'policy' ? 'policies.rules' : SAFETY[broken.hazard.code].setBy;
}

/** The place of that setting; `undefined` if the rule always holds. */
export function originOf(broken: BrokenRule): Origin | undefined {
  if (broken.sort === 'safety') return 'origin' in broken.hazard ? broken.hazard.origin : undefined;
  const { policy: place, commit } = broken.finding;
  return { from: 'configuration', place, ...(commit !== undefined && { commit }) };
}

function placeDocument({ file, line, column }: Place): JsonObject {
  return { file, line, column };
}

/**
 * `setBy`: the member of the configuration with the limit or the flags; absent if the rule always holds. `permit`: what lifts the rule;
 * absent if nothing does, since the service refuses the change anyway.
 */
interface SafetyRow {
  readonly setBy?: string;
  readonly permit?: Permit['kind'];
}

/** The safety rules hold in every run, with and without policies; the engine finds what breaks them (`engine/hazards.ts`). */
export const SAFETY: Readonly<Record<Hazard['code'], SafetyRow>> = {
  deletes: { setBy: 'limits.deletes', permit: 'deletes' },
  deletes_percent: { setBy: 'limits.deletes_percent', permit: 'deletes' },
  updates: { setBy: 'limits.updates', permit: 'updates' },
  updates_percent: { setBy: 'limits.updates_percent', permit: 'updates' },
  disables: { setBy: 'limits.disables', permit: 'disables' },
  manifests_shrunk: { permit: 'deletes' },
  protected: { setBy: 'protected', permit: 'protected' },
  experiments: { permit: 'risky' },
  experiment_variants: {},
  replay_linked: {},
  dependents: { permit: 'risky' },
  dependencies_disabled: {},
  cohort_used: { permit: 'risky' },
  early_access_unmanaged: { permit: 'risky' },
  early_access_refused: {},
  early_access_linked: {},
  read_by_code: { permit: 'risky' },
  lockout: { permit: 'risky' },
  own_access: { permit: 'risky' },
  conflict: { permit: 'override' },
  switched_off: { permit: 'override' },
  schedule_conflict: { permit: 'risky' },
  dependency_left: { permit: 'override' },
};

export function isSafetyRule(rule: string): rule is Hazard['code'] {
  return Object.hasOwn(SAFETY, rule);
}

/**
 * What an exception from known drift names, which `flagwright drift` does not count. It permits no write, so neither the base nor an approval
 * judges it, and plans know nothing of it.
 */
export const DRIFT_RULE = 'drift';

/** The safety rules that an option lifts. */
export function rulesLiftedBy(kind: Permit['kind']): readonly string[] {
  return Object.entries(SAFETY).flatMap(([code, { permit }]) => (permit === kind ? code : []));
}

/** The option that lifts a safety rule; `undefined` if none does. */
export function kindOfPermit(rule: string): Permit['kind'] | undefined {
  return isSafetyRule(rule) ? SAFETY[rule].permit : undefined;
}

/** How an exception names what it lifts: a number of changes, or keys; `undefined` for a rule that no exception may name. */
export function formOf(rule: string): 'most' | 'keys' | undefined {
  const permit = kindOfPermit(rule);
  if (permit === undefined) return isSafetyRule(rule) ? undefined : 'keys';
  if (permit !== 'deletes' && permit !== 'updates' && permit !== 'disables') return 'keys';
  return permit === rule ? 'most' : undefined;
}
