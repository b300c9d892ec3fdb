/** Who made a difference. */

import {
  among,
  array,
  define,
  is,
  object,
  oneOf,
  ref,
  string,
  type Keywords,
  type SchemaMembers,
  type Remarks,
} from '../../src/base/schema.ts';
import { switchOff } from './switch-off.ts';

/** `of`: the members that tell which difference it is. */
export function attributionWith(of: SchemaMembers, remarks: Remarks): Keywords {
  return oneOf(
    [
      object({
        ...of,
        kind: is('known'),
        'by?': string('E-mail address or name; absent where the service names nobody'),
        at: string('As the service wrote it'),
        via: among(
          ['web_or_key', 'api_client', 'apply', 'schedule', 'experiment', 'early_access', 'staff', 'system'],
          "What made the change. `web_or_key`: the web interface, or an API client that does not name itself: the service does not distinguish them. `apply`: flagwright. `staff`: PostHog's staff in the name of the user. `system`: no user",
        ),
        'client?': string('How the API client named itself'),
        'run?': string('The run of flagwright in the journal of this machine'),
        'off?': ref(switchOff, 'That run turned the flag off, with `off`'),
        'created?': is(true, 'The flag has had the value since it was created'),
      }),
      object({
        ...of,
        kind: is('unknown'),
        reason: among(
          ['forbidden', 'unreadable', 'too_old', 'too_long', 'overlapping', 'not_logged'],
          '`forbidden`: the API key lacks activity_log:read. `unreadable`: the log could not be read. `too_old`: older than the log. `too_long`: beyond its newest 1,000 entries. `overlapping`: several edits made the value. `not_logged`: the service has no entry',
        ),
        'people?': array(string(), 'Who made overlapping edits, the newest first'),
      }),
    ],
    remarks,
  );
}

export const attribution = define(
  'attribution',
  attributionWith(
    {
      ref: string('The change'),
      path: string('The field of the change as a JSON pointer; empty where the change has none'),
      'url?': string('The flag in the web interface; absent for the embedded service'),
    },
    { title: 'Who made a difference' },
  ),
);
