/** What `catalog` prints. */

import { among, array, count, object, orNull, ref, define, string } from '../../src/base/schema.ts';
import { REMOVALS } from '../../src/code/references/staleness.ts';
import { VERDICTS } from '../../src/code/references/use.ts';
import { NOTES, STANDING_MEANINGS, WORD_MEANINGS } from '../../src/report/model/catalog.ts';
import { document } from '../join.ts';
import { formatVersion } from '../parts/values.ts';

/** One of the names, with what each means. */
function amongNamed(meanings: Readonly<Record<string, string>>): ReturnType<typeof among> {
  const texts = Object.entries(meanings).map(([name, meaning]) => `\`${name}\`: ${meaning}`);
  return among(Object.keys(meanings), texts.join('; '));
}

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
const change = define(
  'catalogChange',
  object({ ...AUTHOR, words: string('One sentence'), 'projects?': array(string(), 'Absent: all') }),
);

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
              word: amongNamed(WORD_MEANINGS),
              who: string('In words'),
              standing: amongNamed(STANDING_MEANINGS),
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
              'requests?': array(
                object({
                  id: string(),
                  state: among(['open', 'rejected', 'withdrawn', 'failed', 'expired'], '`open`: not decided yet'),
                  words: string('What waits, or what became of it'),
                  'url?': string('Its page in the service'),
                }),
                'Changes that need an approval in PostHog',
              ),
            }),
            'One for each project',
          ),
          'created?': ref(author, 'In the service, or by the commit that declared it. Absent: not known'),
          'changed?': ref(author, 'Last. Absent: not known'),
          'expires?': string('The last day'),
          'last_called?': orNull(string('Null: never. Absent: not known')),
          'code?': object({
            verdict: among(VERDICTS, 'As in `refs`'),
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
            REMOVALS,
            'The step of its removal that somebody can take now, even where something else comes first',
          ),
          'changes?': array(ref(change, {}), 'The newest first; `notes` say which are missing'),
        }),
        'Sorted by key',
      ),
      'gone?': array(
        object({ key: string(), changes: array(ref(change, {}), 'The newest first') }),
        'What was done in the last 14 days to flags that neither git nor a project has any more',
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
      notes: array(
        object({
          what: amongNamed(NOTES),
          'project?': string('Absent: it is about all'),
          words: string('What is missing and why, and what helps'),
        }),
        'What was not read, so that its absence says nothing',
      ),
    },
    { title: 'Catalog of flags', description: 'What `flagwright catalog --format json` prints.' },
  ),
);
