/** `flagwright apply --resume [RUN]`: finds out what an interrupted run did, and finishes the rest. */

import { FlagwrightError } from '../../base/errors.ts';
import { isComplete, type Run } from '../../journal/read.ts';
import { keysWithSecretsLeftOut } from '../../posthog/disclosure.ts';
import type { ExitCode } from '../line/exit.ts';
import { toRecordedRun } from '../runs/recorded-run.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { refusePlan } from './agree.ts';
import { chooseRun, type Choice } from './choose-run.ts';
import { executePlan } from './execute-plan.ts';
import { loadConfiguration } from '../project/load-project.ts';
import { nothingToDo } from './nothing-to-do.ts';
import { withProject } from '../project/open-project.ts';
import { recordApplied, type Applied } from '../base/record-applied.ts';

/**
 * Without a name, resumes the newest run of the project. An older unfinished run was superseded by the plans after it
 * and is resumed only by name.
 */
export async function resumeRun(
  session: Session,
  { moves, ...choice }: Pick<Choice, 'reference' | 'journal'> & Pick<Applied, 'moves'>,
): Promise<ExitCode> {
  const config = await loadConfiguration(session);
  const wanted = { ...choice, fits: () => true, lacking: 'is recorded' };
  const { run, project, identity } = await chooseRun(session, config, wanted);
  if (isComplete(run)) return nothingToDo(session, identity, { code: 'nothing_to_resume' });
  checkSecrets(run);
  if (run.plan.hazards.length > 0) return refusePlan(session, run.plan);
  await session.note(`${await session.textOf({ kind: 'resuming', run: toRecordedRun(run) })}\n`);
  const progress = createProgress(session);
  const code = await withProject(session, { project, onEvent: progress.onService }, async (opened) =>
    executePlan(session, { plan: run.plan, opened, progress, journal: true, resumed: run.name }),
  );
  if (code === 0) await recordApplied(session, { loaded: { config, project }, plan: run.plan, moves });
  return code;
}

/** @throws {FlagwrightError} `plan_invalid` if an open change needs a secret, which no journal contains. */
function checkSecrets({ name, plan, applied }: Run): void {
  const [key] = keysWithSecretsLeftOut(plan.changes.filter(({ ref }) => !applied.has(ref)));
  if (key === undefined) return;
  throw new FlagwrightError(
    'plan_invalid',
    `Run ${name} cannot be resumed: it changes the encrypted payloads of ${key}, which no journal contains.`,
    { remedy: 'Run `flagwright apply` again: it plans the remaining changes.' },
  );
}
