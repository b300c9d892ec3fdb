/** What optional rooms find of a plan: a row for each loads the module that inspects it, or that estimates whom it affects. */

import { defined } from '../../base/optional.ts';
import type { EvaluationContext } from '../../evaluation/input.ts';
import type { Hazard, Plan } from '../../posthog/plan.ts';
import type { EstimatedPlan, Impact, Scheduled, ScheduledFacts } from '../../review/effects/impact.ts';
import type { FoundInPlan, PlanSearch } from '../applied/find-judge.ts';
import type { Session } from '../session/session.ts';

interface Inspector {
  /** `undefined` if the plan has nothing for it. */
  readonly inspectPlan: (session: Session, search: PlanSearch) => Promise<FoundInPlan | undefined>;
  /** Hazards that a saved plan does not have, refused or permitted. */
  readonly findNewHazards: (
    session: Session,
    search: PlanSearch & { readonly plan: Plan },
  ) => Promise<readonly Hazard[]>;
}

const INSPECTORS: readonly (() => Promise<Inspector>)[] = [() => import('../code/find-readers.ts')];

export async function inspectPlan(session: Session, search: PlanSearch): Promise<FoundInPlan | undefined> {
  const found = await Promise.all(INSPECTORS.map(async (load) => (await load()).inspectPlan(session, search)));
  const all = found.filter((one) => one !== undefined);
  if (all.length === 0) return undefined;
  const facts = all.flatMap((one) => one.facts ?? []);
  const sections = Object.assign({}, ...all.map((one) => one.sections)) as FoundInPlan['sections'];
  return { sections, ...defined({ facts: facts.length === 0 ? undefined : Object.assign({}, ...facts) }) };
}

export async function findNewHazards(...args: Parameters<Inspector['findNewHazards']>): Promise<readonly Hazard[]> {
  return (await Promise.all(INSPECTORS.map(async (load) => (await load()).findNewHazards(...args)))).flat();
}

/** By what people are evaluated. */
type Circumstances = Pick<EvaluationContext, 'generation' | 'now'>;

interface Estimator {
  /** `file`: of people to count. */
  readonly estimateImpact: (
    session: Session,
    made: EstimatedPlan,
    options: Circumstances & { readonly file: string | undefined },
  ) => Promise<Impact>;
  readonly findScheduled: (scheduled: Scheduled, circumstances: Circumstances) => ScheduledFacts;
}

const ESTIMATORS: readonly (() => Promise<Estimator>)[] = [() => import('../impact/estimate.ts')];

/** `undefined` without the room. */
export async function loadEstimator(): Promise<Estimator | undefined> {
  return ESTIMATORS[0]?.();
}
