/** What a run over several projects prints. */

import { among, integer, mapOf, object, string } from '../../src/base/schema.ts';
import { PROJECT_STATES } from '../../src/report/model/project-states.ts';
import { document } from '../join.ts';
import { errorCode } from '../parts/error-code.ts';
import { formatVersion } from '../parts/values.ts';

/** The documents of a run over one project. */
const REPORTS = ['plan', 'result', 'files', 'error'] as const;

export const projectsDocument = document(
  'projects',
  object(
    {
      format_version: formatVersion,
      command: among(['plan', 'drift', 'apply', 'export'], 'The command that ran'),
      projects: mapOf(
        object(
          {
            state: among(
              Object.keys(PROJECT_STATES),
              'How the project stands. `left`: in sync but for what the run leaves as it is.',
            ),
            'exit?': integer({ description: 'What a run over this project alone exits with. Absent if it is held.' }),
            'held_by?': string('The project that it comes after, which is not in sync. Nothing was written.'),
            'report?': {
              description: 'The document of a run over this project alone. Absent if it is held.',
              anyOf: REPORTS.map((name) => ({ $ref: `https://flagwright.dev/schemas/${name}.schema.json` })),
            },
          },
          { title: 'Project' },
        ),
        { description: 'By name, in the order of the configuration' },
      ),
      'refusal?': object(
        { code: errorCode, message: string('One sentence'), 'remedy?': string('How to fix it') },
        { title: 'Refusal', description: 'Why `apply` would refuse all of these plans: `limits.all_projects`' },
      ),
    },
    {
      title: 'Several projects',
      description:
        'What `plan`, `drift`, `apply` and `export` print with `--format json` for several projects (`-p a,b` or `--all-projects`).',
    },
  ),
);
