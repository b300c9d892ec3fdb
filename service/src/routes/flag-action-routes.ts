/** The table of paths of actions on flags, which the service of 2023 did not have. */

import { bulkDelete } from '../flag-actions/bulk-delete.ts';
import { bulkKeys } from '../flag-actions/bulk-keys.ts';
import { bulkUpdateTags } from '../flag-actions/bulk-tags.ts';
import { dependentFlags } from '../flag-actions/dependents.ts';
import { archiveFlag, disableFlag, enableFlag, unarchiveFlag } from '../flag-actions/lifecycle.ts';
import { matchingIds } from '../flag-actions/matching-ids.ts';
import { getRemoteConfig } from '../flag-actions/remote-config.ts';
import { rollOutToEveryone, setConditionRollout } from '../flag-actions/rollout.ts';
import { getStatus } from '../flag-actions/status.ts';
import { getVersion } from '../flag-actions/versions.ts';
import { today, type Methods } from '../handler/operation.ts';

export const FLAG_ACTION_ROUTES: readonly (readonly [path: string, methods: Methods])[] = [
  ['feature_flags/bulk_delete', { POST: today('flags_bulk_delete', bulkDelete) }],
  ['feature_flags/bulk_keys', { POST: today('flags_bulk_keys', bulkKeys) }],
  ['feature_flags/bulk_update_tags', { POST: today('flags_bulk_update_tags', bulkUpdateTags) }],
  ['feature_flags/matching_ids', { GET: today('flags_matching_ids', matchingIds) }],
  ['feature_flags/:id/archive', { POST: today('flag_archive', archiveFlag) }],
  ['feature_flags/:id/dependent_flags', { GET: today('flag_dependent_flags', dependentFlags) }],
  ['feature_flags/:id/disable', { POST: today('flag_disable', disableFlag) }],
  ['feature_flags/:id/enable', { POST: today('flag_enable', enableFlag) }],
  ['feature_flags/:id/remote_config', { GET: today('flag_remote_config', getRemoteConfig) }],
  ['feature_flags/:id/roll_out_to_everyone', { POST: today('flag_roll_out_to_everyone', rollOutToEveryone) }],
  [
    'feature_flags/:id/set_release_condition_rollout',
    { POST: today('flag_set_release_condition_rollout', setConditionRollout) },
  ],
  ['feature_flags/:id/status', { GET: today('flag_status', getStatus) }],
  ['feature_flags/:id/unarchive', { POST: today('flag_unarchive', unarchiveFlag) }],
  ['feature_flags/:id/versions/:version', { GET: today('flag_version', getVersion) }],
];
