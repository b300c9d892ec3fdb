/** The table of checks, and how they run: each for itself, so that none stops the others. */

import { resultOf, type CheckResult, type CheckSection } from '../../report/check-result.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';
import { checkCi } from './check-ci.ts';
import { checkConfiguration, checkManifests, errorResults } from './check-configuration.ts';
import { checkGit } from './check-git.ts';
import { checkJournal } from './check-journal.ts';
import { checkProgram } from './check-program.ts';
import { checkProjects, type Purpose } from './check-projects.ts';
import { checkRollouts } from './check-rollouts.ts';
import { checkService } from './check-service.ts';
import { surroundingsOf, type Configuration, type Surroundings } from './surroundings.ts';

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
