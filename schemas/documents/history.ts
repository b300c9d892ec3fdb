/** What `history` and `history RUN` print. */

import {
  among,
  array,
  boolean,
  define,
  object,
  oneOf,
  open,
  ref,
  string,
  type SchemaMembers,
} from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { anyChange } from '../parts/changes/changes.ts';
import { outcome, outcomeCounts } from '../parts/outcomes.ts';
import { project } from '../parts/project.ts';
import { switchOff } from '../parts/switch-off.ts';
import { formatVersion, runName } from '../parts/values.ts';

const openSchema = define(
  'open',
  open(
    {
      outcome: among(['unanswered', 'not_started']),
      'error?': false,
      'change_request?': false,
      'parts?': false,
      'skipped?': false,
      'already?': false,
    },
    { title: 'Without an outcome' },
  ),
);

const outcomes = define(
  'outcomes',
  outcomeCounts(
    {
      unanswered: 'Changes that were sent without a recorded answer',
      not_started: 'Changes that the run did not start',
    },
    { title: 'Changes by outcome' },
  ),
);

const RUN: SchemaMembers = {
  run: runName('Name of the run, for `apply --resume`, `undo` and `history`'),
  started_at: string('ISO 8601, UTC'),
  'ended_at?': string('ISO 8601, UTC; absent if the run was cut off'),
  project,
  state: among(
    ['complete', 'incomplete', 'running', 'interrupted'],
    '`complete`: every change was applied; `incomplete`: the run ended without that; `running`: a process executes it; `interrupted`: it was cut off',
  ),
  undoable: boolean('Whether it made a change that can be undone'),
  outcomes,
  'follows?': array(
    string(),
    'The runs of the journal that no run followed when it began: it came after them, whatever the clocks say; absent in journals of earlier releases',
  ),
  'undoes?': string('The run that this one reverts; absent for an apply'),
  'off?': ref(switchOff, 'Of a run of `off`; absent for any other'),
  'commit?': string('Commit of the repository with the manifests; absent outside a repository'),
  'actor?': object(
    {
      name: string('A user of the host, or of the CI system'),
      'host?': string('Name of the host; absent in CI'),
      'ci?': string('The CI system; absent on a host'),
      'url?': string('Page of the CI job'),
    },
    { title: 'Who executed the run' },
  ),
};

const run = define('run', object(RUN, { title: 'Run' }));

export const historyDocument = document('history', {
  title: 'History',
  description: 'What `flagwright history` and `flagwright history RUN` print with `--format json`.',
  type: 'object',
  oneOf: [
    object(
      {
        format_version: formatVersion,
        'journal?': string('The folder of the journal'),
        runs: array(run, 'Newest first'),
        unreadable: array(
          object({
            run: string('Its name'),
            code: string('See the error codes in https://flagwright.dev/commands'),
            message: string('One sentence'),
          }),
          'Runs with journals that cannot be read',
        ),
        more: boolean('Whether older runs exist'),
      },
      { title: 'The runs' },
    ),
    object(
      {
        format_version: formatVersion,
        ...RUN,
        changes: array(
          {
            allOf: [anyChange('executed'), oneOf([outcome, openSchema])],
          },
          "In the plan's order",
        ),
      },
      { title: 'One run' },
    ),
  ],
});
