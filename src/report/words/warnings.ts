/** The sentences for the warnings of a plan. */

import type { NotKnown } from '../../loop/apply/result.ts';
import { type Quote, readName } from '../../posthog/names/resource-name.ts';
import type { ResourceId } from '../../core/engine/snapshot.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import type { UseAffected } from '../../posthog/flag/change.ts';
import type { ScheduleFacts } from '../../posthog/flag/schedules.ts';
import type { PlanWarning } from '../../posthog/plan.ts';
import { quoteShort } from '../escape.ts';
import { textOf, type TextsFor } from '../phrase.ts';
import { count, experimentsText, keysText, timeText } from './amounts.ts';

export function warningText(warning: PlanWarning, quote: Quote = quoteShort): string {
  return textOf(WARNINGS, 'code')(warning, quote);
}

const LEFT_ALONE = 'flagwright leaves this alone; to manage it, declare it under filters.';

const ACCESS_REFUSED = 'the API key cannot read who has access to';
const SCOPE_REMEDY = 'Give the key the scope access_control:read, and access_control:write to apply.';
const ACCESS_UNREAD =
  'This plan cannot write the access that the manifests declare. A snapshot taken after the merge includes it.';
const ACCESS_UNPAID =
  "the organization does not have PostHog's paid feature role-based access, so the plan leaves the levels of roles out. Add the feature, or remove role_access and access from the manifests.";

const WARNINGS: TextsFor<PlanWarning> = {
  cannot_edit: ({ key }, quote) =>
    `${quote(key)}: the user of the API key cannot edit this flag, so the change will fail.`,
  experiments_linked: ({ key, experiments }, quote) =>
    `${quote(key)}: the flag is linked to ${experimentsText(experiments)}. PostHog may refuse to delete it while one of them is running.`,
  dependents_remain: ({ key, dependents }, quote) =>
    `${quote(key)}: active flags still depend on it (${keysText(dependents, quote)}). For their conditions, it will be off.`,
  dependency_missing: ({ key, dependency }, quote) =>
    `${quote(key)}: it depends on ${quote(dependency)}, which is neither in the manifests nor in the project.`,
  dependency_disabled: ({ key, dependency }, quote) =>
    `${quote(key)}: it depends on ${quote(dependency)}, which is not active. The service may refuse the change.`,
  field_unsupported: ({ key, field }, quote) =>
    `${quote(key)}: the service has no field ${quote(field)}. The plan leaves it out.`,
  filters_opaque: opaqueText,
  create_opaque: opaqueText,
  unarchives: ({ key }, quote) => `${quote(key)}: the flag is archived in the service. The plan unarchives it.`,
  key_shared: ({ key, ids }, quote) =>
    `${quote(key)}: several live flags have this key (ids ${ids.join(', ')}). Only the first one is managed.`,
  previous_key_live: ({ key, previous, id }, quote) =>
    `${quote(key)}: a flag with the previous key ${quote(previous)} also exists (id ${id}). It is not changed.`,
  renamed_back: (warning, quote) =>
    `${quote(warning.key)}: ${nowCalled(warning, quote)}. ${warning.previous === undefined ? 'The plan renames it back' : `The plan renames it to ${quote(warning.key)}`}. To keep the new key, declare the flag as ${quote(warning.current)} with previous_keys: [${quote(warning.previous ?? warning.key)}].`,
  renamed_away: (warning, quote) =>
    `${quote(warning.key)}: ${nowCalled(warning, quote)}, ${AWAY[warning.why]}. The plan creates another flag.${warning.why === 'differs' ? ` If it is the same flag, declare previous_keys: [${quote(warning.current)}].` : ''}`,
  renamed_deleted: (warning, quote) => `${quote(warning.key)}: ${nowCalled(warning, quote)}. The plan deletes it.`,
  retired_unknown: ({ key, why }, quote) =>
    `${quote(key)}: no flag has this key now, and whether one was renamed is unknown: ${UNKNOWN[why]}. The plan deletes nothing.`,
  turned_off: ({ key, at, by }, quote) =>
    `${quote(key)}: ${by === undefined ? 'somebody' : quote(by)} turned it off in PostHog on ${timeText(at)}, and the plan turns it on again. No apply is recorded here, so whether git has changed it since is unknown.`,
  deleted_unknown: ({ key, why }, quote) =>
    `${quote(key)}: whether a flag had this key is unknown: ${UNKNOWN[why]}. If it was soft-deleted, creating it destroys the old flag with its history; if it was renamed, creating it makes a second flag.`,
  destroys_deleted: ({ key, id }, quote) =>
    `${quote(key)}: the rename to this key destroys the soft-deleted flag that has it (id ${id}), with its history.`,
  named_elsewhere: ({ key, id }, quote) =>
    `${quote(key)}: the flag exists in this project (id ${id}), but the manifests declare it only for other projects. It is not changed.`,
  payloads_encrypted: ({ key }, quote) =>
    `${quote(key)}: its encrypted payloads change. They are never written to a file, so a saved plan with this change cannot be applied.`,
  protected_unmatched: ({ key }, quote) =>
    `protected: ${quote(key)} matches no declared or live flag, so it protects nothing.`,
  holdout_undeclared: ({ key, part, percent }, quote) =>
    `${quote(key)}: ${quote(`filters.${part}`)} excludes ${percent}% of all users, and no manifest declares it. ${LEFT_ALONE}`,
  early_access_undeclared: ({ key, part }, quote) =>
    `${quote(key)}: ${quote(`filters.${part}`)} overrides the conditions, and no manifest declares it. ${LEFT_ALONE}`,
  ownership_unpaired: ({ key, path }, quote) =>
    `${quote(key)}: ${FLAG_LABELS.field(path)} has values that others decide, but it is not clear which live one it is. It is written as declared.`,
  off_affects: offWarningText,
  use_affected: useText,
  not_known: notKnownText,
  target_unknown: ({ key }, quote) => `--target ${quote(key)} matches no declared or live flag.`,
  scheduled: scheduleText,
  not_enabled: notEnabledText,
  access_refused: ({ key, detail }, quote) =>
    `${ACCESS_REFUSED} ${quote(key)}${detail === undefined ? '' : ` (${quote(detail)})`}. The plan leaves its access out. ${SCOPE_REMEDY}`,
  access_unread: ({ key }, quote) => `the snapshot does not say who has access to ${quote(key)}. ${ACCESS_UNREAD}`,
  access_unpaid: ({ key }, quote) => `${quote(key)}: ${ACCESS_UNPAID}`,
  access_fixed: ({ key }, quote) =>
    `${quote(key)}: the user of the API key cannot change who has access to this flag, so the change will fail.`,
  access_locked: ({ key, subjects, setting }, quote) =>
    `${quote(key)}: Terraform manages the access of ${subjects.join(', ')}, and the project lets nobody else change it (${setting}), so the plan leaves it out. Change it in Terraform, or turn the setting off in PostHog.`,
  access_of_members: ({ key, members }, quote) =>
    `${quote(key)}: ${count(members, 'level')} of individual members, which manifests do not manage. They stay as they are.`,
  cohort_flags: ({ key, flags }, quote) =>
    `${quote(key)}: conditions of ${count(flags.length, 'flag')} use this cohort: ${keysText(flags, quote)}.`,
  cohort_calculating: ({ key, cohort }, quote) =>
    `${quote(key)}: its new conditions use the cohort ${quote(cohort)}, whose members PostHog will still be calculating.`,
  cohort_renamed: (warning, quote) =>
    `${nowNamed(warning, quote)}. The plan restores the declared name. To keep the new one, declare it as \`name\`, and the old one under \`previous_names\`.`,
  cohort_renamed_away: (warning, quote) =>
    `${nowNamed(warning, quote)}, ${COHORT_AWAY[warning.why]}. The plan creates another cohort.${warning.why === 'differs' ? ` If it is the same cohort, declare previous_names: [${quote(warning.current)}], or its id in flagwright.yaml.` : ''}`,
  cohort_renamed_deleted: (warning, quote) => `${nowNamed(warning, quote)}. The plan deletes it.`,
  cohort_previous_live: ({ key, previous, id }, quote) =>
    `${quote(key)}: another cohort is named ${quote(previous)}, as this one was before (id ${id}). It is not changed. If it is the intended one, declare its id in flagwright.yaml.`,
  cohort_retired_unknown: ({ key, why }, quote) =>
    `${quote(key)}: no cohort has its name now, and whether one was renamed is unknown: ${COHORT_UNKNOWN[why]}. The plan deletes nothing.`,
  cohort_former_unknown: ({ key, why }, quote) =>
    `${quote(key)}: no cohort has its name now, and whether one was renamed is unknown: ${COHORT_UNKNOWN[why]}. The plan creates another one. If it was renamed, declare its id in flagwright.yaml or its name under \`previous_names\`.`,
  cohort_static: ({ key, id }, quote) =>
    `${quote(key)}: the cohort of the project (id ${id}) is static (a list of persons). flagwright cannot manage it: only dynamic cohorts can be declared.`,
  cohort_name_shared: sharedText,
  cohort_behavioral: ({ key, flags }, quote) =>
    `${quote(key)}: its definition depends on events, and flags use it (${keysText(flags, quote)}). The service will refuse the change.`,
};

const GOVERNED =
  'While an approval policy is enabled for writes of flags, the service refuses the change without opening a change request: disable the policy first.';

/** How a plan treats a flag whose filters only the service writes, and the remedy. */
function opaqueText(warning: Extract<PlanWarning, { code: 'filters_opaque' | 'create_opaque' }>, quote: Quote): string {
  const format = `format version ${quote(warning.format)}`;
  if (warning.code === 'create_opaque') {
    return `${quote(warning.key)}: its declared filters have ${format}, which only the service can create. No plan can write the flag. Create it in PostHog, or declare conditions.`;
  }
  const { omitted, uncertain, gated = [] } = warning;
  const left = `No plan can write what differs in ${keysText(omitted, quote)}. Change it in PostHog and export the flag again, or remove it from the manifest.`;
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

function nowCalled(
  renamed: { readonly id: ResourceId; readonly current: string; readonly since?: string; readonly previous?: string },
  quote: Quote,
): string {
  const { id, current, since, previous } = renamed;
  const had = previous === undefined ? 'with this key' : `that had its previous key ${quote(previous)}`;
  const time = since === undefined ? '' : ` since ${quote(timeText(since))}`;
  return `the flag ${had} (id ${id}) has the key ${quote(current)} in the service${time}`;
}

const AWAY: Readonly<Record<Extract<PlanWarning, { code: 'renamed_away' }>['why'], string>> = {
  declared: 'which the manifests name too',
  differs: 'and it differs from what is declared',
};

const UNKNOWN: Readonly<Record<Extract<PlanWarning, { code: 'deleted_unknown' }>['why'], string>> = {
  forbidden: 'the API key cannot read the activity log (scope activity_log:read)',
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
    return `Whether flags had the keys of ${count(keys.length, 'new flag')} (${keysText(keys, quote)}) is unknown: the activity log could not be read completely. Creating them destroys those that were soft-deleted, with their history, and duplicates those that were renamed.`;
  }
  const flags = `${count(keys.length, 'flag')}: ${keysText(keys, quote)}.`;
  if (code === 'holdout_undeclared') return `Holdouts are set in PostHog for ${flags} ${LEFT_ALONE}`;
  if (code === 'early_access_undeclared') {
    return `Early access in PostHog also controls ${flags} ${LEFT_ALONE}`;
  }
  // `flags` ends the sentence.
  if (code === 'access_refused') return `${ACCESS_REFUSED} ${flags} The plan leaves their access out. ${SCOPE_REMEDY}`;
  if (code === 'access_unread') return `the snapshot does not say who has access to ${flags} ${ACCESS_UNREAD}`;
  if (code === 'access_unpaid') return `${ACCESS_UNPAID} It concerns ${flags}`;
  if (code === 'access_of_members') {
    return `individual members have levels, which manifests do not manage and which stay, on ${flags}`;
  }
  return undefined;
}

export function notKnownText({ key, why }: Pick<NotKnown, 'key' | 'why'>): string {
  const failed = 'the request failed';
  if (key === 'schedules') {
    const cause =
      why === 'forbidden'
        ? 'the API key cannot read them (scope feature_flag:read; services before autumn 2026 let no key).'
        : `${failed}. Steps of rollouts that are due wait for the next run, since one may meet such a change.`;
    return `Scheduled changes of the service are not known: ${cause}`;
  }
  const cause = why === 'forbidden' ? 'the API key cannot read them' : failed;
  return `Change requests of the service are not known: ${cause}. The steps that an earlier run requested there wait, since they may have been rejected.`;
}

/** The uses of several cohorts of one name, and how to merge them. The one that most flags use is kept. */
function sharedText(
  { key, name, cohorts, held }: Extract<PlanWarning, { code: 'cohort_name_shared' }>,
  quote: Quote,
): string {
  const uses = cohorts.map(
    ({ id, flags }) => `id ${id} (${flags.length === 0 ? 'no flag uses it' : `used by ${keysText(flags, quote)}`})`,
  );
  const most = Math.max(...cohorts.map(({ flags }) => flags.length));
  const kept = cohorts.find(({ flags }) => flags.length === most)?.id ?? 0;
  const others = cohorts.flatMap(({ id }) => (id === kept ? [] : id));
  const alias = quote(readName(key).key);
  return [
    `${quote(key)}: ${count(cohorts.length, 'cohort')} of the project are named ${quote(name)}: ${uses.join(', ')}. No plan can write them${held.length === 0 ? '' : `, nor what names them in ${keysText(held, quote)}`}.`,
    `To merge them, add \`${alias}: ${kept}\` under \`projects.*.cohorts\` in flagwright.yaml and apply: the declared flags then use that one.`,
    `Then delete the other (id ${others.join(', ')}) in PostHog, once no other flag uses it.`,
  ].join(' ');
}

function nowNamed(
  warning: { readonly key: string; readonly id: ResourceId; readonly current: string; readonly since?: string },
  quote: Quote,
): string {
  const { key, id, current, since } = warning;
  return `${quote(key)}: the cohort with this name is now named ${quote(current)} in the service (id ${id}${since === undefined ? '' : `, since ${timeText(since)}`})`;
}

const COHORT_AWAY: Readonly<Record<'declared' | 'differs', string>> = {
  declared: 'which is declared under another alias',
  differs: 'and it is not as declared otherwise',
};

const COHORT_UNKNOWN = { ...UNKNOWN, too_long: 'the activity log is too long' };

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
  // An operation of a service to come is named as it is.
  const isSwitch = operation === 'update_status' && value !== undefined;
  const what = isSwitch ? (value ? 'turns it on' : 'turns it off') : (OPERATIONS.get(operation) ?? quote(operation));
  const parts = repeats === undefined ? what : `${what}, ${quote(repeats)}`;
  return `Schedule ${id} changes ${quote(key)} on ${quote(timeText(at))} (${parts}).`;
}

const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ['add_release_condition', 'adds conditions'],
  ['update_variants', 'replaces its variants'],
]);

function offWarningText(warning: Extract<PlanWarning, { code: 'off_affects' }>, quote: Quote): string {
  const { key, encrypted, format } = warning;
  const parts = [
    ...(encrypted === undefined
      ? []
      : ['its encrypted payloads stay as they are, and nobody gets them while it is off']),
    ...(format === undefined
      ? []
      : [
          `its filters have format version ${quote(format)}, so the service refuses this while an approval policy is enabled for writes of flags, and opens no change request (disable the policy first); only a project that PostHog has opened for the format can turn it on again`,
        ]),
  ];
  return `${quote(key)}: ${parts.join('; ')}.`;
}

function useText(warning: UseAffected, quote: Quote): string {
  const { key, action, experiments = [], linked = [], surveys = [], replay, enrollment } = warning;
  const [runs, gets] = experiments.length === 1 ? ['runs', 'gets'] : ['run', 'get'];
  const parts = [
    ...(experiments.length === 0 ? [] : [`${experimentsText(experiments)} ${runs} on it${EXPERIMENTS[action](gets)}`]),
    ...(linked.length === 0
      ? []
      : [
          `it is linked to ${experimentsText(linked)}, and PostHog does not say whether ${linked.length === 1 ? 'it runs' : 'they run'}`,
        ]),
    ...(surveys.length === 0
      ? []
      : [
          `${surveys.length === 1 ? 'the survey' : 'the surveys'} ${keysText(surveys, quote)} ${surveys.length === 1 ? 'is' : 'are'} shown only to people who have this flag, so to nobody`,
        ]),
    ...(replay === undefined ? [] : [`the settings of session replay name it${REPLAY[action] ?? ''}`]),
    ...(enrollment === undefined ? [] : ['people who enrolled under its former key are no longer enrolled']),
  ];
  return `${quote(key)}: ${parts.join('; ')}.`;
}

const EXPERIMENTS: Readonly<Record<UseAffected['action'], (gets: string) => string>> = {
  disable: (gets) => ` and ${gets} no new people`,
  delete: () => '',
  rename: () => ': everyone is reassigned under the new key',
  shares: () => ': its variants get other shares',
};

const REPLAY: Readonly<Partial<Record<UseAffected['action'], string>>> = {
  disable: ', so nobody is recorded because of it',
  rename: ' by its former key',
};
