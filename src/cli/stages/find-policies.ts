/** Finds the policies that a run is judged by: those of the base where there is one, so that no change judges itself. */

import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { jsonEquals, type JsonValue } from '../../base/json.ts';
import { decodeUtf8 } from '../../base/yaml/decode.ts';
import { hasErrors } from '../../base/diagnostic.ts';
import { readYaml } from '../../base/yaml/read.ts';
import { withExpressions } from '../../config/load.ts';
import { resolveConfig } from '../../config/resolve.ts';
import type { CommitTree } from '../../git/commit-tree.ts';
import type { PolicySource } from '../../policy/finding.ts';
import type { PolicySet } from '../../policy/policy.ts';
import type { Session } from '../session/session.ts';
import type { BaseSearch } from './base-types.ts';

export interface FoundPolicies {
  readonly set: PolicySet;
  readonly source: PolicySource;
}

/**
 * `undefined` where neither the base nor the checkout has any. `commit`: that of the base, which the repository has; absent
 * without a base.
 */
export async function findPolicies(
  session: Session,
  { loaded: { config }, checkout }: Pick<BaseSearch, 'loaded' | 'checkout'>,
  commit: string | undefined,
): Promise<FoundPolicies | undefined> {
  const own = config.policies;
  const ofCheckout = (why: Extract<PolicySource, { from: 'checkout' }>['why']): FoundPolicies | undefined =>
    own && { set: own, source: { from: 'checkout', why } };
  const opened = await checkout.opened;
  if (config.file === undefined || commit === undefined || opened.kind !== 'open') return ofCheckout('no_base');
  const file = resolve(session.context.cwd, config.file);
  const tree = checkout.treeOf(opened.repository, commit);
  const bytes = await readAt(tree, file);
  if (bytes === undefined) return ofCheckout('no_file');
  const source = { from: 'base', commit, differs: false } as const;
  if (own !== undefined && bytes.equals(await readFile(file))) return { set: own, source };
  const read = await policiesIn(bytes, { session, file: config.file, root: config.root });
  if (read === 'invalid') return ofCheckout('invalid');
  if (own === undefined && read === undefined) return undefined;
  const set = read ?? NONE;
  return { set, source: { ...source, differs: !isSame(set, own ?? NONE) } };
}

const NONE: PolicySet = { rules: [] };

const NAMES = ['flagwright.yaml', 'flagwright.yml'];

/** A change that renames the file must not get rid of its policies. */
async function readAt(tree: CommitTree, file: string): Promise<Buffer | undefined> {
  for (const candidate of [file, ...NAMES.map((name) => join(dirname(file), name))]) {
    const bytes = await tree.readFile(candidate).catch(() => undefined);
    if (bytes !== undefined) return Buffer.from(bytes);
  }
  return undefined;
}

interface Reading {
  readonly session: Session;
  readonly file: string;
  readonly root: string;
}

async function policiesIn(bytes: Buffer, { session, file, root }: Reading): Promise<PolicySet | 'invalid' | undefined> {
  const decoded = decodeUtf8(bytes);
  if (!('text' in decoded)) return 'invalid';
  const { documents, diagnostics } = readYaml(file, decoded.text);
  const [document, second] = documents;
  if (diagnostics.length > 0 || second !== undefined) return 'invalid';
  if (document === undefined) return undefined;
  const resolved = resolveConfig(document, { root, file, env: session.context.env, offline: true });
  const checked = await withExpressions(resolved, { file, text: decoded.text });
  return checked.config === undefined || hasErrors(checked.diagnostics) ? 'invalid' : checked.config.policies;
}

/** Wherever they are written. */
function isSame(one: PolicySet, other: PolicySet): boolean {
  const texts = [one, other].map(({ rules, ...rest }) => ({
    ...rest,
    rules: rules.map((rule) => ({ ...rule, source: null, whenSource: null })),
  }));
  return jsonEquals(texts[0] as unknown as JsonValue, texts[1] as unknown as JsonValue);
}
