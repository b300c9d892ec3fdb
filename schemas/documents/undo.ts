/** What `undo --out` prints. */

import { array, object, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { brokenRule } from '../parts/broken-rules.ts';
import { anyChange } from '../parts/changes/changes.ts';
import { resourceEffects } from '../parts/effects.ts';
import { hazard } from '../parts/hazards.ts';
import { project } from '../parts/project.ts';
import { refused } from '../parts/refused.ts';
import { forecast, summary } from '../parts/summary.ts';
import { formatVersion, runName, sha256 } from '../parts/values.ts';
import { warning } from '../parts/warnings.ts';

export const undoDocument = document(
  'undo',
  object(
    {
      format_version: formatVersion,
      run: runName('The run that is undone'),
      plan: object(
        {
          format_version: formatVersion,
          project,
          'undoes?': string('The recorded run that the plan reverts; only in a plan of `undo`'),
          summary,
          changes: array(anyChange('planned'), 'In the order in which apply starts them'),
          hazards: array(hazard),
          unmanaged: array(string(), 'Keys of live flags in scope that no manifest names, sorted'),
          warnings: array(warning),
          fingerprint: sha256(
            'Hash of all members above; a different hash means that the plan was edited or truncated',
          ),
          'forecast?': forecast,
        },
        { title: 'Plan', description: 'As in plan.schema.json' },
      ),
      refused: array(refused, 'Changes that cannot be undone'),
      effects: array(resourceEffects, {
        title: 'What the changes of the plan do',
        description: 'As in plan.schema.json',
      }),
      broken_rules: array(brokenRule, 'The safety rules that the plan breaks. Policies do not judge an undo'),
    },
    {
      title: 'Undo',
      description:
        'What `flagwright undo --out` prints with `--format json`: the saved plan, and the changes that it does not revert.',
    },
  ),
);
