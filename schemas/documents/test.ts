/** What `test` prints. */

import { among, array, count, define, integer, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { formatVersion, percentage } from '../parts/values.ts';

const condition = define(
  'condition',
  object(
    {
      number: integer({ description: 'Counted from 1', minimum: 1 }),
      file: string('The manifest, relative to the folder of flagwright.yaml'),
      line: integer({ minimum: 1 }),
      column: integer({ minimum: 1 }),
      condition: { type: 'object', description: 'As declared' },
    },
    { title: 'Condition' },
  ),
);

const answer = define(
  'answer',
  object(
    {
      value: { type: ['boolean', 'string'], description: '`true`: on, without a variant; a string: the variant' },
      'payload?': { description: 'Absent for none, and for encrypted payloads' },
      reason: among(
        [
          'condition_match',
          'out_of_rollout_bound',
          'no_condition_match',
          'no_group_type',
          'super_condition_value',
          'holdout_condition_value',
          'experiment_paused',
          'flag_disabled',
          'flag_deleted',
        ],
        'What decided',
      ),
      'condition?': condition,
    },
    { title: 'Answer', description: 'What the flag answers; absent where that is unknown' },
  ),
);

const undecided = define(
  'undecided',
  object(
    {
      code: among([
        'conditions_undeclared',
        'dependency_unknown',
        'filter_unknown',
        'unknown_format',
        'payload_encrypted',
      ]),
      'flags?': array(string(), 'The dependencies without a known value'),
      'dependency?': string('The flag that has the unknown filter; absent for the flag itself'),
      'condition?': condition,
      'filter?': { type: 'object', description: 'The filter that only the service can decide' },
    },
    { title: 'Undecided', description: 'Why the answer is unknown' },
  ),
);

const tried = define(
  'tried',
  object(
    {
      number: integer({ description: 'Counted from 1', minimum: 1 }),
      file: string('The manifest, relative to the folder of flagwright.yaml'),
      line: integer({ minimum: 1 }),
      column: integer({ minimum: 1 }),
      condition: { type: 'object', description: 'As declared' },
      result: among(
        ['matched', 'unmatched', 'left_out', 'no_group', 'no_device', 'undecided', 'unreadable'],
        '`left_out`: the filters match, and the rollout does not include the identifier; `undecided`: only the service can decide a filter',
      ),
      'filter?': count(
        'The first filter that does not match, or is undecided: its index in `properties` of the condition',
      ),
      'found?': {
        description: 'What the person, the group or the flag has there; absent for nothing, and for cohorts',
      },
      'type?': integer('The type of groups in which the person has none'),
      'identifier?': string('What the rollout and the variants hash'),
      'position?': percentage({
        description: 'The rollout in percent from which the identifier is included',
      }),
      'variant?': object(
        {
          kind: among(['forced', 'hashed'], '`forced`: the condition names it; `hashed`: the identifier decides'),
          'position?': percentage({
            description: 'In percent: the first variant decides at which the sum of the shares exceeds it',
          }),
        },
        'Why the variant is this one',
      ),
    },
    { title: 'Tried condition' },
  ),
);

const caseSchema = define(
  'case',
  object(
    {
      outcome: among(['passed', 'failed', 'undecided'], '`undecided`: the manifests do not say what the flag answers'),
      project: string(),
      flag: string('Key of the flag'),
      person: string('Name of the person, or the id of one without a name'),
      'name?': string('Name of the expectation'),
      file: string('The test file, relative to the folder of flagwright.yaml'),
      line: integer({ description: 'Counted from 1', minimum: 1 }),
      column: integer({ description: 'Counted from 1', minimum: 1 }),
      expected: object({
        value: { type: ['boolean', 'string'], description: '`true`: on, with any variant; a string: the variant' },
        'payload?': { description: 'As written; null for none, absent for any' },
      }),
      'answer?': answer,
      'undecided?': undecided,
      'conditions?': array(
        tried,
        'Of a case that failed by its value: what each condition makes of the person, up to the one that decides',
      ),
    },
    { title: 'Case' },
  ),
);

export const testDocument = document(
  'test',
  object(
    {
      format_version: formatVersion,
      files: count('Test files that were read'),
      people: count('People with a name in them'),
      projects: array(string(), 'The projects for which flags were evaluated'),
      summary: object({ passed: count(), failed: count(), undecided: count() }, 'Cases by outcome'),
      cases: array(caseSchema, 'One for each project, expected flag and person'),
    },
    {
      title: 'Test',
      description: 'What `flagwright test --format json` prints, whether or not the expectations hold.',
    },
  ),
);
