/** The sentences for the warnings of a plan. */

import type { NotKnown } from '../../apply/result.ts';
import type { ResourceId } from '../../engine/snapshot.ts';
import type { KindTypes } from '../../posthog/kind-types.ts';
import type { PlanWarning } from '../../posthog/plan.ts';
import type { Quote } from '../../engine/labels.ts';
import { FLAG_LABELS } from '../../posthog/flag/labels.ts';
import type { PermitWarning } from '../../engine/plan.ts';
import { quoteShort } from '../escape.ts';
import {
  accessWarningText,
  foldedAccessText,
  isAccessWarning,
  cohortWarningText,
  isCohortWarning,
  notEnabledText,
  scheduleText,
} from './resource-warnings.ts';
import { count, experimentsText, keysText } from './amounts.ts';
import { timeText } from './times.ts';
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
