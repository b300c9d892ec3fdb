/** `flagwright doctor`: checks what a run needs, and says how to fix each problem. */

import { countStatus, resultOf, type CheckResult, type CheckSection } from '../../report/check-result.ts';
import {
  checkConfiguration,
  checkManifests,
  errorResults,
  checkProgram,
  configurationValues,
} from '../doctor/check-configuration.ts';
import { type Purpose, checkProjects, checkService } from '../doctor/check-projects.ts';
import { checkCi, checkGit, checkJournal, checkRollouts } from '../doctor/check-repository.ts';
import { findConfiguration, surroundingsOf, type Configuration, type Surroundings } from '../doctor/surroundings.ts';
import type { ExitCode } from '../line/exit.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';

/** Writes nothing to the service. Without `--project`, every project of the configuration is checked. */
export async function doctor(session: Session, purpose: Purpose | undefined): Promise<ExitCode> {
  const configuration = await findConfiguration(session);
  const results = await runChecks(session, configuration, purpose);
  const values = configuration.kind === 'usable' ? await configurationValues(session, configuration) : [];
  await session.publish({ kind: 'doctor', results, values });
  return countStatus(results, 'problem') > 0 ? 1 : 0;
}

type Found = readonly CheckResult[] | Promise<readonly CheckResult[]>;

type Check = { readonly section: CheckSection } & (
  | { readonly needs: 'nothing'; readonly run: (session: Session, configuration: Configuration) => Found }
  /** Skipped where the configuration cannot be used. */
  | { readonly needs: 'configuration'; readonly run: (given: Surroundings, purpose: Purpose | undefined) => Found }
);

const CHECKS: readonly Check[] = [
  { section: 'program', needs: 'nothing', run: checkProgram },
  { section: 'configuration', needs: 'nothing', run: (_, configuration) => checkConfiguration(configuration) },
  { section: 'manifests', needs: 'configuration', run: checkManifests },
  { section: 'service', needs: 'configuration', run: checkService },
  { section: 'project', needs: 'configuration', run: checkProjects },
  { section: 'git', needs: 'configuration', run: checkGit },
  { section: 'journal', needs: 'configuration', run: checkJournal },
  { section: 'ci', needs: 'nothing', run: checkCi },
  { section: 'ci', needs: 'configuration', run: checkRollouts },
];

export async function runChecks(
  session: Session,
  configuration: Configuration,
  purpose: Purpose | undefined,
): Promise<CheckResult[]> {
  const surroundings = configuration.kind === 'usable' ? surroundingsOf(session, configuration) : undefined;
  const results: CheckResult[] = [];
  for (const check of CHECKS) {
    await session.interrupts.breathe();
    const subject = { section: check.section };
    try {
      if (check.needs === 'nothing') results.push(...(await check.run(session, configuration)));
      else if (surroundings !== undefined) results.push(...(await check.run(surroundings, purpose)));
      else results.push(resultOf(subject, 'skipped', ['not_checked', { because: 'configuration_unusable' }]));
    } catch (error) {
      const known = toFlagwrightError(error);
      if (known.code === 'interrupted' || known.code === 'deadline') throw error;
      results.push(...errorResults(subject, known));
    }
  }
  return results;
}
