/** The policies that a run is judged by, with the file of waivers at the base. */

import { resolve } from 'node:path';
import { jsonEquals, type JsonValue } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import { decodeUtf8 } from '../../base/yaml/decode.ts';
import type { PolicySource } from '../../policy/finding.ts';
import type { PolicySet } from '../../policy/policy.ts';
import type { Judge } from './find-judge.ts';
import type { LoadedProject } from '../project/load-project.ts';

export interface FoundPolicies {
  readonly set: PolicySet;
  readonly source: PolicySource;
  /** The name of the project in their configuration. */
  readonly project: string;
  /** The text of the file of waivers at the base; absent if there is none. */
  readonly formerWaivers?: string;
}

/** `undefined` if neither the base nor the checkout has any. */
export async function findPolicies(
  judge: Judge,
  { config: { policies: own }, project }: LoadedProject,
): Promise<FoundPolicies | undefined> {
  if (judge.from === 'checkout') return own && { set: own, source: judge, project: project.name };
  const { commit, config } = judge;
  if (own === undefined && config.policies === undefined) return undefined;
  const set = config.policies ?? NONE;
  const differs = own !== set && !isSame(set, own ?? NONE);
  const waivers = await formerWaivers(judge, set);
  return { set, source: { from: 'base', commit, differs }, project: judge.project, ...waivers };
}

const NONE: PolicySet = { rules: [] };

/** Waivers that the base has were reviewed: they count without who granted them. */
async function formerWaivers(
  { tree, folder }: Extract<Judge, { from: 'base' }>,
  { waivers }: PolicySet,
): Promise<Pick<FoundPolicies, 'formerWaivers'>> {
  const bytes =
    waivers === undefined ? undefined : await tree.readFile(resolve(folder, waivers)).catch(() => undefined);
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
