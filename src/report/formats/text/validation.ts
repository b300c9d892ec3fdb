/** The findings of `validate` as text. */

import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { validationSummary } from '../../words/checked.ts';

/** Usually there is no problem, in an editor or a commit hook: then the words are not loaded. */
export async function validationText(report: ReportOf<'validation'>, view: View): Promise<string> {
  const { diagnostics, policies } = report;
  const summary = validationSummary(report);
  const judged = policies === undefined ? '' : await policiesText(policies, view);
  if (diagnostics.length === 0) return `${judged}${summary}\n`;
  const { diagnosticsText } = await import('./diagnostics.ts');
  return `${diagnosticsText(diagnostics, view)}\n${judged}${summary}\n`;
}

async function policiesText(
  policies: NonNullable<ReportOf<'validation'>['policies']>,
  { palette }: View,
): Promise<string> {
  const [{ brokenRules, refuses }, { brokenRuleLines }, { findingLines, summaryOf }] = await Promise.all([
    import('../../../policy/broken-rules.ts'),
    import('./broken-rules.ts'),
    import('./findings.ts'),
  ]);
  return policies
    .map(({ project, judgement }) => {
      const heading = `Policies refuse the changes for ${escapeLine(project)} (exit code 4):`;
      const refusing = brokenRules(judgement).filter(refuses);
      return [
        ...brokenRuleLines(refusing, { heading, palette, project }),
        ...findingLines(judgement, palette),
        ...summaryOf(judgement),
      ];
    })
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join('\n')}\n\n`)
    .join('');
}
