/** Sentences for warnings about access, cohorts, flags whose enabling waits for an approval, and scheduled changes. */

import type { ScheduleFacts } from '../../posthog/flag/schedules.ts';
import type { Quote } from '../../engine/labels.ts';
import type { KindTypes } from '../../posthog/kind-types.ts';
import type { AccessWarning, PlanWarning } from '../../posthog/plan.ts';
import { count, keysText } from './amounts.ts';
import { readName } from '../../posthog/names/resource-name.ts';
import { timeText } from './times.ts';

const ACCESS_REFUSED = 'the service does not let the owner of the API key read who has access to';
const SCOPE_REMEDY = 'Give the key the scope access_control:read, and access_control:write to apply.';
const ACCESS_UNREAD =
  'The access that the manifests declare is left out of this plan. A snapshot that is taken once they are merged has it.';
const ACCESS_UNPAID =
  "the organization does not have PostHog's paid feature role-based access, so the plan leaves the levels of roles out. Add the feature, or remove role_access and access from the manifests.";

export function accessWarningText(warning: AccessWarning, quote: Quote): string {
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
export function foldedAccessText(code: PlanWarning['code'], flags: string): string | undefined {
  if (code === 'access_refused') return `${ACCESS_REFUSED} ${flags} The plan leaves their access out. ${SCOPE_REMEDY}`;
  if (code === 'access_unread') return `the snapshot does not say who has access to ${flags} ${ACCESS_UNREAD}`;
  if (code === 'access_unpaid') return `${ACCESS_UNPAID} It concerns ${flags}`;
  if (code === 'access_of_members')
    return `single members have levels, which no manifest manages and which stay, on ${flags}`;
  return undefined;
}

export function isAccessWarning(warning: PlanWarning): warning is AccessWarning {
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
export function notEnabledText(warning: NotEnabled, quote: Quote): string {
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
