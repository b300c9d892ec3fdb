/** The sentences about authors of differences, and about change requests of the service. */

import type { PendingRequest } from '../../loop/apply/result.ts';
import type { Quote } from '../../posthog/names/resource-name.ts';
import type { Attribution, KnownAttribution, UnknownAttribution, Via } from '../../posthog/authors/attribution.ts';
import { count, timeText } from './amounts.ts';
import type { KnownRequest, RequestStanding } from '../../core/engine/change-request.ts';
import type { LastEdit } from '../../core/engine/change.ts';
import { quoteShort } from '../escape.ts';
import { textOf, type TextsFor } from '../phrase.ts';

/** `changed by ada@example.org on 2026-01-31 12:00:00 UTC, by a schedule`; one line, without what it is about. */
export function attributionText(attribution: Attribution, quote: Quote): string {
  return attribution.kind === 'known'
    ? knownText(attribution, quote)
    : `author unknown: ${reasonText(attribution, quote)}`;
}

export function reasonText({ reason, people }: UnknownAttribution, quote: Quote): string {
  const named = people === undefined ? '' : ` (${people.map((name) => quote(name)).join(', ')})`;
  return `${REASONS[reason]}${named}`;
}

const REASONS: Readonly<Record<UnknownAttribution['reason'], string>> = {
  forbidden: 'the API key cannot read the activity log (scope activity_log:read)',
  unreadable: 'the activity log could not be read',
  too_old: 'it is older than the activity log',
  too_long: 'it is not among the newest 1,000 entries of the activity log',
  overlapping: 'several edits made the value together',
  not_logged: 'PostHog logged no change of it',
};

/** The line below the name of who did it: `changed on 2026-01-31 12:00:00 UTC, by a schedule`. */
export function deedText(attribution: Attribution, quote: Quote): string {
  return attribution.kind === 'known' ? knownText(attribution, quote, true) : attributionText(attribution, quote);
}

/** `isNamed`: the reader knows who did it. */
function knownText({ by, at, created, ...how }: KnownAttribution, quote: Quote, isNamed = false): string {
  const act = created === true ? 'set at its creation' : 'changed';
  const nameless = !isNamed && USED_BY_PEOPLE.has(how.via) ? ' by a user whom the service does not name' : '';
  const author = by === undefined || isNamed ? ` on ${timeText(at)}${nameless}` : ` by ${quote(by)} on ${timeText(at)}`;
  const off = how.off === undefined ? '' : `, with \`flagwright off\`${reasonTail(how.off, quote)}`;
  return `${act}${author}, ${viaText(how, quote)}${off}`;
}

const USED_BY_PEOPLE: ReadonlySet<Via> = new Set(['web_or_key', 'api_client', 'staff']);

/** `with the API client "terraform"`. */
export function viaText(how: Pick<KnownAttribution, 'via' | 'client' | 'run'>, quote: Quote): string {
  return textOf(VIAS, 'via')(how, quote);
}

const VIAS: TextsFor<Pick<KnownAttribution, 'via' | 'client' | 'run'>, 'via'> = {
  web_or_key: () => 'in the web interface or with an API key',
  api_client: ({ client = '' }, quote) => `with the API client ${quote(client)}`,
  apply: ({ run }, quote) =>
    run === undefined ? 'with flagwright, in a run that is not recorded here' : `in run ${quote(run)} of flagwright`,
  schedule: () => 'by a scheduled change',
  experiment: () => 'by an experiment',
  early_access: () => 'by early access management',
  staff: () => "by PostHog's staff in the name of that user",
  system: () => 'by the service itself',
};

/** `waits for approval: change request 7 of ann@example.org asks for this change`. */
export function approvalText(request: Pick<KnownRequest, 'id' | 'standing'>, quote: Quote): string {
  return `${standingText(request, quote)}${request.standing.kind === 'open' ? '' : '; apply asks again'}`;
}

/** The standing of a request, without what an ordinary apply does next. */
export function standingText({ id, standing }: Pick<KnownRequest, 'id' | 'standing'>, quote: Quote): string {
  const request = `change request ${quote(id)}`;
  if (standing.kind === 'open') return openText(request, standing, quote);
  const asked = `${request} asked for this change and`;
  const why = (reason: string | undefined): string => (reason === undefined ? '' : ` (${quote(reason)})`);
  const by = 'by' in standing && standing.by !== undefined ? ` by ${quote(standing.by)}` : '';
  switch (standing.kind) {
    case 'rejected':
      return `${asked} was rejected${by}${why(standing.reason)}`;
    case 'withdrawn':
      return `${asked} was withdrawn${by}`;
    case 'failed':
      return `${asked} was approved, but the service could not make it${why(standing.why)}`;
    case 'expired':
      return `${asked} expired`;
  }
}

function openText(
  request: string,
  { asks, by, for: other }: Extract<RequestStanding, { readonly kind: 'open' }>,
  quote: Quote,
): string {
  const open = `${request}${by === undefined ? '' : ` of ${quote(by)}`}`;
  if (asks === undefined) return `${open} is open for this flag`;
  switch (asks) {
    case 'this_change':
      return `waits for approval: ${open} asks for this change`;
    case 'part_of_this_change':
      return `waits for approval: ${open} asks for a part of this change`;
    case 'other_values':
      return `${open} is open and asks for other values: the service does not accept this change until it is decided`;
    case 'outdated_version':
      return `${open} is open for an earlier version of the flag: have it rejected or withdrawn`;
    case 'other_resource':
      return `${open} is open for the creation of ${other === undefined ? 'another flag' : quote(other)}: the service takes one creation at a time`;
  }
}

/** Said of each request of a run that is undone, on stderr. */
export function undoneRequestText(key: string, { id, url }: PendingRequest): string {
  const page = url === undefined ? '' : ` ${quoteShort(url)}`;
  return `${quoteShort(key)}: change request ${quoteShort(id)} was open when the run ended, and undo does not withdraw it. If it is still open, withdraw it, or its approval will make the change.${page}`;
}

/** `1 change waits for approval.`, where an open request asks for the change, or for a part of it. */
export function approvalsSummary(requests: readonly KnownRequest[]): string[] {
  const isWaiting = ({ standing }: KnownRequest): boolean =>
    standing.kind === 'open' && (standing.asks === 'this_change' || standing.asks === 'part_of_this_change');
  const waiting = new Set(requests.filter(isWaiting).map(({ ref }) => ref)).size;
  if (waiting === 0) return [];
  return [`${count(waiting, 'change')} ${waiting === 1 ? 'waits' : 'wait'} for approval.`];
}

/** `last edited by ada@example.org on 2026-01-31 12:00:00 UTC` */
export function lastEditText({ by, at }: LastEdit): string {
  const parts = [
    ...(by === undefined ? [] : [`by ${quoteShort(by)}`]),
    ...(at === undefined ? [] : [`on ${timeText(at)}`]),
  ];
  return `last edited ${parts.join(' ')}`;
}

/** `: "incident 12"`. */
export function reasonTail({ reason }: { readonly reason?: string | undefined }, quote: Quote): string {
  return reason === undefined ? '' : `: ${quote(reason)}`;
}
