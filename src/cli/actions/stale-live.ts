/** Reads what the services of several projects say about their flags: two lists for each project, and the reasons for a few flags. */

import type { ProjectConfig } from '../../config/config.ts';
import type { FlagStatus } from '../../posthog/client/operations/flag-insight.ts';
import { ServiceError } from '../../posthog/client/service-error.ts';
import { dependencyIds } from '../../posthog/live-selection.ts';
import type { Flag } from '../../posthog/flag/model/flag.ts';
import type { LiveEvidence, StaleFlag } from '../../references/staleness.ts';
import { withProject, type OpenProject } from '../project/open-project.ts';
import { createProgress } from '../session/progress.ts';
import type { Session } from '../session/session.ts';

export interface LiveRead {
  readonly projects: readonly LiveProject[];
  /** The key of the project may not read its flags. */
  readonly refused: readonly { readonly name: string; readonly isForbidden: true }[];
  /** How many were sent. */
  readonly requests: number;
}

export interface LiveProject {
  readonly project: ProjectConfig;
  /** All flags, including archived ones. */
  readonly flags: readonly Flag[];
  /** The keys of flags with a condition on another flag, by the id of that flag. Disabled flags count too: they can be enabled. */
  readonly dependents: ReadonlyMap<number, readonly string[]>;
}

export async function readLive(session: Session, projects: readonly ProjectConfig[]): Promise<LiveRead> {
  const read: LiveProject[] = [];
  const refused: LiveRead['refused'][number][] = [];
  let requests = 0;
  for (const project of projects) {
    const answer = await ask(session, project, {
      use: async ({ client }) => {
        const flags = await client.listFlags();
        const hasArchive = flags.length === 0 || flags.some((flag) => Object.hasOwn(flag, 'archived'));
        const archived = hasArchive ? await client.listFlags({ archived: true }) : [];
        const known = new Set(flags.map(({ id }) => id));
        return [...flags, ...archived.filter(({ id }) => !known.has(id))];
      },
      onRequest: () => (requests += 1),
    });
    if (answer === undefined) refused.push({ name: project.name, isForbidden: true });
    else read.push({ project, flags: answer, dependents: dependentsIn(answer) });
  }
  return { projects: read, refused, requests };
}

function dependentsIn(flags: readonly Flag[]): LiveProject['dependents'] {
  const found = new Map<number, string[]>();
  for (const flag of flags) {
    for (const id of new Set(dependencyIds(flag))) found.set(id, [...(found.get(id) ?? []), flag.key]);
  }
  return found;
}

interface Reasons {
  readonly explain: (evidence: LiveEvidence) => LiveEvidence;
  readonly requests: number;
  /** Flags whose reasons were not requested, or not answered; absent if there are none. */
  readonly unexplained?: number;
}

/** Reads why the service calls flags stale; it answers for one at a time. */
export async function readReasons(
  session: Session,
  { projects }: LiveRead,
  flags: readonly StaleFlag[],
): Promise<Reasons> {
  const wanted = flags.flatMap(({ live }) => live.filter(({ status }) => status === 'STALE'));
  const asked = wanted.slice(0, MOST_REASONS);
  const found = new Map<string, string>();
  let requests = 0;
  for (const { project } of projects) {
    const ofProject = asked.filter((one) => one.project === project.name);
    if (ofProject.length === 0) continue;
    await ask(session, project, {
      use: ({ client }) =>
        Promise.all(
          ofProject.map(async ({ id }) => {
            const answer = await orNone(client.flagStatus(id));
            if (answer !== undefined) found.set(nameOf(project.name, id), answer.reason);
          }),
        ),
      onRequest: () => (requests += 1),
    });
  }
  const unexplained = wanted.length - found.size;
  return {
    explain: (one) => {
      const reason = found.get(nameOf(one.project, one.id));
      return reason === undefined ? one : { ...one, reason };
    },
    requests,
    ...(unexplained === 0 ? {} : { unexplained }),
  };
}

const MOST_REASONS = 20;

/** Older services have no reasons, and a key may lack the right to them: the status of the list says enough. */
async function orNone(answer: Promise<FlagStatus>): Promise<FlagStatus | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ServiceError && ['forbidden', 'not_found'].includes(error.failure.kind)) return undefined;
    throw error;
  }
}

function nameOf(project: string, id: number): string {
  return `${id} ${project}`;
}

interface Asking<Result> {
  readonly use: (opened: OpenProject) => Promise<Result>;
  readonly onRequest: () => void;
}

/** `undefined`: the key may not read the flags of the project. */
async function ask<Result>(
  session: Session,
  project: ProjectConfig,
  { use, onRequest }: Asking<Result>,
): Promise<Result | undefined> {
  const progress = createProgress(session);
  const onService: typeof progress.onService = (event) => {
    if (event.kind === 'request') onRequest();
    progress.onService(event);
  };
  try {
    return await withProject(session, { project, progress: { ...progress, onService } }, use);
  } catch (error) {
    if (error instanceof ServiceError && error.failure.kind === 'forbidden') return undefined;
    throw error;
  }
}
