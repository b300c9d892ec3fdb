/** Finds the policies that a run is judged by: those of the base where there is one, so that no change judges itself. */

import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { jsonEquals, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { FileTree } from '../../base/file-tree.ts';
import { decodeUtf8 } from '../../base/yaml/decode.ts';
import type { PolicySource } from '../../policy/finding.ts';
import type { PolicySet } from '../../policy/policy.ts';
import type { Session } from '../session/session.ts';
import type { BaseSearch } from './base-types.ts';
import { findFormerConfig, nameIn } from './former-config.ts';

export interface FoundPolicies {
  readonly set: PolicySet;
  readonly source: PolicySource;
  /** The name of the project in their configuration. */
  readonly project: string;
  /** The text of the file of waivers at the base; absent where there is none. */
  readonly formerWaivers?: string;
}

/**
 * `undefined` where neither the base nor the checkout has any. `commit`: that of the base, which the repository has; absent
 * without a base.
 */
export async function findPolicies(
  session: Session,
  { loaded: { config, project }, checkout }: Pick<BaseSearch, 'loaded' | 'checkout'>,
  commit: string | undefined,
): Promise<FoundPolicies | undefined> {
  const own = config.policies;
  const ofCheckout = (why: Extract<PolicySource, { from: 'checkout' }>['why']): FoundPolicies | undefined =>
    own && { set: own, source: { from: 'checkout', why }, project: project.name };
  const opened = await checkout.opened;
  if (config.file === undefined || commit === undefined || opened.kind !== 'open') return ofCheckout('no_base');
  const path = resolve(session.context.cwd, config.file);
  const tree = checkout.treeOf(opened.repository, commit);
  const source = { from: 'base', commit, differs: false } as const;
  if (own !== undefined && (await isUnchanged(tree, path))) {
    return { set: own, source, project: project.name, ...(await formerWaivers(tree, dirname(path), own)) };
  }
  const former = await findFormerConfig(session, { tree, top: opened.repository.top }, { path, project });
  if (former === undefined) return ofCheckout('no_file');
  if (former.config === undefined) return ofCheckout('invalid');
  const { policies } = former.config;
  if (own === undefined && policies === undefined) return undefined;
  const set = policies ?? NONE;
  const waivers = await formerWaivers(tree, dirname(former.path), set);
  const name = nameIn(former.config, project);
  return { set, source: { ...source, differs: !isSame(set, own ?? NONE) }, project: name, ...waivers };
}

const NONE: PolicySet = { rules: [] };

async function isUnchanged(tree: FileTree, path: string): Promise<boolean> {
  const former = await tree.readFile(path).catch(() => undefined);
  return former !== undefined && Buffer.from(former).equals(await readFile(path));
}

/** Waivers that the base has were reviewed: they count without who granted them. `root`: the folder of the configuration then. */
async function formerWaivers(
  tree: FileTree,
  root: string,
  { waivers }: PolicySet,
): Promise<Pick<FoundPolicies, 'formerWaivers'>> {
  const bytes = waivers === undefined ? undefined : await tree.readFile(resolve(root, waivers)).catch(() => undefined);
  const decoded = bytes && decodeUtf8(bytes);
  return defined({ formerWaivers: decoded && 'text' in decoded ? decoded.text : undefined });
}

/** Wherever they are written. */
function isSame(one: PolicySet, other: PolicySet): boolean {
  const texts = [one, other].map(({ rules, ...rest }) => ({
    ...rest,
    rules: rules.map((rule) => ({ ...rule, source: null, whenSource: null })),
  }));
  return jsonEquals(texts[0] as unknown as JsonValue, texts[1] as unknown as JsonValue);
}
