/** The model of the files that commands write. */

import { escapeLine } from '../escape.ts';
import { type Span, toned } from '../phrase.ts';
import type { FileOutcome } from '../file-outcome.ts';
import type { ReportOf } from '../report.ts';
import type { ReportGroup, ReportModel } from './report-model.ts';

/** The model of the files that `init`, `export` and `generate` wrote, would write or kept. */
export function filesModel({ files }: Pick<ReportOf<'files'>, 'files'>): ReportModel {
  return { page: () => ({ groups: [filesGroup(files)] }) };
}

export function filesGroup(files: readonly FileOutcome[]): ReportGroup {
  return {
    place: 'rest',
    title: 'Files',
    form: 'list',
    indent: { head: 0, lines: 0 },
    sorts: [],
    entries: files.map(({ file, status }) => {
      const [words, tone, note] = STATUSES[status];
      const after = note === undefined ? [] : ['  ', toned('dim', note)];
      return { head: [toned(tone, words), `${' '.repeat(11 - words.length)}${escapeLine(file)}`, ...after] };
    }),
  };
}

const STATUSES: Readonly<
  Record<FileOutcome['status'], readonly [words: string, tone: 'add' | 'change' | 'dim', note?: string]>
> = {
  written: ['+ written', 'add'],
  edited: ['~ edited', 'change'],
  kept: ['= kept', 'dim', 'already exists'],
  current: ['= current', 'dim'],
  to_write: ['+ to write', 'add'],
  to_edit: ['~ to edit', 'change'],
};

/** The source of the flags of two compared projects. */
export function sourceSpan(source: 'manifests' | 'live'): Span {
  return toned('dim', source === 'live' ? '(live flags)' : '(manifests)');
}
