/** The model of the files that `init`, `export` and `generate` wrote, would write or kept. */

import { escapeLine } from '../escape.ts';
import type { FileOutcome, ReportOf } from '../report.ts';
import { toned } from './phrase.ts';
import type { ReportGroup, ReportModel } from './report-model.ts';

export function filesModel({ files }: Pick<ReportOf<'files'>, 'files'>): ReportModel {
  return { page: () => ({ facts: [], notices: [], groups: [filesGroup(files)] }) };
}

export function filesGroup(files: readonly FileOutcome[]): ReportGroup {
  return {
    about: 'files',
    title: 'Files',
    form: 'list',
    indent: { head: 0, lines: 0 },
    entries: files.map(({ file, status }) => {
      const [words, tone, note] = STATUSES[status];
      const after = note === undefined ? [] : ['  ', toned('dim', note)];
      return { head: [toned(tone, words), `${' '.repeat(11 - words.length)}${escapeLine(file)}`, ...after], lines: [] };
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
