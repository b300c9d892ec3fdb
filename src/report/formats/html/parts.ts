/** Parts of several pages: cards, lists and notices from the lines of the text, so that a page says no less. */

import { isRefusal, type Finding, type Judgement } from '../../../policy/finding.ts';
import type { RefusedInversion } from '../../../posthog/invert-plan.ts';
import type { Plan } from '../../../posthog/plan.ts';
import type { View } from '../../view.ts';
import { findingText, idleText, liftedText, remedyText, sourceText } from '../../words/findings.ts';
import { hazardText } from '../../words/hazards.ts';
import { hazardRemark } from '../remarks/hazards.ts';
import { wholeText } from '../remarks/remark.ts';
import { INDENT } from '../text/change.ts';
import { observedLines } from '../text/observed.ts';
import { placeText } from '../text/place.ts';
import { warningSentences } from '../text/plan.ts';
import { leftLines, releasedLines, type LeftView } from '../text/three-way.ts';
import { refusedLines } from '../text/undo.ts';
import { MARKING } from './markup.ts';
import type { Card, Group, Notice } from './page.ts';

/** How the lines of a page are made: painted, and with everything that there is. */
export function ofPage(view: View): View {
  return { ...view, palette: MARKING };
}

/** The head of a block is indented by two, its other lines by more. */
export function toCard([head = '', ...lines]: readonly string[], kinds: Card['kinds'] = []): Card {
  const indent = Math.min(INDENT.length, ...lines.map((line) => line.length - line.trimStart().length));
  return { head: head.trimStart(), kinds, lines: lines.map((line) => line.slice(indent)) };
}

/** A section of the text whose first line is its title. */
export function toList([title = '', ...lines]: readonly string[]): Group {
  return { title: withoutColon(title), items: lines.map((line) => line.trim()) };
}

/** A heading of the text ends with a colon. */
export function withoutColon(title: string): string {
  return title.replace(/:$/, '');
}

export function hazardNotices({ hazards, changes, project, overridden = [] }: Plan): Notice[] {
  const sentences = hazards.map((hazard) => wholeText(hazardRemark(hazard, { project: project.name, changes })));
  return [
    { title: 'Apply would refuse this plan (exit code 4)', tone: 'bad', sentences },
    {
      title: 'Overridden (--override, or a permit)',
      tone: 'warn',
      sentences: overridden.map((one) => hazardText(one)),
    },
  ];
}

export function warningNotice(plan: Pick<Plan, 'warnings' | 'base' | 'changes'>, view: View): Notice {
  return { title: 'Warnings', tone: 'warn', sentences: warningSentences(plan, view) };
}

/** `titles`: of the findings that refuse, and of the others. */
export function findingNotices(
  { findings, idle = [], source }: Partial<Judgement> & Pick<Judgement, 'findings'>,
  titles = { refusal: 'Policies refuse this plan', others: 'Policies' },
): Notice[] {
  const refusing = findings.filter(isRefusal);
  const others = findings.filter((finding) => !isRefusal(finding));
  const told = source === undefined ? undefined : sourceText(source);
  return [
    {
      title: `${titles.refusal} (exit code 4)`,
      tone: 'bad',
      sentences: refusing.map((finding) => `${sentenceOf(finding)} ${remedyText(finding)}`),
    },
    {
      title: titles.others,
      tone: 'warn',
      sentences: [
        ...others.map((finding) => [sentenceOf(finding), ...liftedWords(finding)].join(' ')),
        ...idle.map((waiver) => idleText(waiver)),
        ...(told === undefined ? [] : [told]),
      ],
    },
  ];
}

function sentenceOf(finding: Finding): string {
  const { place } = finding;
  return `${findingText(finding)}${place === undefined ? '' : ` ${MARKING.dim(placeText(place))}`}`;
}

function liftedWords(finding: Finding): string[] {
  const lifted = liftedText(finding);
  return lifted === undefined ? [] : [lifted];
}

/** What a run leaves as it is, with who made it so where that was asked. */
export function leftGroup({ left = [] }: Pick<Plan, 'left'>, title: string, view: LeftView): Group {
  return { title, cards: left.map((one) => toCard(leftLines([one], '', { ...view, ...ofPage(view) }).slice(1))) };
}

export function refusedGroup(refused: readonly RefusedInversion[], view: View): Group {
  const cards = refused.map((one) => toCard(refusedLines([one], ofPage(view)).slice(1)));
  return { title: 'Cannot be undone', cards };
}

export function releasedGroup(plan: Pick<Plan, 'released'>, view: View): Group {
  return toList(releasedLines(plan, ofPage(view)));
}

/** Each value, not only how many there are. */
export function observedGroup(plan: Pick<Plan, 'observed'>, view: View): Group {
  return toList(observedLines(plan, { ...ofPage(view), verbose: true }));
}
