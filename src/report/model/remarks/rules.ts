/** What refuses a plan or an undo, and what policies say beside that, as remarks at the lines that ask for the changes. */

import { originOf, type BrokenRule } from '../../../policy/broken-rules.ts';
import { isRefusal, type Finding, type Judgement } from '../../../policy/finding.ts';
import type { RefusedInversion } from '../../../posthog/invert-plan.ts';
import type { Change, Hazard } from '../../../posthog/plan.ts';
import { quoteShort } from '../../escape.ts';
import { ruleSourceText } from '../../words/broken-rules.ts';
import { findingText, idleText, liftedText, remedyText, sourceText } from '../../words/findings.ts';
import { hazardText } from '../../words/hazards.ts';
import { labelsOfRef } from '../../words/kinds.ts';
import { REFUSALS } from '../../words/refusals.ts';
import { waysOut } from '../../words/ways-out.ts';
import type { Remark } from './remark.ts';
import { warningOf } from './warnings.ts';
import { defined } from '../../../base/optional.ts';

interface Around {
  /** Its name, for commands. */
  readonly project: string | undefined;
  /** Those of the plan. */
  readonly changes: readonly Change[];
}

export function hazardRemark(hazard: Hazard, around: Around): Remark {
  const ways = waysOut(hazard, around.project).map(({ words, text }) => `${words} ${text}.`);
  return { ...remarkOf(hazard, around), level: 'error', remedy: ways.join(' ') };
}

/** What an option or a permit lifts stays visible, and refuses nothing. */
export function overriddenRemark(hazard: Hazard, around: Around): Remark {
  return { ...remarkOf(hazard, around), level: 'note', remedy: 'Overridden (--override, or a permit).' };
}

function remarkOf(hazard: Hazard, { changes }: Around): Omit<Remark, 'level'> {
  const change = 'ref' in hazard ? changes.find(({ ref }) => ref === hazard.ref) : undefined;
  return {
    family: 'hazard',
    rule: hazard.code,
    text: hazardText(hazard),
    ...defined({
      source: sourceOf({ sort: 'safety', hazard, isLifted: false }),
      place: change?.source,
      name: 'key' in hazard ? hazard.key : undefined,
    }),
  };
}

/** A place, which the report names from the top of the repository, else in words. */
function sourceOf(broken: BrokenRule): Remark['source'] {
  const origin = originOf(broken);
  return origin?.from === 'configuration' ? origin : ruleSourceText(broken);
}

export function judgementRemarks({ findings, idle, source }: Judgement): Remark[] {
  const told = sourceText(source);
  return [
    ...findings.map(findingRemark),
    ...idle.map((waiver) =>
      warningOf({ rule: `waiver_${waiver.why}`, text: idleText(waiver), name: waiver.key, place: waiver.source }),
    ),
    ...(told === undefined ? [] : [{ ...warningOf({ rule: 'policies', text: told }), level: 'note' as const }]),
  ];
}

export function findingRemark(finding: Finding): Remark {
  return {
    family: 'policy',
    rule: finding.rule,
    level: levelOf(finding),
    text: findingText(finding),
    name: finding.key,
    ...defined({
      source: sourceOf({ sort: 'policy', finding }),
      place: finding.place,
      remedy: liftedText(finding) ?? (isRefusal(finding) ? remedyText(finding) : undefined),
    }),
  };
}

/** What is lifted stays visible, and refuses nothing. */
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
