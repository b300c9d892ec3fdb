/** The one function that computes changes: preview, drift, apply and verification all call it. */

import type { DesiredState } from '../posthog/desired.ts';
import type { LiveState } from '../posthog/live.ts';
import { dependencyGraph } from '../posthog/flag/dependencies.ts';
import { changeDeclared, deleteFlag } from '../posthog/flag/changes.ts';
import { matchFlags, type Match, type Matches } from './match.ts';
import { orderChanges } from './order.ts';
import type { Change, Plan, PlanWarning } from '../posthog/plan.ts';
import { changeRoleAccess } from '../posthog/role-access/changes.ts';
import { matchScope, unmatchedPatterns, type Scope } from './scope.ts';
import { sealPlan, type SealOptions } from './seal-plan.ts';
import { targetedFlags } from './targets.ts';

export interface PlanOptions extends SealOptions {
  readonly scope: Scope;
  /** Delete live flags in scope that no manifest names. */
  readonly prune: boolean;
  /** Keys or patterns to which the run is limited, with what they depend on. */
  readonly targets?: readonly string[];
}

/**
 * What makes `live` as `desired` says. Pure: equal states give equal plans, whatever the order they come in.
 *
 *  1. match desired flags with live ones    4. order the changes
 *  2. compare each pair, flag and roles     5. foretell refusals, find hazards
 *  3. choose what to prune                  6. sum up and fingerprint
 */
export function buildPlan(desired: DesiredState, live: LiveState, options: PlanOptions): Plan {
  const matches = matchFlags(desired, live);
  const isTarget = targetedFlags(desired.flags, options.targets);
  const inScope = matchScope(options.scope);
  const pairs = matches.pairs.filter(({ desired: flag }) => isTarget(flag.key));
  const unmanaged = matches.unmanaged.filter((flag) => inScope(flag.key));
  const doomed = options.prune ? unmanaged.filter((flag) => isTarget(flag.key)) : [];

  const compared = pairs.map((pair) => comparePair(pair, live, matches));
  const pruned = doomed.map((flag) => deleteFlag(flag, matches.keyOfFlag, undefined));
  const unordered = [...compared.flatMap((pair) => pair.changes), ...pruned];
  const { keyOfFlag } = matches;
  const graph = dependencyGraph(unordered.length === 0 ? [] : live.flags, keyOfFlag);
  const changes = orderChanges(unordered, { live: graph, keyOfFlag });
  const known = [...live.flags.filter((flag) => flag.deleted !== true), ...desired.flags].map(({ key }) => key);

  return sealPlan(
    {
      changes,
      flags: live.flags,
      keyOfFlag,
      live: graph,
      reach: pairs.filter((pair) => pair.live !== undefined).length + doomed.length,
      kept: matches.pairs.filter((pair) => pair.live !== undefined && pair.desired.kind === 'declared').length,
      unchanged: compared.filter((pair) => pair.unchanged).length,
      unmanaged: { count: matches.unmanaged.length, inScope: unmanaged.map((flag) => flag.key) },
      warnings: [
        ...unmatchedPatterns(options.targets ?? [], known).map((key) => ({ code: 'target_unknown' as const, key })),
        ...unmatchedPatterns(options.protected, known).map((key) => ({ code: 'protected_unmatched' as const, key })),
        ...matches.warnings.filter((warning) => isTarget(warning.key)),
        ...matches.namedElsewhere
          .filter(({ key }) => inScope(key) && isTarget(key))
          .map(({ key, id }) => ({ code: 'named_elsewhere' as const, key, id })),
        ...compared.flatMap((pair) => pair.warnings),
      ],
    },
    options,
  );
}

interface ComparedPair {
  readonly changes: readonly Change[];
  readonly warnings: readonly PlanWarning[];
  /** Whether the flag is as declared: there, or gone where it is retired. */
  readonly unchanged: boolean;
}

function comparePair({ desired, live: flag }: Match, live: LiveState, matches: Matches): ComparedPair {
  if (desired.kind === 'retired') {
    const gone = flag === undefined || flag.deleted === true;
    return { changes: gone ? [] : [deleteFlag(flag, matches.keyOfFlag, desired)], warnings: [], unchanged: gone };
  }
  const { change, warnings } = changeDeclared(desired, flag, matches.keyOfFlag);
  const changes = [...(change === undefined ? [] : [change]), ...changeRoleAccess(desired, flag, live)];
  return { changes, warnings, unchanged: changes.length === 0 };
}
