/** What `refs` and `stale` report: where code reads flags, and which flags may go. */

import { nearest } from '../../base/text.ts';
import type { UnknownRead } from './reference.ts';
import { isStillRead, type JudgedFlag, type StaleFlag } from './staleness.ts';
import type { KnownCode, OfRepository } from './use.ts';

export type CodeReport = RefsReport | StaleReport;

/** Where code reads flags. */
export interface RefsReport {
  readonly kind: 'refs';
  readonly code: KnownCode;
  readonly flags: readonly JudgedFlag[];
  /** Every place of these flags is asked for. */
  readonly listed: boolean;
}

/** Flags that may go, and the next step of each. */
export interface StaleReport {
  readonly kind: 'stale';
  readonly code: KnownCode;
  readonly flags: readonly StaleFlag[];
  /** These flags are asked for. */
  readonly listed: boolean;
  /** How many flags were judged. */
  readonly judged: number;
  readonly days: number;
  /** The names of the projects whose services answered, and of the others. */
  readonly asked: readonly string[];
  readonly unasked: readonly { readonly name: string; readonly isForbidden?: true }[];
  /** How many were sent. */
  readonly requests: number;
  /** Stale flags of which the service was not asked, or did not say, why. */
  readonly unexplained?: number;
  /** Show one task for each flag. */
  readonly tasks: boolean;
}

export interface ReferenceCounts {
  readonly read: number;
  readonly notFound: number;
  /** `possible`, `indirect` and `unknown`. */
  readonly unclear: number;
  /** Keys that no manifest declares. */
  readonly unknownReads: number;
  /** Deleted, renamed, disabled or fully rolled out. */
  readonly stillRead: number;
}

export function countReferences(report: RefsReport): ReferenceCounts {
  const { flags } = report;
  const amount = (verdicts: readonly string[]): number =>
    flags.filter(({ use }) => verdicts.includes(use.verdict)).length;
  return {
    read: amount(['read']),
    notFound: amount(['not_found']),
    unclear: amount(['possible', 'indirect', 'unknown']),
    unknownReads: new Set(unknownReadsOf(report).map(({ key }) => key)).size,
    stillRead: flags.filter(isStillRead).length,
  };
}

/** The unknown reads; none where only some flags are asked for. */
export function unknownReadsOf({ code, listed }: RefsReport): readonly (UnknownRead & OfRepository)[] {
  if (listed) return [];
  const declared = new Set(code.repositories[0]?.code.keys);
  return code.repositories.flatMap(({ name, code: { unknownReads } }) =>
    unknownReads
      .filter(({ key }) => !declared.has(key))
      .map((read) => ({ ...read, ...(name === undefined ? {} : { repository: name }) })),
  );
}

/** The key that the writer may have meant. */
export function meantKey({ code }: RefsReport, key: string): string | undefined {
  const keys = code.repositories[0]?.code.keys ?? [];
  const reads = code.repositories.reduce((sum, one) => sum + one.code.unknownReads.length, 0);
  return keys.length * reads > MOST_COMPARED ? undefined : nearest(key, keys);
}

/** The limit is that of all names of a run (docs/security.md). */
const MOST_COMPARED = 1_000_000;
