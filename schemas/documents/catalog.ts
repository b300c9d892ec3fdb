/** What `catalog` prints. */

import { among, array, count, object, orNull, ref, define, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { formatVersion } from '../parts/values.ts';

const TIME = string('ISO 8601');
const place = define(
  'catalogPlace',
  object({
    file: string('From the top of the repository'),
    'line?': count('Counts from 1'),
    'url?': string('On the forge'),
    'repository?': string('Another repository, which has the file'),
  }),
);
const AUTHOR = {
  at: TIME,
  'by?': string('A name'),
  source: among(['git', 'service']),
  'commit?': string(),
  'url?': string('The commit on the forge'),
};
const author = define('catalogAuthor', object(AUTHOR));

export const catalogDocument = document(
  'catalog',
  object(
    {
      format_version: formatVersion,
      made_at: TIME,
      'commit?': string('Of the manifests'),
      'branch?': string(),
      projects: array(
        object({
          name: string(),
          host: string(),
          project_id: string(),
          'url?': string('The list of flags in the service'),
          source: among(
            ['live', 'snapshot', 'manifests', 'unread'],
            '`unread`: asked, without an answer that can be used',
          ),
          'read_at?': string('When the service was read'),
          'reason?': string('Why it was not read'),
        }),
        'In the order of the configuration',
      ),
      flags: array(
        object({
          key: string(),
          'description?': string(),
          'tags?': array(string()),
          'owner?': object({ name: string(), by: among(['tag', 'code_owners']) }),
          'place?': ref(place, 'The declaration'),
          states: array(
            object({
              project: string(),
              word: among(
                ['off', 'some', 'all', 'split', 'unknown', 'missing'],
                '`off`: nobody gets it; `all`: everybody gets the same; `split`: everybody, in several variants; `some`: it depends on the person; `missing`: the project has no such flag',
              ),
              who: string('In words'),
              standing: among(
                ['in_sync', 'pending', 'drifted', 'both', 'differs', 'unmanaged', 'unread'],
                '`pending`: changed in git, not applied; `drifted`: edited in the service; `differs`: one of them, and nothing tells which; `unread`: the service was not read',
              ),
              'differences?': array(
                object({
                  standing: among(['pending', 'drifted', 'differs']),
                  words: string(),
                  'by?': string('Who edited it in the service'),
                  'at?': TIME,
                }),
              ),
              'url?': string('The page of the flag in the service'),
              'rollouts?': array(
                object({
                  now: string('In words'),
                  'next?': object({ at: TIME, words: string() }),
                  'waits?': string('Why its next step waits'),
                }),
              ),
            }),
            'One for each project',
          ),
          'created?': ref(author, 'In the service, or by the commit that declared it'),
          'changed?': ref(author, 'Last'),
          'expires?': string('The last day'),
          'last_called?': orNull(string('Null: never')),
          'code?': object({
            verdict: among(['read', 'possible', 'indirect', 'unknown', 'not_found'], 'As in `refs`'),
            places: array(ref(place, 'Where code reads it')),
            more: count('Places that are not listed'),
          }),
          'depends_on?': array(string()),
          'dependents?': array(string()),
          'answers?': array(
            object({ person: string(), project: string(), value: string('`on`, `off`, `variant test`, `not known`') }),
            'What the people of the test files get, by the manifests',
          ),
          'next?': object({ step: string(), words: string(), reason: string() }, 'What to do next'),
          'removal?': among(
            ['remove_code', 'deploy', 'release', 'disable', 'archive', 'delete'],
            'The step of its removal that somebody can take now, even where something else comes first',
          ),
          'changes?': array(
            object({
              ...AUTHOR,
              words: string('One sentence'),
              'projects?': array(string(), 'Absent: all'),
            }),
            'The newest first',
          ),
        }),
        'Sorted by key',
      ),
      calendar: array(
        object({
          at: string('A time or a day'),
          'until?': string('The first time or day after it'),
          kind: among(['step', 'expiry', 'freeze', 'schedule']),
          'project?': string(),
          'key?': string('Of the flag'),
          words: string(),
        }),
        'Sorted by time',
      ),
      notes: array(string(), 'What is not known of the whole'),
    },
    { title: 'Catalog of flags', description: 'What `flagwright catalog --format json` prints.' },
  ),
);
