/** Loads the manifests of the base through the loader of the files on disk. The current configuration says what they mean. */

import { join, resolve } from 'node:path';
import { FlagwrightError } from '../../base/errors.ts';
import { objectOrEmpty } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { describeWith } from '../../base/wording.ts';
import { decodeUtf8 } from '../../base/yaml/decode.ts';
import { readYaml } from '../../base/yaml/read.ts';
import type { NoBaseReason } from '../../core/engine/base.ts';
import { findFilters } from '../../loop/git/code-files.ts';
import { type CommitTree, IN_SUBMODULE } from '../../loop/git/commit-tree.ts';
import { GIT_ERROR, GitError } from '../../loop/git/objects.ts';
import type { Repository } from '../../loop/git/repository.ts';
import type { ManifestSource } from '../../core/manifest/source.ts';
import type { DesiredState } from '../../posthog/desired.ts';
import { loadDesired, type Loaded } from '../../posthog/manifests/load.ts';
import { type ManifestDiagnostic, ALL_MANIFEST_WORDS } from '../../posthog/manifests/problems.ts';
import { withEarlier } from '../../posthog/planning/base.ts';
import { commitSource } from '../project/known-files.ts';
import type { Session } from '../session/session.ts';
import { withRecordedIds } from './applied-record.ts';
import type { RunBase, BaseCommit, BaseSearch } from './open-checkout.ts';

/** Reads everything, or returns a reason why not: problems of a base do not fail the run. */
export async function loadBase(
  session: Session,
  search: BaseSearch,
  { repository, facts }: { readonly repository: Repository; readonly facts: BaseCommit['facts'] },
): Promise<RunBase> {
  const { ids, ...known } = facts;
  const { commit, earlier = [], rollouts } = known;
  // The project at the time when the base was applied: a step that fell due later is not part of it. Without a record, only the declared
  // steps tell.
  const { loaded } = search;
  const { moment } = loaded.project;
  // Guards that the configuration declared then may be gone from it.
  const { guards: _guards, ...project } = loaded.project;
  const timed = {
    ...loaded,
    project: {
      ...project,
      ...(moment && rollouts && { moment: { ...moment, progress: rollouts, reach: 'applied' as const } }),
    },
  };
  const then = { ...search, loaded: timed, repository };
  const base = await loadAt(commit, session, then);
  if ('reason' in base) return noBase(base.reason);
  const states = new Map<string, DesiredState>([[commit, base.desired]]);
  for (const one of new Set(earlier.flatMap((part) => part.commit ?? []))) {
    const found = states.has(one) ? undefined : await loadAt(one, session, then);
    if (found !== undefined && 'reason' in found) return noBase(found.reason);
    if (found !== undefined) states.set(one, found.desired);
  }
  const parts = earlier.map(({ key, fields, commit: at }) => ({
    key,
    ...defined({ fields, desired: at === undefined ? undefined : states.get(at) }),
  }));
  const desired = withRecordedIds(withEarlier(base.desired, parts), ids, search.loaded);
  return { facts: known, desired, files: base.files };
}

async function loadAt(
  commit: string,
  session: Session,
  { repository, ...search }: BaseSearch & { readonly repository: Repository },
): Promise<Pick<Loaded, 'desired' | 'files'> | { readonly reason: NoBaseReason }> {
  const { loaded, checkout, known } = search;
  const tree = checkout.treeOf(repository, commit);
  const { root } = loaded.config;
  const stored = commitSource(root, tree, { repository, known });
  // Files with the same content on disk are not read, so no filter changes them.
  const differing: string[] = [];
  const read: ManifestSource['read'] = (file) => {
    differing.push(file);
    return stored.read(file);
  };
  const result = await load(session, search, { source: { ...stored, read }, tree });
  // A filter of git would make text that differs from what is stored, whether it can be read or not.
  const places = new Map<string, string>();
  for (const file of differing) {
    const path = join(root, file);
    if ((await tree.blobOf(path)) !== undefined) places.set(await tree.realpath(path), file);
  }
  const found = await findFilters(repository, [...places.keys()]);
  if (found.kind === 'failed') throw new GitError(found.detail);
  const [filtered] = found.filters;
  if (filtered !== undefined) {
    const [place, filter] = filtered;
    return { reason: { code: 'manifests_filtered', commit, file: places.get(place) ?? place, filter } };
  }
  return result instanceof FlagwrightError ? { reason: whyInvalid(result, commit) } : result;
}

function noBase(reason: NoBaseReason): RunBase {
  return { facts: { kind: 'none', reason } };
}

async function load(
  { context, interrupts }: Session,
  { loaded: { config, project }, findRoles }: BaseSearch,
  { source, tree }: { readonly source: ManifestSource; readonly tree: CommitTree },
): Promise<Loaded | FlagwrightError> {
  const then = config.file === undefined ? [] : await projectNames(tree, resolve(context.cwd, config.file));
  try {
    return await loadDesired({
      root: config.root,
      patterns: config.manifests,
      project,
      // An overlay for a project that was removed since is no mistake of the base.
      allProjects: [...new Set([...Object.keys(config.projects), ...then])],
      source,
      checkpoint: interrupts.checkpoint,
      ...defined({ findRoles }),
    });
  } catch (error) {
    if (error instanceof FlagwrightError && error.code === 'manifest_invalid') return error;
    throw error;
  }
}

/** The names of the projects in the configuration of the commit; nothing else of it counts. */
async function projectNames(tree: CommitTree, file: string): Promise<readonly string[]> {
  const bytes = await tree.readFile(file).catch(() => undefined);
  const decoded = bytes && decodeUtf8(bytes);
  const value = decoded && 'text' in decoded ? readYaml(file, decoded.text).documents[0]?.value : undefined;
  return Object.keys(objectOrEmpty(objectOrEmpty(value)['projects']));
}

function whyInvalid({ diagnostics }: FlagwrightError, commit: string): NoBaseReason {
  const errors = diagnostics.filter(({ severity }) => severity === 'error') as readonly ManifestDiagnostic[];
  const [first] = errors;
  const [unreadable] = errors.flatMap((error) => (error.code === 'file-unreadable' ? error : []));
  if (unreadable?.args.reason === IN_SUBMODULE) {
    return { code: 'manifests_in_submodule', commit, folder: unreadable.place?.file ?? '.' };
  }
  if (unreadable?.args.reason === GIT_ERROR) return { code: 'commit_damaged', commit };
  const message = first === undefined ? '' : describeWith(ALL_MANIFEST_WORDS, first).message;
  return { code: 'manifests_invalid', commit, errors: errors.length, message, ...defined({ place: first?.place }) };
}
