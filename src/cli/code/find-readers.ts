/** Finds code that reads what the changes of a plan take away, such as a key or a variant. Reads no file if they take nothing away. */

import { knownHazards } from '../../review/policy/broken-rules.ts';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { findRead } from '../../core/engine/hazards.ts';
import { GitError } from '../../loop/git/objects.ts';
import { diskSource } from '../../core/manifest/tree-source.ts';
import { FLAG } from '../../posthog/flag/kind.ts';
import type { Hazard, Plan } from '../../posthog/plan.ts';
import type { Loss } from '../../code/references/losses.ts';
import type { FoundInPlan, PlanSearch } from '../applied/find-judge.ts';
import { withCheckout, type Checkout } from '../applied/open-checkout.ts';
import type { FoundCode } from './know-code.ts';
import type { Session } from '../session/session.ts';

/** `undefined` if no code can lose anything, or none is known. */
export async function inspectPlan(session: Session, search: PlanSearch): Promise<FoundInPlan | undefined> {
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
  return { sections: { readers: shown }, ...(readers.size > 0 && { facts: { readers } }) };
}

/** Hazards because of code that reads what changes, except those that the saved plan already has, refused or permitted. */
export async function findNewHazards(
  session: Session,
  { plan, ...search }: PlanSearch & { readonly plan: Plan },
): Promise<readonly Hazard[]> {
  const { facts } = (await inspectPlan(session, { plan, ...search })) ?? {};
  if (facts === undefined) return [];
  const known = new Set(knownHazards(plan).flatMap((one) => (one.code === 'read_by_code' ? [one.ref] : [])));
  const changes = plan.changes.flatMap((change) =>
    change.resource !== 'flag' || known.has(change.ref)
      ? []
      : [{ change, name: change.key, effects: FLAG.effects(change), liveKey: FLAG.liveKey(change) }],
  );
  return findRead({ changes, ...facts });
}

async function searchFor(
  losses: readonly Loss[],
  session: Session,
  { judge, config: own, files = [], checkout }: PlanSearch & { readonly checkout: Checkout },
): Promise<FoundCode | undefined> {
  const config = judge.from === 'base' ? judge.config : own;
  const { knowCode, knowSources } = await import('./know-code.ts');
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
