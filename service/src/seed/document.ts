/** Checks a seed against its schema and brings it to one form. */

import { FlagwrightError } from '../../../src/base/errors.ts';
import {
  validateSeedDocument,
  validateSeedFlags,
  validateSeedListing,
} from '../../../src/base/generated/seed-validators.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { checkShape, type Validator } from '../../../src/base/shape/check.ts';
import { SHAPE_WORDS } from '../../../src/base/shape/problems.ts';
import { describeWith } from '../../../src/base/wording.ts';
import type { CheckState } from '../store/alerts.ts';

/** A seed with every member but the project. Errors have JSON pointers into the original document. */
export interface SeedDocument {
  readonly project_id?: string | number;
  readonly flags: readonly SeedFlag[];
  readonly roles: readonly SeedRole[];
  readonly role_access: readonly SeedRoleAccess[];
  readonly scheduled_changes: readonly SeedScheduledChange[];
  readonly members: readonly SeedMember[];
  readonly missing_features: readonly string[];
  readonly lock_terraform_managed_rules: boolean;
  readonly accepts_flag_rules: boolean;
  readonly property_matching_version: number;
  readonly approval_policies: readonly SeedApprovalPolicy[];
  readonly alerts: readonly SeedAlert[];
  readonly cohorts: readonly SeedCohort[];
  readonly experiments: readonly SeedExperiment[];
  readonly groups: readonly SeedGroup[];
  readonly group_types: readonly SeedGroupType[];
  readonly persons: readonly SeedPerson[];
  readonly events: readonly SeedEvent[];
}

/** A flag as the service answers it; only the members that the schema types are named here. */
export interface SeedFlag extends JsonObject {
  readonly id?: number;
  readonly key: string;
  readonly name?: string;
  readonly active?: boolean;
  readonly deleted?: boolean;
  readonly archived?: boolean;
  readonly filters?: JsonObject;
  readonly created_at?: string;
  readonly version?: number | null;
}

interface SeedRole {
  readonly id: string;
  readonly name: string;
  readonly feature_flags_access_level?: number;
}

/** A rule without role and member: the level of everyone. */
export interface SeedRoleAccess {
  /** Key or id. */
  readonly flag: string | number;
  /** Name or id. */
  readonly role?: string;
  /** Email or id. */
  readonly member?: string;
  readonly level?: string;
  readonly managed_by?: string;
}

interface SeedScheduledChange {
  readonly id?: number;
  /** Key or id. */
  readonly flag: string | number;
  readonly payload: JsonObject;
  readonly scheduled_at: string;
  readonly executed_at?: string | null;
  readonly last_executed_at?: string | null;
  readonly end_date?: string | null;
  readonly failure_reason?: string | null;
  readonly is_recurring?: boolean;
  readonly recurrence_interval?: string | null;
  readonly cron_expression?: string | null;
  readonly timezone?: string;
}

interface SeedMember {
  readonly id?: string;
  readonly uuid?: string;
  readonly email: string;
  readonly first_name?: string;
  /** Requests with it act as the member. */
  readonly api_key?: string;
  /** Names or ids. */
  readonly roles?: readonly string[];
}

/** Members by email or id, roles by name or id. */
export interface SeedApprovalPolicy {
  readonly action_key: string;
  readonly organization?: boolean;
  readonly conditions?: JsonObject;
  readonly quorum?: number;
  readonly approvers?: readonly string[];
  readonly approver_roles?: readonly string[];
  readonly allow_self_approve?: boolean;
  readonly exempt_roles?: readonly string[];
  readonly expires_after?: string | number;
  readonly enabled?: boolean;
}

interface SeedAlert {
  readonly id?: string;
  readonly name: string;
  readonly enabled?: boolean;
  readonly calculation_interval?: string;
  readonly snoozed_until?: string | null;
  readonly insight?: { readonly id: number; readonly name?: string };
  /** False: absent for every key, as an alert whose insight the user may not view. */
  readonly can_view?: boolean;
  readonly checks?: readonly SeedCheck[];
}

interface SeedCheck {
  readonly at: string;
  readonly state: CheckState;
  readonly value?: number | null;
}

interface SeedCohort {
  readonly id: number;
  readonly name?: string | null;
  /** Present for a dynamic cohort. */
  readonly filters?: { readonly properties: JsonObject };
  readonly is_calculating?: boolean;
  /** The distinct ids in a static cohort. */
  readonly persons?: readonly string[];
}

export interface SeedExperiment {
  readonly id: number;
  readonly name?: string;
  readonly flag: string | number;
  readonly is_running?: boolean;
}

interface SeedGroup {
  readonly group_type_index: number;
  readonly key: string;
  readonly name?: string;
  readonly properties?: JsonObject;
}

interface SeedGroupType {
  readonly group_type_index: number;
  readonly group_type: string;
}

export interface SeedPerson {
  readonly id?: number;
  readonly uuid?: string;
  readonly distinct_ids: readonly string[];
  readonly properties?: JsonObject;
  readonly created_at?: string;
}

interface SeedEvent {
  readonly event: string;
  readonly distinct_id: string;
  readonly timestamp: string;
  readonly uuid?: string;
  readonly properties?: JsonObject;
}

const DEFAULTS: SeedDocument = {
  flags: [],
  roles: [],
  role_access: [],
  scheduled_changes: [],
  members: [],
  missing_features: [],
  lock_terraform_managed_rules: false,
  accepts_flag_rules: false,
  property_matching_version: 1,
  approval_policies: [],
  alerts: [],
  cohorts: [],
  experiments: [],
  groups: [],
  group_types: [],
  persons: [],
  events: [],
};

export interface ReadSeed {
  readonly document: SeedDocument;
  /** The pointer of the flags in the original document: `/flags`, `/results` or empty. */
  readonly flagsPointer: string;
}

/** Throws `FlagwrightError('usage')` with the first problem and its place. */
export function readSeed(seed: JsonValue): ReadSeed {
  // Decided before validation, so that errors are about the intended form.
  if (isJsonArray(seed))
    return {
      document: { ...DEFAULTS, flags: checked<SeedDocument['flags']>(seed, validateSeedFlags) },
      flagsPointer: '',
    };
  if (isJsonObject(seed) && Object.hasOwn(seed, 'results')) {
    const { results } = checked<{ readonly results: SeedDocument['flags'] }>(seed, validateSeedListing);
    return { document: { ...DEFAULTS, flags: results }, flagsPointer: '/results' };
  }
  return {
    document: { ...DEFAULTS, ...checked<Partial<SeedDocument>>(seed, validateSeedDocument) },
    flagsPointer: '/flags',
  };
}

function checked<Form>(seed: JsonValue, validator: Validator): Form {
  const [problem] = checkShape(validator, seed, { place: { file: '', line: 1, column: 1 } });
  if (problem === undefined) return seed as Form;
  const { message, remedy } = describeWith(SHAPE_WORDS, problem);
  throw seedProblem(problem.path ?? '', `${message} ${remedy}`);
}

export function seedProblem(pointer: string, text: string): FlagwrightError {
  return new FlagwrightError('usage', `The seed is invalid at ${pointer === '' ? 'the top level' : pointer}: ${text}`, {
    remedy: 'The members of a seed: https://flagwright.dev/embedded/seeds',
  });
}
