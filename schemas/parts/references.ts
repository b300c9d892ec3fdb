/** Places of code that name flags, and code that was not searched. */

import { among, oneOf, array, boolean, define, is, number, object, ref, string } from '../../src/base/schema.ts';
import { REFERENCE_FORMS } from '../../src/code/references/reference.ts';
import { place } from './place.ts';

export const OF_REPOSITORY = { 'repository?': string('Absent: this repository') };

const PLACE = ref(place, 'From the top of the repository');

export const referenceMembers = {
  ...OF_REPOSITORY,
  place: PLACE,
  form: among(REFERENCE_FORMS, 'How the place names the flag'),
  certain: boolean('False: code may read the flag there'),
};

export const indirectMembers = {
  ...OF_REPOSITORY,
  place: PLACE,
  'prefix?': string('What keys that are made here begin with'),
  'part?': string('What they have in their middle'),
  'suffix?': string('What they end with; without all of these, they may be any'),
};

const files = array(string());

const SOURCE = { repository: string(), file: string('As the configuration names it') };

export const skippedFiles = define(
  'skipped-files',
  object(
    {
      binary: files,
      generated: array(string(), 'Minified, or marked as generated'),
      large: array(string(), 'Text of more than 10 MB'),
      unreadable: files,
      submodules: files,
      'documentation?': array(string(), 'Such as Markdown'),
      'dependencies?': array(string(), 'Folders that a package manager fills, such as node_modules'),
    },
    { title: 'Files that were not searched' },
  ),
);

export const gap = define(
  'gap',
  oneOf(
    [
      object({
        code: is('files_not_searched'),
        why: among(['large', 'unreadable', 'submodules']),
        files,
        ...OF_REPOSITORY,
      }),
      object({ code: is('repository_not_searched'), detail: string() }),
      object({ code: is('no_reader_found') }),
      object({ code: is('source_missing'), ...SOURCE }),
      object({ code: is('source_unreadable'), ...SOURCE, detail: string() }),
      object({ code: is('source_renamed'), ...SOURCE, found: string('The name that its document has') }),
      object({ code: is('source_old'), ...SOURCE, days: number('Its age'), max_days: number() }),
    ],
    { title: 'Code that was not searched' },
  ),
);
