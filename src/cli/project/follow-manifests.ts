/** Serves manifests from the embedded service, and reloads them whenever a file changes. */

import type { EmbeddedService, FlagDeclaration, ProjectDeclaration } from '../../../service/src/index.ts';
import { FlagwrightError, systemCode } from '../../base/errors.ts';
import { stringifyJson } from '../../base/json-text.ts';
import type { JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { pause } from '../../base/timer.ts';
import { createMarks, type MarkFiles } from '../../core/manifest/file-marks.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { findNamedFiles } from '../../posthog/manifests/manifests.ts';
import { count } from '../../report/words/amounts.ts';
import type { Session } from '../session/session.ts';
import { loadDesiredState, type LoadedProject } from './load-project.ts';

/** Short enough to see a saved change after reloading a page. */
export const POLL_MS = 250;

export interface Following {
  readonly projectId: string;
  /** Reloads the configuration, which may have changed too. */
  readonly load: () => Promise<LoadedProject>;
}

/** Declares what was loaded before it returns a promise, so that a service that has just begun to listen answers nothing else. */
export type DeclareLoaded = (service: Pick<EmbeddedService, 'declare'>) => Promise<FollowManifests>;

type FollowManifests = () => Promise<void>;

/** Loads the manifests once and throws their errors. */
export async function loadManifests(session: Session, options: Following): Promise<DeclareLoaded> {
  const following: Followed = { ...options, markFiles: createMarks(findNamedFiles) };
  const loaded = await following.load();
  const marks = await markInputs(loaded, following);
  const desired = await loadDesiredState(session, loaded);
  return async (service) => serveManifests(session, service, { ...following, loaded, marks, desired });
}

interface Followed extends Following {
  readonly markFiles: MarkFiles;
}

async function serveManifests(
  session: Session,
  service: Pick<EmbeddedService, 'declare'>,
  {
    loaded: first,
    marks,
    desired: firstState,
    ...following
  }: Followed & { readonly loaded: LoadedProject; readonly marks: string; readonly desired: DesiredState },
): Promise<FollowManifests> {
  let served = marks;
  let latest = marks;
  await declare(first, firstState);

  async function declare({ config }: LoadedProject, desired: DesiredState): Promise<void> {
    const declaration = toDeclaration(desired, following.projectId);
    service.declare(declaration);
    await session.note(`Serving ${count(declaration.flags.length, 'flag')} from ${config.manifests.join(', ')}.\n`);
  }

  /** A save may empty a file before it fills it, so a change counts only once two looks in a row find the same. */
  async function look(): Promise<void> {
    const found = await findInputs(following);
    const isSettled = found.marks === latest;
    latest = found.marks;
    if (!isSettled || found.marks === served) return;
    const reading = found.kind === 'wrong' ? Promise.reject(found.error) : loadDesiredState(session, found.loaded);
    const read = await reading.catch((error: unknown) => {
      if (error instanceof FlagwrightError) return error;
      throw error;
    });
    if ((await findInputs(following)).marks !== found.marks) return;
    served = found.marks;
    if (found.kind === 'found' && !(read instanceof FlagwrightError)) return declare(found.loaded, read);
    // The last valid state stays.
    const { code, message, diagnostics, remedy } = read as FlagwrightError;
    // The first error often explains the others, and the next save shows what is left of them.
    const error = new FlagwrightError(code, message, { diagnostics: diagnostics.slice(0, 1), ...defined({ remedy }) });
    const others = diagnostics.length < 2 ? '' : `This is the first of ${count(diagnostics.length, 'problem')}. `;
    await session.print(`${await session.textOf({ kind: 'failure', error })}${others}The flags are unchanged.\n`);
  }

  return async () => {
    const { stop } = session.interrupts;
    while (!stop.aborted) {
      await pause(POLL_MS, stop).catch(() => undefined);
      if (!stop.aborted) await look();
    }
  };
}

/** The configuration and the state of the files, before any manifest is read. */
type Inputs = { readonly marks: string } & (
  | { readonly kind: 'found'; readonly loaded: LoadedProject }
  | { readonly kind: 'wrong'; readonly error: FlagwrightError }
);

/** A faulty configuration is a state like any other: it is reported once, and its correction is a change. */
async function findInputs(following: Followed): Promise<Inputs> {
  try {
    const loaded = await following.load();
    return { kind: 'found', marks: await markInputs(loaded, following), loaded };
  } catch (error) {
    if (!(error instanceof FlagwrightError)) throw error;
    const { code, cause, diagnostics } = error;
    const problems = diagnostics.map((diagnostic) => ({ ...diagnostic }) as unknown as JsonValue);
    // A string that changes whenever the problem does.
    return { kind: 'wrong', marks: stringifyJson([code, systemCode(cause), problems]), error };
  }
}

/** A string that changes whenever the configuration changes, or a file is added, removed or written. */
async function markInputs({ config, project }: LoadedProject, { markFiles }: Followed): Promise<string> {
  // Each loading has a time of its own.
  const written = JSON.stringify({ config, project }, (name, value: unknown) =>
    name === 'moment' ? undefined : value,
  );
  return `${written}\n${await markFiles(config.root, config.manifests)}`;
}

/** Flags removed from the manifests are removed too: the service knows what was declared before. */
export function toDeclaration({ flags }: DesiredState, projectId: string): ProjectDeclaration {
  const declared = flags.flatMap((flag): FlagDeclaration[] => {
    if (flag.kind === 'retired') return [];
    const { key, previousKeys, fields, roleAccess = [], everyone } = flag;
    // Served flags must not depend on earlier declarations, so undeclared role access means no roles.
    const roles = roleAccess.map(({ id, name, level }) => ({ id, ...defined({ name, level }) }));
    return [{ key, previousKeys, fields, roles, everyone: everyone?.level ?? null }];
  });
  const kept = new Set(declared.flatMap(({ key, previousKeys }) => [key, ...previousKeys]));
  const retired = flags.filter(({ kind }) => kind === 'retired').map(({ key }) => key);
  return { projectId, flags: declared, removed: retired.filter((key) => !kept.has(key)) };
}
