/** The rules that a plan breaks and other findings of policies, as notices; and the warnings of a plan. */

import { brokenRules, refuses, type BrokenRule } from '../../policy/broken-rules.ts';
import { type Finding, type Judgement } from '../../policy/finding.ts';
import type { Hazard, Plan } from '../../posthog/plan.ts';
import type { Against } from '../../posthog/snapshot-file/snapshot-file.ts';
import { againstText } from '../words/times.ts';
import { type Warned, checkoutTexts } from '../words/base.ts';
import { brokenRuleText, policySourceText, hazardText } from '../words/hazards.ts';
import { idleText, judgementSummary, liftedText, sourceText } from '../words/findings.ts';
import { foldedWarningText, warningText } from '../words/warnings.ts';
import { phraseOf, toned, type Phrase } from './phrase.ts';
import type { ReportOf } from '../report.ts';
import type { ReportFact, Notice, ReportModel, Statement } from './report-model.ts';
import { defined } from '../../base/optional.ts';
import { ruleStatements } from './rule-statements.ts';

/** The refusals of the plan, by safety rules and policies in one list, and those that an option or a permit lifts. */
export function refusalNotices(plan: Plan, findings: readonly Finding[] = []): Notice[] {
  const { hazards, changes, project, overridden = [] } = plan;
  return [
    {
      ...refusalNotice(
        'Apply would refuse this plan (exit code 4)',
        brokenRules({ hazards, changes, findings }),
        project.name,
      ),
      listTitle: 'Broken rules',
    },
    overriddenNotice(overridden),
  ];
}

/** `project`: its name, for commands. */
export function refusalNotice(title: Phrase, broken: readonly BrokenRule[], project: string | undefined): Notice {
  return { about: 'refusals', title, statements: ruleStatements(broken.filter(refuses), project) };
}

function overriddenNotice(overridden: readonly Hazard[]): Notice {
  return {
    about: 'overridden',
    title: ['Overridden (', { code: '--override' }, ', or a permit)'],
    statements: overridden.map((hazard) => ({ phrase: phraseOf((quote) => hazardText(hazard, quote)) })),
  };
}

/** The findings of policies that do not refuse: warnings, lifted findings, waivers that lift nothing, and the source of the policies. */
export function policyNotice({ findings, idle, source }: Judgement, title: Phrase = 'Policies'): Notice {
  const note = sourceText(source);
  const warnings = findings.filter(({ level, lifted }) => level === 'warning' && lifted === undefined);
  const lifted = findings.filter((finding) => finding.lifted !== undefined);
  return {
    about: 'policies',
    title,
    statements: [
      ...ruleStatements(brokenRules({ findings: warnings }), undefined),
      ...lifted.map(liftedStatement),
      ...idle.map((waiver): Statement => ({ phrase: phraseOf((quote) => idleText(waiver, quote)), level: 'warning' })),
      ...(note === undefined ? [] : [{ phrase: note, level: 'note' } as const]),
    ],
  };
}

function liftedStatement(finding: Finding): Statement {
  return {
    phrase: phraseOf((quote) => brokenRuleText({ sort: 'policy', finding }, quote)),
    level: finding.level === 'warning' ? 'warning' : 'lifted',
    source: phraseOf((quote) => policySourceText(finding, quote)),
    lifted: phraseOf((quote) => liftedText(finding, quote) ?? ''),
    ...defined({ place: finding.place }),
  };
}

export function policyNotices(judgement: Judgement | undefined): Notice[] {
  return judgement === undefined ? [] : [policyNotice(judgement)];
}

export function policyFacts(judgement: Judgement | undefined): ReportFact[] {
  const phrase = judgement === undefined ? undefined : judgementSummary(judgement);
  return phrase === undefined ? [] : [{ about: 'policies', label: 'Policies', phrase }];
}

/** These facts qualify everything that follows. */
export function againstFacts(against: Against | undefined): ReportFact[] {
  return against === undefined ? [] : [{ about: 'against', phrase: [toned('caution', againstText(against))] }];
}

const MOST_ALIKE = 3;

/** Warnings about all changes come first. Without `--verbose`, warnings that many flags have in common are one sentence. */
export function warningNotice({ warnings, showing = 'plan', ...rest }: Warned, verbose: boolean): Notice {
  const folded = new Map<string, Statement>();
  for (const code of verbose ? [] : new Set(warnings.map((warning) => warning.code))) {
    const keys = [...new Set(warnings.flatMap((warning) => (warning.code === code ? warning.key : [])))];
    if (keys.length <= MOST_ALIKE || foldedWarningText(code, keys) === undefined) continue;
    folded.set(code, { phrase: phraseOf((quote) => foldedWarningText(code, keys, quote) ?? '') });
  }
  return {
    about: 'warnings',
    title: 'Warnings',
    statements: [
      ...checkoutTexts(rest, showing).map((phrase) => ({ phrase })),
      ...warnings
        .filter(({ code }) => !folded.has(code))
        .map((warning) => ({ phrase: phraseOf((quote) => warningText(warning, quote)) })),
      ...folded.values(),
    ],
  };
}

/** Warnings of a plan that is not shown. */
export function warningsModel(report: ReportOf<'warnings'>, verbose: boolean): ReportModel {
  return { page: () => ({ facts: [], notices: [warningNotice(report, verbose)], groups: [] }) };
}
