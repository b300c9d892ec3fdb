/** The model of the `explain` report: one entry for each value. */

import type { Labels } from '../../engine/labels.ts';
import { pageUrl } from '../../posthog/names/page-url.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import { readName } from '../../posthog/names/resource-name.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import type { ExplainedValue, LineFacts } from '../explained.ts';
import type { ReportOf } from '../report.ts';
import { attributionText } from '../words/authors.ts';
import { timeText } from '../words/times.ts';
import { labelsOf } from '../words/kinds.ts';
import { inlineValue } from '../words/values.ts';
import { activityNote } from '../words/ways-out.ts';
import { linesOf } from './change.ts';
import { toned, type Phrase } from '../phrase.ts';
import { scheduledNotice } from './rules.ts';
import type { ReportEntry, ReportModel } from './report-model.ts';

export function explainModel(report: ReportOf<'explain'>, verbose: boolean): ReportModel {
  const { project, key, values, live, scheduled } = report;
  const url = live.kind === 'read' ? pageUrl(project, { resource: readName(key).kind, id: live.id }) : undefined;
  const labels = labelsOf({ resource: readName(key).kind });
  const dim = (text: string): Phrase => [toned('dim', text)];
  return {
    title: { words: [toned('strong', escapeLine(key)), ' in'], project },
    page: () => ({
      facts: [
        ...(url === undefined ? [] : [{ about: 'origin', phrase: dim(escapeLine(url)) } as const]),
        ...notesOf(report).map((note) => ({ about: 'note', phrase: dim(note) }) as const),
      ],
      notices: scheduled === undefined ? [] : [scheduledNotice(scheduled)],
      groups: [
        {
          about: 'values',
          title: 'Values',
          form: 'blocks',
          indent: { head: 0, lines: 2 },
          spacing: 'always',
          entries: values.map((value) => valueEntry(value, labels, verbose)),
        },
      ],
    }),
  };
}

function valueEntry(value: ExplainedValue, labels: Labels, verbose: boolean): ReportEntry {
  const pointer = verbose ? ['  ', toned('dim', escapeLine(value.path))] : [];
  return {
    head: [toned('strong', escapeLine(labels.field(value.path))), `: ${short(value.value)}`, ...pointer],
    lines: linesOf(factsOf(value).map(([name, text]) => [toned('dim', name.padEnd(8)), ` ${text}`])),
  };
}

type NamedFact = readonly [name: string, text: string];

function factsOf({ path, ownership, layer, place, replaces, line, live, attribution }: ExplainedValue): NamedFact[] {
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
