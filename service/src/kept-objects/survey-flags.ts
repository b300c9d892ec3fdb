/** The flags that the service makes of a survey: who it is for, and who has not seen it yet. Lists of flags leave them out. */

import { plainText } from '../../../src/base/json-text.ts';
import { arrayOrEmpty, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import { minimalFlag } from '../flag-values/minimal-flag.ts';
import { changeFlag } from '../flags/change.ts';
import { addFlag } from '../flags/create.ts';
import type { ServiceContext } from '../handler/call.ts';
import type { StoredFlag } from '../store/flag.ts';
import type { KeptObject } from '../store/kept-objects.ts';

interface SurveyWrite {
  readonly projectId: string;
  readonly id: string;
  /** The survey after the write, with the ids of the flags that it had before. */
  readonly survey: JsonObject;
  /** The filters that the request sends for its people. */
  readonly targeting: JsonValue | undefined;
  readonly isUntargeted: boolean;
}

/** The ids of the flags after the write. Runs in the transaction of the caller. */
export function writeFlags(service: ServiceContext, write: SurveyWrite): JsonObject {
  const { projectId, survey, targeting, isUntargeted } = write;
  const find = (name: FlagMember): StoredFlag | undefined => findFlag(service, projectId, survey[name]);
  const old = find('targeting_flag_id');
  if (isUntargeted && old !== undefined) service.store.flags.remove(old.id);
  const targeted = isUntargeted ? undefined : old;
  const forPeople = isJsonObject(targeting)
    ? put(service, write, { flag: targeted, filters: targeting, suffix: '' })
    : targeted;
  const filters = unseenBy(write);
  const unseen = put(service, write, { flag: find('internal_targeting_flag_id'), filters, suffix: '-custom' });
  return {
    targeting_flag_id: forPeople === undefined ? null : setActive(service, forPeople, survey),
    internal_targeting_flag_id: setActive(service, unseen, survey),
  };
}

type FlagMember = 'linked_flag_id' | 'targeting_flag_id' | 'internal_targeting_flag_id';

interface SurveyFlag {
  readonly flag: StoredFlag | undefined;
  readonly filters: JsonObject;
  readonly suffix: string;
}

function put(service: ServiceContext, write: SurveyWrite, { flag, filters, suffix }: SurveyFlag): StoredFlag {
  if (flag !== undefined) return changeFlag(service, { before: flag, values: { filters } });
  const { projectId, survey } = write;
  const random = service.randomUuid().replaceAll('-', '').slice(-10);
  const made = addFlag(service, projectId, {
    key: `survey-targeting-${random}${suffix}`,
    name: `Targeting flag for survey ${plainText(survey['name'] ?? '')}`,
    filters,
    active: isRunning(survey),
  });
  service.store.flags.hide(made.id);
  return made;
}

/** The service writes only the state, which counts as no change of the flag. */
function setActive({ store }: ServiceContext, flag: StoredFlag, survey: JsonObject): number {
  const active = isRunning(survey);
  if (flag.active !== active) store.flags.update({ ...flag, active });
  return flag.id;
}

function isRunning({ start_date: start = null, end_date: end = null, archived = false }: JsonObject): boolean {
  return start !== null && end === null && archived !== true;
}

/** People who neither dismissed the survey nor responded to it, and who saw none for a while where a condition says so. */
function unseenBy({ id, survey }: SurveyWrite): JsonObject {
  const { iteration_count: count = 0, current_iteration: current = 1, conditions = null } = survey;
  const name = Number(count) > 0 ? `${id}/${plainText(current ?? 1)}` : id;
  const unset = (key: string): JsonObject => ({ key, value: 'is_not_set', operator: 'is_not_set', type: 'person' });
  const base = [unset(`$survey_dismissed/${name}`), unset(`$survey_responded/${name}`)];
  const group = (...more: readonly JsonObject[]): JsonObject => ({
    variant: '',
    rollout_percentage: 100,
    properties: [...base, ...more],
  });
  const days = Number((isJsonObject(conditions) && conditions['seenSurveyWaitPeriodInDays']) || 0);
  if (!(days > 0)) return { groups: [group()] };
  const key = '$survey_last_seen_date';
  const earlier: JsonObject = { key, value: `${Math.trunc(days)}d`, operator: 'is_date_before', type: 'person' };
  return { groups: [group(unset(key)), group(earlier)] };
}

export function removeFlags({ store }: ServiceContext, { fields }: KeptObject): void {
  for (const name of ['targeting_flag_id', 'internal_targeting_flag_id'] as const) {
    const id = fields[name];
    if (typeof id === 'number') store.flags.remove(id);
  }
}

export function shownFlag(
  service: ServiceContext,
  { projectId, fields }: KeptObject,
  name: FlagMember,
): JsonObject | null {
  const flag = findFlag(service, projectId ?? '', fields[name]);
  return flag === undefined ? null : minimalFlag(flag);
}

function findFlag({ store }: ServiceContext, projectId: string, id: JsonValue | undefined): StoredFlag | undefined {
  return typeof id === 'number' ? store.flags.find(projectId, id) : undefined;
}

/** Makes the flags that these surveys are linked to list their surveys as they are stored. */
export function listSurveysOfFlags(service: ServiceContext, surveys: readonly KeptObject[]): void {
  for (const { kind, projectId, fields } of surveys) {
    const flag = findFlag(service, projectId ?? '', fields['linked_flag_id']);
    if (flag === undefined) continue;
    const linked = service.store.keptObjects
      .list({ kind, projectId })
      .filter((other) => other.fields['linked_flag_id'] === flag.id)
      .map((other): JsonObject => ({
        id: other.id,
        name: other.fields['name'] ?? '',
        type: other.fields['type'] ?? null,
      }));
    if (linked.length === arrayOrEmpty(flag.fields['surveys']).length) continue;
    service.store.flags.update({ ...flag, fields: { ...flag.fields, surveys: linked } });
  }
}
