/** Lifts findings by an approval of the change or an exception, and tells what each exception of a file does for a plan. */

import { jsonEquals, type JsonObject } from '../../base/json.ts';
import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import {
  type Exception,
  isAbout,
  liftedBy,
  type Lifted,
  type IdleReason,
  mostOf,
  whyIdle,
} from '../../core/engine/exceptions.ts';
import { unmatchedPatterns } from '../../core/engine/scope.ts';
import { kindFor, nameOfChange } from '../../posthog/kinds.ts';
import { liftHazards, liveNamesOf } from '../../core/engine/hazards.ts';
import type { Change, Hazard, Plan } from '../../posthog/plan.ts';
import type { Finding } from './finding.ts';
import { areOfBuiltIn, isBuiltIn, policyKindOf, type PolicyFacts } from './built-in.ts';

/** Who may grant an exception; absent in a report: none lifts anything in such a run. */
export type Grantors = readonly string[] | 'anybody';

/** What a run may lift rules by. */
export interface Grants {
  readonly exceptions: readonly Exception[];
  /** The people whom the run names (`--approved-by`). */
  readonly approvedBy: readonly string[];
  /** The people who may approve and grant; absent: anybody whom the run names. */
  readonly approvers?: readonly string[];
  /** When the change is made, in milliseconds. */
  readonly now: number;
}

/** The exceptions that count. */
export function standing({ exceptions, approvers, now }: Omit<Grants, 'approvedBy'>): readonly Exception[] {
  return exceptions.filter((one) => whyIdle(one, { approvers, now }) === undefined);
}

/** Warnings refuse nothing, so none is lifted. The findings of a rule that ended early are unknown. */
export function liftFindings(findings: readonly Finding[], grants: Grants): readonly Finding[] {
  const { approvedBy, approvers } = grants;
  return findings.map((finding) => {
    if (finding.level === 'warning' || finding.facts.what === 'own_exhausted') return finding;
    const name = nameOfChange(finding as Pick<Change, 'resource' | 'key'>);
    const { rule, live_name: liveName = name } = finding;
    const judgesNames = isBuiltIn(rule) && policyKindOf(rule).judgesNames === true;
    // What a later step breaks is lifted by what counts then.
    const then = finding.due ?? finding.step;
    const now = then === undefined ? grants.now : Math.max(grants.now, Date.parse(then));
    const exception = standing({ ...grants, now }).find(
      (one) => one.rules.includes(rule) && isAbout(one, { name, liveName, judgesNames }),
    );
    if (exception !== undefined) return { ...finding, lifted: liftedBy(exception) };
    const approver = approvedBy.find((one) => approvers?.includes(one) ?? true);
    if (finding.level === 'approve' && approver !== undefined)
      return { ...finding, lifted: { by: 'approval', approver } };
    return { ...finding, ...(approvers && { approvers }) };
  });
}

/**
 * The hazards of a saved plan that exceptions of the file lifted, and that none lifts now. What options lifted was decided when the plan was
 * made.
 */
export function noLongerLifted(
  { changes, lifted = [] }: Pick<Plan, 'changes' | 'lifted'>,
  { exceptions, approvers, now }: Omit<Grants, 'approvedBy'>,
): readonly Hazard[] {
  const names = changes.map((change) => ({ name: nameOfChange(change), liveKey: kindFor(change).liveKey(change) }));
  return lifted.flatMap(({ hazard, by }) => {
    if (by.by !== 'exception') return [];
    // What a later step breaks is lifted by what counts then.
    const then = hazard.step === undefined ? now : Math.max(now, Date.parse(hazard.step));
    const counting = standing({ exceptions, now: then, ...defined({ approvers }) });
    return liftHazards([hazard], counting, liveNamesOf(names)).hazards;
  });
}

/** An exception of a file, and what it does for a plan. */
export interface ExceptionReport {
  readonly code: `exception_${'used' | 'unused' | 'unmatched' | IdleReason}`;
  readonly rules: readonly string[];
  /** Absent for rules that count changes. */
  readonly keys?: readonly string[];
  readonly most?: number;
  readonly reason: string;
  readonly until: string;
  readonly granted_by: string;
  readonly source: Place;
  /** The rules that it lifts, and of which resource; absent for one that lifts nothing. */
  readonly lifts?: readonly { readonly rule: string; readonly key?: string }[];
  /** The number of changes that the plan makes, if the exception allows fewer. */
  readonly needed?: number;
}

/** A plan that was judged. */
interface Judged {
  readonly plan: Pick<Plan, 'changes' | 'hazards' | 'lifted'>;
  readonly findings: readonly Finding[];
  /** The rules that judged all changes. Exceptions of other rules may still be needed. */
  readonly judgedBy: (rule: string) => boolean;
  /** The names of all declared and live resources. */
  readonly known: readonly string[];
}

/** Says nothing of options: whoever gave them knows them. */
export function reportExceptions(
  { exceptions, approvers, now }: Omit<Grants, 'approvedBy'>,
  { plan, findings, judgedBy, known }: Judged,
): readonly ExceptionReport[] {
  const lifted: readonly LiftedRule[] = [
    ...(plan.lifted ?? []).map(({ hazard, by }) => ({
      by,
      rule: hazard.code,
      ...('key' in hazard && { key: hazard.key }),
    })),
    ...findings.flatMap((one) =>
      one.lifted === undefined
        ? []
        : [{ by: one.lifted, rule: one.rule, key: nameOfChange(one as Pick<Change, 'resource' | 'key'>) }],
    ),
  ];
  return exceptions.flatMap((one): ExceptionReport[] => {
    const { rules, keys, most, origin } = one;
    if (origin.from === 'option') return [];
    const { reason, until, grantedBy, place: source } = origin;
    const named = { rules, ...(keys.length > 0 && { keys }), ...defined({ most }) };
    const facts = { ...named, reason, until, granted_by: grantedBy, source };
    const idle = whyIdle(one, { approvers, now });
    if (idle !== undefined) return [{ code: `exception_${idle}`, ...facts }];
    const lifts = lifted.filter(({ by }) => by.by === 'exception' && isSamePlace(by.source, source));
    if (lifts.length > 0) {
      const told = lifts.map(({ by: _by, ...rule }) => rule);
      return [{ code: 'exception_used', ...facts, lifts: told }];
    }
    if (!rules.some(judgedBy) || revertsDrift(one, plan)) return [];
    const isUnmatched = keys.length > 0 && unmatchedPatterns(keys, known).length === keys.length;
    const needed = neededOf(one, plan);
    return [{ code: isUnmatched ? 'exception_unmatched' : 'exception_unused', ...facts, ...defined({ needed }) }];
  });
}

interface LiftedRule {
  readonly by: Lifted;
  readonly rule: string;
  readonly key?: string;
}

function isSamePlace(one: Place, other: Place): boolean {
  return one.file === other.file && one.line === other.line && one.column === other.column;
}

/** An exception of `conflict` lets the run revert drift that is otherwise kept. */
function revertsDrift(exception: Exception, { changes }: Judged['plan']): boolean {
  if (!exception.rules.includes('conflict')) return false;
  return changes.some((change) => {
    const kind = kindFor(change);
    const isDrifted = kind.parts(change).some(({ divergence }) => divergence === 'drifted');
    return isDrifted && isAbout(exception, { name: nameOfChange(change), liveName: kind.liveKey(change) });
  });
}

function neededOf(exception: Exception, { hazards }: Judged['plan']): number | undefined {
  const needed = hazards.flatMap(({ permit }) =>
    typeof permit?.value === 'number' && mostOf([exception], permit.kind) !== undefined ? [permit.value] : [],
  );
  return needed.length === 0 ? undefined : Math.max(...needed);
}

/** Whether an approval of what a rule found covers what it finds now. */
export function coversFacts(approved: JsonObject, found: Finding['facts']): boolean {
  const isSame = (facts: Finding['facts']): boolean => jsonEquals(approved, facts as unknown as JsonObject);
  const covers = areOfBuiltIn(found) && found.what === approved['what'] ? policyKindOf(found.what).covers : undefined;
  return covers?.(approved as unknown as PolicyFacts, found as PolicyFacts, isSame) ?? isSame(found);
}
