/** Copies one flag into a project, where it replaces the live flag with the same key. */

import type { JsonObject } from '../../../src/base/json.ts';
import { defined } from '../../../src/base/optional.ts';
import { gate } from '../approvals/gate.ts';
import { changeFlag } from '../flags/change.ts';
import { addFlag, draftFlag } from '../flags/create.ts';
import { draftOf } from '../flags/draft.ts';
import { canEdit, defaultOf } from '../flags/serialise.ts';
import type { ServiceContext } from '../handler/call.ts';
import { conflict, forbidden } from '../handler/envelope.ts';
import { storedValue, type StoredFlag } from '../store/flag.ts';
import { copyCohorts } from './copy-cohorts.ts';
import { findLive } from './dependencies.ts';
import { remapDependencies } from './remap-dependencies.ts';

/** Tags, dashboards and evaluation contexts are not copied: they are data of a project. */
const COPIED = [
  'key',
  'name',
  'ensure_experience_continuity',
  'evaluation_runtime',
  'bucketing_identifier',
  'is_remote_configuration',
  'has_encrypted_payloads',
];

/** Members of `filters` that an update would keep where they are omitted. */
const NO_MEMBERS: JsonObject = {
  aggregation_group_type_index: null,
  multivariate: null,
  payloads: null,
  holdout: null,
  feature_enrollment: null,
  early_exit: null,
};

interface FlagCopy {
  readonly source: StoredFlag;
  readonly targetId: string;
  readonly isDisabled: boolean;
}

interface Copy {
  readonly flag: StoredFlag;
  readonly isUpdate: boolean;
  readonly warnings: readonly string[];
}

/** Runs in the transaction of the caller. Throws a refusal of the new flag, or of the update. */
export function copyFlag(service: ServiceContext, { source, targetId, isDisabled }: FlagCopy): Copy {
  const { store, rules } = service;
  const existing = findLive(store.flags, targetId, source.key);
  if (existing !== undefined && !canEdit(existing)) {
    throw forbidden('You do not have permission to copy flags to this project.');
  }
  const projects = { sourceId: source.projectId, targetId };
  const ownCohorts = copyCohorts(store.cohorts, { ...NO_MEMBERS, ...source.filters }, projects);
  const { filters, warnings } = remapDependencies(store, ownCohorts, projects);
  const values: JsonObject = {
    ...Object.fromEntries(COPIED.map((name) => [name, storedValue(source, name) ?? defaultOf(rules.name, name)])),
    filters,
    deleted: false,
    // A condition without its dependency may match everyone.
    active: source.active && !isDisabled && warnings.length === 0,
  };
  refuseGated(service, { projectId: targetId, values, ...defined({ before: existing }) });
  const flag =
    existing === undefined ? addFlag(service, targetId, values) : changeFlag(service, { before: existing, values });
  return { flag, isUpdate: existing !== undefined, warnings };
}

interface GatedCopy {
  readonly projectId: string;
  readonly before?: StoredFlag;
  readonly values: JsonObject;
}

/** A copy that needs an approval fails, and opens no change request: its transaction is rolled back. */
function refuseGated(service: ServiceContext, copy: GatedCopy): void {
  const { projectId, before, values } = copy;
  const draft = before === undefined ? () => draftFlag(service, projectId, values) : draftOf(service, before, values);
  if (gate(service, { ...copy, draft }) !== undefined)
    throw conflict('The copy needs an approval in the target project.');
}
