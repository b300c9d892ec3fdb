/**
 * Remarks as lists next to the lines of files: annotations of GitHub, Code Quality of GitLab, SARIF. Each list has the most severe ones, with
 * fingerprints that stay the same from run to run.
 */

import { groupBy } from '../../../base/group.ts';
import { canonicalText, type JsonObject } from '../../../base/json.ts';
import { defined } from '../../../base/optional.ts';
import type { Place } from '../../../base/place.ts';
import { fingerprintOf } from '../../../engine/plan-document.ts';
import { escapeLine, placeText, quoteShort } from '../../escape.ts';
import { modelOf } from '../../model/model-of.ts';
import {
  lastingText,
  messageText,
  nameOfRule,
  type Remark,
  REMARK_LEVELS,
  type RemarkFamily,
  type RemarkLevel,
  wholeText,
} from '../../model/remark.ts';
import { plainText } from '../../phrase.ts';
import type { ReportOf } from '../../report.ts';
import { placeOfNothing, repositoryFile, type View } from '../../view.ts';
import { countNamed, hiddenText } from '../../words/amounts.ts';
import { indentedJson } from '../json/seal.ts';

/** The reports that have remarks. */
export type RemarkedKind =
  'plan' | 'drift' | 'result' | 'nothing' | 'undo' | 'validation' | 'test' | 'refs' | 'stale' | 'failure';

/** A report as a list. */
export interface RemarkList {
  /** Absent for a failure, which may be that of any. */
  readonly command?: string;
  /** The name of its project; absent if the report is about all of them. */
  readonly project?: string;
  /** Files are named from the root of the repository, where the view knows it. */
  readonly remarks: readonly Remark[];
  /** One line about the whole, without a line break; a failure is nothing but its remarks. */
  readonly summary?: string;
  readonly isFailure: boolean;
}

export async function remarkList(report: ReportOf<RemarkedKind>, view: View): Promise<RemarkList> {
  const { command, title, failure, summary, remarks } = await modelOf(report, view);
  // The title, where it says everything.
  const line =
    failure !== undefined || summary !== undefined || title === undefined
      ? summary
      : [plainText(title.words), ...(title.project === undefined ? [] : [escapeLine(title.project.name)])].join(' ');
  const placed = (one: Place): Place => ({ ...one, file: repositoryFile(one, view) });
  return {
    ...defined({ command, project: title?.project?.name, summary: line }),
    remarks: ((await remarks?.()) ?? []).map((remark) => ({
      ...remark,
      ...(remark.place && { place: placed(remark.place) }),
      ...(typeof remark.source === 'object'
        ? { source: { ...remark.source, place: placed(remark.source.place) } }
        : {}),
    })),
    isFailure: failure !== undefined,
  };
}

/** Code scanning of GitHub refuses a run with more than 25,000 results, and no service shows as many. */
export const MOST_LISTED = 20_000;

/** The note comes before the other notes, the least grave. */
function listed(remarks: readonly Remark[], total = MOST_LISTED, ofSort = total): readonly Remark[] {
  const { shown, hidden } = shorten(remarks, ({ level }) => level, { sorts: REMARK_LEVELS, total, ofSort });
  if (hidden.length === 0) return remarks;
  const of = (level: RemarkLevel): readonly Remark[] => shown.filter((remark) => remark.level === level);
  const note: Remark = { family: 'report', rule: 'shortened', level: 'note', text: hiddenText(hidden, NOUNS) };
  return [...of('error'), ...of('warning'), note, ...of('note')];
}

const NOUNS: Readonly<Record<RemarkLevel, string>> = { error: 'error', warning: 'warning', note: 'note' };

/**
 * `sorts`: the gravest first. `total`: the most items of all sorts; `ofSort`: of each sort. `hidden`: how many of each sort are not shown,
 * the gravest first; nothing where all are shown.
 */
export function shorten<Item, Sort extends string>(
  items: readonly Item[],
  sortOf: (item: Item) => Sort,
  {
    sorts,
    total,
    ofSort = total,
  }: { readonly sorts: readonly Sort[]; readonly total: number; readonly ofSort?: number },
): { readonly shown: readonly Item[]; readonly hidden: readonly { readonly sort: Sort; readonly count: number }[] } {
  const room = new Map<Sort, number>();
  const hidden: { sort: Sort; count: number }[] = [];
  let left = total;
  for (const sort of sorts) {
    const amount = items.reduce((sum, item) => (sortOf(item) === sort ? sum + 1 : sum), 0);
    const shown = Math.min(amount, ofSort, left);
    room.set(sort, shown);
    left -= shown;
    if (shown < amount) hidden.push({ sort, count: amount - shown });
  }
  if (hidden.length === 0) return { shown: items, hidden };
  const shown = items.filter((item) => {
    const more = room.get(sortOf(item)) ?? 0;
    room.set(sortOf(item), more - 1);
    return more > 0;
  });
  return { shown, hidden };
}

/** Lines move when a file is edited, so the names do not depend on them. Equal remarks are numbered. */
function fingerprintsOf(remarks: readonly Remark[]): readonly string[] {
  const seen = new Map<string, number>();
  return remarks.map((remark) => {
    const content = { path: remark.place?.file ?? '', rule: nameOfRule(remark), text: lastingText(remark) };
    const name = canonicalText(content);
    const number = seen.get(name) ?? 0;
    seen.set(name, number + 1);
    return fingerprintOf({ ...content, number });
  });
}

const COMMANDS: Readonly<Record<RemarkLevel, string>> = { error: 'error', warning: 'warning', note: 'notice' };

/** GitHub shows the first ten of each command in a step; the others are in its log. */
const MOST_OF_LEVEL = 50;

/** The gravest first; those of one level keep their order. */
export function annotations({ remarks, summary }: RemarkList): string {
  const shown = listed(foldAlike(remarks), REMARK_LEVELS.length * MOST_OF_LEVEL, MOST_OF_LEVEL);
  const sorted = REMARK_LEVELS.flatMap((level) => shown.filter((remark) => remark.level === level));
  const lines = [...sorted.map(annotation), ...(summary === undefined ? [] : [summary])];
  return lines.map((line) => `${line}\n`).join('');
}

/** GitHub shows the first ten of each command: if there are more, what one rule says of several resources is one annotation. */
const MOST_SHOWN = 10;

function foldAlike(remarks: readonly Remark[]): readonly Remark[] {
  const crowded = REMARK_LEVELS.filter((wanted) => remarks.filter(({ level }) => level === wanted).length > MOST_SHOWN);
  const alike = groupBy<Remark, Remark | string>(remarks, (remark) => {
    const { family, rule, level, afterName } = remark;
    const isFolded = crowded.includes(level) && afterName !== undefined;
    return isFolded ? [family, rule, level, wholeText({ ...remark, text: afterName })].join('\n') : remark;
  });
  return [...alike.values()].flatMap((group) => (group.length < 2 ? group : [folded(group)]));
}

function folded(alike: readonly Remark[]): Remark {
  const [first] = alike as [Remark];
  const names = alike.flatMap(({ name }) => name ?? []);
  const named = alike.map(({ name = '', place }) =>
    place === undefined ? quoteShort(name) : `${quoteShort(name)} ${placeText(place)}`,
  );
  const text = `Each of these ${countNamed([...new Set(names)])}${first.afterName ?? ''}`;
  return { ...first, text, aside: `They are: ${named.join(', ')}.` };
}

function annotation(remark: Remark): string {
  const { level, place } = remark;
  const where = place === undefined ? {} : { file: place.file, line: `${place.line}`, col: `${place.column}` };
  const properties = Object.entries({ ...where, title: nameOfRule(remark) });
  const written = properties.map(
    ([name, value]) => `${name}=${escapeData(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${COMMANDS[level]} ${written.join(',')}::${escapeData(messageText(remark))}`;
}

/** GitHub decodes `%0A` and the like, so a literal `%` is encoded. Line breaks are visible escapes already. */
function escapeData(text: string): string {
  return escapeLine(text).replaceAll('%', '%25');
}

const SEVERITIES: Readonly<Record<RemarkLevel, string>> = { error: 'major', warning: 'minor', note: 'info' };

/** GitLab compares the fingerprints of two branches. */
export function codeQuality(list: RemarkList, view: View): string {
  const remarks = listed(list.remarks);
  const fingerprints = fingerprintsOf(remarks);
  const issues = remarks.map((remark, index): JsonObject => {
    const place = remark.place ?? placeOfNothing(view);
    return {
      description: messageText(remark),
      check_name: nameOfRule(remark),
      severity: SEVERITIES[remark.level],
      location: { path: place.file, lines: { begin: place.line } },
      fingerprint: fingerprints[index] ?? '',
    };
  });
  return indentedJson(issues);
}

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';

export function sarifLog(list: RemarkList, view: View): string {
  const remarks = listed(list.remarks);
  // The first remark of each rule, by its name.
  const rules = new Map<string, Remark>();
  for (const remark of remarks) {
    const name = nameOfRule(remark);
    if (!rules.has(name)) rules.set(name, remark);
  }
  // A service replaces the earlier results of the same category, so each project has its own. It ends with a slash.
  const { command = 'failure', project } = list;
  const category = ['flagwright', command, ...(project === undefined ? [] : [encodeURIComponent(project)]), ''];
  const names = [...rules.keys()];
  const fingerprints = fingerprintsOf(remarks);
  return indentedJson({
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'flagwright', rules: [...rules.values()].map(ruleDocument) } },
        automationDetails: { id: category.join('/') },
        columnKind: 'utf16CodeUnits',
        invocations: [{ executionSuccessful: !list.isFailure }],
        results: remarks.map((remark, index) => {
          const rule = nameOfRule(remark);
          return {
            ruleId: rule,
            ruleIndex: names.indexOf(rule),
            level: remark.level,
            // A message may contain links, `[words](address)`: a string of others must not make one.
            message: { text: messageText(remark).replaceAll('](', '] (') },
            locations: [locationOf(remark, view)],
            partialFingerprints: { 'flagwright/v1': fingerprints[index] ?? '' },
            ...(remark.impact === undefined ? {} : { properties: { impact: remark.impact.lines } }),
          };
        }),
      },
    ],
  });
}

/** Code scanning of GitHub refuses a result without a line. */
function locationOf({ place: known, name }: Remark, view: View): JsonObject {
  const place = known ?? placeOfNothing(view);
  return {
    physicalLocation: {
      // A relative one: a file outside of the repository has `..` in it.
      artifactLocation: { uri: place.file.split('/').map(encodeURIComponent).join('/') },
      region: { startLine: place.line, startColumn: place.column },
    },
    ...(name === undefined ? {} : { logicalLocations: [{ name, kind: 'resource' }] }),
  };
}

/** `what`: precedes the name of the rule. */
const FAMILIES: Readonly<Record<RemarkFamily, { readonly what: string; readonly page: string }>> = {
  problem: { what: 'A problem of the manifests or the configuration', page: 'diagnostics' },
  failure: { what: 'A failure of the run', page: 'commands' },
  hazard: { what: 'A safety rule that the plan breaks', page: 'safety' },
  policy: { what: 'A policy about changes', page: 'policies' },
  effect: { what: 'A change, by the class of what it does to people', page: 'effects' },
  warning: { what: 'A warning of the plan', page: 'commands' },
  drift: { what: 'A live value that differs from the manifests', page: 'three-way' },
  outcome: { what: 'A change that was not applied', page: 'commands' },
  remainder: { what: 'A value that still differs after the apply', page: 'commands' },
  undo: { what: 'A change that cannot be undone', page: 'commands' },
  report: { what: 'About the report itself', page: 'reports' },
  refs: { what: 'A flag that code reads, or does not read', page: 'references' },
  test: { what: 'An expectation that does not hold', page: 'testing' },
};

function ruleDocument({ family, rule, level }: Remark): JsonObject {
  const { what, page } = FAMILIES[family];
  return {
    id: nameOfRule({ family, rule }),
    shortDescription: { text: `${what}: ${rule}` },
    fullDescription: { text: `${what}: ${rule}` },
    help: { text: `The documentation of flagwright describes it in docs/${page}.md.` },
    defaultConfiguration: { level },
  };
}
