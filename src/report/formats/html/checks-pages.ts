/** The pages of checks: what `validate` and `test` found, and why a run failed. */

import type { Diagnostic } from '../../../base/diagnostic.ts';
import { defined } from '../../../base/optional.ts';
import type { Outcome } from '../../../expectations/verdict.ts';
import { brokenRules } from '../../../policy/broken-rules.ts';
import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { validationSummary } from '../../words/checked.ts';
import { judgementSummary } from '../../words/findings.ts';
import { testedText } from '../../words/tested.ts';
import { diagnosticBlock } from '../text/diagnostics.ts';
import { SUMMARIES } from '../text/failure.ts';
import { caseLines } from '../text/test.ts';
import { MARKING } from './markup.ts';
import { pageText, type Group } from './page.ts';
import { findingNotice, ofPage, refusalNotice, refusedGroup, toCard } from './parts.ts';

export function validationPage(report: ReportOf<'validation'>, view: View): string {
  const { diagnostics, policies = [] } = report;
  return pageText({
    words: 'Validation',
    summary: validationSummary(report),
    facts: policies.flatMap(({ project, judgement }) => {
      const text = judgementSummary(judgement);
      return text === undefined ? [] : [`${escapeLine(project)}: ${text}`];
    }),
    notices: policies.flatMap(({ project, judgement }) => {
      const name = escapeLine(project);
      return [
        refusalNotice(`Policies refuse the changes for ${name} (exit code 4)`, brokenRules(judgement), project),
        findingNotice(judgement, `Policies, ${name}`),
      ];
    }),
    groups: diagnosticGroups(diagnostics, view),
  });
}

function diagnosticGroups(diagnostics: readonly Diagnostic[], view: View): Group[] {
  return (['error', 'warning'] as const).map((severity) => ({
    title: severity === 'error' ? 'Errors' : 'Warnings',
    cards: diagnostics
      .filter((diagnostic) => diagnostic.severity === severity)
      .map((diagnostic) => {
        const [head = '', ...lines] = diagnosticBlock(diagnostic, ofPage(view));
        return { head, kinds: [severity], lines };
      }),
  }));
}

export function testPage(report: ReportOf<'test'>, view: View): string {
  const outcomes: readonly Outcome[] = view.verbose ? ['failed', 'undecided', 'passed'] : ['failed', 'undecided'];
  return pageText({
    words: 'Tests',
    summary: testedText(report),
    facts: [],
    notices: [],
    groups: outcomes.map((outcome) => outcomeGroup(report, outcome)),
  });
}

const OUTCOMES: Readonly<Record<Outcome, string>> = { failed: 'Failed', undecided: 'Undecided', passed: 'Passed' };

function outcomeGroup({ cases }: ReportOf<'test'>, outcome: Outcome): Group {
  const alike = cases.filter(({ verdict }) => verdict.outcome === outcome);
  const cards = alike.map((one) => toCard(caseLines(one, { palette: MARKING }), [outcome]));
  return { title: OUTCOMES[outcome], cards };
}

export function failurePage(report: ReportOf<'failure'>, view: View): string {
  const { error, hazards = [], findings = [], changes = [], refused = [], project } = report;
  // A single diagnostic says the same as the message.
  const isTold = error.diagnostics.length === 1 && SUMMARIES.has(error.code);
  const broken = brokenRules({ hazards, findings, changes });
  return pageText({
    words: project === undefined ? 'The run failed' : 'The run failed for',
    ...defined({ project }),
    summary: isTold ? error.code : `${escapeLine(error.message)} (${error.code})`,
    facts: isTold || error.remedy === undefined ? [] : [escapeLine(error.remedy)],
    notices: [refusalNotice('Refused', broken, project?.name)],
    groups: [...diagnosticGroups(error.diagnostics, view), refusedGroup(refused, view)],
  });
}
