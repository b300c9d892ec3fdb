/** The remarks that a document lists: all, or the gravest and a note about the others. */

import { hiddenText } from '../../words/hidden.ts';
import { REMARK_LEVELS, type Remark, type RemarkLevel } from '../../model/remarks/remark.ts';
import { shorten } from './shorten.ts';

/** Code scanning of GitHub refuses a run with more than 25,000 results, and no service shows as many. */
export const MOST_LISTED = 20_000;

export function listed(remarks: readonly Remark[]): readonly Remark[] {
  return listedWithin(remarks, { total: MOST_LISTED });
}

/** The note comes before the other notes, the least grave. */
export function listedWithin(
  remarks: readonly Remark[],
  room: { readonly total: number; readonly ofSort?: number },
): readonly Remark[] {
  const { shown, hidden } = shorten(remarks, ({ level }) => level, { ...room, sorts: REMARK_LEVELS });
  if (hidden.length === 0) return remarks;
  const of = (level: RemarkLevel): readonly Remark[] => shown.filter((remark) => remark.level === level);
  const note: Remark = { family: 'report', rule: 'shortened', level: 'note', text: hiddenText(hidden, NOUNS) };
  return [...of('error'), ...of('warning'), note, ...of('note')];
}

const NOUNS: Readonly<Record<RemarkLevel, string>> = { error: 'error', warning: 'warning', note: 'note' };
