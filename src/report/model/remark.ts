/** One remark of a report about one place: for formats that show a list next to the lines of files. */

import { defined, ifGiven } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import type { Lifted } from '../../core/engine/exceptions.ts';
import type { WrittenOrigin } from '../../core/engine/safety.ts';
import type { FlagImpact, Impact, ScheduledFacts } from '../../review/effects/impact.ts';
import { type BrokenRule, originOf } from '../../review/policy/broken-rules.ts';
import type { ExceptionReport } from '../../review/policy/exceptions.ts';
import { type Finding, isRefusal, type Judgement } from '../../review/policy/finding.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change, Hazard, Plan } from '../../posthog/plan.ts';
import type { RefusedInversion } from '../../posthog/planning/invert-plan.ts';
import { cutEscaped, quoteShort, escapeLine } from '../escape.ts';
import { phraseOf, plainText, spansOf, type ValueQuote } from '../phrase.ts';
import { againstText, otherTimeText } from '../words/amounts.ts';
import { checkoutTexts, type Warned } from '../words/base.ts';
import { labelsOfRef, labelsOf } from '../words/kinds.ts';
import { scheduledTexts, DUE_BY_ROLLOUT } from '../words/rollouts.ts';
import {
  exceptionText,
  findingText,
  hazardText,
  liftedText,
  REFUSALS,
  remedyText,
  ruleSourceText,
  sourceText,
  writtenText,
} from '../words/rules.ts';
import { warningText } from '../words/warnings.ts';
import { type RefusedWhere, waysOut } from '../words/ways-out.ts';
import type { ChangeResult, Outcome } from '../../loop/apply/result.ts';
import { maskKeys } from '../../base/api-key.ts';
import type { Diagnostic } from '../../base/diagnostic.ts';
import { type Effect, EFFECT_CLASSES, type EffectClass, type ResourceEffects } from '../../review/effects/effect.ts';
import { findEffects } from '../../review/effects/find-effects.ts';
import type { KnownRequest } from '../../core/engine/change-request.ts';
import { sourceOf } from '../../review/policy/basis/policy-kind.ts';
import { isDueByPlan } from '../../posthog/rollouts/rollouts-in-review.ts';
import { changedByOthers } from '../report-facts.ts';
import type { ReportOf } from '../report.ts';
import { unmet, unmetText } from '../words/answers.ts';
import { approvalText } from '../words/authors.ts';
import { describe } from '../words/diagnostics.ts';
import { effectLine, impactFacts, impactSentence, LOSSES, throughText } from '../words/effects.ts';
import { NOT_VERIFIED, outcomeErrorText, outcomeNotes, remainderText, remedyOf, skipText } from '../words/outcomes.ts';

export interface Remark {
  /** The family of the rule; `rule` is unique within. */
  readonly family: RemarkFamily;
  readonly rule: string;
  readonly level: RemarkLevel;
  /** Whether the command exits with another code than 0 because of it, whatever its family and level are. */
  readonly counts?: true;
  /** One sentence or more; strings of others are escaped. */
  readonly text: string;
  /** The text after the name that it begins with: what it says of this resource, and may say of others. */
  readonly afterName?: string;
  /** The number of people concerned, in short and in full. The same change may affect another number in another run. */
  readonly impact?: { readonly sentence: string; readonly lines: readonly string[] };
  readonly remedy?: string;
  /** The place of the rule. It may move while the remark stays the same, so no fingerprint depends on it. */
  readonly source?: string | WrittenOrigin;
  /** Text that differs in each run, so no fingerprint depends on it either. */
  readonly aside?: string;
  /** Absent if no line of a manifest asks for it. */
  readonly place?: Place;
  readonly name?: string;
  /** What it is about, in words that are the same in each run, where that is not the name. */
  readonly subject?: string;
}

export function sentenceOf(
  name: string | undefined,
  write: (quote: ValueQuote) => string,
): Pick<Remark, 'text' | 'afterName'> {
  const phrase = phraseOf(write);
  const [before, first, ...rest] = spansOf(phrase);
  const isFirst = before === '' && typeof first === 'object' && 'value' in first && first.value === name;
  return { text: plainText(phrase), ...(isFirst ? { afterName: plainText(rest) } : {}) };
}

/** `what`: precedes the name of the rule. `page`: of docs/. The codes of diagnostics are problems, those of errors failures. */
export const REMARK_FAMILIES = {
  problem: { what: 'A problem of the manifests or the configuration', page: 'diagnostics' },
  failure: { what: 'A failure of the run', page: 'commands' },
  hazard: { what: 'A safety rule that the plan breaks', page: 'exceptions' },
  policy: { what: 'A policy about changes', page: 'policies' },
  effect: { what: 'A change, by the class of what it does to people', page: 'effects' },
  warning: { what: 'A warning of the plan', page: 'commands' },
  drift: { what: 'A live value that differs from the manifests', page: 'three-way' },
  outcome: { what: 'A change that was not applied', page: 'commands' },
  remainder: { what: 'A value that still differs after the apply', page: 'commands' },
  undo: { what: 'A change that cannot be undone', page: 'commands' },
  report: { what: 'About the report itself', page: 'reports' },
  refs: { what: 'A flag that code reads, or does not read', page: 'references' },
  test: { what: 'An expectation that does not hold', page: 'testing' },
} as const;

export type RemarkFamily = keyof typeof REMARK_FAMILIES;

/** `note`: information for a reviewer that requires no change. The gravest first. */
export type RemarkLevel = (typeof REMARK_LEVELS)[number];

export const REMARK_LEVELS = ['error', 'warning', 'note'] as const;

/** The name of the rule in other programs: the codes of problems and failures are names already. */
export function nameOfRule({ family, rule }: Pick<Remark, 'family' | 'rule'>): string {
  return family === 'problem' || family === 'failure' ? rule : `${family}/${rule}`;
}

/** The same in each run in which the rule has something to say about the same: without values, counts and times. */
export function lastingName(remark: Remark): string {
  const { family, name, subject = name === undefined ? undefined : quoteShort(name) } = remark;
  // A change has one name, whatever becomes of it.
  if (family === 'outcome' && subject !== undefined) return subject;
  return subject === undefined ? nameOfRule(remark) : `${nameOfRule(remark)}: ${subject}`;
}

/** The text with how many people it concerns, with its remedy, and with where the rule is. */
export function wholeText({ text, impact, remedy, aside, source }: Remark): string {
  return join([text, impact?.sentence, remedy, aside, typeof source === 'object' ? writtenText(source) : source]);
}

export function messageText(remark: Remark): string {
  return cutSentence(wholeText(remark));
}

/** Limits a sentence for a list next to the lines of files: a string of others may be long. */
export function cutSentence(text: string): string {
  return cutEscaped(text, MESSAGE_LENGTH);
}

/** Longer than any remark about short strings. */
const MESSAGE_LENGTH = 2000;

/** The part of it that is the same in every run. */
export function lastingText({ text, remedy }: Remark): string {
  return join([text, remedy]);
}

function join(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(' ');
}

/** A hazard refuses the plan, unless something lifts it: it is still shown then. */
export function hazardRemark(
  hazard: Hazard,
  { changes, ...where }: RefusedWhere & { readonly changes: readonly Change[] },
  lifted?: Lifted,
): Remark {
  const change = 'ref' in hazard ? changes.find(({ ref }) => ref === hazard.ref) : undefined;
  const name = 'key' in hazard ? hazard.key : undefined;
  const ways = waysOut(hazard, where).map(({ words, text }) => (text === undefined ? words : `${words} ${text}.`));
  return {
    family: 'hazard',
    rule: hazard.code,
    level: lifted ? 'note' : 'error',
    ...sentenceOf(name, (quote) => hazardText(hazard, quote)),
    remedy: lifted ? liftedText(lifted) : ways.join(' '),
    ...defined({ source: ruleSourceOf({ sort: 'safety', hazard }), place: change?.source, name }),
  };
}

function ruleSourceOf(broken: BrokenRule): Remark['source'] {
  const origin = originOf(broken);
  return origin?.from === 'configuration' ? origin : ruleSourceText(broken);
}

function exceptionRemarks(excepted: readonly ExceptionReport[]): Remark[] {
  return excepted.flatMap((one) =>
    one.code === 'exception_used'
      ? []
      : [
          warningOf({
            rule: one.code,
            text: exceptionText(one),
            place: one.source,
            ...defined({ name: one.keys?.[0] }),
          }),
        ],
  );
}

function judgementRemarks({ findings, source }: Judgement): Remark[] {
  const note = sourceText(source);
  return [
    ...findings.map(findingRemark),
    ...(note === undefined ? [] : [{ ...warningOf({ rule: 'policies', text: note }), level: 'note' as const }]),
  ];
}

/** A lifted finding is still shown, and refuses nothing. */
function findingRemark(finding: Finding): Remark {
  return {
    family: 'policy',
    rule: finding.rule,
    level: finding.lifted !== undefined ? 'note' : isRefusal(finding) ? 'error' : 'warning',
    ...sentenceOf(finding.key, (quote) => findingText(finding, quote)),
    name: finding.key,
    ...defined({
      source: ruleSourceOf({ sort: 'policy', finding }),
      place: finding.place,
      remedy: finding.lifted ? liftedText(finding.lifted) : isRefusal(finding) ? remedyText(finding) : undefined,
    }),
  };
}

export function refusedRemark({ ref, key, refusal }: RefusedInversion): Remark {
  const { qualifier } = labelsOfRef(ref);
  return {
    family: 'undo',
    rule: refusal,
    level: 'warning',
    text: `${quoteShort(key)}${qualifier} cannot be undone: ${REFUSALS[refusal]}.`,
    name: key,
  };
}

/** Changes are named as resources. A flag and its access share a name, and some changes of access have no line. */
export function warningRemarks({ warnings, showing = 'plan', ...rest }: Warned, scheduled?: ScheduledFacts): Remark[] {
  const places = new Map<string, Place>();
  for (const change of rest.changes ?? []) {
    const name = nameOfChange(change);
    if (change.source !== undefined && !places.has(name)) places.set(name, change.source);
  }
  return [
    ...checkoutTexts(rest, showing).map((text) =>
      warningOf({ rule: 'base', text: text.endsWith('.') ? text : `${text}.` }),
    ),
    ...warnings.map((warning) => {
      const name = 'key' in warning && warning.code !== 'not_known' ? warning.key : undefined;
      const place = name === undefined ? undefined : places.get(name);
      // The effects of the scheduled change: `widen: …; impact: ….`
      const found = warning.code === 'scheduled' ? scheduled?.changes.find(({ id }) => id === warning.id) : undefined;
      const done = found === undefined ? [] : scheduledTexts(found);
      const texts = (quote: ValueQuote): string =>
        [warningText(warning, quote), ...(done.length === 0 ? [] : [`${done.join('; ')}.`])].join(' ');
      const remark = warningOf({ rule: warning.code, ...sentenceOf(name, texts), ...defined({ name, place }) });
      return warning.code === 'not_known' ? { ...remark, level: 'note' as const } : remark;
    }),
  ];
}

function warningOf(remark: Omit<Remark, 'family' | 'level'>): Remark {
  return { family: 'warning', level: 'warning', ...remark };
}

export function planRemarks(report: Omit<ReportOf<'plan'>, 'kind'>): Remark[] {
  const { plan, judgement, excepted, grantors, impact, requests, against, at, scheduled } = report;
  const { hazards, lifted = [], changes, project } = plan;
  const around = { project: project.name, grantors, base: plan.base, changes };
  return [
    ...hazards.map((hazard) => hazardRemark(hazard, around)),
    ...lifted.map(({ hazard, by }) => hazardRemark(hazard, around, by)),
    ...ifGiven(judgement, judgementRemarks),
    ...ifGiven(excepted, exceptionRemarks),
    ...effectRemarks(plan, impact),
    ...ifGiven(impact, (found) => throughRemarks(plan, found)),
    ...warningRemarks(plan, scheduled),
    // The age differs in each run, so it is an aside: no fingerprint depends on asides.
    ...ifGiven(against, (one) =>
      warningOf({
        rule: 'snapshot',
        text: 'The plan does not show the live project.',
        aside: againstText(one),
      }),
    ),
    ...ifGiven(at, (one) =>
      warningOf({ rule: 'other_time', text: 'The plan is for another time than now.', aside: otherTimeText(one) }),
    ),
    ...approvalRemarks(changes, requests),
  ];
}

/** The place is the line that declares the flag. */
export function approvalRemarks(changes: Plan['changes'], requests: readonly KnownRequest[] = []): Remark[] {
  const places = new Map(changes.map(({ ref, source }) => [ref, source]));
  return requests.map((request) => ({
    family: 'warning',
    rule: `approval_${request.standing.kind}`,
    level: 'note',
    ...sentenceOf(request.key, (quote) => `${quote(request.key)}: ${approvalText(request, quote)}.`),
    name: request.key,
    ...defined({ place: places.get(request.ref) }),
  }));
}

/** The riskiest class first, so that a reader of a part of them sees what matters. */
function effectRemarks(plan: Plan, impact: Impact | undefined): Remark[] {
  const byRef = new Map(plan.changes.map((change) => [change.ref, change]));
  const found = findEffects(plan).flatMap((resource) => {
    const changes = resource.refs.flatMap((ref) => byRef.get(ref) ?? []);
    const isDue = changes.every((change) => isDueByPlan(change, plan));
    const ranked = resource.effects.map((effect) => ({
      rank: EFFECT_CLASSES.indexOf(riskiest(effect.classes)),
      remark: effectRemark(effect, resource, { changes, isDue }),
    }));
    const [first, ...others] = ranked.toSorted(byRank);
    if (first === undefined) return [];
    // Joins all effects on the flag, so the riskiest remark has it.
    const own = resource.resource === 'flag' ? impact?.flags.find(({ key }) => key === resource.key) : undefined;
    return [{ ...first, remark: { ...first.remark, ...impactOf(own) } }, ...others];
  });
  return found.toSorted(byRank).map(({ remark }) => remark);
}

/** Flags that change only because others do, where their declaration is. */
function throughRemarks(plan: Plan, impact: Impact): Remark[] {
  return changedByOthers(findEffects(plan), impact).flatMap((flag): Remark[] => {
    const { key: name, source } = flag;
    const found = impactOf(flag);
    const text = `${quoteShort(name)}: ${throughText(flag)}.`;
    if (found.impact === undefined) return [];
    return [{ family: 'effect', rule: 'through', level: 'note', text, name, ...found, ...defined({ place: source }) }];
  });
}

function byRank(a: { readonly rank: number }, b: { readonly rank: number }): number {
  return a.rank - b.rank;
}

function impactOf(flag: FlagImpact | undefined): Pick<Remark, 'impact'> {
  const sentence = flag && impactSentence(flag);
  return flag === undefined || sentence === undefined ? {} : { impact: { sentence, lines: impactFacts(flag) } };
}

/** An effect has at least one class, the riskiest first. */
function riskiest(classes: readonly EffectClass[]): EffectClass {
  return EFFECT_CLASSES.find((name) => classes.includes(name)) ?? 'opaque';
}

function effectRemark(
  effect: Effect,
  { key, dormant }: ResourceEffects,
  { changes, isDue }: { readonly changes: readonly Change[]; readonly isDue: boolean },
): Remark {
  const rule = riskiest(effect.classes);
  const qualifier = changes[0] === undefined ? '' : labelsOf(changes[0]).qualifier;
  const muted = dormant === true ? ' The flag is disabled, so nobody is affected yet.' : '';
  // The line of the value that changes, or else that of the resource.
  const pointer = pointerOf(effect);
  const { place } = pointer === undefined ? {} : sourceOf({ changes }, pointer);
  return {
    family: 'effect',
    rule,
    level: dormant !== true && LOSSES.has(rule) ? 'warning' : 'note',
    text: `${quoteShort(key)}${qualifier}: ${effectLine(effect)}${isDue ? `, ${DUE_BY_ROLLOUT}` : ''}.${muted}`,
    name: key,
    ...defined({ place: place ?? changes.find(({ source }) => source !== undefined)?.source }),
  };
}

function pointerOf(effect: Effect): string | undefined {
  switch (effect.what) {
    case 'switched':
      return '/active';
    case 'renamed':
      return '/key';
    case 'variants':
      return '/filters/multivariate';
    case 'payload':
      return '/filters/payloads';
    case 'unknown':
      return effect.path;
    case 'metadata':
      return `/${effect.field}`;
    case 'rollout':
    case 'audience':
    case 'condition_rewritten':
    case 'condition_added':
    case 'condition_moved':
    case 'condition_variant':
    case 'condition_description':
      return `/filters/groups/${effect.condition.number - 1}`;
    // No manifest has the removed condition any longer.
    case 'condition_removed':
    case 'bucketing':
    case 'setting':
      return '/filters';
    case 'created':
    case 'restored':
    case 'deleted':
    case 'access':
    case 'cohort':
      return undefined;
  }
}

export function resultRemarks({ result, keyVariable }: ReportOf<'result'>): Remark[] {
  return [
    ...result.changes.flatMap((one) => outcomeRemarks(one, keyVariable)),
    ...(result.verified ? [] : [warningOf({ rule: 'not_verified', text: NOT_VERIFIED })]),
    ...result.remainder.map((rest): Remark => {
      const { ref, key: name, path, reason: rule } = rest;
      const subject = `${quoteShort(name)}${path === '' ? '' : `, ${quoteShort(labelsOfRef(ref).field(path))}`}`;
      const text = `${subject}: ${remainderText(rest)}.`;
      return { family: 'remainder', rule, level: 'warning', text, name, subject };
    }),
  ];
}

const LEVELS: Readonly<Record<Exclude<Outcome['outcome'], 'applied'>, RemarkLevel>> = {
  failed: 'error',
  unknown: 'error',
  skipped: 'warning',
  pending: 'warning',
};

function outcomeRemarks({ change, result }: ChangeResult, keyVariable: string | undefined): Remark[] {
  if (result.outcome === 'applied') return [];
  const { outcome: rule } = result;
  const reason = result.outcome === 'skipped' ? skipText(result.reason) : outcomeErrorText(result.error);
  const sentences = [reason, ...outcomeNotes(result)].map((text) =>
    /[.!?…]$|^https?:/.test(text) ? text : `${text}.`,
  );
  const subject = changeName(change);
  const text = `${subject}: ${rule}: ${sentences.join(' ')}`;
  const remedy = remedyOf(result, change, keyVariable);
  const optional = defined({ place: change.source, remedy: remedy && escapeLine(remedy) });
  return [{ family: 'outcome', rule, level: LEVELS[rule], text, name: change.key, subject, ...optional }];
}

/** `update of checkout`, without its outcome. */
export function changeName(change: Change): string {
  return `${change.action} of ${quoteShort(change.key)}${labelsOf(change).target(change, quoteShort)}`;
}

export function validationRemarks({ diagnostics, policies = [] }: ReportOf<'validation'>): Remark[] {
  return [
    ...diagnostics.map(problemRemark),
    ...policies.flatMap(({ judgement, excepted = [] }) => [
      ...judgementRemarks(judgement),
      ...exceptionRemarks(excepted),
    ]),
  ];
}

/** A failure with diagnostics or hazards adds nothing to them. */
export function failureRemarks(report: ReportOf<'failure'>): Remark[] {
  const { error, hazards = [], findings = [], changes = [], refused = [], project, grantors, base } = report;
  const { diagnostics, code, message, remedy } = error;
  const found = [
    ...diagnostics.map(problemRemark),
    ...hazards.map((hazard) => hazardRemark(hazard, { project: project?.name, grantors, base, changes })),
    ...findings.map(findingRemark),
    ...refused.map((one): Remark => ({ ...refusedRemark(one), counts: true })),
  ];
  if (found.length > 0) return found;
  const text = escapeLine(message);
  return [
    { family: 'failure', rule: code, level: 'error', text, ...defined({ remedy: remedy && escapeLine(remedy) }) },
  ];
}

function problemRemark(diagnostic: Diagnostic): Remark {
  const { code, severity, place, path } = diagnostic;
  const { message, remedy } = describe(diagnostic);
  const subject = path === undefined ? undefined : quoteShort(maskKeys(path), PATH_LENGTH);
  return { family: 'problem', rule: code, level: severity, text: message, remedy, ...defined({ place, subject }) };
}

const PATH_LENGTH = 160;

export function testRemarks({ cases }: ReportOf<'test'>): Remark[] {
  return unmet(cases).map((one) => ({
    family: 'test',
    rule: one.verdict.outcome,
    level: 'error',
    text: unmetText(one),
    place: one.place,
    name: one.flag,
  }));
}
