/** Finds code that reads what the changes of a plan take away, such as a key or a variant. Reads no file if they take nothing away. */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { findRead } from '../../core/engine/hazards.ts';
import type { SealOptions } from '../../core/engine/seal-plan.ts';
import { GitError } from '../../loop/git/objects.ts';
import { diskSource } from '../../core/manifest/tree-source.ts';
import { FLAG } from '../../posthog/flag/kind.ts';
import type { Hazard, Plan } from '../../posthog/plan.ts';
import type { Loss, Readers } from '../../code/references/losses.ts';
import type { Judge } from '../applied/find-judge.ts';
import { withCheckout, type Checkout } from '../applied/open-checkout.ts';
import type { FoundCode } from '../code/know-code.ts';
import type { Session } from '../session/session.ts';

export interface ReaderSearch {
  readonly plan: Pick<Plan, 'changes'>;
  /** Its configuration says where code is, so that a change cannot hide the code that it breaks. The code is that of the checkout. */
  readonly judge: Judge;
  /** The configuration of the checkout. */
  readonly config: Config;
  /** Files of the run that name flags, relative to the working directory. */
  readonly files: readonly string[];
}

export interface FoundReaders {
  readonly readers: NonNullable<SealOptions['readers']>;
  readonly shown: Readers;
  /** Whether code certainly reads something that changes. */
  readonly isRead: boolean;
}

/** `undefined` if no code can lose anything, or none is known. */
export async function findReaders(session: Session, search: ReaderSearch): Promise<FoundReaders | undefined> {
  if (!search.plan.changes.some(({ resource, action }) => resource === 'flag' && ['delete', 'update'].includes(action)))
    return undefined;
  const { certainReads, findLosses, readLosses } = await import('../../code/references/losses.ts');
  const losses = findLosses(search.plan.changes);
  if (losses.length === 0) return undefined;
  const found = await withCheckout(session, search.config, (checkout) =>
    searchFor(losses, session, { ...search, checkout }),
  );
  if (found === undefined) return undefined;
  const shown = readLosses(losses, found.code, ({ file, line }) => {
    try {
      return readFileSync(path.join(found.top, file), 'utf8').split('\n')[line - 1];
    } catch {
      return undefined;
    }
  });
  const readers = certainReads(shown);
  return { shown, readers, isRead: readers.size > 0 };
}

/** Hazards because of code that reads what changes, except those that the saved plan already has, refused or permitted. */
export async function findNewReads(
  session: Session,
  { plan, ...search }: ReaderSearch & { readonly plan: Plan },
): Promise<readonly Hazard[]> {
  const found = await findReaders(session, { plan, ...search });
  if (found?.isRead !== true) return [];
  const known = new Set(
    [...plan.hazards, ...(plan.overridden ?? [])].flatMap((one) => (one.code === 'read_by_code' ? [one.ref] : [])),
  );
  const changes = plan.changes.flatMap((change) =>
    change.resource !== 'flag' || known.has(change.ref)
      ? []
      : [{ change, name: change.key, effects: FLAG.effects(change), liveKey: FLAG.liveKey(change) }],
  );
  return findRead({ changes, readers: found.readers });
}

async function searchFor(
  losses: readonly Loss[],
  session: Session,
  { judge, config: own, files, checkout }: ReaderSearch & { readonly checkout: Checkout },
): Promise<FoundCode | undefined> {
  const config = judge.from === 'base' ? judge.config : own;
  const { knowCode, knowSources } = await import('../code/know-code.ts');
  const without = async (detail: string): Promise<FoundCode> => {
    const { repositories, gaps } = await knowSources({ session, config });
    return {
      top: config.root,
      code: { repositories, gaps: [{ code: 'repository_not_searched', detail }, ...gaps] },
    };
  };
  const opened = await checkout.opened;
  // Only git knows which files below the folder are code of the repository.
  if (opened.kind === 'none') {
    return config.refs.sources.length === 0 ? undefined : without('this is not a git repository');
  }
  const keys = losses.map(({ key }) => key);
  try {
    // The manifests of the checkout and its configuration name flags, but are not code.
    const { files: manifests } = await diskSource(own.root).find(own.manifests);
    const declaring = own.file === undefined ? manifests : [...manifests, path.basename(own.file)];
    const passOver = [
      ...declaring.map((name) => path.resolve(own.root, name)),
      ...files.map((file) => path.resolve(session.context.cwd, file)),
    ];
    const change = judge.from === 'base' ? { base: judge.commit } : {};
    return await knowCode({ session, config, checkout }, { keys, accessors: keys, change, passOver });
  } catch (error) {
    session.interrupts.checkpoint();
    if (error instanceof GitError) return without(error.message);
    if (error instanceof FlagwrightError && error.code === 'file') return without(error.message);
    throw error;
  }
}
