/** The files that `init` and `export` wrote, would write or kept, as text. */

import { escapeLine } from '../../escape.ts';
import type { FileOutcome, ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';

export function filesText({ files }: Pick<ReportOf<'files'>, 'files'>, { palette }: View): string {
  return files
    .map(({ file, status }) => {
      const { mark, colour, note } = STATUSES[status];
      const after = note === undefined ? '' : `  ${palette.dim(note)}`;
      return `${palette[colour](mark)}${' '.repeat(11 - mark.length)}${escapeLine(file)}${after}\n`;
    })
    .join('');
}

interface Status {
  readonly mark: string;
  readonly colour: 'add' | 'change' | 'dim';
  readonly note?: string;
}

const STATUSES: Readonly<Record<FileOutcome['status'], Status>> = {
  written: { mark: '+ written', colour: 'add' },
  edited: { mark: '~ edited', colour: 'change' },
  kept: { mark: '= kept', colour: 'dim', note: 'already exists' },
  to_write: { mark: '+ to write', colour: 'add' },
  to_edit: { mark: '~ to edit', colour: 'change' },
};
