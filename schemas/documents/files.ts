/** What `init` and `export` print. */

import { among, array, define, integer, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { formatVersion } from '../parts/values.ts';

const reasons = define(
  'reasons',
  array(string(), {
    description:
      'Codes of diagnostics; `reads-differently`: no manifest would load to the live flag; `key-shared`: another flag has the same key; `declared-elsewhere`: manifests declare it for other projects only',
    minItems: 1,
  }),
);

export const filesDocument = document(
  'files',
  object(
    {
      format_version: formatVersion,
      files: array(
        object({
          file: string('Relative to the working directory'),
          status: among(
            ['written', 'edited', 'kept', 'current', 'to_write', 'to_edit'],
            '`kept`: the file existed and was left alone; `current`: it is as it would be written; `to_write`, `to_edit`: with --dry-run or --check, nothing was written',
          ),
        }),
      ),
      'unchecked?': array(
        object({ key: string(), reasons: reasons }),
        '`export` only: flags with filters under `fields`, unchanged, because they break rules for filters',
      ),
      'left_out?': array(
        object({ key: string(), id: integer(), reasons: reasons }),
        '`export` only: flags that are in no file, because no manifest would load to the live flag',
      ),
      'overlaid?': array(
        string(),
        '`export --merge` only: what has a changed overlay: keys of flags, cohorts as `cohort:ALIAS`, and early access features as `early_access:ALIAS`',
      ),
      'limited?': array(string(), '`export --merge` only: what the project lacks and is no longer declared for it'),
      'not_merged?': array(
        object({
          key: string(),
          reason: among(
            [
              'not-editable',
              'reads-differently',
              'renamed',
              'declared-deleted',
              'declared-only-here',
              'static',
              'behavioral',
              'still-used',
            ],
            '`not-editable`: an edit would change something else; `reads-differently`: no overlay reads as what is live; `renamed`: the project has it under a former key or name; `declared-deleted`: declared as deleted, and live; `declared-only-here`: declared for this project alone, which lacks it; `static`: the live cohort is a list of persons; `behavioral`: the live definition depends on events, and a declared flag uses the cohort; `still-used`: the project lacks the cohort, and what is declared for the project uses it',
          ),
          'file?': string('Where it is declared, relative to the configuration'),
          'suggestion?': string('What to write by hand, as YAML; absent if there is nothing to add'),
        }),
        '`export --merge` only: what has a declaration that was left as it is',
      ),
      'unmanaged?': array(
        object({
          member: string('Its name in a manifest, such as `tags` or `fields.archived`'),
          flags: integer({ minimum: 1, description: 'The number of exported flags that omit it' }),
          reason: among(
            ['minimal', 'never-exported', 'not-declared', 'not-read'],
            '`minimal`: defaults, which --full writes; `never-exported`: no export declares it; `not-declared`: the declarations into which a project was merged omit it; `not-read`: exported with --role-access only',
          ),
        }),
        '`export` only: members that the manifests could declare and omit, so that drift does not report their changes',
      ),
    },
    { title: 'Files', description: 'What `flagwright init` and `flagwright export` print with `--format json`.' },
  ),
);
