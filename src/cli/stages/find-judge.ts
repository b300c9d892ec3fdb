/** Finds the configuration that judges a run: that of the base where there is one, so that no change judges itself. */

import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { FileTree } from '../../base/file-tree.ts';
import type { Config } from '../../config/config.ts';
import type { BaseFacts, NoBaseReason } from '../../engine/base.ts';
import type { Session } from '../session/session.ts';
import type { BaseSearch } from './base-types.ts';
import { findFormerConfig, nameIn } from './former-config.ts';

export type Judge =
  | {
      readonly from: 'base';
      readonly commit: string;
      readonly config: Config;
      /** The name of the project in it. */
      readonly project: string;
      /** Absolute folder of the file at the base. */
      readonly folder: string;
      /** The files of the commit. */
      readonly tree: FileTree;
    }
  /** `no_file`: the base has no configuration of the project; `invalid`: it cannot be read. */
  | { readonly from: 'checkout'; readonly why: 'no_base' | 'no_file' | 'invalid' };

/** `base`: absent where nobody asked for one. To be called while the checkout is open. */
export async function findJudge(
  session: Session,
  { loaded: { config, project }, checkout }: Pick<BaseSearch, 'loaded' | 'checkout'>,
  base: BaseFacts | undefined,
): Promise<Judge> {
  const commit = commitOf(base);
  const opened = await checkout.opened;
  if (commit === undefined || opened.kind !== 'open') return { from: 'checkout', why: 'no_base' };
  // A change that deletes the file must not get rid of its rules.
  const path = resolve(session.context.cwd, config.file ?? join(config.root, 'flagwright.yaml'));
  const tree = checkout.treeOf(opened.repository, commit);
  if (config.file !== undefined && (await isUnchanged(tree, path))) {
    return { from: 'base', commit, config, project: project.name, folder: dirname(path), tree };
  }
  const former = await findFormerConfig(session, { tree, top: opened.repository.top }, { path, project });
  if (former === undefined) return { from: 'checkout', why: 'no_file' };
  if (former.config === undefined) return { from: 'checkout', why: 'invalid' };
  const name = nameIn(former.config, project);
  return { from: 'base', commit, config: former.config, project: name, folder: dirname(former.path), tree };
}

/** A change that makes the manifests of the base unreadable must not get rid of its rules. */
function commitOf(base: BaseFacts | undefined): string | undefined {
  if (base === undefined || base.kind === 'commit') return base?.commit;
  return UNREADABLE.has(base.reason.code) && 'commit' in base.reason ? base.reason.commit : undefined;
}

/** The repository has the commit, and its manifests tell nothing. */
const UNREADABLE: ReadonlySet<NoBaseReason['code']> = new Set([
  'manifests_invalid',
  'manifests_filtered',
  'manifests_in_submodule',
]);

async function isUnchanged(tree: FileTree, path: string): Promise<boolean> {
  const former = await tree.readFile(path).catch(() => undefined);
  return former !== undefined && Buffer.from(former).equals(await readFile(path));
}
