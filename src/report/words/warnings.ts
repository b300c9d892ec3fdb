/** The sentences for the warnings of a plan. */

import type { NotKnown } from '../../apply/result.ts';
import type { Quote } from '../../engine/labels.ts';
import type { PermitWarning } from '../../engine/plan.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import type { ScheduleFacts } from '../../posthog/flag/schedules.ts';
import type { KindTypes } from '../../posthog/kind-types.ts';
import { readName } from '../../posthog/names/resource-name.ts';
import type { AccessWarning, PlanWarning } from '../../posthog/plan.ts';
import { quoteShort } from '../escape.ts';
import { count, experimentsText, keysText, timeText } from './amounts.ts';
import { offWarningText, useText } from './off.ts';

type OtherWarning = Exclude<
  PlanWarning,
  KindTypes['role_access' | 'cohort']['warning'] | { readonly code: 'scheduled' | 'not_enabled' }
>;

export function warningText(warning: PlanWarning, quote: Quote = quoteShort): string {
  if (warning.code === 'scheduled') return scheduleText(warning, quote);
  if (warning.code === 'not_enabled') return notEnabledText(warning, quote);
  if (isCohortWarning(warning)) return cohortWarningText(warning, quote);
  return isAccessWarning(warning) ? accessWarningText(warning, quote) : otherWarningText(warning, quote);
}

function otherWarningText(warning: OtherWarning, quote: Quote): string {
  switch (warning.code) {
    case 'cannot_edit':
      return `${quote(warning.key)}: the owner of the API key cannot edit this flag. The service will refuse the change.`;
    case 'experiments_linked':
      return `${quote(warning.key)}: the flag is linked to ${experimentsText(warning.experiments)}. The service may refuse to delete it while one of them runs.`;
    case 'dependents_remain':
      return `${quote(warning.key)}: active flags still depend on it (${keysText(warning.dependents, quote)}); for their conditions it is off afterwards.`;
    case 'dependency_missing':
      return `${quote(warning.key)}: it depends on ${quote(warning.dependency)}, which exists neither in the manifests nor in the project.`;
    case 'dependency_disabled':
      return `${quote(warning.key)}: it depends on ${quote(warning.dependency)}, which is not active. The service may refuse the change.`;
    case 'field_unsupported':
      return `${quote(warning.key)}: the service has no field ${quote(warning.field)}. The plan leaves it out.`;
    case 'filters_opaque':
    case 'create_opaque':
      return opaqueText(warning, quote);
    case 'unarchives':
      return `${quote(warning.key)}: the flag is archived in the service. The plan unarchives it.`;
    case 'key_shared':
    case 'previous_key_live':
    case 'renamed_back':
    case 'renamed_away':
    case 'renamed_deleted':
    case 'retired_unknown':
    case 'deleted_unknown':
    case 'destroys_deleted':
      return keyText(warning, quote);
    case 'named_elsewhere':
      return `${quote(warning.key)}: the flag exists in this project (id ${warning.id}), but the manifests declare it only for other projects. It is left alone.`;
    case 'payloads_encrypted':
      return `${quote(warning.key)}: its encrypted payloads change. They are never written to a file, so a saved plan with this change cannot be applied.`;
    case 'protected_unmatched':
      return `protected: ${quote(warning.key)} matches no declared or live flag, so it protects nothing.`;
    case 'holdout_undeclared':
    case 'early_access_undeclared':
    case 'ownership_unpaired':
      return othersText(warning, quote);
    case 'permit_used':
    case 'permit_unused':
    case 'permit_unmatched':
    case 'permit_expired':
      return permitText(warning, quote);
    case 'off_affects':
      return offWarningText(warning, quote);
    case 'use_affected':
      return useText(warning, quote);
    case 'not_known':
      return notKnownText(warning);
    case 'target_unknown':
      return `--target ${quote(warning.key)} matches no declared or live flag.`;
  }
}

type KeyWarning = Extract<
  OtherWarning,
  {
    readonly code:
      | 'key_shared'
      | 'previous_key_live'
      | 'renamed_back'
      | 'renamed_away'
      | 'renamed_deleted'
      | 'retired_unknown'
      | 'deleted_unknown'
      | 'destroys_deleted';
  }
>;

/** The text about who has a key, or had it. */
function keyText(warning: KeyWarning, quote: Quote): string {
  switch (warning.code) {
    case 'key_shared':
      return `${quote(warning.key)}: several live flags have this key (ids ${warning.ids.join(', ')}). Only the first one is managed.`;
    case 'previous_key_live':
      return `${quote(warning.key)}: a flag with the previous key ${quote(warning.previous)} also exists (id ${warning.id}). It is left alone.`;
    case 'renamed_back':
      return `${quote(warning.key)}: ${nowCalled(warning, quote)}. ${warning.previous === undefined ? 'The plan renames it back' : `The plan renames it to ${quote(warning.key)}`}. To keep the new key, declare the flag as ${quote(warning.current)} with previous_keys: [${quote(warning.previous ?? warning.key)}].`;
    case 'renamed_away':
      return `${quote(warning.key)}: ${nowCalled(warning, quote)}, ${AWAY[warning.why]}. The plan creates another flag.${warning.why === 'differs' ? ` If it is the same flag, declare previous_keys: [${quote(warning.current)}].` : ''}`;
    case 'renamed_deleted':
      return `${quote(warning.key)}: ${nowCalled(warning, quote)}. The plan deletes it.`;
    case 'retired_unknown':
      return `${quote(warning.key)}: no flag has this key now, and whether one was renamed is unknown: ${UNKNOWN[warning.why]}. The plan deletes nothing.`;
    case 'deleted_unknown':
      return `${quote(warning.key)}: whether a flag had this key is unknown: ${UNKNOWN[warning.why]}. If it was soft-deleted, the create destroys it with its history; if it was renamed, the create makes a second flag.`;
    case 'destroys_deleted':
      return `${quote(warning.key)}: the rename to this key destroys the soft-deleted flag that has it (id ${warning.id}), with its history.`;
  }
}

type OthersWarning = Extract<
  OtherWarning,
  { readonly code: 'holdout_undeclared' | 'early_access_undeclared' | 'ownership_unpaired' }
>;

const HOLDOUT_WAY = 'Nothing needs to be done if an experiment decides it; else declare it under filters.';
const EARLY_WAY = 'Nothing needs to be done if early access decides it; else declare it under filters.';

/** The text about values that git does not decide. */
function othersText(warning: OthersWarning, quote: Quote): string {
  switch (warning.code) {
    case 'holdout_undeclared':
      return `${quote(warning.key)}: ${quote(`filters.${warning.part}`)} excludes ${warning.percent}% of all users, and no manifest declares it. ${HOLDOUT_WAY}`;
    case 'early_access_undeclared':
      return `${quote(warning.key)}: ${quote(`filters.${warning.part}`)} takes precedence over the conditions, and no manifest declares it. ${EARLY_WAY}`;
    case 'ownership_unpaired':
      return `${quote(warning.key)}: ${FLAG_LABELS.field(warning.path)} has values that others decide, but it is not clear which live one it is. It is written as declared.`;
  }
}

const GOVERNED =
  'While an approval policy is enabled for writes of flags, the service refuses the change without opening a change request: disable the policy first.';

/** How a plan treats a flag whose filters only the service writes, and the remedy. */
function opaqueText(warning: Extract<PlanWarning, { code: 'filters_opaque' | 'create_opaque' }>, quote: Quote): string {
  const format = `format version ${quote(warning.format)}`;
  if (warning.code === 'create_opaque') {
    return `${quote(warning.key)}: its declared filters have ${format}, which only the service can create. The plan leaves the flag out. Create it in PostHog, or declare conditions.`;
  }
  const { omitted, uncertain, gated = [] } = warning;
  const left = `The plan leaves out what differs in ${keysText(omitted, quote)}. Change it in PostHog and export the flag again, or remove it from the manifest.`;
  const refused = `The service may refuse to change ${keysText(uncertain, quote)}.`;
  const fact = `${quote(warning.key)}: its filters have ${format}, which only PostHog writes.`;
  const ids = 'Keep the id of each rule there: a rule without its id is a new one, which assigns everybody anew.';
  return [
    fact,
    ...(omitted.length === 0 ? [] : [left]),
    ...(omitted.includes('filters') ? [ids] : []),
    ...(uncertain.length === 0 ? [] : [refused]),
    ...(gated.length === 0 ? [] : [GOVERNED]),
  ].join(' ');
}

function permitText(warning: PermitWarning, quote: Quote): string {
  switch (warning.code) {
    case 'permit_used':
      return `${permitSource(warning, quote)} allows what ${rulesText(warning.rules)} would refuse, until ${warning.expires}: ${quote(warning.reason)}`;
    case 'permit_unused':
      return `${permitSource(warning, quote)} has no effect on this plan. Remove it once it has served its purpose.`;
    case 'permit_unmatched':
      return `${permitSource(warning, quote)} matches no declared or live flag, so it allows nothing.`;
    case 'permit_expired':
      return `${permitSource(warning, quote)} expired on ${warning.expires} and allows nothing. Remove it, or have a new one reviewed.`;
  }
}

/** `The permit for risky search (permits.yaml:3:5)`. */
function permitSource({ permit, source }: PermitWarning, quote: Quote): string {
  const place = `${source.file}:${source.line}:${source.column}`;
  return `The permit ${quote(`${permit.kind}: ${permit.value}`)} (${quote(place)})`;
}

function rulesText(rules: readonly string[]): string {
  return `${rules.length === 1 ? 'the rule' : 'the rules'} ${rules.join(', ')}`;
}

/** The flag that had the key, and its current key. */
function nowCalled(
  {
    id,
    current,
    since,
    previous,
  }: { readonly id: ResourceId; readonly current: string; readonly since?: string; readonly previous?: string },
  quote: Quote,
): string {
  const had = previous === undefined ? 'with this key' : `that had its previous key ${quote(previous)}`;
  const time = since === undefined ? '' : ` since ${quote(timeText(since))}`;
  return `the flag ${had} (id ${id}) has the key ${quote(current)} in the service${time}`;
}

const AWAY: Readonly<Record<Extract<PlanWarning, { code: 'renamed_away' }>['why'], string>> = {
  declared: 'which the manifests name too',
  differs: 'and it differs from what is declared',
};

const UNKNOWN: Readonly<Record<Extract<PlanWarning, { code: 'deleted_unknown' }>['why'], string>> = {
  forbidden: 'the API key may not read the activity log (scope activity_log:read)',
  failed: 'the activity log could not be read',
  not_read: 'the snapshot does not say',
  too_long: 'only the newest 1,000 entries of the activity log were read',
};

/** One sentence for all flags with this warning, or `undefined` if each flag has its own sentence. */
export function foldedWarningText(
  code: PlanWarning['code'],
  keys: readonly string[],
  quote: Quote = quoteShort,
): string | undefined {
  if (code === 'deleted_unknown') {
    return `Whether flags had the keys of ${count(keys.length, 'new flag')} (${keysText(keys, quote)}) is unknown: the activity log could not be read completely. The creates destroy those that were soft-deleted, with their history, and make second flags of those that were renamed.`;
  }
  const flags = `${count(keys.length, 'flag')}: ${keysText(keys, quote)}.`;
  if (code === 'holdout_undeclared')
    return `Holdouts that no manifest declares exclude users from ${flags} ${HOLDOUT_WAY}`;
  if (code === 'early_access_undeclared') {
    return `Early access that no manifest declares takes precedence over the conditions of ${flags} ${EARLY_WAY}`;
  }
  return foldedAccessText(code, flags);
}

/** What could not be read, why, and what follows. */
export function notKnownText({ key, why }: Pick<NotKnown, 'key' | 'why'>): string {
  const failed = 'the request failed';
  if (key === 'schedules') {
    const cause = 'the API key may not read them (scope feature_flag:read; services before autumn 2026 let no key)';
    return `Scheduled changes of the service are not known: ${why === 'forbidden' ? cause : failed}.`;
  }
  const cause = why === 'forbidden' ? 'the API key may not read them' : failed;
  return `Change requests of the service are not known: ${cause}. The steps that an earlier run requested there wait, since they may have been rejected.`;
}

const ACCESS_REFUSED = 'the service does not let the owner of the API key read who has access to';
const SCOPE_REMEDY = 'Give the key the scope access_control:read, and access_control:write to apply.';
const ACCESS_UNREAD =
  'The access that the manifests declare is left out of this plan. A snapshot that is taken once they are merged has it.';
const ACCESS_UNPAID =
  "the organization does not have PostHog's paid feature role-based access, so the plan leaves the levels of roles out. Add the feature, or remove role_access and access from the manifests.";

function accessWarningText(warning: AccessWarning, quote: Quote): string {
  const key = quote(warning.key);
  switch (warning.code) {
    case 'access_refused': {
      const said = warning.detail === undefined ? '' : ` (${quote(warning.detail)})`;
      return `${ACCESS_REFUSED} ${key}${said}. The plan leaves its access out. ${SCOPE_REMEDY}`;
    }
    case 'access_unread':
      return `the snapshot does not say who has access to ${key}. ${ACCESS_UNREAD}`;
    case 'access_unpaid':
      return `${key}: ${ACCESS_UNPAID}`;
    case 'access_fixed':
      return `${key}: the owner of the API key may not change who has access to this flag. The service will refuse the change.`;
    case 'access_locked':
      return `${key}: Terraform manages the access of ${warning.subjects.join(', ')}, and the project lets nobody else change it (${warning.setting}), so the plan leaves it out. Change it in Terraform, or turn the setting off in PostHog.`;
    case 'access_of_members':
      return `${key}: ${count(warning.members, 'level')} of single members, which no manifest manages. Nothing changes there.`;
  }
}

/** `flags` ends the sentence. */
function foldedAccessText(code: PlanWarning['code'], flags: string): string | undefined {
  if (code === 'access_refused') return `${ACCESS_REFUSED} ${flags} The plan leaves their access out. ${SCOPE_REMEDY}`;
  if (code === 'access_unread') return `the snapshot does not say who has access to ${flags} ${ACCESS_UNREAD}`;
  if (code === 'access_unpaid') return `${ACCESS_UNPAID} It concerns ${flags}`;
  if (code === 'access_of_members')
    return `single members have levels, which no manifest manages and which stay, on ${flags}`;
  return undefined;
}

function isAccessWarning(warning: PlanWarning): warning is AccessWarning {
  return ACCESS_CODES.some((code) => code === warning.code);
}

const ACCESS_CODES: readonly AccessWarning['code'][] = [
  'access_refused',
  'access_unread',
  'access_unpaid',
  'access_fixed',
  'access_locked',
  'access_of_members',
];

type WarningOfCohort = KindTypes['cohort']['warning'];

export function isCohortWarning(warning: PlanWarning): warning is WarningOfCohort {
  return warning.code in COHORT_TEXTS;
}

export function cohortWarningText(warning: WarningOfCohort, quote: Quote): string {
  const text = COHORT_TEXTS[warning.code] as (warning: WarningOfCohort, quote: Quote) => string;
  return `${quote(warning.key)}: ${text(warning, quote)}`;
}

type CohortTexts = {
  readonly [Code in WarningOfCohort['code']]: (
    warning: Extract<WarningOfCohort, { code: Code }>,
    quote: Quote,
  ) => string;
};

const COHORT_TEXTS: CohortTexts = {
  cohort_flags: ({ action, flags }, quote) =>
    `${WRITES[action]} this cohort concerns ${count(flags.length, 'flag')} with conditions on it: ${keysText(flags, quote)}.`,
  cohort_calculating: ({ cohort }, quote) =>
    `it gets conditions on the cohort ${quote(cohort)}, whose members are still being computed then.`,
  cohort_renamed: (warning, quote) =>
    `${nowNamed(warning, quote)}. The plan gives it the declared name again. To keep the new one, declare it as \`name\`, and the old one under \`previous_names\`.`,
  cohort_renamed_away: (warning, quote) =>
    `${nowNamed(warning, quote)}, ${COHORT_AWAY[warning.why]}. The plan creates another cohort.${warning.why === 'differs' ? ` If it is the same cohort, declare previous_names: [${quote(warning.current)}], or its id in flagwright.yaml.` : ''}`,
  cohort_renamed_deleted: (warning, quote) => `${nowNamed(warning, quote)}. The plan deletes it.`,
  cohort_previous_live: ({ previous, id }, quote) =>
    `another cohort is named ${quote(previous)}, as this one was before (id ${id}). It is left alone. If it is the intended one, declare its id in flagwright.yaml.`,
  cohort_retired_unknown: ({ why }) =>
    `no cohort has its name now, and whether one was renamed is unknown: ${COHORT_UNKNOWN[why]}. The plan deletes nothing.`,
  cohort_former_unknown: ({ why }) =>
    `no cohort has its name now, and whether one was renamed is unknown: ${COHORT_UNKNOWN[why]}. The plan creates another one. If it was renamed, declare its id in flagwright.yaml or its name under \`previous_names\`.`,
  cohort_static: ({ id }) =>
    `the cohort of the project (id ${id}) is static, a list of persons. It is left alone: only dynamic cohorts can be declared.`,
  cohort_name_shared: sharedText,
  cohort_behavioral: ({ flags }, quote) =>
    `its definition depends on events, and flags use it (${keysText(flags, quote)}). The service will refuse the change.`,
};

type SharedName = Extract<WarningOfCohort, { code: 'cohort_name_shared' }>;

/** The uses of several cohorts of one name, and how to merge them. The one that most flags use is kept. */
function sharedText({ key, name, cohorts, held }: SharedName, quote: Quote): string {
  const uses = cohorts.map(
    ({ id, flags }) => `id ${id} (${flags.length === 0 ? 'no flag uses it' : `used by ${keysText(flags, quote)}`})`,
  );
  const most = Math.max(...cohorts.map(({ flags }) => flags.length));
  const kept = cohorts.find(({ flags }) => flags.length === most)?.id ?? 0;
  const others = cohorts.flatMap(({ id }) => (id === kept ? [] : id));
  const alias = quote(readName(key).key);
  return [
    `${count(cohorts.length, 'cohort')} of the project are named ${quote(name)}: ${uses.join(', ')}. The plan leaves them alone${held.length === 0 ? '' : `, and what names them in ${keysText(held, quote)}`}.`,
    `To merge them, add \`${alias}: ${kept}\` under \`projects.*.cohorts\` in flagwright.yaml and apply: the declared flags then use that one.`,
    `Then delete the other (id ${others.join(', ')}) in PostHog, once no other flag uses it.`,
  ].join(' ');
}

const WRITES: Readonly<Record<Extract<WarningOfCohort, { code: 'cohort_flags' }>['action'], string>> = {
  create: 'creating',
  update: 'changing',
  restore: 'restoring',
  delete: 'deleting',
};

type RenamedCohort = Extract<
  WarningOfCohort,
  { code: 'cohort_renamed' | 'cohort_renamed_away' | 'cohort_renamed_deleted' }
>;

function nowNamed({ id, current, since }: RenamedCohort, quote: Quote): string {
  return `the cohort with this name is now named ${quote(current)} in the service (id ${id}${since === undefined ? '' : `, since ${timeText(since)}`})`;
}

const COHORT_AWAY: Readonly<Record<'declared' | 'differs', string>> = {
  declared: 'which is declared under another alias',
  differs: 'and it is not as declared otherwise',
};

const COHORT_UNKNOWN: Readonly<Record<Extract<WarningOfCohort, { code: 'cohort_former_unknown' }>['why'], string>> = {
  forbidden: 'the API key may not read the activity log (scope activity_log:read)',
  failed: 'the activity log could not be read',
  not_read: 'the snapshot does not say',
  too_long: 'the activity log is too long',
};

type NotEnabled = Extract<PlanWarning, { readonly code: 'not_enabled' }>;

/** `checkout is disabled: change request 7 of ann@example.org asks to enable it, and waits for approval (https://…).` */
function notEnabledText(warning: NotEnabled, quote: Quote): string {
  const page = warning.url === undefined ? '' : ` (${quote(warning.url)})`;
  const fact = `${quote(warning.key)} is disabled: change request ${quote(warning.request)}${STATES[warning.state](warning, quote)}${page}.`;
  if (warning.state === 'open') return fact;
  return `${fact} The manifests do not decide active, so apply does not ask for it: declare active: true to ask, or active: false to keep it disabled.`;
}

const STATES: Readonly<Record<NotEnabled['state'], (warning: NotEnabled, quote: Quote) => string>> = {
  open: ({ by }, quote) => `${by === undefined ? '' : ` of ${quote(by)}`} asks to enable it, and waits for approval`,
  rejected: ({ by, reason }, quote) => ` asked to enable it, and was rejected${detailText(by, reason, quote)}`,
  withdrawn: ({ by, reason }, quote) => ` asked to enable it, and was withdrawn${detailText(by, reason, quote)}`,
  failed: ({ reason }, quote) =>
    ` asked to enable it, and was approved, but the service could not make the change${detailText(undefined, reason, quote)}`,
  expired: () => ' asked to enable it, and expired',
  not_requested: () => ' created it so, and nobody asked to enable it since',
};

function detailText(by: string | undefined, reason: string | undefined, quote: Quote): string {
  return `${by === undefined ? '' : ` by ${quote(by)}`}${reason === undefined ? '' : ` (${quote(reason)})`}`;
}

/** `Schedule 12 changes search on 2026-12-01 09:00:00 UTC (turns it on, weekly).` */
export function scheduleText({ key, id, at, operation, value, repeats }: ScheduleFacts, quote: Quote): string {
  const what = operationText(operation, value, quote);
  const parts = repeats === undefined ? what : `${what}, ${quote(repeats)}`;
  return `Schedule ${id} changes ${quote(key)} on ${quote(timeText(at))} (${parts}).`;
}

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['add_release_condition', 'adds conditions'],
  ['update_variants', 'replaces its variants'],
]);

/** An operation of a service to come is named as it is. */
function operationText(operation: string, value: boolean | undefined, quote: Quote): string {
  if (operation === 'update_status' && value !== undefined) return value ? 'turns it on' : 'turns it off';
  return OPERATIONS.get(operation) ?? quote(operation);
}
