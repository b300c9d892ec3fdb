/** Parts of several pages: cards, lists and notices from the lines of the text, so that a page says no less. */

import { brokenRules, placeOf, refuses, type BrokenRule } from '../../../policy/broken-rules.ts';
import { isRefusal, type Finding, type Judgement } from '../../../policy/finding.ts';
import type { RefusedInversion } from '../../../posthog/invert-plan.ts';
import type { Plan } from '../../../posthog/plan.ts';
import type { View } from '../../view.ts';
import { escapeLine } from '../../escape.ts';
import { brokenRuleText, policySourceText, ruleSourceText, waysOutOf } from '../../words/broken-rules.ts';
import { idleText, liftedText, sourceText } from '../../words/findings.ts';
import { hazardText } from '../../words/hazards.ts';
import { INDENT } from '../text/change.ts';
import { observedLines } from '../text/observed.ts';
import { placeText } from '../text/place.ts';
import { warningSentences, type Warned } from '../text/plan.ts';
import { leftLines, releasedLines, type LeftView } from '../text/three-way.ts';
import { refusedLines } from '../text/undo.ts';
import { MARKING } from './markup.ts';
import type { Card, Group, ListGroup, Notice } from './page.ts';

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
export function toList([title = '', ...lines]: readonly string[]): ListGroup {
  return { title: withoutColon(title), items: lines.map((line) => line.trim()) };
}

/** A heading of the text ends with a colon. */
export function withoutColon(title: string): string {
  return title.replace(/:$/, '');
}

/** What refuses the plan, safety rules and policies in one list, and what an option or a permit lifts. */
export function refusalNotices(plan: Plan, findings: readonly Finding[] = []): Notice[] {
  const { overridden = [] } = plan;
  return [
    refusalNotice('Apply would refuse this plan (exit code 4)', brokenRules({ ...plan, findings }), plan.project.name),
    {
      title: 'Overridden (--override, or a permit)',
      tone: 'warn',
      sentences: overridden.map((one) => hazardText(one)),
    },
  ];
}

/** `project`: its name, for commands. */
export function refusalNotice(title: string, broken: readonly BrokenRule[], project: string | undefined): Notice {
  return { title, tone: 'bad', sentences: broken.filter(refuses).map((one) => refusalSentence(one, project)) };
}

function refusalSentence(broken: BrokenRule, project: string | undefined): string {
  const ways = waysOutOf(broken, project).map((way) =>
    'text' in way ? `${way.words} ${escapeLine(way.text)}.` : way.words,
  );
  const source = ruleSourceText(broken);
  return [headOf(broken), ...ways, ...(source === undefined ? [] : [source])].join(' ');
}

function headOf(broken: BrokenRule): string {
  const place = placeOf(broken);
  return `${brokenRuleText(broken)}${place === undefined ? '' : ` ${MARKING.dim(placeText(place))}`}`;
}

export function warningNotice(warned: Warned, view: View): Notice {
  return { title: 'Warnings', tone: 'warn', sentences: warningSentences(warned, view) };
}

/** What policies say and do not refuse. */
export function findingNotice({ findings, idle, source }: Judgement, title = 'Policies'): Notice {
  const others = findings.filter((finding) => !isRefusal(finding));
  const told = sourceText(source);
  return {
    title,
    tone: 'warn',
    sentences: [
      ...others.map(otherSentence),
      ...idle.map((waiver) => idleText(waiver)),
      ...(told === undefined ? [] : [told]),
    ],
  };
}

function otherSentence(finding: Finding): string {
  const lifted = liftedText(finding);
  const head = headOf({ sort: 'policy', finding });
  return [head, ...(lifted === undefined ? [] : [lifted]), policySourceText(finding)].join(' ');
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
  const { title, items } = toList(releasedLines(plan, ofPage(view)));
  // How to delete one is below them, and is none.
  return { title, items, amount: plan.released?.length ?? 0 };
}

/** Each value, not only how many there are. */
export function observedGroup(plan: Pick<Plan, 'observed'>, view: View): Group {
  const { title, items } = toList(observedLines(plan, { ...ofPage(view), verbose: true }));
  // A flag is named above its values.
  return { title, items, amount: plan.observed?.length ?? 0 };
}
