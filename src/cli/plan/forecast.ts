/** What a plan does: the people whom it affects, by which evaluator, what applying it takes, and what the service will change by itself. */

import { forecastOf } from '../../loop/apply/read-again.ts';
import { hasErrors, type Diagnostic } from '../../base/diagnostic.ts';
import type { JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { ProjectConfig } from '../../config/config.ts';
import type { Forecast } from '../../core/engine/forecast.ts';
import type { Generation } from '../../evaluation/input.ts';
import type { ChangedAnswer, ChangedAnswers } from '../../review/expectations/compare-answers.ts';
import type { NamedPerson } from '../../review/expectations/expectation.ts';
import { DEFAULT_TESTS } from '../../review/expectations/expectation.ts';
import type { Impact, ScheduledFacts } from '../../review/effects/impact.ts';
import { diskSource } from '../../core/manifest/tree-source.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import { comparesFalse } from '../../posthog/flag/model/normal-forms.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine, placeText } from '../../report/escape.ts';
import { generationOf } from '../../testing/generation-of.ts';
import type { OpenProject } from '../project/open-project.ts';
import { advise, type Session } from '../session/session.ts';
import { loadEstimator } from './inspect-plan.ts';
import type { FreshPlan } from './make-plan.ts';

export type Estimating = Pick<FreshPlan, 'plan' | 'live' | 'loaded' | 'desired' | 'steps'>;

/** `undefined` without the room that estimates. `file`: of people to count. */
export async function estimateImpact(
  session: Session,
  made: Estimating,
  file: string | undefined,
): Promise<Impact | undefined> {
  const estimator = await loadEstimator();
  if (estimator === undefined) return undefined;
  const generation = await findGeneration(session, made.loaded.project, made.live);
  return estimator.estimateImpact(session, made, { generation, now: new Date(session.context.now()), file });
}

/** Absent without changes and without named people. Test files with errors are noted: they do not fail a plan. */
export async function findChangedAnswers(session: Session, made: Estimating): Promise<ChangedAnswers | undefined> {
  if (made.plan.changes.length === 0) return undefined;
  const { root, tests: patterns } = made.loaded.config;
  const source = diskSource(root);
  const { files } = await source.find(patterns ?? DEFAULT_TESTS);
  if (files.length === 0) return undefined;
  const [{ readTests }, { readPeople }] = await Promise.all([
    import('../../review/expectations/read.ts'),
    import('../../review/expectations/resolve.ts'),
  ]);
  const tests = await readTests({ source, checkpoint: session.interrupts.checkpoint, ...defined({ patterns }) });
  // Only the named people: expectations about other projects may be wrong for this one.
  const { people, diagnostics } = readPeople(tests.documents);
  const found = [...tests.diagnostics, ...diagnostics].filter(({ code }) => code !== 'tests-none');
  if (hasErrors(found)) {
    const [{ summarizeWith }, { EXPECTATION_READING_WORDS }] = await Promise.all([
      import('../../base/wording.ts'),
      import('../../review/expectations/problems.ts'),
    ]);
    const place = found.find(({ severity }: Diagnostic) => severity === 'error')?.place;
    const at = place === undefined ? '' : ` ${placeText(place)}:`;
    const text = escapeLine(summarizeWith(EXPECTATION_READING_WORDS, found));
    const words = `Test files have errors, so the plan may leave out named people.${at} ${text} flagwright test shows each error.`;
    await advise(session, words);
  }
  return people.size === 0 ? undefined : compareAll(session, [...people.values()], made);
}

/** One person after the other, so that Ctrl-C takes effect in between. */
async function compareAll(
  session: Session,
  people: readonly NamedPerson[],
  { loaded, plan, desired, live }: Estimating,
): Promise<ChangedAnswers> {
  const [{ createComparison, MOST_KEPT }, { withFoundNames }] = await Promise.all([
    import('../../review/expectations/compare-answers.ts'),
    import('../../posthog/reading/found-names.ts'),
  ]);
  const { context, interrupts } = session;
  const project = withFoundNames(loaded.project, desired, { live, shared: 'omit' });
  const generation = await findGeneration(session, loaded.project, live);
  const compare = createComparison({ plan, live, project, surroundings: { generation, now: context.now() } });
  const answers: ChangedAnswer[] = [];
  let [changed, total] = [0, 0];
  for (const person of people) {
    await interrupts.breathe();
    const found = compare(person);
    answers.push(...found.slice(0, MOST_KEPT - answers.length));
    changed += found.length > 0 ? 1 : 0;
    total += found.length;
  }
  return { people: people.length, changed, total, answers };
}

/** Live state about which a note was written, so that the parts of one report do not repeat it. */
const NOTED = new WeakSet<LiveState>();

async function findGeneration(session: Session, project: ProjectConfig, live: LiveState): Promise<Generation> {
  const { matching = project.matching, flags, cohorts = [] } = live;
  if (!NOTED.has(live)) {
    NOTED.add(live);
    const { name, matching: declared = matching } = project;
    if (matching !== declared) {
      const facts = `The property_matching_version of ${escapeLine(name)} is ${matching}, and flagwright.yaml declares ${declared}.`;
      await advise(session, `${facts} People are evaluated by ${matching}.`);
    } else if (matching === undefined) await noteAssumed(session, project, [...flags, ...cohorts]);
  }
  return generationOf(project, matching);
}

/** Notes an undeclared `property_matching_version` that decides about one of these flags and cohorts, each with `filters`. */
export async function noteAssumed(
  session: Session,
  project: ProjectConfig,
  compared: readonly { readonly filters?: JsonValue }[],
): Promise<void> {
  const isKnown = project.matching !== undefined || (project.service === 'embedded' && project.isStandIn !== true);
  if (isKnown || !compared.some(({ filters }) => comparesFalse(filters))) return;
  await advise(
    session,
    `Filters of ${escapeLine(project.name)} compare with false. What they match depends on the project's property_matching_version: 1, not checked. Declare it in flagwright.yaml.`,
  );
}

/** A page of the list is too long to measure a single write if it has this many flags. */
const FLAGS_TO_PROBE = 50;

export async function forecastApply(
  { options }: Session,
  plan: Plan,
  { live, opened: { client } }: { readonly live: LiveState; readonly opened: OpenProject },
): Promise<Forecast> {
  const [first] = live.flags;
  const isMeasured = live.flags.length < FLAGS_TO_PROBE || client.stats().latencyMs['getFlag'] !== undefined;
  if (plan.changes.length > 0 && first !== undefined && !isMeasured) {
    // Reading one flag takes as long as a write.
    await client.getFlag(first.id).catch((error: unknown) => {
      if (!(error instanceof ServiceError)) throw error;
    });
  }
  const { listFlags: pageMs, getFlag: singleMs = pageMs } = client.stats().latencyMs;
  return forecastOf(plan, {
    flags: live.flags,
    concurrency: options.concurrency,
    budget: client.budget,
    // Only idle time counts as waiting, so a page that arrived while manifests were parsed may seem faster than one flag.
    ...defined({ latencyMs: singleMs, pageLatencyMs: pageMs && Math.max(pageMs, singleMs ?? 0) }),
  });
}

/**
 * `undefined` if nothing is scheduled for these flags; then it loads no further module. `applied`: the plan that is applied first; absent if the
 * report is about live state.
 */
export async function findScheduledOf(
  session: Session,
  { loaded, live, applied }: Pick<FreshPlan, 'loaded' | 'live'> & { readonly applied?: Plan },
  subjects: readonly { readonly key: string; readonly id: number }[],
): Promise<ScheduledFacts | undefined> {
  const { schedules = [], unknownSchedules: unknown } = live;
  const ids = new Set(schedules.map(({ record_id: id }) => Number(id)));
  const own = subjects.filter(({ id }) => ids.has(id));
  if (own.length === 0) return unknown === undefined ? undefined : { changes: [], unknown };
  const estimator = await loadEstimator();
  if (estimator === undefined) return undefined;
  const now = new Date(session.context.now());
  const circumstances = { generation: await findGeneration(session, loaded.project, live), now };
  const further = defined({ left: applied?.left, rollouts: applied?.rollouts, moment: loaded.project.moment });
  return estimator.findScheduled({ live, subjects: own, changes: applied?.changes ?? [], ...further }, circumstances);
}

/** The flags that the plan's warnings of scheduled changes are about: declared ones. */
export function scheduledSubjects(
  { warnings }: Pick<Plan, 'warnings'>,
  { schedules = [] }: LiveState,
): { key: string; id: number }[] {
  const flagOf = new Map(schedules.map(({ id, record_id: flag }) => [id, Number(flag)]));
  const subjects = new Map(
    warnings.flatMap((warning) => {
      const id = warning.code === 'scheduled' ? flagOf.get(warning.id) : undefined;
      return warning.code !== 'scheduled' || id === undefined ? [] : [[id, { key: warning.key, id }] as const];
    }),
  );
  return [...subjects.values()];
}
