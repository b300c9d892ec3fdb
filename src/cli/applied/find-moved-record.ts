/**
 * Finds the record of a project under another name. The name of a ref contains the place of the configuration and the name of the project,
 * so a change that moves the file or renames the project could otherwise get rid of the base that judges it.
 */

import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { memberOf } from '../../base/json.ts';
import type { ProjectConfig } from '../../config/config.ts';
import { listRefs, readRemoteRefs } from '../../git/refs.ts';
import type { Session } from '../session/session.ts';
import { APPLIED_REFS, placeOfRef, type RecordPlace } from './applied-record.ts';
import type { BaseSearch } from './base-types.ts';
import { findRef, type FoundRef, type InRepository, readAt, type Unread } from './find-record.ts';
import { isContained } from './is-contained.ts';
import { compareProjects, readConfigAt, type Sameness } from './former-config.ts';

export type MovedRecord =
  | { readonly kind: 'found'; readonly ref: string; readonly found: Extract<FoundRef, { readonly kind: 'found' }> }
  | { readonly kind: 'none' }
  /** Several places that are gone recorded the project. `names`: of their refs. */
  | { readonly kind: 'apart'; readonly names: readonly string[] }
  /** `ref`: the one that may be it; absent if the remote does not list any. */
  | { readonly kind: 'unread'; readonly ref?: string; readonly unread: Unread };

interface MovedSearch extends InRepository {
  readonly loaded: BaseSearch['loaded'];
  /** The remotes that share records, and that may be asked. */
  readonly remotes: readonly string[];
}

/** Call it if the place of the configuration has no record. */
export async function findMovedRecord(session: Session, search: MovedSearch): Promise<MovedRecord> {
  const local = await listRefs(search.repository, APPLIED_REFS);
  const names = new Set(local.keys());
  for (const remote of search.remotes) {
    const shared = await readRemoteRefs(search.repository, remote, `${APPLIED_REFS}*`);
    if (shared.kind === 'unreachable') return { kind: 'unread', unread: { remote, detail: shared.detail } };
    for (const name of shared.refs.keys()) names.add(name);
  }
  const all: MovedPlace[] = [];
  for (const ref of names) {
    const place = placeOfRef(ref);
    if (place === undefined || (await isDeclaredElsewhere(session, place, search))) continue;
    const found = await findRef(ref, { remotes: search.remotes, local: local.get(ref) }, search);
    if (found.kind === 'unread') return { kind: 'unread', ref, unread: found.unread };
    if (found.kind === 'none') continue;
    const record = await readAt(found.id, search);
    if (record.kind === 'nothing') continue;
    const commit = record.kind === 'commit' ? record.commit : undefined;
    // What cannot be read may be of the project.
    const sameness = commit === undefined ? 'same' : await declaredAt(session, commit, { place, search });
    if (sameness !== 'different') all.push({ ref, found, commit, sameness });
  }
  const sure = all.filter(({ sameness }) => sameness === 'same');
  const moved = sure.length > 0 ? sure : all;
  const newest = await findNewest(moved, search);
  if (newest !== undefined) return { kind: 'found', ...newest };
  return moved.length === 0 ? { kind: 'none' } : { kind: 'apart', names: moved.map(({ ref }) => ref).toSorted() };
}

interface MovedPlace extends Pick<Extract<MovedRecord, { readonly kind: 'found' }>, 'ref' | 'found'> {
  readonly commit: string | undefined;
  readonly sameness: Sameness;
}

/** A project that was renamed twice has two: the commit of one contains that of the other. */
async function findNewest(moved: readonly MovedPlace[], search: MovedSearch): Promise<MovedPlace | undefined> {
  for (const one of moved) {
    const others = moved.filter((other) => other !== one);
    const older = await Promise.all(others.map(async (other) => isOlder(other.commit, one.commit, search)));
    if (older.every(Boolean)) return one;
  }
  return undefined;
}

async function isOlder(earlier: string | undefined, later: string | undefined, search: MovedSearch): Promise<boolean> {
  if (earlier === undefined || later === undefined) return false;
  return (await isContained({ earlier, later, remote: search.remotes[0] }, search)) === 'yes';
}

/**
 * Whether another configuration still declares the project there: then it owns the record. A second name in the same configuration owns
 * none, since both are about the same manifests.
 */
async function isDeclaredElsewhere(
  session: Session,
  { files, project }: RecordPlace,
  { loaded: { config, project: wanted }, repository: { top } }: MovedSearch,
): Promise<boolean> {
  for (const file of files) {
    const path = join(top, file);
    if (config.file !== undefined && path === resolve(session.context.cwd, config.file)) continue;
    const current = await readConfigAt(session, { readFile }, path);
    const declared = current?.config && memberOf(current.config.projects, project);
    if (declared !== undefined && compareProjects(declared, wanted) !== 'different') return true;
  }
  return false;
}

/** A record at another address is that of the project only if the change leaves it behind: no project has it then. */
function samenessOf(declared: ProjectConfig, { loaded: { config, project } }: MovedSearch): Sameness {
  const isKept = Object.values(config.projects).some((one) => compareProjects(one, declared) === 'same');
  const sameness = compareProjects(declared, project);
  return sameness === 'elsewhere' && isKept ? 'different' : sameness;
}

async function declaredAt(
  session: Session,
  commit: string,
  { place: { files, project }, search }: { readonly place: RecordPlace; readonly search: MovedSearch },
): Promise<Sameness> {
  const tree = search.checkout.treeOf(search.repository, commit);
  for (const file of files) {
    const former = await readConfigAt(session, tree, join(search.repository.top, file));
    const declared = former?.config && memberOf(former.config.projects, project);
    if (declared !== undefined) return samenessOf(declared, search);
  }
  return 'different';
}
