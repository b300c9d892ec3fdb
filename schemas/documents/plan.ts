/** What `plan` and `drift` print, and what `plan --out` saves. */

import { among, array, count, integer, is, mapOf, object, oneOf, open, ref, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';
import { approvals } from '../parts/approvals.ts';
import { attribution } from '../parts/attribution.ts';
import { knowledgeOfBase, resourcesAtCommits } from '../parts/base.ts';
import { brokenRule } from '../parts/broken-rules.ts';
import { anyChange } from '../parts/changes/changes.ts';
import { impact } from '../parts/counted-people.ts';
import { resourceEffects } from '../parts/effects.ts';
import { exceptionReport, liftedHazard } from '../parts/exceptions.ts';
import { findingOfPlan, judgementWith } from '../parts/findings.ts';
import { hazard } from '../parts/hazards.ts';
import { leftAsLive, released } from '../parts/left.ts';
import { namedPeople } from '../parts/named-people.ts';
import { observed } from '../parts/observed.ts';
import { project } from '../parts/project.ts';
import { readers } from '../parts/readers.ts';
import { forecast, summary } from '../parts/summary.ts';
import { plannedRollout, rolloutChange, stepsAhead, stepsSoon } from '../parts/rollouts.ts';
import { scheduled } from '../parts/scheduled.ts';
import { switchOff } from '../parts/switch-off.ts';
import { commitHash, formatVersion, sha256, timestamp } from '../parts/values.ts';
import { warning } from '../parts/warnings.ts';

const policy = judgementWith(
  findingOfPlan,
  {},
  'What the policies say. The fingerprint does not cover it, and `apply` judges again; absent where the configuration has no policies',
);

export const planDocument = document(
  'plan',
  object(
    {
      format_version: formatVersion,
      project,
      'undoes?': string('The recorded run that the plan reverts; only in a plan of `undo`'),
      'off?': ref(switchOff, 'Of a run of `off`; absent for any other'),
      'base?': oneOf(
        [
          object({
            kind: is('commit'),
            commit: string(),
            from: among(
              ['ref', 'journal', 'snapshot', 'option'],
              'The ref that apply records, the journal, a snapshot, or `--base`',
            ),
            ...knowledgeOfBase,
          }),
          object({ kind: is('none'), reason: open({ 'code?': string() }, 'Why there is none, with its facts') }),
        ],
        {
          title: 'Base of the comparison',
          description:
            'The commit whose manifests tell pending changes from drift, or why there is none; absent if none was looked for',
        },
      ),
      'safety?': oneOf(
        [
          object(
            {
              from: is('base'),
              commit: string(),
              looser: array(
                string(),
                'The members of the configuration in which the checkout allows more, such as `limits.deletes`',
              ),
            },
            'Those of the base, unless the checkout is stricter',
          ),
          object(
            { from: is('checkout'), why: among(['no_file', 'invalid']) },
            'Those of the checkout: the base has no configuration of the project, or one that cannot be read',
          ),
        ],
        {
          title: 'Whose limits and protected flags count',
          description: 'Absent without a base, and for plans that apply does not make',
        },
      ),
      'commit?': commitHash(
        'The commit whose manifests the plan makes live; absent if they are not committed, and with `--target`',
      ),
      summary,
      changes: array(anyChange('planned'), 'In the order in which apply starts them'),
      hazards: array(hazard),
      'lifted?': array(
        object({ hazard, by: liftedHazard }),
        'The hazards that exceptions and options of the run lift; absent where they lift nothing',
      ),
      unmanaged: array(string(), 'Keys of live flags in scope that no manifest names, sorted'),
      'left?': leftAsLive,
      'unrecorded?': resourcesAtCommits(
        'What the manifests ask for and the plan does not make: an apply records where it was applied last. Absent where there is none',
      ),
      'steps_ahead?': stepsAhead,
      'steps_soon?': stepsSoon,
      'identified?': mapOf(
        { type: ['integer', 'string', 'null'] },
        {
          title: 'Ids of declared resources',
          description:
            'By name, where the base did not record the same: an apply records them. Null: no declaration has the name any more',
        },
      ),
      'rollouts?': array(plannedRollout, 'Declared values that change over time; absent where there are none'),
      'rollout_changes?': array(
        rolloutChange,
        'What the plan decides about later steps: runs make them at their times and ask nobody. Absent where it decides nothing about them',
      ),
      'released?': released,
      'other_names?': mapOf(
        array(string()),
        'Other names that changed resources have or had, by the key of a flag or cohort:ALIAS. Rules about one of them apply to the resource too. Absent if none has any',
      ),
      'converged?': count(
        'Values that the manifests and the service both moved away from the base, to the same value; absent without a base',
      ),
      warnings: array(warning),
      'observed?': array(
        observed,
        'Values that others decide (`ownership`) and that are not as declared: no drift. Absent where nothing differs',
      ),
      fingerprint: sha256('Hash of all members above; a different hash means that the plan was edited or truncated'),
      'forecast?': forecast,
      'attributions?': array(attribution, {
        title: 'Who made the differences',
        description:
          'As far as the activity log and the journal of this machine say; absent where it was not asked. The fingerprint does not cover it',
      }),
      'cohort_names?': mapOf(
        string(),
        'The names of the cohorts that conditions of the plan name by id, by that id: aliases, or else names in the service. The fingerprint does not cover it',
      ),
      'against?': object(
        {
          taken_at: timestamp('When the snapshot was taken, ISO 8601, UTC'),
          age_seconds: integer('Its age when the plan was made; negative where clocks differ'),
          fingerprint: sha256('That of the snapshot'),
        },
        {
          title: 'Snapshot',
          description:
            'The snapshot that the plan was made against; absent where it was made against the service. Such a plan is not applied. The fingerprint does not cover it',
        },
      ),
      'at?': timestamp(
        'Another time than now that the plan is of, ISO 8601, UTC (`--at`). Such a plan is not applied. The fingerprint does not cover it',
      ),
      'effects?': array(resourceEffects, {
        title: 'What the changes do',
        description:
          'Resource by resource, in the order of the plan; in what `plan` prints, not in a saved plan. The fingerprint does not cover it',
      }),
      'live_effects?': array(resourceEffects, {
        title: 'What the live state does',
        description:
          'Compared with the declared one; only in what `drift` prints. The other members show the way from the live state to the declared one',
      }),
      'drift_effects?': array(resourceEffects, {
        title: "What people's changes do",
        description:
          'As `live_effects`, of what people changed in the service alone: what git changed and nobody applied yet did nothing to anybody. Only in what `drift` prints with a base',
      }),
      'owners?': array(
        object({
          ref: string('The first change of a resource'),
          name: string(),
          by: among(['tag', 'code_owners'], 'A tag, or CODEOWNERS of the manifest'),
        }),
        {
          title: 'Who owns what changes',
          description: 'In what `plan` and `drift` print; not covered by the fingerprint. Absent where nobody is named',
        },
      ),
      'unmanaged_edits?': array(
        object(
          {
            key: string(),
            field: string(),
            before: {},
            after: {},
            at: string('When it was made, as the service wrote it'),
            'by?': string(),
          },
          { title: 'Edit of a field that is not managed' },
        ),
        'Edits by people of fields of declared flags that this release does not know and the manifests do not declare; only in what `drift` prints',
      ),
      'policy?': policy,
      'exceptions?': array(
        exceptionReport,
        'The exceptions of the file for this project. The fingerprint does not cover it, and `apply` judges again; absent where there are none',
      ),
      'approvers?': array(
        string(),
        'Who may approve the change and grant exceptions, by the policies that judge it; absent where anybody may. The fingerprint does not cover it',
      ),
      'broken_rules?': array(
        brokenRule,
        'Every rule that the plan breaks, safety rules (`hazards`) and policies in one list; not covered by the fingerprint',
      ),
      'named_people?': namedPeople,
      'impact?': impact,
      'approvals?': approvals,
      'readers?': readers,
      'scheduled?': scheduled,
    },
    {
      title: 'Plan',
      description:
        'What `flagwright plan` and `flagwright drift` print with `--format json`, and what `plan --out` saves.',
    },
  ),
);
