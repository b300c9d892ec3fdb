/** The models of values: where those of a flag come from, how projects differ, and what people have after each step of a rehearsal. */

import { groupBy } from '../../base/group.ts';
import type { Labels } from '../../posthog/names/labels.ts';
import { FAMILIES } from '../../posthog/families.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import { pageUrl, readName } from '../../posthog/names/resource-name.ts';
import type { ParityCell, ParityRow } from '../../posthog/parity/parity.ts';
import { displayWidth, pad } from '../columns.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import { joined, type Phrase, type Span, toned } from '../phrase.ts';
import { countParity, shownRows } from '../report-facts.ts';
import type { ExplainedValue, ReportOf } from '../report.ts';
import { count, timeText } from '../words/amounts.ts';
import { attributionText } from '../words/authors.ts';
import { labelsOf } from '../words/kinds.ts';
import { shareText } from '../words/rollouts.ts';
import { inlineValue } from '../words/values.ts';
import { activityNote } from '../words/ways-out.ts';
import { LIST } from './change.ts';
import { sourceSpan } from './files.ts';
import type { ReportEntry, ReportGroup, ReportLine, ReportModel } from './report-model.ts';
import { scheduledNotice } from './rules.ts';

export function explainModel(report: ReportOf<'explain'>, verbose: boolean): ReportModel {
  const { project, key, live, scheduled } = report;
  const omitted = new Set(verbose ? [] : report.omitted);
  const values = report.values.filter((value) => !omitted.has(value));
  const url = live.kind === 'read' ? pageUrl(project, { resource: readName(key).kind, id: live.id }) : undefined;
  const labels = labelsOf({ resource: readName(key).kind });
  const dim = (text: string): Phrase => [toned('dim', text)];
  return {
    title: { words: [toned('strong', escapeLine(key)), ' in'], project },
    page: () => ({
      facts: [
        ...(url === undefined ? [] : [{ place: 'title', phrase: dim(escapeLine(url)) } as const]),
        ...(omitted.size === 0
          ? []
          : [
              {
                place: 'note',
                phrase: dim(
                  `Not shown: ${count(omitted.size, 'value')} that ${omitted.size === 1 ? 'is' : 'are'} the default (--all).`,
                ),
              } as const,
            ]),
        ...notesOf(report).map((note) => ({ place: 'note', phrase: dim(note) }) as const),
      ],
      notices: scheduled === undefined ? [] : [scheduledNotice(scheduled)],
      groups: [
        {
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

function valueEntry(one: ExplainedValue, labels: Labels, verbose: boolean): ReportEntry {
  const { path, value, ownership, layer, place, replaces, line, live, attribution } = one;
  const from = layer === undefined ? '' : `, ${layer === 'base' ? 'for all projects' : 'overlay of the project'}`;
  const facts: readonly (readonly [name: string, text: string | undefined])[] = [
    ['from', `${placeText(place)}${from}`],
    ['instead', replaces && `of ${short(replaces.value)}  ${placeText(replaces.place)}, for all projects`],
    ['owner', ownership === 'managed' ? undefined : ownerText(ownership)],
    ['line', line && lineText(line)],
    ['live', live && liveText(live, path)],
    ['who', attribution && attributionText(attribution, quoteShort)],
  ];
  const pointer = verbose ? ['  ', toned('dim', escapeLine(path))] : [];
  return {
    head: [toned('strong', escapeLine(labels.field(path))), `: ${short(value)}`, ...pointer],
    lines: facts.flatMap(([name, text]) =>
      text === undefined ? [] : [{ phrase: [toned('dim', name.padEnd(8)), ` ${text}`] }],
    ),
  };
}

function ownerText(ownership: Exclude<ExplainedValue['ownership'], 'managed'>): string {
  if (ownership === 'initial') return 'initial: written when the flag is created, and left alone afterwards';
  if (ownership === 'observed') return 'observed: others decide, and it is never written';
  return `others decide between ${ownership.between[0]} and ${ownership.between[1]}`;
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

function lineText(line: NonNullable<ExplainedValue['line']>): string {
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

export function parityModel(report: ReportOf<'parity'>, verbose: boolean): ReportModel {
  const names = report.parity.projects.map((name): Span[] => [toned('strong', escapeLine(name))]);
  return {
    title: { words: ['Parity of ', ...joined(names), ' ', sourceSpan(report.source)] },
    summary: summaryText(report),
    page: () => ({ groups: [rowsGroup(report, verbose)] }),
  };
}

function rowsGroup(report: ReportOf<'parity'>, verbose: boolean): ReportGroup {
  const byKey = groupBy(shownRows(report), ({ key }) => key);
  const names = report.parity.projects.map(escapeLine);
  const width = Math.max(...names.map(displayWidth));
  const rowLines = ({ key, path, cells, declared, others }: ParityRow): ReportLine[] => {
    const why = others === true ? 'declared: others decide' : 'declared';
    const notes = [...(declared ? [why] : []), ...(verbose && path !== '' ? [escapeLine(path)] : [])];
    const label = escapeLine(labelsOf({ resource: readName(key).kind }).field(path));
    return [
      { phrase: [label, ...notes.flatMap((note) => ['  ', toned('dim', note)])] },
      ...cells.map((cell, index): ReportLine => ({
        phrase: `${pad(names[index] ?? '', width)}  ${cellText(cell, path)}`,
        indent: 2,
        isCut: true,
      })),
    ];
  };
  return {
    title: 'Differences',
    form: 'blocks',
    indent: { head: 2, lines: 4 },
    spacing: 'always',
    entries: [...byKey].map(([key, rows]) => ({
      head: [toned('strong', escapeLine(key))],
      lines: rows.flatMap(rowLines),
    })),
  };
}

function cellText(cell: ParityCell, path: string): string {
  const usual = cell.kind === 'none' ? FLAG_LABELS.absent(path) : undefined;
  if (usual !== undefined) return inlineValue(usual);
  if (cell.kind !== 'value') return CELLS[cell.kind];
  return typeof cell.value === 'number' ? `${cell.value}${FLAG_LABELS.unit(path)}` : inlineValue(cell.value);
}

const CELLS: Readonly<Record<Exclude<ParityCell['kind'], 'value'>, string>> = {
  none: '(none)',
  unmanaged: '(not managed)',
  present: 'present',
  absent: 'absent',
};

/** `Parity: 2 undeclared differences in 1 of 38 flags · 5 declared (--declared shows them)`. */
function summaryText({ parity, withDeclared }: ReportOf<'parity'>): string {
  const { declared, undeclared, ...differing } = countParity(parity);
  const found =
    undeclared === 0
      ? `no undeclared difference in ${amountText(parity)}`
      : `${count(undeclared, 'undeclared difference')} in ${amountText(parity, differing)}`;
  const others = declared === 0 ? '' : ` · ${declared} declared${withDeclared ? '' : ' (--declared shows them)'}`;
  return `Parity: ${found}${others}`;
}

type ParityAmount = Readonly<Record<FamilyName, number>>;

/** `38 flags and 2 cohorts`; with a part of them `1 of 38 flags and 0 of 2 cohorts`. */
function amountText(all: ParityAmount, part?: ParityAmount): string {
  const compared = FAMILIES.filter(({ section }) => all[section] > 0);
  return (compared.length === 0 ? FAMILIES.slice(0, 1) : compared)
    .map(({ kind, section }) => {
      const { noun, plural } = labelsOf({ resource: kind });
      return `${part === undefined ? '' : `${part[section]} of `}${count(all[section], noun, plural)}`;
    })
    .join(' and ');
}

export function rehearsalModel({ project, moments, isRefused }: ReportOf<'rehearsal'>): ReportModel {
  const keys = [...new Set(moments.map(({ key }) => key))];
  const byKey = keys.map((key) => ({ key, own: moments.filter((one) => one.key === key) }));
  // A run may make several steps of a flag at once, and some may have been made before.
  const made = byKey.reduce((sum, { own }) => sum + (own.at(-1)?.step ?? 0) - (own[0]?.step ?? 0), 0);
  const width = Math.max(0, ...keys.map((key) => escapeLine(key).length));
  return {
    title: { words: ['Rehearsal for ', toned('strong', escapeLine(project))] },
    summary: `Rehearsal: ${count(made, 'step')} made of ${count(keys.length, 'flag')}${isRefused ? ', and the next one is refused' : ''}`,
    standing: isRefused ? 'bad' : 'good',
    page: () => ({
      groups: [
        {
          title: 'Who has it on',
          ...LIST,
          entries: moments.map(({ at, key, step, steps, share }) => {
            const name = toned('strong', pad(escapeLine(key), width));
            const of = step === 0 ? 'before' : `step ${step} of ${steps}`;
            return { head: [timeText(at), '  ', name, `  ${pad(of, 14)}  ${shareText(share)}`] };
          }),
          plots: byKey.map(({ key, own }) => ({
            title: escapeLine(key),
            points: own.map(({ at, share }) => ({ at: Date.parse(at), ...share })),
          })),
        },
      ],
    }),
  };
}
