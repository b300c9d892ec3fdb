/** Lifts findings: by an approval of the change, or a waiver granted for one rule and some flags. */

import { jsonEquals, type JsonObject } from '../../base/json.ts';
import type { Place } from '../../base/place.ts';
import { matchKeyPatterns } from '../../core/engine/scope.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change } from '../../posthog/plan.ts';
import type { Finding, IdleWaiver } from './finding.ts';
import { areOfBuiltIn, isBuiltIn, policyKindOf, type PolicyFacts } from './built-in.ts';

/** A waiver: one rule does not apply to some flags until a day. */
export interface Waiver {
  /** The name of the rule. */
  readonly rule: string;
  /** Key or pattern. */
  readonly key: string;
  readonly reason: string;
  /** The last day, `2026-12-31`, in UTC. */
  readonly expires: string;
  readonly isExpired: boolean;
  /** The person who grants it. */
  readonly grantedBy: string;
  /** The base has the waiver: it was reviewed and applied, in its own change or in an earlier one. */
  readonly isInBase: boolean;
  readonly source: Place;
}

/** The approvals and waivers of a run. */
export interface Grants {
  /** The people whom the run names (`--approved-by`). */
  readonly approvedBy: readonly string[];
  /** The people who may approve; absent: anybody whom the run names. */
  readonly approvers?: readonly string[];
  readonly waivers: readonly Waiver[];
  /** The names of the rules that judged all changes. Waivers of other rules may still be needed. */
  readonly judgedBy: ReadonlySet<string>;
}

/** Warnings refuse nothing, so none is lifted. The findings of a rule that ended early are unknown. */
export function liftFindings(
  findings: readonly Finding[],
  grants: Grants,
): { readonly findings: readonly Finding[]; readonly idle: readonly IdleWaiver[] } {
  const { approvedBy, approvers, judgedBy } = grants;
  const standing = grants.waivers.map((waiver) => ({ waiver, why: whyIdle(waiver, grants) }));
  const valid = standing.flatMap(({ waiver, why }) => (why === undefined ? [waiver] : []));
  const used = new Set<Waiver>();
  const lifted = findings.map((finding) => {
    if (finding.level === 'warning' || finding.facts.what === 'own_exhausted') return finding;
    const waiver = valid.find((one) => concerns(one, finding));
    if (waiver !== undefined) {
      used.add(waiver);
      const { grantedBy: approver, reason, expires, source } = waiver;
      const proof = approvedBy.includes(approver) ? 'approval' : 'none';
      return { ...finding, lifted: { by: 'waiver', approver, proof, reason, expires, source } } as const;
    }
    if (finding.level !== 'approve') return finding;
    const approver = approvedBy.find((name) => approvers?.includes(name) ?? true);
    if (approver !== undefined) return { ...finding, lifted: { by: 'approval', approver } } as const;
    return { ...finding, ...(approvers && { approvers }) };
  });
  const idle = standing.flatMap(({ waiver, why = 'unused' as const }) => {
    const { rule, key, grantedBy, source } = waiver;
    const isIdle = !used.has(waiver) && (why !== 'unused' || judgedBy.has(rule));
    return isIdle ? [{ rule, key, why, granted_by: grantedBy, source }] : [];
  });
  return { findings: lifted, idle };
}

/** A waiver that the change itself adds needs a named grantor: people cannot grant one to themselves. */
function whyIdle(
  { isExpired, grantedBy, isInBase }: Waiver,
  { approvedBy, approvers }: Grants,
): IdleWaiver['why'] | undefined {
  if (isExpired) return 'expired';
  if (approvers?.includes(grantedBy) === false) return 'not_approver';
  return isInBase || approvedBy.includes(grantedBy) ? undefined : 'not_approved';
}

/**
 * A waiver is about the resource that people knew when they granted it: no rename brings another one under it. A waiver that the change
 * itself adds names the new name, and so does a waiver of a rule about names.
 */
function concerns({ rule, key, isInBase }: Waiver, finding: Finding): boolean {
  if (rule !== finding.rule) return false;
  const name = nameOfChange(finding as Pick<Change, 'resource' | 'key'>);
  const { live_name: liveName = name } = finding;
  const judgesNames = isBuiltIn(rule) && policyKindOf(rule).judgesNames === true;
  const isAbout = matchKeyPatterns([key]);
  return isAbout(liveName) || ((!isInBase || judgesNames) && isAbout(name));
}

/** Whether an approval of what a rule found covers what it finds now. */
export function coversFacts(approved: JsonObject, found: Finding['facts']): boolean {
  const isSame = (facts: Finding['facts']): boolean => jsonEquals(approved, facts as unknown as JsonObject);
  const covers = areOfBuiltIn(found) && found.what === approved['what'] ? policyKindOf(found.what).covers : undefined;
  return covers?.(approved as unknown as PolicyFacts, found as PolicyFacts, isSame) ?? isSame(found);
}
