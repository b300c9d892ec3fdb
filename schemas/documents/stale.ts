/** What `stale` prints. */

import { among, array, boolean, count, integer, object, oneOf, orNull, ref, string } from '../../src/base/schema.ts';
import { VERDICTS } from '../../src/code/references/use.ts';
import { HOLDERS, SIGNALS, STEPS, TENDENCIES } from '../../src/code/references/staleness.ts';
import { document } from '../join.ts';
import { gap, OF_REPOSITORY } from '../parts/references.ts';
import { place } from '../parts/place.ts';
import { formatVersion } from '../parts/values.ts';

const TENDENCY = among(TENDENCIES);

export const staleDocument = document(
  'stale',
  object(
    {
      format_version: formatVersion,
      judged: count('How many flags'),
      days: count('What counts as lately'),
      asked: array(string(), 'The projects whose services answered'),
      not_asked: array(object({ project: string(), forbidden: boolean() })),
      requests: count(),
      unexplained: count('Stale flags without a reason of the service'),
      gaps: array(gap, 'Code that was not searched'),
      flags: array(
        object({
          key: string(),
          next_step: among(STEPS),
          signals: object(
            Object.fromEntries(SIGNALS.map((name) => [name, TENDENCY])),
            '`for`: the flag can go; `unknown` is neither',
          ),
          state: among(['on', 'off', 'unarchived', 'archived', 'absent'], 'In all projects that were asked'),
          'place?': ref(place, 'The declaration, from the top of the repository'),
          'description?': string(),
          'answer?': oneOf([boolean(), string()], 'What everyone gets'),
          'expires?': string('The last day'),
          'changed?': object({ at: string(), by: among(['git', 'service']) }),
          'owner?': object({ name: string(), by: among(['tag', 'code_owners', 'git', 'service']) }),
          verdict: among(VERDICTS, 'As in `refs`'),
          references: array(
            object({ ...OF_REPOSITORY, place: ref(place, 'From the top of the repository'), certain: boolean() }),
          ),
          live: array(
            object({
              project: string(),
              id: integer(),
              active: boolean(),
              'archived?': boolean(),
              'status?': string('As the service names it'),
              'reason?': string('Of the status'),
              'last_called_at?': orNull(string()),
              'created_at?': string(),
            }),
          ),
          used_by: array(object({ project: string(), what: among(HOLDERS), names: array(string()) })),
          'task?': orNull(string('With --task; null: none is written')),
        }),
      ),
    },
    { title: 'Stale flags', description: 'What `flagwright stale --format json` prints.' },
  ),
);
