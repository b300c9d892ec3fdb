/** Remarks at the lines of changes: refusals of a plan or an undo, other findings of policies, and warnings. */

import { originOf, type BrokenRule } from '../../../policy/broken-rules.ts';
import { isRefusal, type Finding, type Judgement } from '../../../policy/finding.ts';
import type { ScheduledFacts } from '../../../impact/scheduled.ts';
import type { RefusedInversion } from '../../../posthog/planning/invert-plan.ts';
import type { Change, Hazard, PlanWarning } from '../../../posthog/plan.ts';
import { quoteShort } from '../../escape.ts';
import { ruleSourceText, hazardText, REFUSALS } from '../../words/hazards.ts';
import { findingText, idleText, liftedText, remedyText, sourceText } from '../../words/findings.ts';
import { labelsOfRef } from '../../words/kinds.ts';
import { waysOut } from '../../words/ways-out.ts';
import { sentenceOf, type Remark } from './remark.ts';
import type { Place } from '../../../base/place.ts';
import { nameOfChange } from '../../../posthog/kinds.ts';
import type { Against } from '../../../posthog/snapshot-file/snapshot-file.ts';
import { againstText, otherTimeText } from '../../words/times.ts';
import { type Warned, checkoutTexts } from '../../words/base.ts';
import { scheduledTexts } from '../../words/scheduled.ts';
import { warningText } from '../../words/warnings.ts';
import { defined } from '../../../base/optional.ts';

interface PlanFacts {
  /** The name of the project, for commands. */
  readonly project: string | undefined;
  /** The changes of the plan. */
  readonly changes: readonly Change[];
}

export function hazardRemark(hazard: Hazard, plan: PlanFacts): Remark {
  const ways = waysOut(hazard, plan.project).map(({ words, text }) => `${words} ${text}.`);
  return { ...remarkOf(hazard, plan), level: 'error', remedy: ways.join(' ') };
}

/** A hazard that an option or a permit lifts is still shown, and refuses nothing. */
export function overriddenRemark(hazard: Hazard, plan: PlanFacts): Remark {
  return {
    ...remarkOf(hazard, plan),
    level: 'note',
    remedy: LIFTED[hazard.permit?.kind === 'risky' ? 'risky' : 'override'],
  };
}

const LIFTED = {
  override: 'Overridden (--override, or a permit).',
  risky: 'Allowed (--allow-risky, or a permit).',
};

function remarkOf(hazard: Hazard, { changes }: PlanFacts): Omit<Remark, 'level'> {
  const change = 'ref' in hazard ? changes.find(({ ref }) => ref === hazard.ref) : undefined;
  const name = 'key' in hazard ? hazard.key : undefined;
  return {
    family: 'hazard',
    rule: hazard.code,
    ...sentenceOf(name, (quote) => hazardText(hazard, quote)),
    ...defined({ source: sourceOf({ sort: 'safety', hazard, isLifted: false }), place: change?.source, name }),
  };
}

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

export function findingRemark(finding: Finding): Remark {
  return {
    family: 'policy',
    rule: finding.rule,
    level: levelOf(finding),
    ...sentenceOf(finding.key, (quote) => findingText(finding, quote)),
    name: finding.key,
    ...defined({
      source: sourceOf({ sort: 'policy', finding }),
      place: finding.place,
      remedy: liftedText(finding) ?? (isRefusal(finding) ? remedyText(finding) : undefined),
    }),
  };
}

/** A lifted finding is still shown, and refuses nothing. */
function levelOf(finding: Finding): Remark['level'] {
  if (finding.lifted !== undefined) return 'note';
  return isRefusal(finding) ? 'error' : 'warning';
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

export function warningRemarks({ warnings, showing = 'plan', ...rest }: Warned, scheduled?: ScheduledFacts): Remark[] {
  const places = placesOf(rest.changes ?? []);
  return [
    ...checkoutTexts(rest, showing).map((text) =>
      warningOf({ rule: 'base', text: text.endsWith('.') ? text : `${text}.` }),
    ),
    ...warnings.map((warning) => {
      const name = nameOf(warning);
      const place = name === undefined ? undefined : places.get(name);
      const done = warning.code === 'scheduled' ? doneBy(warning.id, scheduled) : [];
      const sentence = sentenceOf(name, (quote) => [warningText(warning, quote), ...done].join(' '));
      const remark = warningOf({ rule: warning.code, ...sentence, ...defined({ name, place }) });
      return warning.code === 'not_known' ? { ...remark, level: 'note' as const } : remark;
    }),
  ];
}

/** The effects of the scheduled change with the id: `widen: …; impact: ….` */
function doneBy(id: number, scheduled: ScheduledFacts | undefined): string[] {
  const found = scheduled?.changes.find((one) => one.id === id);
  const texts = found === undefined ? [] : scheduledTexts(found);
  return texts.length === 0 ? [] : [`${texts.join('; ')}.`];
}

/** Keys are names of resources. A flag and its access share a name, and some changes of access have no line. */
function placesOf(changes: readonly Change[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const change of changes) {
    const name = nameOfChange(change);
    if (change.source !== undefined && !places.has(name)) places.set(name, change.source);
  }
  return places;
}

function nameOf(warning: PlanWarning): string | undefined {
  return 'key' in warning && warning.code !== 'not_known' ? warning.key : undefined;
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
