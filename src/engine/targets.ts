/** `--target`: the part of the desired state that a run is limited to. */

import { reach } from '../base/graph.ts';
import type { DesiredFlag } from '../posthog/desired.ts';
import { namedFlags } from '../posthog/flag/references.ts';
import { matchKeys, type KeyMatcher } from './scope.ts';

/** Whether a flag is meant: one that a pattern names, or one that such a flag depends on. Without targets, every flag. */
export function targetedFlags(flags: readonly DesiredFlag[], targets: readonly string[] | undefined): KeyMatcher {
  if (targets === undefined || targets.length === 0) return () => true;
  const named = matchKeys(targets);
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  const reached = reach([...byKey.keys()].filter(named), (key) =>
    dependenciesOf(byKey.get(key)).filter((dependency) => byKey.has(dependency)),
  );
  return (key) => reached.has(key) || named(key);
}

function dependenciesOf(flag: DesiredFlag | undefined): string[] {
  return flag === undefined || flag.kind === 'retired' ? [] : namedFlags(flag.fields['filters']);
}
