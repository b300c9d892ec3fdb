/** The models of values: where those of a flag come from, how projects differ, and what people have after each step of a rehearsal. */

import { compareStrings } from '../../base/compare-strings.ts';
import { groupBy } from '../../base/group.ts';
import { ifGiven } from '../../base/optional.ts';
import { type Labels, pageUrl, readName } from '../../posthog/names/resource-name.ts';
import { FAMILIES } from '../../posthog/families.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import { propertiesOf, rolloutOf, viewFilters } from '../../posthog/flag/model/flag.ts';
import type { FamilyName } from '../../posthog/kind-types.ts';
import type { AlikeResource, ParityCell, ParityRow } from '../../posthog/parity/parity.ts';
import { displayWidth, pad } from '../columns.ts';
import { cutEscaped, escapeLine, placeText, quoteShort } from '../escape.ts';
import { joined, type Phrase, type Span, spansOf, toned } from '../phrase.ts';
import { countParity, shownRows } from '../report-facts.ts';
import type { ExplainedValue, RehearsedVerdicts, ReportOf, UnreadProject } from '../report.ts';
import { count, keysText, timeText } from '../words/amounts.ts';
import { attributionText } from '../words/authors.ts';
import { readingText } from '../words/guards.ts';
import { labelsOf } from '../words/kinds.ts';
import { shareText } from '../words/rollouts.ts';
import { inlineValue } from '../words/values.ts';
import { activityNote } from '../words/ways-out.ts';
import { LIST } from './change.ts';
import { rolloutsGroup } from './rollouts.ts';
import { sourceSpan } from './files.ts';
import type { Notice, ReportEntry, ReportGroup, ReportLine, ReportModel, ReportTable } from './report-model.ts';
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
        rolloutsGroup({ ...report, changes: [] }),
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
  const names = report.parity.projects.map((code): Span[] => [toned('strong', [{ code }])]);
  const { undeclared } = countParity(report.parity);
  const { unread = [] } = report;
  return {
    title: { words: ['Parity of ', ...joined(names), ' ', sourceSpan(report.source)] },
    summary: summaryText(report),
    standing: unread.length > 0 ? 'bad' : undeclared === 0 ? 'good' : 'warning',
    page: () => {
      const table = parityTable(report, verbose);
      return { ...(table.rows.length > 0 && { table }), notices: [unreadNotice(unread)] };
    },
  };
}

function unreadNotice(unread: readonly UnreadProject[]): Notice {
  const statements = unread.map(({ project, error: { message, remedy } }) => ({
    phrase: [toned('strong', [{ code: project }]), ' was not read: ', escapeLine(message)],
    ways: remedy === undefined ? [] : [{ words: escapeLine(remedy) }],
  }));
  return { about: 'warnings', title: `${count(unread.length, 'project')} not read`, statements };
}

/** A row for each field that differs and for each resource that is alike, a column for each project. */
function parityTable(report: ReportOf<'parity'>, verbose: boolean): ReportTable {
  const { parity, withDeclared, unread = [] } = report;
  const isUnread = (name: string): boolean => unread.some(({ project }) => project === name);
  const rows = groupBy(shownRows(report), ({ key }) => key);
  const alike = new Map((report.withAlike === true ? parity.alike : []).map((one) => [one.key, one]));
  const ofRow = (row: ParityRow): Phrase[] => [
    [toned('strong', [{ code: row.key }])],
    [{ code: fieldLabel(row) }, ...(verbose && row.path !== '' ? ['  ', toned('dim', [{ code: row.path }])] : [])],
    ...row.cells.map((cell) => cellPhrase(cell, row.path, verbose)),
    ...(withDeclared ? [row.others === true ? 'others decide' : row.declared ? 'yes' : 'no'] : []),
  ];
  const ofAlike = (one: AlikeResource): Phrase[] => [
    [toned('strong', [{ code: one.key }])],
    [toned('dim', 'same')],
    ...parity.projects.map((name) => (isUnread(name) ? CELLS.unread : shortForm(one))),
    ...(withDeclared ? [''] : []),
  ];
  const keys = [...new Set([...rows.keys(), ...alike.keys()])].toSorted(compareStrings);
  return {
    columns: ['name', 'field', ...parity.projects.map((code) => [{ code }]), ...(withDeclared ? ['declared'] : [])],
    rows: keys.flatMap((key) => [
      ...(rows.get(key) ?? []).map(ofRow),
      ...ifGiven(alike.get(key), (one) => [ofAlike(one)]),
    ]),
    narrow: [
      rowsGroup(report, verbose),
      {
        title: unread.length === 0 ? 'Same in all projects' : 'Same in all projects that were read',
        ...LIST,
        prominence: 'headed',
        entries: [...alike.values()].map((one) => ({ head: [{ code: one.key }, `  ${shortForm(one)}`] })),
      },
    ],
  };
}

/** `on`, `off`, `10%` or `on, 2 conditions` of a flag; `same` of another resource, and where the manifests leave it open. */
function shortForm({ key, fields }: AlikeResource): string {
  const { active, filters } = fields;
  if (readName(key).kind !== 'flag' || typeof active !== 'boolean') return 'same';
  if (!active) return 'off';
  const { conditions, superConditions, isOpaque } = viewFilters(filters);
  if (isOpaque || filters === undefined) return 'on';
  const all = [...conditions, ...superConditions];
  const [first] = all;
  if (first === undefined || all.length > 1 || propertiesOf(first).length > 0)
    return `on, ${count(all.length, 'condition')}`;
  const share = rolloutOf(first.part);
  return share === undefined || share === 100 ? 'on' : `${share}%`;
}

function rowsGroup(report: ReportOf<'parity'>, verbose: boolean): ReportGroup {
  const byKey = groupBy(shownRows(report), ({ key }) => key);
  const names = report.parity.projects.map(escapeLine);
  const width = Math.max(...names.map(displayWidth));
  const rowLines = (row: ParityRow): ReportLine[] => {
    const { path, cells, declared, others } = row;
    const why = others === true ? 'declared: others decide' : 'declared';
    const notes = [...(declared ? [why] : []), ...(verbose && path !== '' ? [escapeLine(path)] : [])];
    return [
      { phrase: [escapeLine(fieldLabel(row)), ...notes.flatMap((note) => ['  ', toned('dim', note)])] },
      ...cells.map((cell, index): ReportLine => ({
        phrase: [pad(names[index] ?? '', width), '  ', ...spansOf(cellPhrase(cell, path, true))],
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

function fieldLabel({ key, path }: ParityRow): string {
  return labelsOf({ resource: readName(key).kind }).field(path);
}

/** The most characters of a value in a table. */
const CELL_WIDTH = 40;

function cellPhrase(cell: ParityCell, path: string, isWhole: boolean): Phrase {
  const usual = cell.kind === 'none' ? FLAG_LABELS.absent(path) : undefined;
  const value = cell.kind === 'value' ? cell.value : usual;
  if (value === undefined) return cell.kind === 'value' ? '' : CELLS[cell.kind];
  const text = typeof value === 'number' ? `${value}${FLAG_LABELS.unit(path)}` : inlineValue(value);
  return [{ code: isWhole ? text : cutEscaped(text, CELL_WIDTH) }];
}

const CELLS: Readonly<Record<Exclude<ParityCell['kind'], 'value'>, string>> = {
  none: '(none)',
  unmanaged: '(not managed)',
  present: 'present',
  absent: 'absent',
  unread: '(not read)',
};

/** `Parity: 2 undeclared differences in 1 of 38 flags · 5 declared (--declared shows them)`. */
function summaryText({ parity, withDeclared, unread = [] }: ReportOf<'parity'>): string {
  const { declared, undeclared, ...differing } = countParity(parity);
  const found =
    undeclared === 0
      ? `no undeclared difference in ${amountText(parity)}`
      : `${count(undeclared, 'undeclared difference')} in ${amountText(parity, differing)}`;
  const others = declared === 0 ? '' : ` · ${declared} declared${withDeclared ? '' : ' (--declared shows them)'}`;
  const missing = unread.length === 0 ? '' : ` · not read: ${keysText(unread.map(({ project }) => project))}`;
  return `Parity: ${found}${others}${missing}`;
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

export function rehearsalModel({ project, moments, isRefused, verdicts }: ReportOf<'rehearsal'>): ReportModel {
  const keys = [...new Set(moments.map(({ key }) => key))];
  const byKey = keys.map((key) => ({ key, own: moments.filter((one) => one.key === key) }));
  // A run may make several steps of a flag at once, and some may have been made before.
  const made = byKey.reduce((sum, { own }) => sum + (own.at(-1)?.step ?? 0) - (own[0]?.step ?? 0), 0);
  const width = Math.max(0, ...keys.map((key) => escapeLine(key).length));
  const waiting = byKey.filter(({ own }) => own.at(-1)?.overdue === true).map(({ key }) => key);
  const ends = waiting.length === 0 ? '' : `, and the next one of ${keysText(waiting)} is overdue`;
  return {
    title: { words: ['Rehearsal for ', toned('strong', escapeLine(project))] },
    summary: `Rehearsal: ${count(made, 'step')} made of ${count(keys.length, 'flag')}${isRefused ? ', and the next one is refused' : ends}`,
    standing: isRefused || waiting.length > 0 ? 'bad' : 'good',
    page: () => ({
      facts: verdicts === undefined ? [] : [{ place: 'head', label: 'Guards', phrase: rehearsedText(verdicts) }],
      groups: [
        {
          title: 'Who has it on',
          ...LIST,
          entries: moments.map(({ at, key, step, steps, share, guard_readings: readings = [], overdue }) => {
            const name = toned('strong', pad(escapeLine(key), width));
            const made = step === 0 ? 'before' : `step ${step} of ${steps}`;
            const of = readings.length === 0 ? made : overdue === true ? 'is overdue' : 'waits';
            const because = readings.filter(({ says }) => says !== 'pass').map(readingText);
            return {
              head: [timeText(at), '  ', name, `  ${pad(of, 14)}  ${shareText(share)}`],
              lines: because.map((phrase) => ({ phrase, indent: 2 })),
            };
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

function rehearsedText(verdicts: RehearsedVerdicts): string {
  switch (verdicts.from) {
    case 'nothing':
      return 'all pass, since neither `--verdicts` nor `--random-verdicts` is given';
    case 'file':
      return `as ${quoteShort(verdicts.file)} says`;
    case 'random':
      return `at random, by \`--random-verdicts ${verdicts.seed}\``;
  }
}
