/** What `init` and `export` did to files as text. */

import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';

export function filesText({ files }: Pick<ReportOf<'files'>, 'files'>, { palette }: View): string {
  return files
    .map(({ file, status }) =>
      status === 'written'
        ? `${palette.add('+ written')}  ${escapeLine(file)}\n`
        : `${palette.dim('= kept')}     ${escapeLine(file)}  ${palette.dim('it was there already')}\n`,
    )
    .join('');
}
