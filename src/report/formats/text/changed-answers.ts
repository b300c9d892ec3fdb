/** The named people whose answers change by a plan, a line for each answer. */

import type { ChangedAnswers } from '../../../expectations/changed-answers.ts';
import type { View } from '../../view.ts';
import { changedAnswerText, changedAnswersSummary } from '../../words/changed-answers.ts';

const MOST_SHOWN = 20;

/** The first line says how many; absent without people. */
export function changedAnswerLines(
  named: ChangedAnswers | undefined,
  { palette, verbose }: Pick<View, 'palette' | 'verbose'>,
): string[] {
  if (named === undefined) return [];
  const shown = named.answers.slice(0, verbose ? undefined : MOST_SHOWN);
  const hidden = named.total - shown.length;
  return [
    changedAnswersSummary(named),
    ...shown.map((one) => `  ${changedAnswerText(one)}`),
    ...(hidden === 0 ? [] : [palette.dim(`  … ${hidden} more${verboseText(named, { shown: shown.length, hidden })}`)]),
  ];
}

/** Of very many answers, only some are kept. */
function verboseText(
  { answers }: ChangedAnswers,
  { shown, hidden }: { readonly shown: number; readonly hidden: number },
): string {
  const further = answers.length - shown;
  if (further === 0) return '';
  return further === hidden ? '; --verbose lists them' : `; --verbose lists ${further} of them`;
}
