/** One remark of a report about one place: for formats that show a list next to the lines of files. */

import { defined } from '../../base/optional.ts';
import type { Place } from '../../base/place.ts';
import type { WrittenOrigin } from '../../engine/safety.ts';
import type { ScheduledFacts } from '../../impact/scheduled.ts';
import { type BrokenRule, originOf } from '../../policy/broken-rules.ts';
import { type Finding, isRefusal, type Judgement } from '../../policy/finding.ts';
import { nameOfChange } from '../../posthog/kinds.ts';
import type { Change, Hazard } from '../../posthog/plan.ts';
import type { RefusedInversion } from '../../posthog/planning/invert-plan.ts';
import type { Against } from '../../posthog/snapshot-file/snapshot-file.ts';
import { cutEscaped, quoteShort } from '../escape.ts';
import { phraseOf, plainText, spansOf, type ValueQuote } from '../phrase.ts';
import { againstText, otherTimeText } from '../words/amounts.ts';
import { checkoutTexts, type Warned } from '../words/base.ts';
import { labelsOfRef } from '../words/kinds.ts';
import { scheduledTexts } from '../words/rollouts.ts';
import {
  findingText,
  hazardText,
  idleText,
  liftedText,
  REFUSALS,
  remedyText,
  ruleSourceText,
  sourceText,
  writtenText,
} from '../words/rules.ts';
import { warningText } from '../words/warnings.ts';
import { waysOut } from '../words/ways-out.ts';

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
  /** The number of people concerned. The same change may affect another number in another run. */
  readonly impact?: RemarkImpact;
  /** How to fix it. */
  readonly remedy?: string;
  /** The place of the rule. It may move while the remark stays the same, so no fingerprint depends on it. */
  readonly source?: string | WrittenOrigin;
  /** Text that differs in each run, so no fingerprint depends on it either. */
  readonly aside?: string;
  /** Absent if no line of a manifest asks for it. */
  readonly place?: Place;
  /** The name of the resource, if it is about one. */
  readonly name?: string;
  /** What it is about, in words that are the same in each run, where that is not the name. */
  readonly subject?: string;
}

/** A sentence about the resource with the name. */
export function sentenceOf(
  name: string | undefined,
  write: (quote: ValueQuote) => string,
): Pick<Remark, 'text' | 'afterName'> {
  const phrase = phraseOf(write);
  const [before, first, ...rest] = spansOf(phrase);
  const isFirst = before === '' && typeof first === 'object' && 'value' in first && first.value === name;
  return { text: plainText(phrase), ...(isFirst ? { afterName: plainText(rest) } : {}) };
}

export interface RemarkImpact {
  /** Short; ends with a full stop. */
  readonly sentence: string;
  /** Everything that is known. */
  readonly lines: readonly string[];
}

/**
 * `problem`: of manifests and the configuration, by the codes of diagnostics; `failure`: of a whole run, by its error code;
 * `report`: about the list itself.
 */
export type RemarkFamily =
  | 'problem'
  | 'failure'
  | 'hazard'
  | 'policy'
  | 'effect'
  | 'warning'
  | 'drift'
  | 'outcome'
  | 'remainder'
  | 'undo'
  | 'test'
  | 'refs'
  | 'report';

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

/** The beginning of it. */
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

interface PlanFacts {
  /** The name of the project, for commands. */
  readonly project: string | undefined;
  readonly changes: readonly Change[];
}

/** A hazard refuses the plan, unless an option or a permit lifts it: it is still shown then. */
export function hazardRemark(hazard: Hazard, { project, changes }: PlanFacts, isLifted = false): Remark {
  const change = 'ref' in hazard ? changes.find(({ ref }) => ref === hazard.ref) : undefined;
  const name = 'key' in hazard ? hazard.key : undefined;
  const ways = waysOut(hazard, project).map(({ words, text }) => `${words} ${text}.`);
  return {
    family: 'hazard',
    rule: hazard.code,
    level: isLifted ? 'note' : 'error',
    ...sentenceOf(name, (quote) => hazardText(hazard, quote)),
    remedy: isLifted ? LIFTED[hazard.permit?.kind === 'risky' ? 'risky' : 'override'] : ways.join(' '),
    ...defined({ source: sourceOf({ sort: 'safety', hazard, isLifted: false }), place: change?.source, name }),
  };
}

const LIFTED = {
  override: 'Overridden (--override, or a permit).',
  risky: 'Allowed (--allow-risky, or a permit).',
};

/** The place of the rule, which the report shows relative to the repository, or else words. */
function sourceOf(broken: BrokenRule): Remark['source'] {
  const origin = originOf(broken);
  return origin?.from === 'configuration' ? origin : ruleSourceText(broken);
}

export function judgementRemarks({ findings, idle, source }: Judgement): Remark[] {
  const note = sourceText(source);
  return [
    ...findings.map(findingRemark),
    ...idle.map((waiver) =>
      warningOf({ rule: `waiver_${waiver.why}`, text: idleText(waiver), name: waiver.key, place: waiver.source }),
    ),
    ...(note === undefined ? [] : [{ ...warningOf({ rule: 'policies', text: note }), level: 'note' as const }]),
  ];
}

/** A lifted finding is still shown, and refuses nothing. */
export function findingRemark(finding: Finding): Remark {
  return {
    family: 'policy',
    rule: finding.rule,
    level: finding.lifted !== undefined ? 'note' : isRefusal(finding) ? 'error' : 'warning',
    ...sentenceOf(finding.key, (quote) => findingText(finding, quote)),
    name: finding.key,
    ...defined({
      source: sourceOf({ sort: 'policy', finding }),
      place: finding.place,
      remedy: liftedText(finding) ?? (isRefusal(finding) ? remedyText(finding) : undefined),
    }),
  };
}

/** A change of a run that cannot be undone. */
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

/** The age differs in each run, so it is an aside: no fingerprint depends on asides. */
export function againstRemark(against: Against): Remark {
  return warningOf({
    rule: 'snapshot',
    text: 'The plan does not show the live project.',
    aside: againstText(against),
  });
}

export function timeRemark(at: string): Remark {
  return warningOf({ rule: 'other_time', text: 'The plan is for another time than now.', aside: otherTimeText(at) });
}

export function warningOf(remark: Omit<Remark, 'family' | 'level'>): Remark {
  return { family: 'warning', level: 'warning', ...remark };
}
