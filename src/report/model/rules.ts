/** The rules that a plan breaks and other findings of policies, as notices; and the warnings of a plan. */

import { groupBy } from '../../base/group.ts';
import { defined } from '../../base/optional.ts';
import type { ScheduledEffects, ScheduledFacts } from '../../review/effects/impact.ts';
import { type BrokenRule, brokenRules, liftedOf, placeOf, refuses, ruleOf } from '../../review/policy/broken-rules.ts';
import type { ExceptionReport } from '../../review/policy/exceptions.ts';
import type { Judgement } from '../../review/policy/finding.ts';
import { type Phrase, phraseOf, plainText, type Span, spansOf } from '../phrase.ts';
import type { ReportOf } from '../report.ts';
import { countNamed } from '../words/amounts.ts';
import { checkoutTexts, type Warned } from '../words/base.ts';
import { scheduledTexts } from '../words/rollouts.ts';
import {
  brokenRulesSummary,
  brokenRuleText,
  byRule,
  exceptionText,
  liftedText,
  remedyText,
  ruleSourceText,
  sourceText,
} from '../words/rules.ts';
import { foldedWarningText, notKnownText, scheduleText, warningText } from '../words/warnings.ts';
import { type RefusedWhere, waysOut } from '../words/ways-out.ts';
import type { Notice, ReportFact, ReportModel, Statement, Way } from './report-model.ts';

/** The refusals of the plan, by safety rules and policies in one list; what exceptions, options and approvals lift, and exceptions that lift nothing. */
export function refusalNotices({ plan, judgement, excepted = [], grantors }: Omit<ReportOf<'plan'>, 'kind'>): Notice[] {
  const findings = judgement?.findings ?? [];
  const broken = brokenRules({ ...plan, findings });
  return [
    {
      ...refusalNotice('Apply would refuse this plan (exit code 4)', broken, {
        project: plan.project.name,
        grantors,
        base: plan.base,
      }),
      listTitle: 'Broken rules',
    },
    liftedNotice(broken, excepted),
  ];
}

export function liftedNotice(
  broken: readonly BrokenRule[],
  excepted: readonly ExceptionReport[],
  title: Phrase = 'Exceptions and approvals',
): Notice {
  return {
    about: 'lifted',
    title,
    statements: [
      ...broken.flatMap((one): Statement[] => {
        const lifted = liftedOf(one);
        if (lifted === undefined) return [];
        const isSourced = ruleSourceText(one) !== undefined;
        return [
          {
            phrase: phraseOf((quote) => brokenRuleText(one, quote)),
            level: 'lifted',
            ...(isSourced && { source: phraseOf((quote) => ruleSourceText(one, quote) ?? '') }),
            lifted: phraseOf((quote) => liftedText(lifted, quote)),
            ...defined({ place: placeOf(one) }),
          },
        ];
      }),
      ...excepted
        .filter(({ code }) => code !== 'exception_used')
        .map((one): Statement => ({ phrase: phraseOf((quote) => exceptionText(one, quote)) })),
    ],
  };
}

export function refusalNotice(title: Phrase, broken: readonly BrokenRule[], where: RefusedWhere): Notice {
  return { about: 'refusals', title, statements: ruleStatements(broken.filter(refuses), where) };
}

/** The warnings of policies, and the source of the policies. */
export function policyNotice({ findings, source }: Judgement, title: Phrase = 'Policies'): Notice {
  const note = sourceText(source);
  const warnings = findings.filter(({ level, lifted }) => level === 'warning' && lifted === undefined);
  return {
    about: 'policies',
    title,
    statements: [
      ...ruleStatements(brokenRules({ findings: warnings }), { project: undefined }),
      ...(note === undefined ? [] : [{ phrase: note, level: 'note' } as const]),
    ],
  };
}

/** The number of the rules that the notices list. */
export function brokenFacts(broken: readonly BrokenRule[]): ReportFact[] {
  const phrase = brokenRulesSummary(broken);
  return phrase === undefined ? [] : [{ place: 'summary', label: 'Broken rules', phrase }];
}

const MOST_ALIKE = 3;

/** Warnings about all changes come first. Without `--verbose`, warnings that many flags have in common are one sentence. */
export function warningNotice(
  { warnings, showing = 'plan', ...rest }: Warned,
  verbose: boolean,
  scheduled?: ScheduledFacts,
): Notice {
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
        .map((warning) => ({
          phrase: phraseOf((quote) => warningText(warning, quote)),
          ...(warning.code === 'scheduled' && partsOf(scheduled?.changes.find(({ id }) => id === warning.id))),
        })),
      ...folded.values(),
    ],
  };
}

export function scheduledNotice(scheduled: ScheduledFacts): Notice {
  const statements = scheduled.changes.map((one) => ({
    phrase: phraseOf((quote) => scheduleText(one, quote)),
    ...partsOf(one),
  }));
  const { unknown: why } = scheduled;
  const unknown = why === undefined ? [] : [{ phrase: notKnownText({ key: 'schedules', why }) }];
  return { about: 'warnings', title: 'Scheduled changes', statements: [...statements, ...unknown] };
}

function partsOf(scheduled: ScheduledEffects | undefined): Pick<Statement, 'parts'> {
  if (scheduled === undefined) return {};
  const count = scheduledTexts(scheduled).length;
  if (count === 0) return {};
  const phrase = (index: number): Phrase => phraseOf((quote) => scheduledTexts(scheduled, quote)[index] ?? '');
  return { parts: Array.from({ length: count }, (_, index) => ({ phrase: phrase(index) })) };
}

export function warningsModel(report: ReportOf<'warnings'>, verbose: boolean): ReportModel {
  return { page: () => ({ notices: [warningNotice(report, verbose)] }) };
}

/** What a rule says of several flags is said once, with the flags below it. */
function ruleStatements(broken: readonly BrokenRule[], where: RefusedWhere): Statement[] {
  return byRule(broken).map((ofRule) =>
    ofRuleStatement(
      ofRule.map((one) => toNamed(one, where)),
      where,
    ),
  );
}

/** A broken rule whose sentence begins with a name, apart from it. */
interface NamedRule {
  readonly broken: BrokenRule;
  readonly phrase: Phrase;
  /** Absent where the sentence begins with something else. */
  readonly name?: { readonly value: string };
  /** The same for all of which the same is said. */
  readonly saying: string;
}

function toNamed(broken: BrokenRule, where: RefusedWhere): NamedRule {
  const phrase = phraseOf((quote) => brokenRuleText(broken, quote));
  const [first, name, ...rest] = spansOf(phrase);
  if (first !== '' || typeof name !== 'object' || !('value' in name)) {
    return { broken, phrase, saying: plainText(phrase) };
  }
  return { broken, phrase, name, saying: `${plainText(rest)}\n${waysText(waysOf(withoutKey(broken), where))}` };
}

/** The same with a key that no other has. */
function withoutKey(broken: BrokenRule): BrokenRule {
  if (broken.sort === 'policy' || !('key' in broken.hazard)) return broken;
  const { hazard } = broken;
  const permit = hazard.permit === undefined ? {} : { permit: { ...hazard.permit, value: '' } };
  return { ...broken, hazard: { ...hazard, ...permit, key: '' } as typeof hazard };
}

function ofRuleStatement(ofRule: readonly NamedRule[], where: RefusedWhere): Statement {
  const statements = [...groupBy(ofRule, ({ saying }) => saying).values()].map((alike) =>
    sayingStatement(alike, where),
  );
  const [first, ...others] = statements;
  const [{ broken }] = ofRule as [NamedRule];
  const source =
    ruleSourceText(broken) === undefined ? {} : { source: phraseOf((quote) => ruleSourceText(broken, quote) ?? '') };
  if (first === undefined || others.length === 0) return { ...(first as Statement), ...source };
  const verb = refuses(broken) ? 'refuses' : 'warns about';
  const ways = waysText(first.ways);
  const isShared = others.every((one) => waysText(one.ways) === ways);
  return {
    phrase: [{ value: ruleOf(broken) }, ` ${verb} ${namesText(ofRule)}.`],
    ...source,
    ...(isShared ? defined({ ways: first.ways }) : {}),
    parts: isShared ? statements.map((one) => ({ ...one, ways: [] })) : statements,
  };
}

function sayingStatement(alike: readonly NamedRule[], where: RefusedWhere): Statement {
  const [{ broken, phrase }, ...others] = alike as [NamedRule, ...NamedRule[]];
  if (others.length === 0) {
    return { phrase, ways: waysOf(broken, where), ...defined({ place: placeOf(broken) }) };
  }
  const [, , ...rest] = spansOf(phrase);
  return {
    phrase: [`Each of these ${namesText(alike)}`, ...rest],
    ways: waysOf(broken, where, alike.length > MOST_TYPED ? ['KEY'] : alike.map(keyOf)),
    parts: alike.map(({ broken: one, name }): Statement => ({
      phrase: [name as Span],
      ...defined({ place: placeOf(one) }),
    })),
  };
}

function waysText(ways: readonly Way[] = []): string {
  return ways.map(({ words, text = '' }) => `${plainText(words)} ${text}`).join('\n');
}

/** A longer command is for nobody to type: it names one key, and the flags are below. */
const MOST_TYPED = 20;

function waysOf(broken: BrokenRule, where: RefusedWhere, keys?: readonly string[]): readonly Way[] {
  if (!refuses(broken)) return [];
  return broken.sort === 'safety'
    ? waysOut(broken.hazard, where, keys)
    : [{ words: phraseOf((quote) => remedyText(broken.finding, quote)) }];
}

function namesText(rules: readonly NamedRule[]): string {
  return countNamed([...new Set(rules.map(({ name, broken }) => name?.value ?? keyOf({ broken })))]);
}

function keyOf({ broken }: Pick<NamedRule, 'broken'>): string {
  if (broken.sort === 'policy') return broken.finding.key;
  return 'key' in broken.hazard ? broken.hazard.key : '';
}
