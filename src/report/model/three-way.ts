/**
 * The differences that a plan does not write: left and released resources, values of others, and unmanaged flags; and who made the
 * differences, and the change requests about them: below a change, and as notices for comments, whose links do not work in blocks of code.
 */

import { defined, ifGiven } from '../../base/optional.ts';
import type { LastEdit } from '../../core/engine/change.ts';
import type { LeftChange } from '../../core/engine/matched.ts';
import { type Quote, pageUrl } from '../../posthog/names/resource-name.ts';
import type { Plan, Change } from '../../posthog/plan.ts';
import { escapeLine, placeText, quoteShort } from '../escape.ts';
import { spansOf, toned, phraseOf, plainText, type Phrase, type Span } from '../phrase.ts';
import {
  baseTexts,
  deletionHints,
  type LeavingReason,
  leftWhole,
  observedText,
  ownershipText,
  renameHints,
} from '../words/base.ts';
import { labelsOf, labelsOfPath, labelsOfRef } from '../words/kinds.ts';
import { BLOCKS, LIST, saying, summed } from './change.ts';
import { fieldLines } from './fields.ts';
import type { ReportFact, ReportGroup, Notice, ReportLine, Statement } from './report-model.ts';
import type { KnownRequest } from '../../core/engine/change-request.ts';
import type { Attribution, Attributions } from '../../posthog/authors/attribution.ts';
import {
  approvalsSummary,
  approvalText,
  attributionText,
  deedText,
  lastEditText,
  reasonText,
} from '../words/authors.ts';

export function baseFacts(
  plan: Pick<Plan, 'changes' | 'base' | 'converged' | 'left'>,
  how: LeavingReason,
): ReportFact[] {
  return baseTexts(plan, how).map((phrase) => summed('Base', phrase));
}

/** `counted`: why these differences are not among the changes. `authors`: of the differences, if they were looked up. */
export function leftGroup(
  left: readonly LeftChange[],
  { title, counted }: { readonly title: string; readonly counted: string },
  { verbose, authors }: { readonly verbose: boolean; readonly authors?: Authors | undefined },
): ReportGroup {
  return {
    place: 'left',
    prominence: 'rest',
    title,
    counted: `${left.length} ${counted}`,
    ...BLOCKS,
    entries: left.map((one) => {
      const { ref, key, fields, resource } = one;
      const whole = leftWhole(one);
      // The access to a flag is left under the name of the flag.
      const qualifier = resource === 'role_access' ? '' : labelsOfRef(ref).qualifier;
      const head = [toned('change', '='), ' ', toned('strong', escapeLine(key)), qualifier];
      const made = ifGiven(authors, (known) =>
        authoredLeft({ left: [one] }).flatMap((authored) => authorLines(authored, known)),
      );
      if (whole !== undefined) return { head: [...head, ` ${whole}`], lines: made };
      const labels = labelsOfPath(ref, fields[0]?.path ?? '');
      return { head, lines: [...fieldLines(fields, { verbose, labels, places: true }), ...made] };
    }),
  };
}

export const LEFT = {
  title: 'Left as it is in the service (shown as live → declared)',
  counted: 'left as in the service',
};

export function releasedGroup(released: NonNullable<Plan['released']>, changes: Plan['changes'] = []): ReportGroup {
  return {
    place: 'rest',
    prominence: 'rest',
    title: 'Released (no longer in a manifest)',
    counted: `${released.length} released (no longer in a manifest)`,
    ...LIST,
    entries: released.map(({ key, place }) => ({
      head: [`? ${escapeLine(key)}`, ...(place === undefined ? [] : ['  ', toned('dim', placeText(place))])],
    })),
    hints: [...deletionHints(released), ...renameHints(released, changes)],
  };
}

const MOST_UNMANAGED = 20;

export function unmanagedGroup(plan: Pick<Plan, 'unmanaged' | 'released'>, verbose: boolean): ReportGroup {
  const unmanaged = plan.unmanaged.filter((name) => plan.released?.some(({ key }) => key === name) !== true);
  const more = `… ${unmanaged.length - MOST_UNMANAGED} more; --verbose lists all`;
  return {
    place: 'rest',
    prominence: 'rest',
    title: 'Unmanaged (in no manifest)',
    counted: `${unmanaged.length} unmanaged (in no manifest)`,
    ...LIST,
    entries: unmanaged.map((key) => ({ head: `? ${escapeLine(key)}` })),
    ...(verbose ? {} : { limit: { entries: MOST_UNMANAGED, more } }),
  };
}

type Observed = NonNullable<Plan['observed']>;

/** Each value, below the key that it shares with others. */
export function observedGroup(observed: Observed, verbose: boolean): ReportGroup {
  const text = observedText(observed);
  const keys = [...new Set(observed.map(({ key }) => key))];
  return {
    place: 'rest',
    prominence: 'rest',
    title: `${text}, as in git → in PostHog`,
    form: 'list',
    indent: { head: 4, lines: 4 },
    entries: keys
      .flatMap((key) => observed.filter((one) => one.key === key))
      .map((one) => {
        const field = { path: one.path, ...defined({ before: one.declared, after: one.live, source: one.source }) };
        const labels = labelsOf({ resource: 'flag' });
        const [first = { phrase: '' }, ...lines] = fieldLines([field], { verbose, labels, places: true });
        const head = [...spansOf(first.phrase), '  ', toned('dim', ownershipText(one))];
        return { subject: escapeLine(one.key), head, lines };
      }),
    ...(verbose ? {} : { brief: `${text}; --verbose lists ${observed.length === 1 ? 'it' : 'them'}` }),
  };
}

export interface Authors {
  readonly plan: Pick<Plan, 'project'>;
  readonly attributions: Attributions;
}

/** A change, or the part of one that a run leaves: the two have the same ref. */
type Authored = Pick<Change, 'ref' | 'resource' | 'key'> & Partial<Pick<LeftChange, 'id' | 'fields'>>;

export function authoredLeft({ left = [] }: Pick<Plan, 'left'>): readonly Authored[] {
  return left.map((one) => ({ ...one, resource: one.resource as Change['resource'] }));
}

function attributionsOf(
  { ref, fields }: Authored,
  attributions: Attributions,
): readonly (readonly [path: string, attribution: Attribution])[] {
  const paths = fields && new Set(['', ...fields.map(({ path }) => path)]);
  return [...(attributions.get(ref) ?? [])].filter(([path]) => paths?.has(path) !== false);
}

/** Returns one line if all have the same author, or else one for each field. Ends with the page of the resource. */
export function authorLines(change: Authored, { plan, attributions }: Authors): ReportLine[] {
  const found = attributionsOf(change, attributions).filter(([, attribution]) => !isRefusal(attribution));
  if (found.length === 0) return [];
  const texts = found.map(([path, attribution]) => ({ path, text: authorText(change, attribution, quoteShort) }));
  const [first] = texts;
  const isOne = texts.every(({ text }) => text === first?.text);
  const lines = isOne
    ? texts.slice(0, 1).map(({ text }) => text)
    : texts.map(({ path, text }) => `${escapeLine(labelsOf(change).field(path))}: ${text}`);
  const url = pageUrl(plan.project, change);
  return [...lines, ...(url === undefined ? [] : [[{ link: url, url }]])].map((phrase) =>
    below([toned('dim', phrase)]),
  );
}

/** The author; if the log names none, the last editor, whom the service names apart from the log. */
function authorText(change: Authored, attribution: Attribution, quote: Quote): string {
  const edit = lastEditBy(change, attribution);
  return edit === undefined ? attributionText(attribution, quote) : unloggedText(edit, attribution, quote);
}

/** Absent if the log names the author, or the authors of several edits. */
function lastEditBy(change: Authored, attribution: Attribution): LastEdit | undefined {
  if (attribution.kind === 'known' || attribution.people !== undefined || !('base' in change)) return undefined;
  return labelsOf(change).lastEdit(change as Change);
}

function unloggedText(edit: LastEdit, attribution: Attribution, quote: Quote): string {
  const why = attribution.kind === 'known' ? '' : ` (${reasonText(attribution, quote)})`;
  return `${lastEditText(edit)}${why}`;
}

/** The reason that no author is named, stated once. */
export function unattributedFacts({ attributions }: Authors): ReportFact[] {
  const refusal = [...attributions.values()].flatMap((ofChange) => [...ofChange.values()]).find(isRefusal);
  if (refusal?.kind !== 'unknown') return [];
  const text = `Who made these changes is unknown: ${reasonText(refusal, quoteShort)}.`;
  return [{ place: 'left', ...saying('Authors', [toned('dim', text)]) }];
}

function isRefusal(attribution: Attribution): boolean {
  return attribution.kind === 'unknown' && attribution.reason === 'forbidden';
}

/** The changes of each person, with their times. Those for which nobody is named are apart. */
export function authorNotice(changes: readonly Authored[], { plan, attributions }: Authors): Notice {
  const byAuthor = new Map<string, { readonly head: Phrase; readonly parts: Statement[] }>();
  for (const change of changes) {
    for (const { attribution, fields } of sameAttributions(change, attributions)) {
      const name = [...nameOf(change, plan), ...fields.flatMap((value): Span[] => [', ', { value }])];
      const edit = lastEditBy(change, attribution);
      const by = attribution.kind === 'known' ? attribution.by : edit?.by;
      const head = by === undefined ? phraseOf((quote) => authorText(change, attribution, quote)) : [{ value: by }];
      const deed = phraseOf((quote) =>
        edit === undefined ? deedText(attribution, quote) : unloggedText(defined({ at: edit.at }), attribution, quote),
      );
      const phrase = by === undefined ? name : [...name, ': ', ...spansOf(deed)];
      const author = `${by === undefined} ${plainText(head)}`;
      const own = byAuthor.get(author) ?? { head, parts: [] };
      own.parts.push({ phrase });
      byAuthor.set(author, own);
    }
  }
  const statements = [...byAuthor.values()].map(({ head, parts }): Statement => ({ phrase: head, parts }));
  return { about: 'comment', title: 'Changed in the service', statements };
}

interface SharedAttribution {
  readonly attribution: Attribution;
  /** Empty where it is about the change as a whole. */
  readonly fields: string[];
}

function sameAttributions(change: Authored, attributions: Attributions): SharedAttribution[] {
  const byText = new Map<string, SharedAttribution>();
  for (const [path, attribution] of attributionsOf(change, attributions)) {
    const text = authorText(change, attribution, quoteShort);
    const own = byText.get(text) ?? { attribution, fields: [] };
    if (path !== '') own.fields.push(labelsOf(change).field(path));
    byText.set(text, own);
  }
  return [...byText.values()];
}

function nameOf(change: Authored, { project }: Authors['plan']): Span[] {
  const { key, resource } = change;
  const url = pageUrl(project, change);
  const name: Span = url === undefined ? { code: key } : { link: key, url };
  return resource === 'role_access' ? ['role access of ', name] : [name, labelsOf(change).qualifier];
}

export function approvalLines({ ref }: Pick<Change, 'ref'>, requests: readonly KnownRequest[]): ReportLine[] {
  return requests
    .filter((request) => request.ref === ref)
    .flatMap((request) => requestPhrases(request, approvalText(request, quoteShort)).map(below));
}

export function requestPhrases({ url }: KnownRequest, text: string): Phrase[] {
  return [[toned('warning', text)], ...(url === undefined ? [] : [[toned('dim', [{ link: url, url }])]])];
}

export function approvalNotice(requests: readonly KnownRequest[]): Notice {
  const statements = requests.map((request) => {
    const { key, url } = request;
    const name: Span = url === undefined ? { code: key } : { link: key, url };
    return { phrase: [name, ': ', ...spansOf(phraseOf((quote) => approvalText(request, quote)))] };
  });
  return { about: 'comment', title: 'Approvals in the service', statements };
}

export function approvalFacts(requests: readonly KnownRequest[]): ReportFact[] {
  return approvalsSummary(requests).map((phrase) => summed('Approvals', phrase));
}

function below(phrase: Phrase): ReportLine {
  return { phrase, only: 'below' };
}
