/** What `projects` prints. */

import { among, array, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { formatVersion } from '../parts/values.ts';

export const projectListDocument = document(
  'project-list',
  object(
    {
      format_version: formatVersion,
      projects: array(
        object(
          {
            name: string('Its name in flagwright.yaml'),
            service: among(['remote', 'embedded'], 'Whether it is reached over HTTP, or is the service built in'),
            'host?': string('The origin of the service. Absent if it is embedded, or if only the environment has it.'),
            'project_id?': string('Its id on the host, or `@current`. Absent as `host` is.'),
            'api_key_env?': string('The environment variable with the API key. Absent as `host` is.'),
            'after?': array(string('A project that an apply over several brings in sync before this one')),
            'default?': { const: true, description: 'A command without `--project` works on it.' },
          },
          { title: 'Project' },
        ),
        { description: 'In the order of flagwright.yaml' },
      ),
    },
    {
      title: 'List of projects',
      description: 'What `projects` prints with `--format json`.',
    },
  ),
);
