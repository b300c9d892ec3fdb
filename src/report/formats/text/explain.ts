/** Where each value of a flag comes from, as text: a block for each value. */

import type { Labels } from '../../../engine/labels.ts';
import { pageUrl } from '../../../posthog/page-url.ts';
import { COHORT_LABELS } from '../../../posthog/cohort/labels.ts';
import { FLAG_LABELS } from '../../../posthog/flag/labels.ts';
import { escapeLine, quoteShort } from '../../escape.ts';
import type { ExplainedValue, LineFacts } from '../../explained.ts';
import type { ReportOf } from '../../report.ts';
import type { View } from '../../view.ts';
import { attributionText } from '../../words/attributions.ts';
import { activityNote } from '../../words/activity.ts';
import { timeText } from '../../words/time.ts';
import { inlineValue } from '../../words/value.ts';
import { placeText } from './place.ts';
import { joinSections, projectLine } from './sections.ts';
import { isOfMain, readName } from '../../../posthog/resource-name.ts';

export function explainText(report: ReportOf<'explain'>, view: View): string {
  const { project, key, values, live } = report;
  const url = live.kind === 'read' ? pageUrl(project, { resource: readName(key).kind, id: live.id }) : undefined;
  const labels = (isOfMain(key) ? FLAG_LABELS : COHORT_LABELS) as Labels;
  return joinSections([
    [
      projectLine(`${view.palette.strong(escapeLine(key))} in`, { project }, view.palette),
      ...(url === undefined ? [] : [view.palette.dim(escapeLine(url))]),
    ],
    ...values.map((value) => valueLines(value, labels, view)),
    notesOf(report).map((note) => view.palette.dim(note)),
  ]);
}

function valueLines(value: ExplainedValue, labels: Labels, { palette, verbose }: View): string[] {
  const label = escapeLine(labels.field(value.path));
  const head = `${palette.strong(label)}: ${short(value.value)}${verbose ? `  ${palette.dim(escapeLine(value.path))}` : ''}`;
  return [head, ...factsOf(value).map(([name, text]) => `  ${palette.dim(name.padEnd(8))} ${text}`)];
}

type Fact = readonly [name: string, text: string];

function factsOf({ path, ownership, layer, place, replaces, line, live, attribution }: ExplainedValue): Fact[] {
  const from = layer === undefined ? '' : `, ${layer === 'base' ? 'for all projects' : 'overlay of the project'}`;
  return [
    ['from', `${placeText(place)}${from}`],
    ...(replaces === undefined
      ? []
      : [['instead', `of ${short(replaces.value)}  ${placeText(replaces.place)}, for all projects`] as const]),
    ...(ownership === 'managed' ? [] : [['owner', ownerText(ownership)] as const]),
    ...(line === undefined ? [] : [['line', lineText(line)] as const]),
    ...(live === undefined ? [] : [['live', liveText(live, path)] as const]),
    ...(attribution === undefined ? [] : [['who', attributionText(attribution, quoteShort)] as const]),
  ];
}

function ownerText(ownership: ExplainedValue['ownership']): string {
  switch (ownership) {
    case 'managed':
      return 'the manifest';
    case 'initial':
      return 'initial: written when the flag is created, and left alone afterwards';
    case 'observed':
      return 'observed: others decide, and it is never written';
    default:
      return `others decide between ${ownership.between[0]} and ${ownership.between[1]}`;
  }
}

function short(value: ExplainedValue['value']): string {
  return quoteShort(inlineValue(value));
}

function liveText({ value, differs }: NonNullable<ExplainedValue['live']>, path: string): string {
  if (!differs) return 'the same';
  const shown = value ?? FLAG_LABELS.absent(path);
  return shown === undefined ? '(none)' : short(shown);
}

const COMMIT_LENGTH = 10;

function lineText(line: LineFacts): string {
  switch (line.kind) {
    case 'commit':
      return `${line.commit.slice(0, COMMIT_LENGTH)} by ${quoteShort(line.author)} on ${timeText(line.at)}: ${quoteShort(line.summary)}`;
    case 'uncommitted':
      return 'not committed yet';
    case 'unknown':
      return `unknown: ${quoteShort(line.detail)}`;
  }
}

function notesOf({ project, key, live, history }: ReportOf<'explain'>): string[] {
  return [
    ...(live.kind === 'read' && readName(key).kind === 'flag' ? [activityNote(key, project.name)] : []),
    ...(live.kind === 'missing' ? [`The project has no such ${readName(key).kind} yet.`] : []),
    ...(live.kind === 'unread' ? [`What is live is not shown: ${escapeLine(live.reason)}`] : []),
    ...(history.kind === 'none' ? [`Who changed the lines is not shown: ${escapeLine(history.reason)}.`] : []),
  ];
}
