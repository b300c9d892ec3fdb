/** What `doctor` prints. */

import { among, array, count, define, integer, object, string } from '../../src/base/schema.ts';
import { CHECK_SECTIONS } from '../../src/report/check-result.ts';
import { document } from '../join.ts';
import { formatVersion } from '../parts/values.ts';

const PLACE = {
  'file?': string('Relative to the folder of flagwright.yaml, or as the command line names it'),
  'line?': integer({ minimum: 1 }),
  'column?': integer({ minimum: 1 }),
};

const result = define(
  'result',
  object(
    {
      section: among(CHECK_SECTIONS, 'What the check is about'),
      code: string('What was found; https://flagwright.dev/doctor lists the codes'),
      status: among(
        ['ok', 'warning', 'problem', 'skipped'],
        '`skipped`: it could not be checked, so nothing is said about it',
      ),
      'project?': string('The name of the project'),
      'host?': string('The host of the service'),
      ...PLACE,
      message: string('A sentence without a full stop; it may change in any release'),
      'remedy?': string('What to do; absent where all is fine'),
      facts: { type: 'object', description: 'What the message is made of; the members depend on the code' },
    },
    { title: 'Result of a check' },
  ),
);

const value = define(
  'value',
  object(
    {
      name: string('Its JSON pointer in the configuration'),
      value: { description: 'The value that counts; never a key' },
      from: among(['file', 'environment', 'option', 'default'], 'Where it comes from'),
      ...PLACE,
      'variable?': string('The environment variable'),
      'option?': string('The option of the command line'),
    },
    { title: 'Value of the configuration' },
  ),
);

export const doctorDocument = document(
  'doctor',
  object(
    {
      format_version: formatVersion,
      summary: object({ ok: count(), warning: count(), problem: count(), skipped: count() }, 'Results by status'),
      results: array(result, 'By section'),
      values: array(
        value,
        'Each value of the configuration with its place; empty where the configuration cannot be used',
      ),
    },
    { title: 'Doctor', description: 'What `flagwright doctor --format json` prints, whatever it finds.' },
  ),
);
