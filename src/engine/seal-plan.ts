/** Makes a plan of its changes: sums them up, finds hazards, foretells refusals, and takes the fingerprint. */

import { comparing } from '../base/compare-strings.ts';
import type { JsonObject } from '../base/json.ts';
import type { Flag } from '../posthog/flag/flag.ts';
import type { ProjectIdentity } from './project.ts';
import type { KeyOfFlag } from '../posthog/flag/comparison.ts';
import { keysWithSecretsLeftOut, withoutSecrets } from './disclosure.ts';
import { fingerprintOf } from './fingerprint.ts';
import { findHazards } from './hazards.ts';
import type { DependencyGraph } from '../posthog/flag/dependencies.ts';
import { foresee } from '../posthog/flag/outlook.ts';
import type { Action, Change, Plan, PlanWarning } from '../posthog/plan.ts';
import type { SafetyRules } from './safety.ts';
import { isFirstOfTwo } from '../posthog/flag/split-change.ts';
import { foretellRefusals } from './warnings.ts';

export interface PlanParts {
  /** In their order. */
  readonly changes: readonly Change[];
  /** Every live flag that was read, and the key by which the plan calls each. */
  readonly flags: readonly Flag[];
  readonly keyOfFlag: KeyOfFlag;
  /** How those depend on each other. */
  readonly live: DependencyGraph;
  /** How many live flags the run may touch: what the shares of the safety rules are taken of. */
  readonly reach: number;
  /** How many live flags a manifest declares, within the run's reach or not. */
  readonly kept: number;
  /** How many managed flags have no change. */
  readonly unchanged: number;
  readonly unmanaged: { readonly count: number; readonly inScope: readonly string[] };
  readonly warnings: readonly PlanWarning[];
}

export interface SealOptions extends SafetyRules {
  readonly project: ProjectIdentity;
}

export function sealPlan(parts: PlanParts, options: SealOptions): Plan {
  const { changes, unmanaged } = parts;
  const liveById = new Map(parts.flags.map((flag) => [flag.id, flag]));
  const outlook = foresee(changes, parts.live, parts.keyOfFlag);
  const count = (action: Action): number =>
    changes.filter((change) => change.action === action && !isFirstOfTwo(change)).length;
  const plan: Omit<Plan, 'fingerprint'> = {
    project: options.project,
    summary: {
      create: count('create'),
      update: count('update'),
      delete: count('delete'),
      restore: count('restore'),
      grant: count('grant'),
      revoke: count('revoke'),
      unchanged: parts.unchanged,
      unmanaged: unmanaged.count,
    },
    changes,
    hazards: findHazards({ changes, reach: parts.reach, kept: parts.kept, liveById, outlook }, options),
    unmanaged: unmanaged.inScope,
    warnings: sorted([...parts.warnings, ...foretellRefusals(changes, liveById, outlook), ...secretWarnings(changes)]),
  };
  return { ...plan, fingerprint: fingerprintOf(withoutSecrets(plan) as unknown as JsonObject) };
}

function secretWarnings(changes: readonly Change[]): PlanWarning[] {
  const keys = keysWithSecretsLeftOut(withoutSecrets({ changes }).changes);
  return keys.map((key) => ({ code: 'payloads_encrypted', key }));
}

function sorted(warnings: readonly PlanWarning[]): PlanWarning[] {
  return warnings.toSorted(comparing(({ key, code }) => `${key} ${code}`));
}
