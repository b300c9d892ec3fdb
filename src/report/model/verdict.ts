/** The line that a reader of a page or a comment sees first: why the run failed, what refuses it, or its summary. */

import type { Phrase } from '../phrase.ts';
import type { ReportModel, RunStanding } from './report-model.ts';

interface ShownVerdict {
  readonly phrase: Phrase;
  /** Absent for a report that judges nothing, such as a history. */
  readonly standing?: RunStanding;
  /** Shows the standing without colour. */
  readonly sign: string;
}

const SIGNS: Readonly<Record<RunStanding, string>> = { bad: '✗', warning: '!', open: '~', good: '✓' };

export function verdictOf(model: ReportModel): ShownVerdict | undefined {
  const { failure, summary, standing } = model;
  const refusal = model
    .page()
    .notices.find(({ listTitle, statements }) => listTitle !== undefined && statements.length > 0);
  if (failure !== undefined) {
    const { code, message, isRepeated } = failure;
    const phrase: Phrase = isRepeated ? [{ code }] : [{ code: message }, ' (', { value: code }, ')'];
    return { phrase, standing: 'bad', sign: SIGNS.bad };
  }
  if (refusal !== undefined) return { phrase: refusal.title, standing: 'bad', sign: SIGNS.bad };
  if (summary === undefined) return undefined;
  return standing === undefined ? { phrase: summary, sign: '' } : { phrase: summary, standing, sign: SIGNS[standing] };
}
