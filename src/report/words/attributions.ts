/** Who made a difference, for people. */

import type { Quote } from '../../engine/labels.ts';
import type { Attribution, KnownAttribution, UnknownAttribution, Via } from '../../posthog/attribution.ts';
import { reasonTail } from './off.ts';
import { timeText } from './time.ts';

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
  forbidden: 'the API key may not read the activity log (scope activity_log:read)',
  unreadable: 'the activity log could not be read',
  too_old: 'it is older than the activity log',
  too_long: 'it is not among the newest 1,000 entries of the activity log',
  overlapping: 'several edits made the value together',
  not_logged: 'the service has no entry about it',
};

function knownText({ by, at, created, ...how }: KnownAttribution, quote: Quote): string {
  const act = created === true ? 'so since it was created' : 'changed';
  const author = by === undefined ? ` on ${timeText(at)}${NAMELESS[how.via]}` : ` by ${quote(by)} on ${timeText(at)}`;
  const off = how.off === undefined ? '' : `, with \`flagwright off\`${reasonTail(how.off, quote)}`;
  return `${act}${author}, ${viaText(how, quote)}${off}`;
}

const USER = ' by a user whom the service does not name';

const NAMELESS: Readonly<Record<Via, string>> = {
  web_or_key: USER,
  api_client: USER,
  apply: '',
  schedule: '',
  experiment: '',
  early_access: '',
  staff: USER,
  system: '',
};

/** `with the API client "terraform"`. */
export function viaText({ via, client, run }: Pick<KnownAttribution, 'via' | 'client' | 'run'>, quote: Quote): string {
  switch (via) {
    case 'web_or_key':
      return 'in the web interface or with an API key';
    case 'api_client':
      return `with the API client ${quote(client ?? '')}`;
    case 'apply':
      return run === undefined
        ? 'with flagwright, in a run that is not recorded here'
        : `in run ${quote(run)} of flagwright`;
    case 'schedule':
      return 'by a scheduled change';
    case 'experiment':
      return 'by an experiment';
    case 'early_access':
      return 'by early access management';
    case 'staff':
      return "by PostHog's staff in the name of that user";
    case 'system':
      return 'by the service itself';
  }
}
