/** Limits the remarks in a document to the most severe, and gives each a fingerprint that stays the same from run to run. */

import { fingerprintOf } from '../../../engine/plan-document.ts';
import { hiddenText } from '../../words/amounts.ts';
import { REMARK_LEVELS, type Remark, type RemarkLevel, lastingText, nameOfRule } from '../../model/remarks/remark.ts';
import { canonicalText } from '../../../base/json.ts';

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

export interface ListRoom<Sort extends string> {
  /** The gravest first. */
  readonly sorts: readonly Sort[];
  /** Most items of all sorts. */
  readonly total: number;
  /** Most items of each sort; absent: as many as of all. */
  readonly ofSort?: number;
}

export interface Shortened<Item, Sort extends string> {
  readonly shown: readonly Item[];
  /** The gravest first; nothing where all are shown. */
  readonly hidden: readonly { readonly sort: Sort; readonly count: number }[];
}

export function shorten<Item, Sort extends string>(
  items: readonly Item[],
  sortOf: (item: Item) => Sort,
  { sorts, total, ofSort = total }: ListRoom<Sort>,
): Shortened<Item, Sort> {
  const room = new Map<Sort, number>();
  const hidden: { sort: Sort; count: number }[] = [];
  let left = total;
  for (const sort of sorts) {
    const amount = items.reduce((sum, item) => (sortOf(item) === sort ? sum + 1 : sum), 0);
    const shown = Math.min(amount, ofSort, left);
    room.set(sort, shown);
    left -= shown;
    if (shown < amount) hidden.push({ sort, count: amount - shown });
  }
  if (hidden.length === 0) return { shown: items, hidden };
  const shown = items.filter((item) => {
    const more = room.get(sortOf(item)) ?? 0;
    room.set(sortOf(item), more - 1);
    return more > 0;
  });
  return { shown, hidden };
}

/** Lines move when a file is edited, so the names do not depend on them. Equal remarks are numbered. */
export function fingerprintsOf(remarks: readonly Remark[]): readonly string[] {
  const seen = new Map<string, number>();
  return remarks.map((remark) => {
    const content = { path: remark.place?.file ?? '', rule: nameOfRule(remark), text: lastingText(remark) };
    const name = canonicalText(content);
    const number = seen.get(name) ?? 0;
    seen.set(name, number + 1);
    return fingerprintOf({ ...content, number });
  });
}
