/** The section of a plan about code that reads what changes. */

import { knownHazards } from '../../review/policy/broken-rules.ts';
import { defined } from '../../base/optional.ts';
import type { Readers } from '../../code/references/losses.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { toned } from '../phrase.ts';
import { readLossText, unsearchedText } from '../words/code.ts';
import { type Remark, sentenceOf } from './remark.ts';
import type { ReportFact, ReportLine } from './report-model.ts';

export function lines({ flags }: Readers, { ref }: Change): readonly ReportLine[] {
  return flags.flatMap((flag) => {
    const text = flag.ref === ref ? readLossText(flag) : undefined;
    return text === undefined ? [] : [{ phrase: [toned(flag.verdict === 'read' ? 'warning' : 'dim', text)] }];
  });
}

export function facts(readers: Readers): readonly ReportFact[] {
  const text = unsearchedText(readers);
  return text === undefined ? [] : [{ place: 'summary', phrase: [toned('caution', `${text}.`)] }];
}

/** A rule that the plan breaks says it already. */
export function remarks(readers: Readers, plan: Plan): readonly Remark[] {
  const places = new Map(plan.changes.map(({ ref, source }) => [ref, source]));
  const told = new Set(knownHazards(plan).flatMap((one) => (one.code === 'read_by_code' ? one.ref : [])));
  const flags = readers.flags.filter(({ ref }) => !told.has(ref));
  const rest = unsearchedText(readers);
  return [
    ...flags.flatMap((flag): Remark[] => {
      const text = readLossText(flag);
      if (text === undefined) return [];
      const { key: name, ref, verdict } = flag;
      const level = verdict === 'read' ? 'warning' : 'note';
      const place = defined({ place: places.get(ref) });
      const sentence = sentenceOf(name, (quote) => `${quote(name)}: ${text}.`);
      return [{ family: 'warning', rule: 'readers', level, ...sentence, name, ...place }];
    }),
    ...(rest === undefined
      ? []
      : [{ family: 'warning', rule: 'code_not_searched', level: 'warning', text: `${rest}.` } as const]),
  ];
}
