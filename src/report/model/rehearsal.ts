/** The model of a rehearsal: a line for each step that was made, and how many people had the flag on from then. */

import { escapeLine } from '../escape.ts';
import { pad } from '../display-width.ts';
import type { RehearsalMoment, ReportOf } from '../report.ts';
import { count } from '../words/amounts.ts';
import { shareText } from '../words/rollouts.ts';
import { timeText } from '../words/times.ts';
import { LIST } from './change.ts';
import { toned } from '../phrase.ts';
import type { Plot, ReportEntry, ReportModel } from './report-model.ts';

export function rehearsalModel({ project, moments, isRefused }: ReportOf<'rehearsal'>): ReportModel {
  const keys = [...new Set(moments.map(({ key }) => key))];
  const made = keys.reduce((sum, key) => sum + madeOf(moments.filter((one) => one.key === key)), 0);
  const summary = `Rehearsal: ${count(made, 'step')} made of ${count(keys.length, 'flag')}${isRefused ? ', and the next one is refused' : ''}`;
  const width = Math.max(0, ...keys.map((key) => escapeLine(key).length));
  return {
    title: { words: ['Rehearsal for ', toned('strong', escapeLine(project))] },
    summary,
    standing: isRefused ? 'bad' : 'good',
    page: () => ({
      facts: [],
      notices: [],
      groups: [
        {
          about: 'steps',
          title: 'Who has it on',
          ...LIST,
          entries: moments.map((one) => toEntry(one, width)),
          plots: keys.map((key) => plotOf(key, moments)),
        },
      ],
    }),
  };
}

/** A run may make several steps of a flag at once, and some may have been made before. */
function madeOf(own: readonly RehearsalMoment[]): number {
  return (own.at(-1)?.step ?? 0) - (own[0]?.step ?? 0);
}

function toEntry({ at, key, step, steps, share }: RehearsalMoment, width: number): ReportEntry {
  const of = step === 0 ? 'before' : `step ${step} of ${steps}`;
  return {
    head: [timeText(at), '  ', toned('strong', pad(escapeLine(key), width)), `  ${pad(of, 14)}  ${shareText(share)}`],
    lines: [],
  };
}

function plotOf(key: string, moments: readonly RehearsalMoment[]): Plot {
  const own = moments.filter((one) => one.key === key);
  return { title: escapeLine(key), points: own.map(({ at, share }) => ({ at: Date.parse(at), ...share })) };
}
