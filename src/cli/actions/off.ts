/** `flagwright off KEY…`: turns flags off in the service, records it, and says how to keep or revert it. */

import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { SwitchOff } from '../../engine/plan.ts';
import type { SealOptions } from '../../engine/seal-plan.ts';
import { readNamedFlags } from '../../posthog/client/find-dependents.ts';
import type { Flag } from '../../posthog/flag/flag.ts';
import { planOff } from '../../posthog/off-plan.ts';
import { escapeLine } from '../../report/escape.ts';
import type { ExitCode } from '../line/exit.ts';
import { recordIn } from '../runs/journal-folder.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { askFirst, refusePlan, showPlan } from '../stages/agree.ts';
import { executeAndTell } from '../stages/execute-plan.ts';
import { findSafety } from '../stages/find-safety.ts';
import { loadProject, type LoadedProject } from '../stages/load-project.ts';
import { nothingToDo } from '../stages/nothing-to-do.ts';
import { chooseFlags, explainRefusals, type Chosen, type DependentsOptions } from '../stages/off-dependents.ts';
import { sayNext } from '../stages/off-next.ts';
import { findFlagsToTurnOff } from '../stages/off-targets.ts';
import { withProject, type OpenProject } from '../stages/open-project.ts';

export interface OffOptions extends SwitchOff, DependentsOptions {
  readonly allowProtected?: readonly string[];
  /** A folder; false: `--no-journal`. */
  readonly journal?: string | false;
}

/** A run in an emergency is not judged by policies, as an undo is not. */
export async function off(session: Session, keys: readonly string[], options: OffOptions): Promise<ExitCode> {
  if (options.dependents === true && options.zero === true) {
    throw new FlagwrightError('usage', '--dependents and --zero cannot be used together.');
  }
  const loaded = await loadProject(session);
  if (typeof options.journal === 'string') recordIn(session, options.journal);
  const progress = createProgress(session);
  return withProject(session, { project: loaded.project, onEvent: progress.onService }, async (opened) => {
    const { flags, all } = await findFlagsToTurnOff(opened, keys).finally(progress.clear);
    const isOn = (flag: Flag): boolean => flag.active !== false;
    for (const { key } of flags.filter((flag) => !isOn(flag))) {
      await session.note(`${escapeLine(key)} is already off in ${escapeLine(opened.identity.name)}.\n`);
    }
    const on = flags.filter(isOn);
    if (on.length === 0) return nothingToDo(session, opened.identity, { code: 'already_off' });
    const chosen = await chooseFlags(session, opened, { flags: on, ...defined({ all }), options }).finally(
      progress.clear,
    );
    return turnOff(session, { loaded, opened, progress, chosen, options });
  });
}

interface Turning {
  readonly loaded: LoadedProject;
  readonly opened: OpenProject;
  readonly progress: ReturnType<typeof createProgress>;
  readonly chosen: Chosen;
  readonly options: OffOptions;
}

async function turnOff(session: Session, turning: Turning): Promise<ExitCode> {
  const { loaded, opened, progress, chosen, options } = turning;
  const named = await readNamedFlags(opened.client, chosen.atZero);
  const { plan, live } = planOff({ ...chosen, named, ...defined({ reason: options.reason }) }, rulesOf(turning));
  if (plan.changes.length === 0) return nothingToDo(session, opened.identity, { code: 'already_off' });
  await showPlan(session, plan, defined({ yes: options.yes }));
  if (plan.hazards.length > 0) return refusePlan(session, plan, 'Turn it off again');
  if (options.yes !== true) await askFirst(session, plan, 'off');
  const journal = options.journal !== false;
  const executed = await executeAndTell(session, { plan, opened, progress, journal, read: live });
  await explainRefusals(session, opened, { result: executed.result, flags: chosen.flags });
  await sayNext(session, loaded, { ...executed, live });
  return executed.code;
}

/** Each flag is named on the command line or confirmed, so that their number needs no other permission. */
function rulesOf({ loaded, opened, chosen, options }: Turning): SealOptions {
  const most = chosen.flags.length;
  return {
    project: opened.identity,
    ...findSafety(undefined, loaded.config),
    allow: { updates: most, disables: most, protected: options.allowProtected ?? [] },
  };
}
