/** Manifests in the embedded service: loaded, and loaded again whenever a file changes. */

import { stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FlaghoistError } from '../base/errors.ts';
import type { Declaration, DeclaredFlag as ServedFlag, EmbeddedService } from '../embedded/service.ts';
import { findFiles } from '../manifest/files.ts';
import type { DesiredState } from '../model/desired.ts';
import { escapeLine } from '../report/escape.ts';
import { loadDesiredState, type LoadedProject } from './load-project.ts';
import type { Session } from './session.ts';

/** Short enough that a person who saves a file and reloads a page sees the change. */
const POLL_MS = 250;

export interface Following {
  readonly projectId: string;
  /** Loads the configuration anew, as it may have changed too. */
  readonly load: () => Promise<LoadedProject>;
}

/** Loads the manifests once; what is wrong with them is thrown. What is given back follows them until `stop` aborts. */
export async function serveManifests(
  session: Session,
  service: Pick<EmbeddedService, 'declare'>,
  following: Following,
): Promise<() => Promise<void>> {
  const first = await following.load();
  let seen = await marksOf(first);
  let keys = await declare(first);

  async function declare(loaded: LoadedProject, before: readonly string[] = []): Promise<readonly string[]> {
    const desired = await loadDesiredState(session, loaded);
    const declaration = declarationOf(desired, following.projectId, before);
    service.declare(declaration);
    await session.note(`Serving ${declaration.flags.length} flags from ${loaded.config.manifests.join(', ')}.\n`);
    return declaration.flags.map(({ key }) => key);
  }

  async function look(): Promise<void> {
    const loaded = await following.load();
    const marks = await marksOf(loaded);
    if (marks === seen) return;
    seen = marks;
    keys = await declare(loaded, keys);
  }

  return async () => {
    const { stop } = session.interrupts;
    const sayOnce = sayKept(session);
    while (!stop.aborted) {
      await sleep(POLL_MS, undefined, { signal: stop }).catch(() => undefined);
      if (!stop.aborted) await look().catch(sayOnce);
    }
  };
}

/** A broken edit is told once, and the last good state stays. */
function sayKept(session: Session): (error: unknown) => Promise<void> {
  let said = '';
  return async (error) => {
    if (!(error instanceof FlaghoistError)) throw error;
    const places = error.diagnostics.map(({ place }) => (place === undefined ? '' : `${place.file}:${place.line} `));
    const text = `${places[0] ?? ''}${error.message}`;
    if (text === said) return;
    said = text;
    await session.say(`${escapeLine(text)}\nThe flags stay as they were.\n`);
  };
}

/** One text that changes whenever a file comes, goes or is written. */
async function marksOf({ config }: LoadedProject): Promise<string> {
  const { files } = await findFiles(config.root, config.manifests);
  const marks = files.map(async (file) => {
    const facts = await stat(path.join(config.root, file)).catch(() => undefined);
    return `${file}:${facts?.mtimeMs ?? 0}:${facts?.size ?? 0}`;
  });
  return (await Promise.all(marks)).join('\n');
}

/** `before`: what was served from manifests until now; what is gone from them goes. */
function declarationOf({ flags }: DesiredState, projectId: string, before: readonly string[]): Declaration {
  const declared = flags.flatMap((flag): ServedFlag[] => {
    if (flag.kind === 'retired') return [];
    const { key, previousKeys, fields, roleAccess } = flag;
    const roles = roleAccess?.map(({ id, name }) => ({ id, ...(name !== undefined && { name }) }));
    return [{ key, previousKeys, fields, ...(roles !== undefined && { roles }) }];
  });
  const kept = new Set(declared.flatMap(({ key, previousKeys }) => [key, ...previousKeys]));
  const retired = flags.filter(({ kind }) => kind === 'retired').map(({ key }) => key);
  return { projectId, flags: declared, removed: [...retired, ...before].filter((key) => !kept.has(key)) };
}
