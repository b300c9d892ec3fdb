/** What `refs` prints. */

import { among, array, boolean, count, object, ref, string } from '../../src/base/schema.ts';
import { STANDINGS } from '../../src/code/references/staleness.ts';
import { document } from '../join.ts';
import { place } from '../parts/place.ts';
import { formatVersion } from '../parts/values.ts';
import { gap, indirectMembers, OF_REPOSITORY, referenceMembers, skippedFiles } from '../parts/references.ts';

const PLACE = ref(place, 'From the top of the repository');

export const refsDocument = document(
  'refs',
  object(
    {
      format_version: formatVersion,
      summary: object({
        flags: count('How many flags were searched for'),
        read: count(),
        not_found: count('All code was searched, and they were found nowhere'),
        unclear: count('Flags with another verdict'),
        not_declared: count('Keys that code reads and no manifest declares'),
        still_read: count('Flags that code reads though they are disabled, rolled out, deleted or renamed'),
      }),
      searched: array(
        object({
          ...OF_REPOSITORY,
          'commit?': string('Absent: the files on disk'),
          'at?': string('When it was searched; absent: now'),
          files: count(),
          lines: count(),
          skipped: skippedFiles,
        }),
        'This repository first',
      ),
      gaps: array(gap, 'Code that was not searched, so that no flag has the verdict `not_found`'),
      flags: array(
        object({
          key: string(),
          standing: among(
            STANDINGS,
            'In every project that declares the flag; `renamed`: a former key; `undeclared`: no manifest names it',
          ),
          'place?': ref(place, 'The declaration, from the top of the repository'),
          'renamed_to?': string('The key of today'),
          verdict: among(
            ['read', 'possible', 'indirect', 'unknown', 'not_found'],
            'https://flagwright.dev/references describes them',
          ),
          references: array(object(referenceMembers), 'Certain ones first'),
          indirect: count('Places that may make its key at run time'),
          'outside_quotes?': count('How often a key of one word occurs as an ordinary word'),
          searched: boolean('False: the key is none that can be searched for'),
        }),
      ),
      not_declared: array(
        object({ key: string(), place: PLACE, ...OF_REPOSITORY, 'meant?': string('The most similar key') }),
        'Places that read a key that no manifest declares',
      ),
      indirect: array(object(indirectMembers), 'Places that make keys at run time'),
    },
    { title: 'References', description: 'What `flagwright refs --format json` prints.' },
  ),
);
