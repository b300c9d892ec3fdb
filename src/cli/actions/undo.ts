/** `flagwright undo [RUN]`: makes a plan that reverts a run, and saves it, or asks for confirmation and applies it. */

import { FlagwrightError } from '../../base/errors.ts';
import { valueAt } from '../../base/json-pointer.ts';
import { jsonEquals } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { placeAt } from '../../base/place.ts';
import { nearest } from '../../base/text.ts';
import type { SealOptions } from '../../core/engine/seal-plan.ts';
import type { Run } from '../../loop/journal/read.ts';
import { invertRun, limitRun, mayBeUndone, requestsOf } from '../../loop/journal/undo.ts';
import { cohortNamesIn } from '../../posthog/cohort/names.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { findOwnership } from '../../posthog/flag/model/fields.ts';
import type { Change } from '../../posthog/plan.ts';
import { takeSnapshot } from '../../posthog/snapshot.ts';
import { escapeLine, placeText, quoteShort } from '../../report/escape.ts';
import type { ReportOf } from '../../report/report.ts';
import { findOwnersOfChanges } from '../../posthog/planning/owners.ts';
import { keysText } from '../../report/words/amounts.ts';
import { undoneRequestText } from '../../report/words/authors.ts';
import { exceptionsOf } from '../applied/find-exceptions.ts';
import { findSafety } from '../applied/find-judge.ts';
import type { ExitCode } from '../line/exit.ts';
import type { PermissionOptions } from '../line/options.ts';
import { askFirst, refusePlan, savePlan } from '../plan/confirmation.ts';
import { forecastApply } from '../plan/forecast.ts';
import { chooseRun, type Execution, executePlan, recordNothing, nothingToDo } from '../plan/execute-plan.ts';
import type { FreshPlan } from '../plan/make-plan.ts';
import { findOwners } from '../project/find-owners.ts';
import { findDeclaration, findDeclaredFlags, loadConfiguration, type LoadedProject } from '../project/load-project.ts';
import { withProject } from '../project/open-project.ts';
import { refuseRevertedOff } from '../runs/find-recorded.ts';
import { findNewestRuns } from '../runs/find-runs.ts';
import { reportFailure } from '../session/failure.ts';
import { advise, type Session } from '../session/session.ts';

export interface UndoOptions extends PermissionOptions {
  readonly run?: string;
  readonly out?: string;
  readonly yes?: boolean;
  readonly partial?: boolean;
  readonly target?: readonly string[];
  readonly journal?: string | false;
}

export async function undo(session: Session, { run: name, ...options }: UndoOptions): Promise<ExitCode> {
  const config = await loadConfiguration(session);
  const wanted = { reference: name, journal: options.journal === false ? undefined : options.journal };
  let newest: string | undefined;
  const fits = (one: Run): boolean => {
    newest ??= one.name;
    return mayBeUndone(one);
  };
  const lacking = 'that changed something is recorded';
  const chosen = await chooseRun(session, config, { ...defined(wanted), fits, lacking });
  const { project, identity } = chosen;
  if (name === undefined) await refuseUndoOfUndo(session, chosen.run);
  // `history` shows it first.
  if (newest !== undefined && newest !== chosen.run.name)
    await advise(session, `Run ${newest} is newer, but changed nothing. This reverts run ${chosen.run.name}.`);
  const run = limitToTargets(chosen.run, options);
  const rules: SealOptions = { project: identity, ...findSafety(undefined, config), exceptions: exceptionsOf(options) };
  return withProject(session, { project, patience: { urgent: true } }, async (opened) => {
    const { plan, refused, live } = await invertRun(run, opened.client, rules).finally(opened.progress.clear);
    const { off, undoes } = run.plan;
    const undoesOff = off !== undefined;
    await refuseRevertedOff(session, plan, { undoesOff });
    for (const { key, request } of requestsOf(run)) await session.print(`${undoneRequestText(key, request)}\n`);
    const forecast = await forecastApply(session, plan, { live, opened });
    const releases = off?.already !== undefined;
    const cohortNames = cohortNamesIn([plan, refused], project.cohorts, () => takeSnapshot(live).cohorts);
    const reverted = run.plan.changes;
    const loaded = { config, project };
    const owners = findOwnersOfChanges(plan.changes, await findOwners(config), reverted);
    const known = { run: run.name, plan, refused, forecast, owners, ...defined({ cohortNames }) };
    const made = { ...known, releases, isOfGit: !undoesOff && undoes === undefined, opened, reverted, loaded };
    const isRefused = refused.length > 0 && options.partial !== true;
    if (options.out === undefined) return applyInverse(session, made, { ...options, isRefused });
    if (isRefused) return refuse(session, refused, plan.changes.length);
    await savePlan(session, made, options.out);
    await session.publish({ kind: 'undo', ...known });
    if (plan.hazards.length > 0) return 0;
    await session.note(`Saved. To apply exactly this plan: flagwright apply ${escapeLine(options.out)}\n`);
    await noteGit(session, made, plan.changes);
    return 0;
  });
}

/** A second undo without a name would make the bad changes again. */
async function refuseUndoOfUndo(session: Session, { name, plan }: Run): Promise<void> {
  const { undoes } = plan;
  if (undoes === undefined) return;
  const undone = new Set([undoes]);
  const [before, ...others] = await findNewestRuns(session, plan.project, (run) => {
    if (run.plan.undoes !== undefined) undone.add(run.plan.undoes);
    return run.plan.undoes === undefined && !undone.has(run.name) && mayBeUndone(run);
  });
  const isKnown = before !== undefined && others.length === 0;
  const older = !isKnown ? '' : ` To revert the run before that: flagwright undo ${before.name}.`;
  throw new FlagwrightError('refused', `The newest run ${name} is an undo of run ${undoes}; nothing was applied.`, {
    remedy: `To make the changes of that run again: flagwright undo ${name}.${older}`,
  });
}

/** @throws {FlagwrightError} `usage` for a target that matches no flag of the run. */
function limitToTargets(run: Run, { target }: UndoOptions): Run {
  if (target === undefined) return run;
  const { run: limited, unmatched, keys } = limitRun(run, target);
  const [first] = unmatched;
  if (first === undefined) return limited;
  const suggestion = nearest(first, keys);
  throw new FlagwrightError('usage', `--target ${quoteShort(first)} matches no flag that run ${run.name} wrote.`, {
    remedy:
      suggestion === undefined
        ? `\`flagwright history ${run.name}\` lists its changes.`
        : `Did you mean --target ${quoteShort(suggestion)}?`,
  });
}

type UndoReport = ReportOf<'undo'>;

interface MadeInverse
  extends
    Pick<FreshPlan, 'plan' | 'cohortNames' | 'opened'>,
    Pick<Execution, 'reverted'>,
    Required<Pick<UndoReport, 'run' | 'refused' | 'forecast' | 'owners'>> {
  readonly loaded: LoadedProject;
  /** The run holds flags back that it found off. */
  readonly releases: boolean;
  /** The run wrote what git declared, as neither `off` nor an undo does. */
  readonly isOfGit: boolean;
}

async function applyInverse(
  session: Session,
  made: MadeInverse,
  { isRefused, ...options }: UndoOptions & { readonly isRefused: boolean },
): Promise<ExitCode> {
  const { plan, refused, opened } = made;
  // The plan is on stderr, like that of an apply. A refusal itself lists what cannot be undone.
  if (plan.changes.length > 0) {
    const { run, forecast, cohortNames } = made;
    const report = {
      kind: 'undo',
      run,
      plan: { ...plan, hazards: [] },
      refused: isRefused ? [] : refused,
      forecast,
      ...defined({ cohortNames }),
    } as const;
    const text = `${await session.textOf(report)}\n`;
    await (options.yes === true ? session.note(text) : session.print(text));
  }
  if (isRefused || (plan.changes.length === 0 && refused.length > 0))
    return refuse(session, refused, plan.changes.length);
  if (plan.hazards.length > 0) return refusePlan(session, plan, 'Undo again');
  if (plan.changes.length === 0) {
    // The flags that a run of `off` found off are free again.
    if (made.releases && options.journal !== false) await recordNothing(session, plan);
    return nothingToDo(session, opened.identity, { code: 'run_changed_nothing', run: made.run });
  }
  if (options.yes !== true) await askFirst(session, plan, 'undo');
  const { code, result } = await executePlan(session, { ...made, journal: options.journal !== false });
  const applied = result.changes.flatMap((one) => (one.result.outcome === 'applied' ? [one.change] : []));
  await noteGit(session, made, applied);
  return code;
}

/** Says what is to be done in git about changes of the plan, made or saved. */
async function noteGit(
  session: Session,
  { isOfGit, loaded }: Pick<MadeInverse, 'isOfGit' | 'loaded'>,
  changes: readonly Change[],
): Promise<void> {
  const places = isOfGit ? [] : findWhatRepeats(changes, (await findDeclaredFlags(loaded)) ?? []);
  const where = isOfGit ? 'Revert the commit' : `Edit ${keysText(places, (place) => place)}`;
  if (isOfGit ? changes.length > 0 : places.length > 0)
    await session.note(`Undo does not change git. ${where} too, or the next apply repeats the change.\n`);
}

/** The places where manifests declare what is undone, as `accept` may have written it. */
function findWhatRepeats(changes: readonly Change[], declared: DesiredState['flags']): readonly string[] {
  return changes.flatMap((change) => {
    const flag = change.resource === 'flag' ? findDeclaration(declared, change.key) : undefined;
    if (!('fields' in change) || flag === undefined) return [];
    const { fields, ownership = [] } = flag;
    const same = change.fields.find(
      ({ path, before }) =>
        jsonEquals(before, valueAt(fields, path)) &&
        (findOwnership(ownership, path, fields) ?? 'managed') === 'managed',
    );
    return same === undefined ? [] : placeText(placeAt(flag.places, same.path));
  });
}

/** Stale if live flags changed; otherwise nothing can write back what was there. */
async function refuse(session: Session, refused: UndoReport['refused'], possible: number): Promise<ExitCode> {
  const moved = refused.some(({ refusal }) => refusal === 'moved' || refusal === 'gone');
  const remedy = possible > 0 ? { remedy: 'Check the rest, then undo it with --partial.' } : {};
  const message = 'Some changes of the run cannot be undone; nothing was applied.';
  return reportFailure(session, new FlagwrightError(moved ? 'plan_stale' : 'refused', message, remedy), { refused });
}
