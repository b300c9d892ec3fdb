/** What `parity` prints. */

import { among, array, boolean, integer, is, mapOf, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { errorCode } from '../parts/error-code.ts';
import { formatVersion } from '../parts/values.ts';

export const parityDocument = document(
  'parity',
  object(
    {
      format_version: formatVersion,
      source: among(['manifests', 'live'], 'What was compared: the manifests, or with --live the services'),
      projects: array(string()),
      summary: object({
        flags: integer('How many flags were compared'),
        cohorts: integer('How many declared cohorts were compared'),
        'early_access?': integer('How many declared early access features were compared; absent for none'),
        undeclared: integer('Differences that no manifest declares'),
        declared: integer(),
      }),
      differences: array(
        object({
          key: string('Key of a flag, or `cohort:ALIAS` or `early_access:ALIAS`'),
          path: string('JSON pointer in the names of the API; empty where a project does not have it'),
          declared: boolean(),
          'others?': is(
            true,
            'With `--live`: the manifests of a project leave the value to others (`ownership`), so the difference is declared',
          ),
          values: mapOf(
            object({
              state: among(
                ['value', 'none', 'unmanaged', 'present', 'absent', 'unread'],
                '`none`: it has no such value; `unmanaged`: the manifests of the project do not declare the field; `present`, `absent`: whether the project has it; `unread`: the project could not be read',
              ),
              'value?': { description: 'With the state `value`' },
            }),
            'By the name of the project',
          ),
        }),
        'Undeclared differences; with --declared or --all-flags, all',
      ),
      'alike?': array(string(), 'The names of what is the same in all projects that were read; with --all-flags'),
      'not_read?': mapOf(
        object({ code: errorCode, message: string('One sentence'), 'remedy?': string('How to fix it') }),
        'With `--live`: the projects that could not be read, by name; the others are compared. Absent if all were read.',
      ),
    },
    { title: 'Parity', description: 'What `flagwright parity` prints with `--format json`.' },
  ),
);
