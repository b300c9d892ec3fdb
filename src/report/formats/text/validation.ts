/** The findings of `validate` as text. */

import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { count } from '../../words/count.ts';

/** Usually there is no problem, in an editor or a commit hook: then the words are not loaded. */
export async function validationText(
  { files, flags, diagnostics }: ReportOf<'validation'>,
  view: View,
): Promise<string> {
  const checked = `${count(flags, 'flag')} in ${count(files, 'file')}`;
  if (diagnostics.length === 0) return `${checked}: no problems\n`;
  const { diagnosticsSummary, diagnosticsText } = await import('./diagnostics.ts');
  return `${diagnosticsText(diagnostics, view)}\n${checked}: ${diagnosticsSummary(diagnostics)}\n`;
}
