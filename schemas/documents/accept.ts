/** What `accept` prints. */

import { among, array, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { attributionWith } from '../parts/attribution.ts';
import { knowledgeOfBase } from '../parts/base.ts';
import { declaredBefore, editedFiles, leftPlace, leftReason, writtenAt } from '../parts/edited.ts';
import { place } from '../parts/place.ts';
import { bareProject, divergence, formatVersion } from '../parts/values.ts';

export const acceptDocument = document(
  'accept',
  object(
    {
      format_version: formatVersion,
      project: bareProject,
      files: editedFiles,
      accepted: array(
        object({
          key: string(),
          changes: array(
            object({
              path: string(
                "JSON pointer in the API's field names; `/role_access/roles/ROLE` and `/role_access/default` for access",
              ),
              'before?': declaredBefore,
              'after?': { description: 'What is live, and declared now; absent where there is no value' },
              'divergence?': divergence('Who moved since the last apply; absent where that is unknown'),
              'base?': {
                description: 'Of a conflict: what was declared at the last apply; absent where there was no value',
              },
              ...writtenAt,
              'attribution?': attributionWith({}, 'Who gave the live value'),
            }),
            { minItems: 1 },
          ),
        }),
        'Flags, cohorts and early access features whose live values the manifests have now, sorted by key; the key of a cohort is `cohort:ALIAS` and that of a feature `early_access:ALIAS`, here and below',
      ),
      added: array(object({ key: string(), place: place }), 'With --unmanaged: what the manifests declare now'),
      left: array(
        object({
          ...leftReason,
          'problem?': string('The error that the manifest would have'),
          ...leftPlace,
        }),
        'What was left as it is, sorted by key',
      ),
      pending: array(
        object({ key: string(), paths: array(string()) }),
        'What has differences that git made after the last apply, which are not accepted without --pending',
      ),
      'patch?': string('With --patch: the unified diff'),
      'base?': object(
        {
          kind: among(['commit', 'none']),
          'commit?': string(),
          'from?': among(['ref', 'journal', 'option'], 'The ref that apply records, the journal, or `--base`'),
          ...knowledgeOfBase,
          'reason?': string(),
        },
        'The base, which tells edits in the service from changes of the manifests, or why there is none; absent if none was looked for',
      ),
    },
    { title: 'Accept', description: 'What `flagwright accept` prints with `--format json`.' },
  ),
);
