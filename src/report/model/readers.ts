/** Code that reads what a plan changes: below each change, and what was not searched. */

import type { Readers } from '../../references/losses.ts';
import { readLossText, unsearchedText } from '../words/readers.ts';
import { toned } from './phrase.ts';
import type { ReportFact, ReportLine } from './report-model.ts';

export function readerLines({ ref }: { readonly ref: string }, readers: Readers | undefined): ReportLine[] {
  return (readers?.flags ?? [])
    .filter((flag) => flag.ref === ref)
    .flatMap((flag) => {
      const text = readLossText(flag);
      return text === undefined ? [] : [{ phrase: [toned(flag.verdict === 'read' ? 'warning' : 'dim', text)] }];
    });
}

export function readerFacts(readers: Readers | undefined): ReportFact[] {
  const text = unsearchedText(readers);
  return text === undefined ? [] : [{ about: 'readers', phrase: [toned('caution', `${text}.`)] }];
}
