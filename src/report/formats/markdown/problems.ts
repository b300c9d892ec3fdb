/** Diagnostics, and the failure of a whole run, as Markdown. */

import type { Diagnostic } from '../../../base/diagnostic.ts';
import { brokenRules, refuses } from '../../../policy/broken-rules.ts';
import type { Judgement } from '../../../policy/finding.ts';
import type { ReportOf } from '../../report.ts';
import { PLAIN, type View } from '../../view.ts';
import { validationSummary } from '../../words/checked.ts';
import { count } from '../../words/count.ts';
import { diagnosticBlock } from '../text/diagnostics.ts';
import { SUMMARIES } from '../text/failure.ts';
import { refusedLines } from '../text/undo.ts';
import { assemble, type Group, type Head } from './document.ts';
import { brokenRuleSentence } from './broken-rules.ts';
import { findingNotices } from './findings.ts';
import { codeSpan } from './markup.ts';

export function validationMarkdown(report: ReportOf<'validation'>, view: View): string {
  const { diagnostics, policies = [] } = report;
  const parts = ['### Validation', `**${validationSummary(report)}**`];
  const notices = policies.flatMap(({ project, judgement }) =>
    [refusalNotice(judgement, project), ...findingNotices(judgement)].map(({ title, sentences }) => ({
      title: `${title}, ${codeSpan(project)}`,
      sentences,
    })),
  );
  return assemble({ parts, notices }, diagnosticGroups(diagnostics, view), view);
}

export function failureMarkdown(
  { error, hazards = [], findings = [], changes = [], refused = [], project }: ReportOf<'failure'>,
  view: View,
): string {
  // A single diagnostic says the same as the message.
  const message = error.diagnostics.length === 1 && SUMMARIES.has(error.code) ? [] : [codeSpan(error.message)];
  const remedy = error.remedy === undefined ? [] : [codeSpan(error.remedy)];
  return assemble(
    {
      parts: [`### Failed (${codeSpan(error.code)})`, ...message, ...remedy],
      notices: [
        {
          title: 'Refused',
          sentences: brokenRules({ hazards, findings, changes }).map((broken) =>
            brokenRuleSentence(broken, project?.name),
          ),
        },
      ],
    },
    [
      ...diagnosticGroups(error.diagnostics, view),
      {
        title: 'Cannot be undone',
        language: 'text',
        entries: refusedLines(refused, { ...view, palette: PLAIN })
          .slice(1)
          .map((line) => [line]),
        isOpen: true,
      },
    ],
    view,
  );
}

function refusalNotice(judgement: Judgement, project: string): Head['notices'][number] {
  const sentences = brokenRules(judgement)
    .filter(refuses)
    .map((broken) => brokenRuleSentence(broken, project));
  return { title: 'Policies refuse the changes (exit code 4)', sentences };
}

function diagnosticGroups(diagnostics: readonly Diagnostic[], view: View): Group[] {
  return (['error', 'warning'] as const).map((severity) => {
    const alike = diagnostics.filter((diagnostic) => diagnostic.severity === severity);
    return {
      title: count(alike.length, severity),
      language: 'text',
      entries: alike.map((diagnostic) => diagnosticBlock(diagnostic, { ...view, palette: PLAIN })),
      isOpen: severity === 'error',
    };
  });
}
