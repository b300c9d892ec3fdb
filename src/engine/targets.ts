/** `--target`: the part of the desired state that a run is limited to. */

import type { DesiredFlag } from '../posthog/desired.ts';
import { namedFlags } from '../posthog/flag/references.ts';
import { matchKeys, type KeyMatcher } from './scope.ts';

/** Whether a flag is meant: one that a pattern names, or one that such a flag depends on. Without targets, every flag. */
export function targetedFlags(flags: readonly DesiredFlag[], targets: readonly string[] | undefined): KeyMatcher {
  if (targets === undefined || targets.length === 0) return () => true;
  const named = matchKeys(targets);
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  const reached = new Set<string>();
  const ahead = flags.filter((flag) => named(flag.key));
  for (let flag = ahead.pop(); flag !== undefined; flag = ahead.pop()) {
    if (reached.has(flag.key)) continue;
    reached.add(flag.key);
    ahead.push(...dependenciesOf(flag).flatMap((key) => byKey.get(key) ?? []));
  }
  return (key) => reached.has(key) || named(key);
}

function dependenciesOf(flag: DesiredFlag): string[] {
  return flag.kind === 'retired' ? [] : namedFlags(flag.fields['filters']);
}
