/** The sentences for the warnings about cohorts. */

import type { Quote } from '../../engine/labels.ts';
import type { CohortWarning, PlanWarning } from '../../posthog/plan.ts';
import { count } from './count.ts';
import { keysText } from './lists.ts';
import { timeText } from './time.ts';
import { readName } from '../../posthog/resource-name.ts';

export function isCohortWarning(warning: PlanWarning): warning is CohortWarning {
  return warning.code in TEXTS;
}

export function cohortWarningText(warning: CohortWarning, quote: Quote): string {
  const text = TEXTS[warning.code] as (warning: CohortWarning, quote: Quote) => string;
  return `${quote(warning.key)}: ${text(warning, quote)}`;
}

type Texts = {
  readonly [Code in CohortWarning['code']]: (warning: Extract<CohortWarning, { code: Code }>, quote: Quote) => string;
};

const TEXTS: Texts = {
  cohort_flags: ({ action, flags }, quote) =>
    `${WRITES[action]} this cohort concerns ${count(flags.length, 'flag')} with conditions on it: ${keysText(flags, quote)}.`,
  cohort_calculating: ({ cohort }, quote) =>
    `it gets conditions on the cohort ${quote(cohort)}, whose members are still being computed then.`,
  cohort_renamed: (warning, quote) =>
    `${nowNamed(warning, quote)}. The plan gives it the declared name again. To keep the new one, declare it as \`name\`, and the old one under \`previous_names\`.`,
  cohort_renamed_away: (warning, quote) =>
    `${nowNamed(warning, quote)}, ${AWAY[warning.why]}. The plan creates another cohort.${warning.why === 'differs' ? ` If it is the same cohort, declare previous_names: [${quote(warning.current)}], or its id in flagwright.yaml.` : ''}`,
  cohort_renamed_deleted: (warning, quote) => `${nowNamed(warning, quote)}. The plan deletes it.`,
  cohort_previous_live: ({ previous, id }, quote) =>
    `another cohort is named ${quote(previous)}, as this one was before (id ${id}). It is left alone. If it is the one that is meant, declare its id in flagwright.yaml.`,
  cohort_retired_unknown: ({ why }) =>
    `no cohort has its name any more, and whether one was renamed is unknown: ${UNKNOWN[why]}. The plan deletes nothing.`,
  cohort_former_unknown: ({ why }) =>
    `no cohort has its name any more, and whether one was renamed is unknown: ${UNKNOWN[why]}. The plan creates another one. If it was renamed, declare its id in flagwright.yaml or its name under \`previous_names\`.`,
  cohort_static: ({ id }) =>
    `the cohort of the project (id ${id}) is static, a list of persons. It is left alone: only dynamic cohorts can be declared.`,
  cohort_name_shared: sharedText,
  cohort_behavioral: ({ flags }, quote) =>
    `its definition depends on events, and flags use it (${keysText(flags, quote)}). The service will refuse the change.`,
};

type SharedName = Extract<CohortWarning, { code: 'cohort_name_shared' }>;

/** What several cohorts of one name are used for, and how to make one of them. The one that most flags use is kept. */
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

const WRITES: Readonly<Record<Extract<CohortWarning, { code: 'cohort_flags' }>['action'], string>> = {
  create: 'creating',
  update: 'changing',
  restore: 'restoring',
  delete: 'deleting',
};

type Renamed = Extract<CohortWarning, { code: 'cohort_renamed' | 'cohort_renamed_away' | 'cohort_renamed_deleted' }>;

function nowNamed({ id, current, since }: Renamed, quote: Quote): string {
  return `the cohort with this name is now named ${quote(current)} in the service (id ${id}${since === undefined ? '' : `, since ${timeText(since)}`})`;
}

const AWAY: Readonly<Record<'declared' | 'differs', string>> = {
  declared: 'which is declared under another alias',
  differs: 'and it is not as declared otherwise',
};

const UNKNOWN: Readonly<Record<Extract<CohortWarning, { code: 'cohort_former_unknown' }>['why'], string>> = {
  forbidden: 'the API key may not read the activity log (scope activity_log:read)',
  failed: 'the activity log could not be read',
  not_read: 'the snapshot does not tell',
  too_long: 'the activity log is too long',
};
