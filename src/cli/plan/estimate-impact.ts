/** Estimates how many people a plan affects. */

import { createReadStream } from 'node:fs';

import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { defined } from '../../base/optional.ts';
import type { Circumstances, PlannedImpact } from '../../impact/find-impact.ts';
import type { Impact } from '../../impact/impact.ts';
import type { CounterOptions } from '../../impact/persons/counter.ts';
import type { ServiceClient } from '../../posthog/service-client.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import type { StepAhead } from '../../posthog/planning/steps-ahead.ts';
import { readPersonPages } from '../../posthog/client/operations/persons.ts';
import { escapeLine } from '../../report/escape.ts';
import type { PersonsOption } from '../line/parsed-options.ts';
import { fileError } from '../session/files.ts';
import { toFlagwrightError } from '../session/failure.ts';
import type { Session } from '../session/session.ts';
import { findGeneration } from './find-generation.ts';
import type { FreshPlan } from './make-plan.ts';

export interface Estimating extends Pick<FreshPlan, 'plan' | 'live' | 'loaded' | 'desired' | 'steps'> {
  /** Reads facts that only the service has. */
  readonly client?: ServiceClient;
}

export interface ImpactOptions {
  readonly persons?: PersonsOption;
  readonly blastRadius?: boolean;
}

/** Loads its modules when it is called, since few runs ask for it. */
export async function estimateImpact(
  session: Session,
  { plan, live, loaded, desired, client, steps: ahead = [] }: Estimating,
  { persons, blastRadius = false }: ImpactOptions,
): Promise<Impact> {
  const { findImpact } = await import('../../impact/find-impact.ts');
  const { changes, warnings } = plan;
  const now = new Date(session.context.now());
  const circumstances: Circumstances = {
    generation: await findGeneration(session, loaded.project, live),
    now,
  };
  const planned: PlannedImpact = { changes, warnings, live: live.flags };
  const steps = await stepsOf(ahead, circumstances);
  const estimated = withSources(
    { ...findImpact(planned, circumstances), ...defined({ steps: steps?.impact }) },
    desired,
  );
  const impact = blastRadius ? await addRadius(session, { impact: estimated, planned }, present(client)) : estimated;
  const counting = { impact, planned, circumstances, ...defined({ steps: steps?.planned }) };
  switch (persons?.source) {
    case undefined:
      return impact;
    case 'file':
      return addFile(session, persons.file, counting);
    case 'live':
      return addLive(present(client), persons.most, counting);
  }
}

interface EstimatedSteps {
  readonly impact: NonNullable<Impact['steps']>;
  readonly planned: readonly PlannedImpact[];
}

async function stepsOf(ahead: readonly StepAhead[], circumstances: Circumstances): Promise<EstimatedSteps | undefined> {
  if (ahead.length === 0) return undefined;
  const { findStepImpact, stepOnLive } = await import('../../impact/steps.ts');
  return { impact: findStepImpact(ahead, circumstances), planned: ahead.map(stepOnLive) };
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

function present(client: ServiceClient | undefined): ServiceClient {
  if (client === undefined) throw new Error('only the service knows this');
  return client;
}

async function addRadius(
  session: Session,
  { impact, planned }: Pick<Adding, 'impact' | 'planned'>,
  client: ServiceClient,
): Promise<Impact> {
  const [{ addBlastRadius }, { createRadiusReader }] = await Promise.all([
    import('../../impact/blast-radius.ts'),
    import('./read-radius.ts'),
  ]);
  const reader = createRadiusReader(client, session.options.concurrency);
  const found = await addBlastRadius(impact, planned, reader.ask);
  return { ...found, blastRadius: { requests: reader.requests(), ...defined({ unavailable: reader.unavailable() }) } };
}

interface Adding extends CounterOptions {
  readonly impact: Impact;
}

async function addFile(session: Session, file: string, { impact, ...counting }: Adding): Promise<Impact> {
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

async function addLive(client: ServiceClient, most: number, { impact, ...counting }: Adding): Promise<Impact> {
  const { countLivePersons } = await import('../../impact/persons/count-persons.ts');
  try {
    return await countLivePersons(impact, readPersonPages(client, most), counting);
  } catch (error) {
    throw explain(error);
  }
}

/** The usual remedies are about flags. */
function explain(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, message } = toFlagwrightError(error);
  const remedy = REMEDIES[error.failure.kind];
  return remedy === undefined ? error : new FlagwrightError(code, message, { remedy, cause: error });
}

const REMEDIES: Readonly<Partial<Record<ServiceError['failure']['kind'], string>>> = {
  forbidden: 'Reading people needs the scope person:read on the API key. Add it, or leave out --persons live.',
  not_found: 'This service does not list people at persons/. Leave out --persons live, or name a file of people.',
  too_large: 'People of this project have so much data that no page can be read. Name a file of people instead.',
};
