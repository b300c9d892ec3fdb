/** The table of a flag's fields, compared with what the service returns. */

import { describe, expect, it } from 'vitest';
import { ANSWER_FIELDS } from '../../../../service/src/flags/serialize.ts';
import { FLAG_FIELDS, KNOWN_FIELDS, SERVICE_FIELDS } from '../../../../src/posthog/flag/model/fields.ts';
import { comparableFlag, compareFields } from '../../../../src/posthog/flag/comparison.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../../helpers/states.ts';

/** docs/service.md, "Flags": fields that change with traffic, with each write, or with other objects. */
const COMPUTED = [
  ...['id', 'created_by', 'updated_at', 'last_modified_by', 'last_called_at', 'version', 'status', 'can_edit'],
  ...['user_access_level', 'is_simple_flag', 'rollout_percentage', 'experiment_set', 'experiment_set_metadata'],
  ...['surveys', 'features', 'usage_dashboard', 'analytics_dashboards', 'has_enriched_analytics'],
  ...['is_used_in_replay_settings', 'is_eligible_for_experiment'],
];

const MANAGED = [
  ...['key', 'name', 'active', 'filters', 'tags', 'deleted', 'archived', 'created_at', 'ensure_experience_continuity'],
  ...['rollback_conditions', 'performed_rollback', 'evaluation_runtime', 'evaluation_contexts', 'evaluation_tags'],
  ...['bucketing_identifier', 'is_remote_configuration', 'has_encrypted_payloads'],
];

/** Members of a flag in a manifest that are fields of the service. */
const OWN_NAMES = {
  ...{ name: 'description', active: 'active', filters: 'filters', tags: 'tags', created_at: 'created_at' },
  ...{ ensure_experience_continuity: 'ensure_experience_continuity', rollback_conditions: 'rollback_conditions' },
  performed_rollback: 'performed_rollback',
};

describe('the fields of a flag', () => {
  it('include every field that the service returns, in either generation', () => {
    for (const fields of Object.values(ANSWER_FIELDS)) {
      expect(fields.map(([name]) => name).filter((name) => !KNOWN_FIELDS.has(name))).toEqual([]);
    }
  });

  it('are owned by the service or by manifests', () => {
    const owned = (ownership: string): string[] =>
      FLAG_FIELDS.flatMap((field) => (field.ownership === ownership ? [field.api] : []));
    expect(owned('computed').toSorted()).toEqual(COMPUTED.toSorted());
    expect(owned('managed').toSorted()).toEqual(MANAGED.toSorted());
    expect([...SERVICE_FIELDS].toSorted()).toEqual(COMPUTED.toSorted());
    expect([...KNOWN_FIELDS].toSorted()).toEqual([...COMPUTED, ...MANAGED].toSorted());
  });

  it('have their names in manifests', () => {
    const named = FLAG_FIELDS.flatMap(({ api, manifest }) =>
      manifest === undefined ? [] : [[api, manifest] as const],
    );
    expect(Object.fromEntries(named)).toEqual(OWN_NAMES);
  });

  it.each(COMPUTED)('are not compared if the service computes them: %s', (field) => {
    const live = { ...liveFlag(1, 'a'), [field]: 'moved' };
    expect(comparableFlag(live, { keyOf: () => undefined })).not.toHaveProperty(field);
  });

  it.each(MANAGED.filter((field) => field !== 'key'))('are compared if a manifest declares them: %s', (field) => {
    const live = liveFlag(1, 'a', { [field]: field === 'created_at' ? '2001-01-01' : ['live'] });
    const wanted = field === 'created_at' ? '2002-01-01' : ['wanted'];
    expect(
      compareFields({ [field]: wanted }, comparableFlag(live, { keyOf: () => undefined }), { keyOf: () => undefined }),
    ).not.toEqual([]);
    const { changes } = planFor(desiredState(declared('a', { [field]: wanted })), liveState([live]));
    expect(changes).toMatchObject([{ body: { [field]: expect.anything() as unknown } }]);
  });
});
