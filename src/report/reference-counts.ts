/** Counts and groups what is known of the flags that code reads. */

import { nearest } from '../base/text.ts';
import type { UnknownRead } from '../references/reference.ts';
import { isStillRead, type OfRepository } from '../references/use.ts';
import type { ReportOf } from './report.ts';

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

export function countReferences(report: ReportOf<'refs'>): ReferenceCounts {
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
export function unknownReadsOf({ code, listed }: ReportOf<'refs'>): readonly (UnknownRead & OfRepository)[] {
  if (listed) return [];
  const declared = new Set(code.repositories[0]?.code.keys);
  return code.repositories.flatMap(({ name, code: { unknownReads } }) =>
    unknownReads
      .filter(({ key }) => !declared.has(key))
      .map((read) => ({ ...read, ...(name === undefined ? {} : { repository: name }) })),
  );
}

/** The key that the writer may have meant. */
export function meantKey({ code }: ReportOf<'refs'>, key: string): string | undefined {
  const keys = code.repositories[0]?.code.keys ?? [];
  const reads = code.repositories.reduce((sum, one) => sum + one.code.unknownReads.length, 0);
  return keys.length * reads > MOST_COMPARED ? undefined : nearest(key, keys);
}

/** The limit is that of all names of a run (docs/security.md). */
const MOST_COMPARED = 1_000_000;
