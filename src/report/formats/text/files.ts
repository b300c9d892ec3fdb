/** The files that `init` and `export` wrote or kept, as text. */

import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';

export function filesText({ files }: Pick<ReportOf<'files'>, 'files'>, { palette }: View): string {
  return files
    .map(({ file, status }) =>
      status === 'written'
        ? `${palette.add('+ written')}  ${escapeLine(file)}\n`
        : `${palette.dim('= kept')}     ${escapeLine(file)}  ${palette.dim('already exists')}\n`,
    )
    .join('');
}
