/** Describes the actions on flags, which only today's service has. */

import { LIST_FILTERS } from '../flags/list-filter.ts';
import type { OperationDescription } from './operation-description.ts';

const REFUSED = { 400: 'ActionRefusal' };
/** Answers of writes that an approval policy may cover. */
const GATED = { ...REFUSED, 409: 'WriteConflict' };

export const ACTION_OPERATIONS: Readonly<Record<string, OperationDescription>> = {
  flag_enable: { summary: 'Enables a flag.', answers: { 200: 'Flag', ...GATED } },
  flag_disable: { summary: 'Disables a flag.', answers: { 200: 'Flag', ...GATED } },
  flag_archive: { summary: 'Disables and archives a flag.', answers: { 200: 'Flag', ...GATED } },
  flag_unarchive: { summary: 'Unarchives a flag, which stays disabled.', answers: { 200: 'Flag', ...REFUSED } },
  flag_set_release_condition_rollout: {
    summary: 'Sets the rollout of one condition.',
    body: 'ConditionRollout',
    answers: { 200: 'Flag', ...GATED },
  },
  flag_roll_out_to_everyone: {
    summary: 'Adds a condition for everybody before the others.',
    body: 'FullRollout',
    answers: { 200: 'Flag', ...GATED },
  },
  flag_status: { summary: 'Whether a flag is stale, and its rollout.', answers: { 200: 'FlagStatus' } },
  flag_dependent_flags: {
    summary: 'The active flags that depend on a flag.',
    answers: { 200: 'DependentFlags' },
  },
  flag_version: {
    summary: 'A flag as it was at a version.',
    answers: { 200: 'FlagVersion', 400: 'NoVersion', 404: 'NoVersion', 422: 'VersionRefusal' },
  },
  flag_remote_config: {
    summary: 'The payload of a remote configuration, by id or key.',
    answers: { 200: 'RemoteConfig', 404: null },
  },
  flags_matching_ids: {
    summary: 'The ids of all flags that a list has and the caller can edit.',
    query: LIST_FILTERS,
    answers: { 200: 'FlagIds' },
  },
  flags_bulk_keys: {
    summary: 'The keys of flags by id.',
    body: 'BulkKeysQuestion',
    isBodyOptional: true,
    answers: { 200: 'BulkKeys', 400: 'BadRequest' },
  },
  flags_bulk_delete: {
    summary: 'Deletes several flags.',
    body: 'BulkDeletion',
    answers: { 200: 'BulkDeleted', 400: 'BadRequest' },
  },
  flags_copy: {
    summary: 'Copies a flag into other projects.',
    body: 'CopyFlags',
    answers: { 200: 'CopiedFlags', 400: 'BadRequest', 403: 'BadRequest' },
  },
  flags_bulk_update_tags: {
    summary: 'Adds, removes or replaces tags of several flags.',
    body: 'BulkTagging',
    answers: { 200: 'BulkTagged' },
  },
};
