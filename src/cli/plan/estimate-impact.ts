/** Estimates how many people a plan affects. */

import { createReadStream } from 'node:fs';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Circumstances, PlannedImpact } from '../../impact/find-impact.ts';
import type { Impact } from '../../impact/impact.ts';
import type { CountingOptions } from '../../impact/persons/count-persons.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { escapeLine } from '../../report/escape.ts';
import { fileError } from '../session/files.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';
import { findGeneration } from './find-generation.ts';
import type { FreshPlan } from './make-plan.ts';

export type Estimating = Pick<FreshPlan, 'plan' | 'live' | 'loaded' | 'desired' | 'steps'>;

/** Loads its modules when it is called, since few runs ask for it. `file`: of people to count. */
export async function estimateImpact(
  session: Session,
  { plan: { changes, warnings }, live, loaded, desired, steps: ahead = [] }: Estimating,
  file: string | undefined,
): Promise<Impact> {
  const { findImpact, findStepImpact, stepOnLive } = await import('../../impact/find-impact.ts');
  const generation = await findGeneration(session, loaded.project, live);
  const circumstances: Circumstances = { generation, now: new Date(session.context.now()) };
  const planned: PlannedImpact = { changes, warnings, live: live.flags };
  const ofSteps = ahead.length === 0 ? {} : { steps: findStepImpact(ahead, circumstances) };
  const impact = withSources({ ...findImpact(planned, circumstances), ...ofSteps }, desired);
  if (file === undefined) return impact;
  return countFile(session, file, { impact, planned, circumstances, steps: ahead.map(stepOnLive) });
}

/** The declaration helps a reviewer to find a flag without a change of its own. */
function withSources(impact: Impact, { flags }: DesiredState): Impact {
  const places = new Map(flags.map(({ key, places: { place } }) => [key, place]));
  const placed = <Of extends Pick<Impact, 'flags'>>(of: Of): Of => ({
    ...of,
    flags: of.flags.map((flag) =>
      flag.by === 'change' ? flag : { ...flag, ...defined({ source: places.get(flag.key) }) },
    ),
  });
  return { ...placed(impact), ...defined({ steps: impact.steps?.map(placed) }) };
}

async function countFile(
  session: Session,
  file: string,
  { impact, ...counting }: CountingOptions & { readonly impact: Impact },
): Promise<Impact> {
  const [{ countPersons }, { readPersons }] = await Promise.all([
    import('../../impact/persons/count-persons.ts'),
    import('../../impact/persons/read-persons.ts'),
  ]);
  const { onCounted, end } = createProgress(session);
  const stream = createReadStream(path.resolve(session.context.cwd, file));
  try {
    return await countPersons(impact, readPersons(stream, escapeLine(file)), { ...counting, onCounted });
  } catch (cause) {
    throw cause instanceof FlagwrightError ? cause : fileError('read', escapeLine(file), cause);
  } finally {
    end();
    stream.destroy();
  }
}
