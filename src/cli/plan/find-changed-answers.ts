/** Finds the people named in test files whose answers a plan changes. */

import { hasErrors, type Diagnostic } from '../../base/diagnostic.ts';
import { defined } from '../../base/optional.ts';
import type { ChangedAnswer, ChangedAnswers } from '../../expectations/changed-answers.ts';
import type { NamedPerson } from '../../expectations/expectation.ts';
import { DEFAULT_TESTS } from '../../expectations/read.ts';
import type { ExpectationDiagnostic } from '../../expectations/problems.ts';
import { diskSource } from '../../manifest/tree-source.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import { escapeLine } from '../../report/escape.ts';
import type { Session } from '../session/session.ts';
import { findGeneration } from './find-generation.ts';
import type { LoadedProject } from '../project/load-project.ts';

interface PlanWithAnswers {
  readonly loaded: LoadedProject;
  readonly plan: Plan;
  readonly desired: DesiredState;
  readonly live: LiveState;
}

/** Absent without changes and without named people. Test files with errors are noted: they do not fail a plan. */
export async function findChangedAnswers(session: Session, made: PlanWithAnswers): Promise<ChangedAnswers | undefined> {
  if (made.plan.changes.length === 0) return undefined;
  const { root, tests: patterns } = made.loaded.config;
  const source = diskSource(root);
  const { files } = await source.find(patterns ?? DEFAULT_TESTS);
  if (files.length === 0) return undefined;
  const people = await readNamedPeople(session, made.loaded);
  return people.length === 0 ? undefined : compareAll(session, people, made);
}

/** Reads only the named people: expectations about other projects may be wrong for this one. */
async function readNamedPeople(session: Session, { config }: LoadedProject): Promise<readonly NamedPerson[]> {
  const [{ readTests }, { readPeople }] = await Promise.all([
    import('../../expectations/read.ts'),
    import('../../expectations/people.ts'),
  ]);
  const { checkpoint } = session.interrupts;
  const tests = await readTests({
    source: diskSource(config.root),
    checkpoint,
    ...defined({ patterns: config.tests }),
  });
  const { people, diagnostics } = readPeople(tests.documents);
  const found = [...tests.diagnostics, ...diagnostics].filter(({ code }) => code !== 'tests-none');
  if (hasErrors(found)) await noteErrors(session, found);
  return [...people.values()];
}

async function noteErrors(session: Session, found: readonly ExpectationDiagnostic[]): Promise<void> {
  const [{ summarizeWith }, { EXPECTATION_READING_WORDS }] = await Promise.all([
    import('../../base/wording.ts'),
    import('../../expectations/problems.ts'),
  ]);
  const place = found.find(({ severity }: Diagnostic) => severity === 'error')?.place;
  const at = place === undefined ? '' : ` ${escapeLine(place.file)}:${place.line}:${place.column}:`;
  const text = escapeLine(summarizeWith(EXPECTATION_READING_WORDS, found));
  await session.note(
    `${session.palette.warning('note')}  Test files have errors, so the plan may leave out named people.${at} ${text} flagwright test shows each error.\n`,
  );
}

/** One person after the other, so that Ctrl-C takes effect in between. */
async function compareAll(
  session: Session,
  people: readonly NamedPerson[],
  { loaded, plan, desired, live }: PlanWithAnswers,
): Promise<ChangedAnswers> {
  const [{ createComparison }, { MOST_KEPT }, { withFoundNames }] = await Promise.all([
    import('../../expectations/compare-answers.ts'),
    import('../../expectations/changed-answers.ts'),
    import('../../posthog/reading/found-names.ts'),
  ]);
  const { context, interrupts } = session;
  const project = withFoundNames(loaded.project, desired, { live, shared: 'omit' });
  const surroundings = {
    generation: await findGeneration(session, loaded.project, live),
    now: context.now(),
  };
  const compare = createComparison({ plan, live, project, surroundings });
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
