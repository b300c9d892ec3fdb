/** The words for what a list leaves out, because its readers take no more. */

import { count } from './count.ts';

/** `nouns`: what one of each sort is. */
export function hiddenText<Sort extends string>(
  hidden: readonly { readonly sort: Sort; readonly count: number }[],
  nouns: Readonly<Record<Sort, string>>,
): string {
  const amounts = hidden.map(({ sort, count: amount }) => count(amount, nouns[sort]));
  return `Not listed: ${amounts.join(', ')} more. The page (--report html=FILE) shows all, the summary (--report markdown=FILE) those that fit.`;
}
