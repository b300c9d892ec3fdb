/** Mistakes in files. */

import { among, define, integer, object, string } from '../../src/base/schema.ts';

export const diagnostic = define(
  'diagnostic',
  object(
    {
      code: string('Stable code, see https://flagwright.dev/diagnostics'),
      severity: among(['error', 'warning']),
      message: string('One sentence'),
      remedy: string('How to fix it'),
      'file?': string('Relative to the folder of flagwright.yaml'),
      'line?': integer({ description: 'Counted from 1', minimum: 1 }),
      'column?': integer({ description: 'Counted from 1', minimum: 1 }),
      'path?': string('JSON pointer from the top of the file'),
    },
    { title: 'Diagnostic' },
  ),
);
