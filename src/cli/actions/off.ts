/** `flagwright off KEY…`: turns flags off in the service, records it, and says how to keep or revert it. */

import type { ApplyResult } from '../../apply/result.ts';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import { nearest } from '../../base/text.ts';
import type { SwitchOff } from '../../engine/plan.ts';
import type { SealOptions } from '../../engine/seal-plan.ts';
import { readNamedFlags } from '../../posthog/reading/find-dependents.ts';
import { findFlagsByKey } from '../../posthog/flag/find-flag.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { LiveState } from '../../posthog/live.ts';
import type { Plan } from '../../posthog/plan.ts';
import { planOff } from '../../posthog/planning/off-plan.ts';
import { escapeLine, escapeWholeLine, quoteShort } from '../../report/escape.ts';
import { keysText } from '../../report/words/amounts.ts';
import { shellWord } from '../../report/words/ways-out.ts';
import { findSafety } from '../applied/find-judge.ts';
import type { ExitCode } from '../line/exit.ts';
import { askFirst, refusePlan, showPlan } from '../plan/confirmation.ts';
import { executeAndTell, recordNothing } from '../plan/execute-plan.ts';
import { nothingToDo } from '../plan/nothing-to-do.ts';
import { loadProject, type LoadedProject } from '../project/load-project.ts';
import type { PreviewOptions } from './off-preview.ts';
import { withProject, type OpenProject } from '../project/open-project.ts';
import { recordIn, runCommand } from '../runs/journal-folder.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { findSchedules, findSteps } from './off-later.ts';
import { chooseFlags, explainRefusals, type ChosenFlags, type DependentsOptions } from './off-dependents.ts';

export interface OffOptions extends SwitchOff, DependentsOptions {
  readonly allowProtected?: readonly string[];
  /** A folder; false: `--no-journal`. */
  readonly journal?: string | false;
}

interface Done {
  readonly result: ApplyResult;
  /** Absent: it was not recorded. */
  readonly run?: string;
  /** The state that the run was planned from. */
  readonly live: LiveState;
}

interface FlagsToTurnOff {
  /** Sorted as they were named, each once. */
  readonly flags: readonly Flag[];
  /** Every flag that the service lists, where all were read. */
  readonly all?: readonly Flag[];
}

/** A run in an emergency is not judged by policies, as an undo is not. */
export async function off(
  session: Session,
  { keys, ...options }: OffOptions & { readonly keys: readonly string[] },
): Promise<ExitCode> {
  if (options.dependents === true && options.zero === true) {
    throw new FlagwrightError('usage', '--dependents and --zero cannot be used together.');
  }
  const loaded = await loadProject(session);
  if (typeof options.journal === 'string') recordIn(session, options.journal);
  const progress = createProgress(session);
  return withProject(session, { project: loaded.project, progress }, async (opened) => {
    const { flags, all } = await findFlagsToTurnOff(opened, keys).finally(progress.clear);
    const isOn = (flag: Flag): boolean => flag.active !== false;
    const on = flags.filter(isOn);
    const already = flags.filter((flag) => !isOn(flag));
    await noteAlreadyOff(session, { loaded, opened }, already);
    if (on.length === 0) {
      const chosen = { flags: [], atZero: [] };
      return turnOff(session, { loaded, opened, progress, chosen, already, options });
    }
    const chosen = await chooseFlags(session, opened, { flags: on, ...defined({ all }), options }).finally(
      progress.clear,
    );
    return turnOff(session, { loaded, opened, progress, chosen, already, options });
  });
}

async function noteAlreadyOff(
  session: Session,
  { loaded, opened }: Pick<Turning, 'loaded' | 'opened'>,
  flags: readonly Flag[],
): Promise<void> {
  if (flags.length === 0) return;
  const later = await Promise.all([findSchedules(opened, flags), findSteps(loaded, flags)]);
  const name = escapeLine(opened.identity.name);
  const lines = [...flags.map(({ key }) => `${escapeLine(key)} is already off in ${name}.`), ...later.flat()];
  await session.note(`${lines.join('\n')}\n`);
}

interface Turning {
  readonly loaded: LoadedProject;
  readonly opened: OpenProject;
  readonly progress: ReturnType<typeof createProgress>;
  readonly chosen: ChosenFlags;
  /** Named flags that are off: the run is recorded about them too. */
  readonly already: readonly Flag[];
  readonly options: OffOptions;
}

async function turnOff(session: Session, turning: Turning): Promise<ExitCode> {
  const { loaded, opened, progress, chosen, already, options } = turning;
  const named = await readNamedFlags(opened.client, chosen.atZero);
  const off = { ...chosen, named, off: already, ...defined({ reason: options.reason }) };
  const { plan, live } = planOff(off, rulesOf(turning));
  if (plan.changes.length === 0) {
    if (options.journal !== false) await keepOff(session, turning, plan);
    return nothingToDo(session, opened.identity, { code: 'already_off' });
  }
  await showPlan(session, plan, defined({ yes: options.yes }));
  if (plan.hazards.length > 0) return refusePlan(session, plan, 'Turn it off again');
  if (options.yes !== true) await askFirst(session, plan, 'off');
  const journal = options.journal !== false;
  const executed = await executeAndTell(session, { plan, opened, progress, journal, read: live });
  await explainRefusals(session, opened, { result: executed.result, flags: chosen.flags });
  await printNextSteps(session, { loaded, opened }, { ...executed, live });
  return executed.code;
}

/** Records flags that are off: nothing else keeps a later apply from turning them on. */
async function keepOff(session: Session, { loaded }: Turning, plan: Plan): Promise<void> {
  const run = await recordNothing(session, plan);
  const keys = (plan.off?.already ?? []).map(({ key }) => shellWord(key)).join(' ');
  const { name } = loaded.project;
  const lines = [
    `Recorded as run ${run}: on this machine, apply refuses to turn ${keys} on. To allow it again:`,
    `  ${runCommand(session, `undo ${run}`, name)}`,
  ];
  await session.note(`${lines.join('\n')}\n`);
}

/** Each flag is named on the command line or confirmed, so no permission limits their number. */
function rulesOf({ loaded, opened, chosen, options }: Turning): SealOptions {
  const most = chosen.flags.length;
  return {
    project: opened.identity,
    ...findSafety(undefined, loaded.config),
    allow: { updates: most, disables: most, protected: options.allowProtected ?? [] },
  };
}

/** Prints how to keep what a run of `off` did, and how to revert it. */
async function printNextSteps(
  session: Session,
  { loaded, opened }: Pick<Turning, 'loaded' | 'opened'>,
  { result, run, live }: Done,
): Promise<void> {
  const keys = result.changes.flatMap(({ change, result: { outcome } }) => (outcome === 'applied' ? [change.key] : []));
  if (keys.length === 0) return;
  const { name } = loaded.project;
  const [words, project] = [keys.map(shellWord).join(' '), shellWord(name)];
  const { flags, onlyActive } = writtenFlags({ result, live });
  const [preview, scheduled] = await Promise.all([
    tryPreview(loaded, flags, { onlyActive }),
    findSchedules(opened, flags),
  ]);
  // The flags may have other edits, which are not from this run.
  const only = onlyActive ? ' --only active' : '';
  const lines = [
    ...scheduled,
    `Until you keep or revert this, drift reports it${run === undefined ? '' : `, and apply refuses to turn ${keys.length === 1 ? 'the flag' : 'the flags'} on again here, and wherever it knows what was applied last`}.`,
    'To keep this, accept it into the manifests:',
    `  flagwright accept ${words}${only} -p ${project}`,
    ...preview.map((line) => `    ${escapeWholeLine(line)}`),
    'To revert this, either:',
    ...(run === undefined ? [] : [`  ${runCommand(session, `undo ${run}`, name)}`]),
    `  flagwright apply --target ${words} --override ${words} -p ${project}`,
  ];
  await session.note(`\n${lines.join('\n')}\n`);
}

/** The flags are off already: a failure here only omits a note. */
async function tryPreview(
  loaded: LoadedProject,
  flags: readonly Flag[],
  options: PreviewOptions,
): Promise<readonly string[]> {
  if (flags.length === 0) return [];
  try {
    return await (await import('./off-preview.ts')).previewAccept(loaded, flags, options);
  } catch {
    return [];
  }
}

/** The live flags after the run. `onlyActive`: none of them stays enabled with 0% in every condition. */
function writtenFlags({ result, live }: Pick<Done, 'result' | 'live'>): PreviewOptions & { readonly flags: Flag[] } {
  const bodies = new Map(
    result.changes.flatMap(({ change, result: { outcome } }) =>
      outcome === 'applied' && 'body' in change && change.id !== undefined ? [[change.id, change.body] as const] : [],
    ),
  );
  return {
    flags: live.flags.flatMap((flag) => (bodies.has(flag.id) ? [{ ...flag, ...bodies.get(flag.id) }] : [])),
    onlyActive: [...bodies.values()].every((body) => body['active'] === false),
  };
}

/** Reads the flag once more if the list says that it is off: the list may be older, and the flag would not be turned off. */
async function confirm({ client }: OpenProject, flag: Flag): Promise<Flag> {
  return flag.active === false ? client.getFlag(flag.id) : flag;
}

/** @throws {FlagwrightError} `usage` for keys that the project does not have, with the nearest that it has. */
async function findFlagsToTurnOff(opened: OpenProject, keys: readonly string[]): Promise<FlagsToTurnOff> {
  const { client, identity } = opened;
  const wanted = [...new Set(keys)];
  const { found, all, similar } = await findFlagsByKey(client, wanted);
  const missing = wanted.filter((key) => !found.has(key));
  const [first] = missing;
  if (first === undefined) {
    const flags = await Promise.all(wanted.flatMap((key) => found.get(key) ?? []).map((flag) => confirm(opened, flag)));
    return { flags, ...(all === undefined ? {} : { all }) };
  }
  const near =
    nearest(
      first,
      similar.map(({ key }) => key),
    ) ??
    nearest(
      first,
      (all ?? (await client.listFlags())).map(({ key }) => key),
    );
  const subject = missing.length === 1 ? `no flag ${quoteShort(first)}` : `none of these flags: ${keysText(missing)}`;
  throw new FlagwrightError(
    'usage',
    `The project ${quoteShort(identity.name)} has ${subject}; nothing was turned off.`,
    {
      remedy:
        near === undefined
          ? '`flagwright flags list` shows the keys. A soft-deleted flag is off.'
          : `Did you mean ${quoteShort(near)}?`,
    },
  );
}
