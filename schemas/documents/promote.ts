/** What `promote` prints. */

import { among, array, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { diagnostic } from '../parts/diagnostic.ts';
import { declaredBefore, editedFiles, leftPlace, leftReason, writtenAt } from '../parts/edited.ts';
import { formatVersion } from '../parts/values.ts';

export const promoteDocument = document(
  'promote',
  object(
    {
      format_version: formatVersion,
      from: string('The project that has the values'),
      to: string('The project that gets them'),
      source: among(['manifests', 'live'], '`live`: with --live'),
      files: editedFiles,
      promoted: array(
        object({
          key: string(),
          changes: array(
            object({
              path: string(
                "JSON pointer in the API's field names; `/role_access/roles/ROLE` and `/role_access/default` for access; empty for what is declared there now and has no value to name",
              ),
              'before?': declaredBefore,
              'after?': { description: 'Declared now; absent where there is no value' },
              ...writtenAt,
            }),
            { minItems: 1 },
          ),
        }),
        'Flags, cohorts and early access features whose values the other project declares now, sorted by key; the key of a cohort is `cohort:ALIAS` and that of a feature `early_access:ALIAS`, here and below',
      ),
      'same?': array(
        string(),
        'The keys of what is alike in both projects already, as far as it was to be promoted; sorted',
      ),
      'kept?': array(
        object({
          key: string(),
          path: string("JSON pointer in the API's field names"),
          reason: among(
            ['source-omits', 'others'],
            '`source-omits`: the manifests of the first project do not manage it; `others`: those of the other project leave it to others (`ownership`)',
          ),
        }),
        'Where the other project still differs, in what was to be promoted and is not left',
      ),
      left: array(
        object({
          ...leftReason,
          'chain?': array(string(), {
            minItems: 1,
            description: 'With `dependency-left`: what it needs and is left too, followed by what that needs in turn',
          }),
          ...leftPlace,
        }),
        'What nothing was written for',
      ),
      'warnings?': array(
        diagnostic,
        'What the edited manifests warn of in the other project: about what was promoted, and elsewhere what is new',
      ),
      'patch?': string('With --patch: the unified diff'),
    },
    { title: 'Promote', description: 'What `flagwright promote` prints with `--format json`.' },
  ),
);
