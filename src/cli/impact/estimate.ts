/** Estimates whom a plan and its later steps affect; the row in `plan/inspect-plan.ts` loads it, since few runs ask. */

import { createReadStream } from 'node:fs';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { escapeLine } from '../../report/escape.ts';
import type { EstimatedPlan, Impact } from '../../review/effects/impact.ts';
import {
  findImpact,
  findStepImpact,
  stepOnLive,
  type Circumstances,
  type PlannedImpact,
} from '../../review/impact/find-impact.ts';
import { fileError } from '../session/files.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';

export { findScheduled } from '../../review/impact/scheduled.ts';

/** `file`: of people to count. */
export async function estimateImpact(
  session: Session,
  { plan: { changes, warnings }, live, desired, steps: ahead = [] }: EstimatedPlan,
  { file, ...circumstances }: Circumstances & { readonly file?: string | undefined },
): Promise<Impact> {
  const planned: PlannedImpact = { changes, warnings, live: live.flags };
  const ofSteps = ahead.length === 0 ? {} : { steps: findStepImpact(ahead, circumstances) };
  const impact = withSources({ ...findImpact(planned, circumstances), ...ofSteps }, desired);
  if (file === undefined) return impact;
  const [{ countPersons }, { readPersons }] = await Promise.all([
    import('../../review/impact/persons/count-persons.ts'),
    import('../../review/impact/persons/read-persons.ts'),
  ]);
  const { onCounted, end } = createProgress(session);
  const stream = createReadStream(path.resolve(session.context.cwd, file));
  const counting = { planned, circumstances, steps: ahead.map(stepOnLive), onCounted };
  try {
    return await countPersons(impact, readPersons(stream, escapeLine(file)), counting);
  } catch (cause) {
    throw cause instanceof FlagwrightError ? cause : fileError('read', escapeLine(file), cause);
  } finally {
    end();
    stream.destroy();
  }
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
