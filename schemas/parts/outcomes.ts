/** What became of a change. */

import {
  among,
  array,
  boolean,
  count,
  define,
  integer,
  is,
  object,
  oneOf,
  open,
  string,
  type Keywords,
  type Remarks,
} from '../../src/base/schema.ts';
import { fields } from './fields.ts';

const error = define(
  'error',
  object(
    {
      code: string('Code of the service or the network'),
      message: string('The message of the service or the network'),
      'status?': integer('HTTP status; absent without an answer'),
      'field?': string('The field that the service names'),
    },
    { title: 'Error of a change' },
  ),
);

const parts = define(
  'parts',
  object(
    {
      written: array(string(), 'Fields that are written'),
      'id?': integer('Id of the flag that a written part created'),
      waiting: array(string(), 'Fields of the part that has this outcome'),
      unsent: array(string(), 'Fields of the parts after it'),
    },
    {
      title: 'Parts of a change',
      description: 'Of a change that was sent in parts, since it needs several approvals: the fields of each',
    },
  ),
);

const changeRequest = define(
  'change_request',
  object(
    {
      id: string(),
      'url?': string('Its page in the web interface; absent for the embedded service'),
      'action?': string('What needs approval: `feature_flag.enable`, `feature_flag.disable` or `feature_flag.update`'),
      'key?': string('The key of the flag that it changes'),
      was_open: boolean('Whether an earlier write opened it; this one opened none'),
      'asks?': among(
        ['this_change', 'other_values', 'other_resource', 'outdated_version'],
        'What it asks for: this change; other values for the same flag; a change of another flag; or a change of a version that is no longer live, which cannot be made. Absent where the service does not tell',
      ),
    },
    {
      title: 'Change request of the service',
      description: 'The request for approval for which the change waits; absent where the service does not name it',
    },
  ),
);

const skip = define(
  'skip',
  oneOf(
    [
      object({ code: among(['interrupted', 'deadline', 'not_recorded']) }),
      object({ code: is('key_refused'), ref: string('The change for which the service refused the API key') }),
      object({ code: is('needs_failed'), refs: array(string()) }),
      object({ code: is('stale'), moved: fields }),
    ],
    { title: 'Reason for skipping' },
  ),
);

export const outcome = define(
  'outcome',
  oneOf(
    [
      open({
        outcome: is('applied'),
        'already?': is(true, 'The change was already made before this run; nothing was sent'),
        'error?': false,
        'change_request?': false,
        'parts?': false,
        'skipped?': false,
      }),
      open({
        outcome: among(['failed', 'unknown']),
        error,
        'parts?': parts,
        'change_request?': false,
        'skipped?': false,
      }),
      open({
        outcome: is('pending'),
        error,
        'parts?': parts,
        'change_request?': changeRequest,
        'skipped?': false,
      }),
      open({ outcome: is('skipped'), 'error?': false, 'change_request?': false, skipped: skip, 'parts?': parts }),
    ],
    { title: 'Outcome' },
  ),
);

const COUNTS: Readonly<Record<string, string>> = {
  applied: 'Changes that were made',
  failed: 'Changes that were refused or failed',
  skipped: 'Changes that were not attempted',
  pending: 'Changes that wait for approval in the service',
  unknown: 'Changes that may have been made: the answer was lost',
};

/** How many changes had which outcome. `further`: outcomes that only a record of a run has. */
export function outcomeCounts(further: Readonly<Record<string, string>> = {}, remarks: Remarks = {}): Keywords {
  const counts = Object.entries({ ...COUNTS, ...further });
  const ofKind = define(
    'kind_outcomes',
    object(Object.fromEntries(counts.map(([name]) => [name, count()])), { title: 'Changes of a kind by outcome' }),
  );
  return object(
    {
      ...Object.fromEntries(counts.map(([name, description]) => [name, count(description)])),
      kinds: object(
        { flag: ofKind, role_access: ofKind, cohort: ofKind, 'early_access?': ofKind },
        'The same counts of the changes of each kind of resource',
      ),
    },
    remarks,
  );
}
