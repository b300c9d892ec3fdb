/** How many people get something else by a plan. */

import { createReadStream } from 'node:fs';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import type { Circumstances, Planned } from '../../impact/find-impact.ts';
import type { Impact } from '../../impact/impact.ts';
import { escapeLine } from '../../report/escape.ts';
import { fileError } from '../session/files.ts';
import type { Session } from '../session/session.ts';
import { generationOf } from './generation-of.ts';
import type { FreshPlan } from './make-plan.ts';

/** `persons`: a file of people. Loads what it needs when it is called: few runs ask for it. */
export async function estimateImpact(
  session: Session,
  { plan, live, loaded }: Pick<FreshPlan, 'plan' | 'live' | 'loaded'>,
  persons?: string,
): Promise<Impact> {
  const [{ findImpact }, { searchRegex }] = await Promise.all([
    import('../../impact/find-impact.ts'),
    import('../../embedded/evaluation/search-regex.ts'),
  ]);
  const { changes, warnings } = plan;
  const now = new Date(session.context.now());
  const circumstances: Circumstances = { generation: generationOf(loaded.project), now, searchRegex };
  const planned: Planned = { changes, warnings, live: live.flags };
  const impact = findImpact(planned, circumstances);
  return persons === undefined ? impact : addPersons(session, persons, { impact, planned, circumstances });
}

interface Counting {
  readonly impact: Impact;
  readonly planned: Planned;
  readonly circumstances: Circumstances;
}

async function addPersons(session: Session, file: string, { impact, ...counting }: Counting): Promise<Impact> {
  const [{ countPersons }, { readPersons }] = await Promise.all([
    import('../../impact/persons/count-persons.ts'),
    import('../../impact/persons/read-persons.ts'),
  ]);
  const stream = createReadStream(path.resolve(session.context.cwd, file));
  try {
    return await countPersons(impact, readPersons(stream, escapeLine(file)), counting);
  } catch (cause) {
    throw cause instanceof FlagwrightError ? cause : fileError('read', escapeLine(file), cause);
  } finally {
    stream.destroy();
  }
}
