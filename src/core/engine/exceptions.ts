/**
 * Exceptions: a rule does not refuse a change of some resources, or a number of changes, until a day. A file has those that were reviewed; an
 * option of the command line is one that is made by hand for one run.
 */

import type { Place } from '../../base/place.ts';
import { keyGlob } from '../../base/key-glob.ts';

export interface Exception {
  /** Codes of safety rules, or the name of a policy. An entry of the file has one; an option may stand for several. */
  readonly rules: readonly string[];
  /** Keys or globs, of cohorts as `cohort:ALIAS`; empty for rules that count changes. */
  readonly keys: readonly string[];
  /** The number of changes that one run may make, for rules that count them. */
  readonly most?: number;
  /** `option`: its name. It counts for this run. */
  readonly origin: OfFile | { readonly from: 'option'; readonly option: string };
}

interface OfFile {
  readonly from: 'file';
  readonly place: Place;
  readonly reason: string;
  /** The last day, `2026-12-31`, in UTC. */
  readonly until: string;
  readonly grantedBy: string;
  /** The base has the same entry for this project: it was reviewed and applied, in its own change or in an earlier one. */
  readonly isInBase: boolean;
  /** The run names who grants it. */
  readonly isApproved: boolean;
}

/** What lifts a rule. */
export type Lifted =
  | { readonly by: 'option'; readonly option: string }
  /** An approval of the change. */
  | { readonly by: 'approval'; readonly approver: string }
  | {
      readonly by: 'exception';
      readonly granted_by: string;
      /** `approval`: the run names who grants it. `none`: the base has it, and nothing in this run proves that they granted it. */
      readonly proof: 'approval' | 'none';
      readonly reason: string;
      /** The last day, `2026-12-31`, in UTC. */
      readonly until: string;
      readonly source: Place;
    };

/** Why an exception lifts nothing, whatever a plan breaks. */
export type IdleReason = 'expired' | 'not_approver' | 'not_approved';

/**
 * An exception that the change itself adds needs a named grantor: people cannot grant one to themselves. `approvers`: who may grant; absent:
 * anybody. `now`: when the change is made, in milliseconds.
 */
export function whyIdle(
  exception: Exception,
  { approvers, now }: { readonly approvers: readonly string[] | undefined; readonly now: number },
): IdleReason | undefined {
  const { origin } = exception;
  if (origin.from === 'option') return undefined;
  if (isOver(exception, now)) return 'expired';
  const { grantedBy, isInBase, isApproved } = origin;
  if (approvers?.includes(grantedBy) === false) return 'not_approver';
  return isInBase || isApproved ? undefined : 'not_approved';
}

/** Whether its last day has passed at a time, in milliseconds. */
export function isOver({ origin }: Exception, at: number): boolean {
  return origin.from === 'file' && origin.until < new Date(at).toISOString().slice(0, 10);
}

/** A resource that breaks a rule, by its name in options. */
export interface Subject {
  readonly name: string;
  /** Its name in the service now; the same unless the change renames it. */
  readonly liveName: string;
  /** The rule is about the name that the resource gets. */
  readonly judgesNames?: boolean;
}

/**
 * An exception is about the resource that people knew when they granted it, so no rename brings another one under it. One that is made for
 * this change, by an option or in the change itself, may also name the new name.
 */
export function isAbout({ keys, origin }: Exception, { name, liveName, judgesNames = false }: Subject): boolean {
  const matches = (one: string): boolean => keys.some((key) => keyGlob(key)(one));
  if (matches(liveName) || (judgesNames && matches(name))) return true;
  return keys.includes(name) && !(origin.from === 'file' && origin.isInBase);
}

interface Liftable {
  readonly code: string;
  /** Absent: the service refuses the change, whatever is granted. */
  readonly permit?: Permit | undefined;
}

/** What an exception must name to lift a hazard: its rule, and a number or keys; `undefined` if none lifts it. */
export function exceptedBy({
  code,
  permit,
}: Liftable): { readonly rule: string; readonly most: number | undefined } | undefined {
  if (permit === undefined) return undefined;
  return typeof permit.value === 'number' ? { rule: permit.kind, most: permit.value } : { rule: code, most: undefined };
}

/** The first exception that lifts the hazard. */
export function lifterOf(hazard: Liftable, subject: Subject, exceptions: readonly Exception[]): Exception | undefined {
  const needed = exceptedBy(hazard);
  if (needed === undefined) return undefined;
  const { rule, most } = needed;
  return exceptions.find(
    (one) => one.rules.includes(rule) && (most === undefined ? isAbout(one, subject) : (one.most ?? -1) >= most),
  );
}

export function liftedBy({ origin }: Exception): Lifted {
  if (origin.from === 'option') return { by: 'option', option: origin.option };
  const { reason, until, grantedBy, isApproved, place: source } = origin;
  return { by: 'exception', granted_by: grantedBy, proof: isApproved ? 'approval' : 'none', reason, until, source };
}

/** The largest number that exceptions allow for the rule; `undefined` if none has one. */
export function mostOf(exceptions: readonly Exception[], rule: Permit['kind']): number | undefined {
  const numbers = exceptions.flatMap(({ rules, most }) => (most !== undefined && rules.includes(rule) ? [most] : []));
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}

/** What an exception must allow: as many changes as the plan makes, or a flag by its key. The kind is that of the option. */
export type Permit =
  | { readonly kind: 'deletes' | 'updates' | 'disables'; readonly value: number }
  | { readonly kind: 'protected' | 'risky' | 'override'; readonly value: string };

export const PERMIT_OPTIONS: Readonly<Record<Permit['kind'], string>> = {
  deletes: '--allow-deletes',
  updates: '--allow-updates',
  disables: '--allow-disables',
  protected: '--allow-protected',
  risky: '--allow-risky',
  override: '--override',
};
