/** Permits of a file: what they add to the permissions of a run, and which of them the plan needs. */

import type { PermitWarning } from './plan.ts';
import type { GivenPermit, Permissions, Permit, RiskHazard, RuleHazard, SafetyRules } from './safety.ts';
import { matchKeyPatterns, matchKeyPatternsOfLive, unmatchedPatterns } from './scope.ts';

/** The permissions of the options and of the valid permits; of several numbers the largest counts. */
export function allPermissions({ allow, permits = [] }: SafetyRules): Permissions {
  const valid = permits.filter(({ isExpired }) => !isExpired).map(({ permit }) => permit);
  return {
    ...allow,
    ...largest('deletes', allow, valid),
    ...largest('updates', allow, valid),
    ...largest('disables', allow, valid),
    protected: [...allow.protected, ...keysOf('protected', valid)],
    risky: [...(allow.risky ?? []), ...keysOf('risky', valid)],
    override: [...(allow.override ?? []), ...keysOf('override', valid)],
  };
}

/**
 * A warning for each permit: the rules that it lifts, or why it has no effect.
 */
export function warnOfPermits(
  permits: readonly GivenPermit[],
  { broken, reverted, known, liveNames }: PermittedPlan,
): readonly PermitWarning[] {
  return permits.flatMap(({ isExpired, ...given }): PermitWarning[] => {
    const { permit } = given;
    const facts = { key: typeof permit.value === 'string' ? permit.value : permit.kind, ...given };
    if (isExpired) return [{ code: 'permit_expired', ...facts }];
    const rules = [...new Set(broken.filter((hazard) => concerns(permit, hazard, liveNames)).map(({ code }) => code))];
    if (rules.length > 0) return [{ code: 'permit_used', ...facts, rules }];
    // A permit lets the run revert drift that is otherwise kept.
    if (permit.kind === 'override' && reverted.some(matchKeyPatterns([permit.value]))) return [];
    const isKnown = typeof permit.value !== 'string' || unmatchedPatterns([permit.value], known).length === 0;
    return [{ code: isKnown ? 'permit_unused' : 'permit_unmatched', ...facts }];
  });
}

/** The parts of a plan that permits are matched with. */
interface PermittedPlan {
  /** The rules that the plan breaks without permits. */
  readonly broken: readonly (RuleHazard | RiskHazard)[];
  /** The names of the resources whose live edits the plan reverts. */
  readonly reverted: readonly string[];
  /** The names of all declared and live resources. */
  readonly known: readonly string[];
  /** Keys are the new names of renamed resources. */
  readonly liveNames: ReadonlyMap<string, string>;
}

function concerns(
  permit: Permit,
  { permit: needed }: RuleHazard | RiskHazard,
  liveNames: ReadonlyMap<string, string>,
): boolean {
  if (permit.kind !== needed?.kind) return false;
  return typeof permit.value !== 'string' || matchKeyPatternsOfLive([permit.value], liveNames)(String(needed.value));
}

type CountedCode = 'deletes' | 'updates' | 'disables';

function largest(
  kind: CountedCode,
  allow: Permissions,
  permits: readonly Permit[],
): Partial<Record<CountedCode, number>> {
  const given = permits.filter((permit) => permit.kind === kind).map(({ value }) => Number(value));
  const numbers = [...given, ...(allow[kind] === undefined ? [] : [allow[kind]])];
  return numbers.length === 0 ? {} : { [kind]: Math.max(...numbers) };
}

function keysOf(kind: 'protected' | 'risky' | 'override', permits: readonly Permit[]): readonly string[] {
  return permits.filter((permit) => permit.kind === kind).map(({ value }) => String(value));
}
