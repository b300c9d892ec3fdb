/** A plan, its drift and the plan of an undo as Markdown: what apply refuses and warns of, then the changes, the gravest first. */

import type { Action, Change, Plan } from '../../../posthog/plan.ts';
import { escapeLine } from '../../escape.ts';
import type { ReportOf } from '../../report.ts';
import { PLAIN, type View } from '../../view.ts';
import { forecastText } from '../../words/forecast.ts';
import { hazardText } from '../../words/hazards.ts';
import { observedText } from '../../words/observed.ts';
import { PLAN_NOTES } from '../../words/three-way.ts';
import { changeLines } from '../text/change.ts';
import { DRIFT_WORDS, driftLines, driftSummary, isOfState, legend } from '../text/drift.ts';
import { planSummary, warningSentences } from '../text/plan.ts';
import { baseLines } from '../text/three-way.ts';
import { refusedLines, undoSummary } from '../text/undo.ts';
import type { Authors } from '../text/authors.ts';
import { authorSentences } from './authors.ts';
import { assemble, type Group, type Head } from './document.ts';
import { hazardSentence } from './hazards.ts';
import { codeSpan, heading, shortSpan } from './markup.ts';
import { leftGroup, LEFT_TITLE, releasedGroup } from './three-way.ts';

export function planMarkdown({ plan, forecast, attributions }: ReportOf<'plan'>, view: View): string {
  const cost = forecast === undefined || plan.changes.length === 0 ? [] : [forecastText(forecast)];
  const head: Head = {
    parts: [heading('Plan for', plan), `**${planSummary(plan)}**`, ...baseLines(plan), ...cost, ...observedParts(plan)],
    notices: [...noticesOf(plan, view), authorNotice({ plan, attributions })],
  };
  return assemble(
    head,
    [...groupsOf(plan.changes, planned, view), leftGroup(plan, LEFT_TITLE, view), releasedGroup(plan)],
    view,
  );
}

export function driftMarkdown({ plan, attributions }: ReportOf<'drift'>, view: View): string {
  const warnings = plan.warnings.filter(isOfState);
  const head: Head = {
    parts: [
      heading('Drift of', plan),
      `**${driftSummary(plan)}**`,
      ...baseLines(plan),
      ...legend(plan, PLAIN),
      ...observedParts(plan),
    ],
    notices: [
      ...noticesOf({ project: plan.project, hazards: [], warnings }, view),
      authorNotice({ plan, attributions }),
    ],
  };
  const groups = [...groupsOf(plan.changes, drifted, view), leftGroup(plan, 'ignored', view), releasedGroup(plan)];
  return assemble(head, [...groups, unmanagedGroup(plan)], view);
}

export function undoMarkdown({ run, plan, refused, forecast }: ReportOf<'undo'>, view: View): string {
  const cost = forecast === undefined || plan.changes.length === 0 ? [] : [forecastText(forecast)];
  const head: Head = {
    parts: [heading(`Undo of run ${codeSpan(run)} in`, plan), `**${undoSummary(plan, refused)}**`, ...cost],
    notices: noticesOf(plan, view),
  };
  const [, ...lines] = refusedLines(refused, { ...view, palette: PLAIN });
  const impossible: Group = {
    title: 'Cannot be undone',
    language: 'text',
    entries: lines.map((line) => [line]),
    isOpen: true,
  };
  return assemble(head, [impossible, ...groupsOf(plan.changes, planned, view)], view);
}

/** Outside of the blocks of code, so that the links work. */
function authorNotice(authors: Authors): Head['notices'][number] {
  return { title: 'Changed in the service', sentences: authorSentences(authors) };
}

function observedParts({ observed = [] }: Plan): string[] {
  return observed.length === 0 ? [] : [`${observedText(observed)}.`];
}

function noticesOf(
  { hazards, warnings, project, overridden = [] }: Pick<Plan, 'hazards' | 'warnings' | 'project' | 'overridden'>,
  view: View,
): Head['notices'] {
  return [
    {
      title: 'Apply would refuse this plan (exit code 4)',
      sentences: hazards.map((hazard) => hazardSentence(hazard, project.name)),
    },
    { title: 'Allowed with `--override`', sentences: overridden.map((hazard) => hazardText(hazard, shortSpan)) },
    { title: 'Warnings', sentences: warningSentences({ warnings }, view, shortSpan) },
  ];
}

/** A reader of a shortened document sees at least what takes something away. */
const GRAVITY: Readonly<Record<Action, number>> = {
  delete: 0,
  revoke: 1,
  adjust: 2,
  update: 3,
  restore: 4,
  create: 5,
  grant: 6,
};

/** How a change is shown, and what heads the changes of its action. */
interface Shape {
  readonly lines: (change: Change, view: View) => readonly string[];
  readonly title: (action: Action, amount: number) => string;
}

const planned: Shape = {
  lines: (change, view) => changeLines(change, { ...view, palette: PLAIN, places: true, notes: PLAN_NOTES }),
  title: (action, amount) => `${amount} to ${action}`,
};

const drifted: Shape = {
  lines: (change, view) => driftLines(change, { ...view, palette: PLAIN }),
  title: (action, amount) => `${amount} ${DRIFT_WORDS[action]}`,
};

function groupsOf(changes: readonly Change[], { lines, title }: Shape, view: View): Group[] {
  const actions = [...new Set(changes.map(({ action }) => action))].toSorted((a, b) => GRAVITY[a] - GRAVITY[b]);
  return actions.map((action) => {
    const alike = changes.filter((change) => change.action === action);
    return {
      title: title(action, alike.length),
      language: 'diff',
      entries: alike.map((change) => toDiff(lines(change, view))),
    };
  });
}

/** The first character of a line decides its colour in a diff. */
const DIFF_MARKS: Readonly<Record<string, string>> = { '~': '!', '↺': '!', '±': '!', '»': '+', '«': '-' };
const INDENT_IN_TEXT = 8;

function toDiff([head = '', ...rest]: readonly string[]): readonly string[] {
  const glyph = head.charAt(2);
  return [`${DIFF_MARKS[glyph] ?? glyph}${head.slice(3)}`, ...rest.map((line) => line.slice(INDENT_IN_TEXT))];
}

function unmanagedGroup({ unmanaged }: Plan): Group {
  return {
    title: `${unmanaged.length} unmanaged (in no manifest)`,
    language: 'text',
    entries: unmanaged.map((key) => [`? ${escapeLine(key)}`]),
  };
}
