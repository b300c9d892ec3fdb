/** What `validate` prints. */

import { array, boolean, count, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { diagnostic } from '../parts/diagnostic.ts';
import { exceptionReport } from '../parts/exceptions.ts';
import { finding, judgementWith } from '../parts/findings.ts';
import { formatVersion } from '../parts/values.ts';

const policy = judgementWith(
  finding,
  {
    project: string(),
    'exceptions?': array(exceptionReport, 'The exceptions of the file for this project; absent where there are none'),
  },
  'What the policies say of what the manifests change since the base',
);

export const validationDocument = document(
  'validation',
  object(
    {
      format_version: formatVersion,
      valid: boolean('Whether there are no errors; warnings do not count'),
      files: count('Manifests that were read'),
      flags: count('Flags that they declare, over all projects'),
      cohorts: count('Cohorts that they declare, over all projects'),
      test_files: count('Test files that were read'),
      diagnostics: array(diagnostic, 'Sorted by file, line and column'),
      'policies?': array(policy, 'By project, of those that have a base; absent where nothing was judged'),
    },
    {
      title: 'Validation',
      description: 'What `flagwright validate --format json` prints, whether or not there are errors.',
    },
  ),
);
