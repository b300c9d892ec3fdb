/**
 * The authors of differences, and the service's change requests about a change: below it, and as notices for comments, whose links do not
 * work in blocks of code.
 */

import type { KnownRequest } from '../../engine/change-request.ts';
import type { Left } from '../../engine/matched.ts';
import type { Attribution, Attributions } from '../../posthog/authors/attribution.ts';
import { pageUrl } from '../../posthog/names/resource-name.ts';
import type { Change, Plan } from '../../posthog/plan.ts';
import { escapeLine, quoteShort } from '../escape.ts';
import { approvalsSummary, approvalText, attributionText, deedText, reasonText } from '../words/authors.ts';
import { labelsOf } from '../words/kinds.ts';
import { phraseOf, plainText, toned, type Phrase, type Span, spansOf } from '../phrase.ts';
import type { Notice, ReportFact, ReportLine, Statement } from './report-model.ts';

export interface Authors {
  readonly plan: Pick<Plan, 'project'>;
  readonly attributions: Attributions;
}

/** A change, or the part of one that a run leaves: the two have the same ref. */
export type Authored = Pick<Change, 'ref' | 'resource' | 'key'> & Partial<Pick<Left, 'id' | 'fields'>>;

export function authoredLeft({ left = [] }: Pick<Plan, 'left'>): readonly Authored[] {
  return left.map((one) => ({ ...one, resource: one.resource as Change['resource'] }));
}

/** The authors of the change's differences. */
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
  const texts = found.map(([path, attribution]) => ({ path, text: attributionText(attribution, quoteShort) }));
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

/** The reason that no author is named, stated once. */
export function unattributedFacts({ attributions }: Authors): ReportFact[] {
  const refusal = [...attributions.values()].flatMap((ofChange) => [...ofChange.values()]).find(isRefusal);
  if (refusal?.kind !== 'unknown') return [];
  const text = `Who made these changes is unknown: ${reasonText(refusal, quoteShort)}.`;
  return [{ about: 'unattributed', phrase: [toned('dim', text)] }];
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
      const by = attribution.kind === 'known' ? attribution.by : undefined;
      const head = by === undefined ? phraseOf((quote) => attributionText(attribution, quote)) : [{ value: by }];
      const phrase =
        by === undefined ? name : [...name, ': ', ...spansOf(phraseOf((quote) => deedText(attribution, quote)))];
      const author = `${by === undefined} ${plainText(head)}`;
      const own = byAuthor.get(author) ?? { head, parts: [] };
      own.parts.push({ phrase });
      byAuthor.set(author, own);
    }
  }
  const statements = [...byAuthor.values()].map(({ head, parts }): Statement => ({ phrase: head, parts }));
  return { about: 'authors', title: 'Changed in the service', statements };
}

interface SharedAttribution {
  readonly attribution: Attribution;
  /** Empty where it is about the change as a whole. */
  readonly fields: string[];
}

function sameAttributions(change: Authored, attributions: Attributions): SharedAttribution[] {
  const byText = new Map<string, SharedAttribution>();
  for (const [path, attribution] of attributionsOf(change, attributions)) {
    const text = attributionText(attribution, quoteShort);
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

/** The change requests that concern a change, each with its page. */
export function approvalLines({ ref }: Pick<Change, 'ref'>, requests: readonly KnownRequest[]): ReportLine[] {
  return requests
    .filter((request) => request.ref === ref)
    .flatMap((request) => requestPhrases(request, approvalText(request, quoteShort)).map(below));
}

/** What is said of a change request, and its page. */
export function requestPhrases({ url }: KnownRequest, text: string): Phrase[] {
  return [[toned('warning', text)], ...(url === undefined ? [] : [[toned('dim', [{ link: url, url }])]])];
}

export function approvalNotice(requests: readonly KnownRequest[]): Notice {
  const statements = requests.map((request) => {
    const { key, url } = request;
    const name: Span = url === undefined ? { code: key } : { link: key, url };
    return { phrase: [name, ': ', ...spansOf(phraseOf((quote) => approvalText(request, quote)))] };
  });
  return { about: 'approvals', title: 'Approvals in the service', statements };
}

export function approvalFacts(requests: readonly KnownRequest[]): ReportFact[] {
  return approvalsSummary(requests).map((phrase) => ({ about: 'approvals', phrase }));
}

function below(phrase: Phrase): ReportLine {
  return { phrase, only: 'below' };
}
