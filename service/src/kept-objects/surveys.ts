/** Surveys: kept with the flags that the service makes of them. Nobody is asked anything here. */

import {
  arrayOrEmpty,
  isJsonArray,
  memberOf,
  objectOrEmpty,
  type JsonObject,
  type JsonValue,
} from '../../../src/base/json.ts';
import { formatTimestamp } from '../format/timestamp.ts';
import type { Answer, Call, ServiceContext } from '../handler/call.ts';
import { invalid, invalidInput } from '../handler/envelope.ts';
import { buildPage, readPage } from '../handler/paging.ts';
import type { KeptObject } from '../store/kept-objects.ts';
import { findObject, listObjects, shownFields, type KeptKind, type KeptWrite } from './kind.ts';
import { SURVEY_DEFAULTS, SURVEY_FIELDS } from './survey-fields.ts';
import { listSurveysOfFlags, removeFlags, shownFlag, writeFlags } from './survey-flags.ts';

export const SURVEYS: KeptKind = {
  kind: 'survey',
  ids: 'uuid',
  fields: SURVEY_FIELDS,
  defaults: SURVEY_DEFAULTS,
  findsDeleted: () => false,
  complete: completeSurvey,
  stored: listSurveysOfFlags,
  serialise: serialiseSurvey,
};

/** Newest first. */
export function listSurveys(service: ServiceContext, call: Call): Answer {
  const archived = call.query.get('archived') ?? '';
  const type = call.query.get('type') ?? '';
  const found = listObjects(service, call, SURVEYS)
    .filter(({ fields }) => archived === '' || String(fields['archived'] === true) === archived.toLowerCase())
    .filter(({ fields }) => type === '' || fields['type'] === type)
    .toReversed();
  const page = readPage(call.query);
  const shown = found.slice(page.offset, page.offset + page.limit);
  const results = shown.map((survey) => serialiseSurvey(service, survey));
  return { status: 200, body: buildPage(call, page, { count: found.length, results }) };
}

/** Final: the flags that the service made are removed for good too. */
export function deleteSurvey(service: ServiceContext, call: Call): Answer {
  return service.store.transaction(() => {
    const survey = findObject(service, call, SURVEYS);
    service.store.keptObjects.remove(survey);
    removeFlags(service, survey);
    listSurveysOfFlags(service, [survey]);
    return { status: 204 };
  });
}

function completeSurvey(service: ServiceContext, write: KeptWrite): JsonObject {
  const { call, id = '', values, before } = write;
  const { targeting_flag_filters: targeting, remove_targeting_flag: isUntargeted, ...sent } = values;
  checkSurvey(service, write);
  const after: JsonObject = { ...before?.fields, ...sent };
  const survey = { ...after, ...iterationDates(after), questions: withIds(service, after['questions'] ?? null) };
  const flags = writeFlags(service, {
    projectId: call.projectId,
    id,
    survey,
    targeting,
    isUntargeted: isUntargeted === true,
  });
  return { ...survey, ...flags };
}

/** The checks are in the service's order. */
function checkSurvey(service: ServiceContext, { call, id, values, before }: KeptWrite): void {
  const { store } = service;
  for (const [name, what] of [
    ['linked_flag_id', 'Feature Flag'],
    ['targeting_flag_id', 'Targeting Feature Flag'],
  ] as const) {
    const flagId = values[name];
    if (typeof flagId === 'number' && flagId !== 0 && store.flags.find(call.projectId, flagId) === undefined) {
      throw invalidInput(`${what} with this ID does not exist`);
    }
  }
  // The service has no insights.
  if ((values['linked_insight_id'] ?? 0) !== 0) throw invalidInput('Insight with this ID does not exist');
  const others = listObjects(service, call, SURVEYS).filter((other) => other.id !== id);
  if (others.some(({ fields }) => fields['name'] === values['name'])) {
    throw invalid('unique', 'There is already a survey with this name.', null);
  }
  const groups = arrayOrEmpty(objectOrEmpty(values['targeting_flag_filters'])['groups']).map(objectOrEmpty);
  if (
    groups.some(
      (group) => (group['rollout_percentage'] ?? 100) === 100 && arrayOrEmpty(group['properties']).length === 0,
    )
  ) {
    throw invalidInput('The targeting of users is for everyone. Remove it instead.');
  }
  checkSampling(service, values);
  const stored = before?.fields ?? {};
  const appearance = { ...objectOrEmpty(stored['appearance']), ...objectOrEmpty(values['appearance']) };
  const asked = arrayOrEmpty(values['questions'] ?? stored['questions']).map(objectOrEmpty);
  if (appearance['shuffleQuestions'] === true && asked.some(({ branching = null }) => branching !== null)) {
    throw invalidInput('Question shuffling and question branching cannot be used together.');
  }
  if (values['type'] !== 'external_survey') return;
  const unfit = ['linked_flag_id', 'targeting_flag_filters'].find((name) => (memberOf(values, name) ?? null) !== null);
  if (unfit !== undefined) throw invalid('invalid_input', `${unfit} is not allowed for external surveys`, unfit);
}

function checkSampling({ now }: ServiceContext, values: JsonObject): void {
  const { response_sampling_start_date: start = null, response_sampling_interval: interval = null } = values;
  const today = formatTimestamp(now()).slice(0, 10);
  if (typeof start === 'string' && start.slice(0, 10) < today) {
    throw invalid('invalid_input', 'The sampling must start today or later.', 'response_sampling_start_date');
  }
  if (interval === 0) {
    throw invalid('invalid_input', 'Response sampling interval must be greater than 0.', 'response_sampling_interval');
  }
  if (Number(values['response_sampling_limit'] ?? 0) > 0 && start === null) {
    throw invalid('invalid_input', 'A sampling with a limit needs a start.', 'response_sampling_start_date');
  }
}

function withIds({ randomUuid }: ServiceContext, sent: JsonValue): JsonValue {
  if (!isJsonArray(sent)) return sent;
  return sent.map((question) => {
    const { id = '' } = objectOrEmpty(question);
    return id === '' || id === null ? { ...objectOrEmpty(question), id: randomUuid() } : question;
  });
}

/** The starts of the iterations of a survey that recurs. */
function iterationDates({
  iteration_count: count = null,
  iteration_frequency_days: days = null,
  ...survey
}: JsonObject): JsonObject {
  if (typeof count !== 'number' || typeof days !== 'number' || count === 0 || days === 0) {
    return { iteration_start_dates: [], current_iteration: null, current_iteration_start_date: null };
  }
  const { start_date: start = null, current_iteration: current = null } = survey;
  if (typeof start !== 'string') return { iteration_start_dates: null };
  const dates = Array.from({ length: count }, (_, index) =>
    formatTimestamp(new Date(Date.parse(start) + index * days * 86_400_000)),
  );
  return {
    iteration_start_dates: dates,
    ...(current === null && { current_iteration: 1, current_iteration_start_date: start }),
  };
}

/** Only an answer to a read has the ids and keys of flags, and the level of the caller. */
function serialiseSurvey(service: ServiceContext, survey: KeptObject, call?: Call): JsonObject {
  const flags = {
    linked_flag: shownFlag(service, survey, 'linked_flag_id'),
    targeting_flag: shownFlag(service, survey, 'targeting_flag_id'),
    internal_targeting_flag: shownFlag(service, survey, 'internal_targeting_flag_id'),
  };
  const written = { id: survey.id, ...flags, ...shownFields(survey, SURVEYS) };
  if (call?.body !== undefined) return written;
  const keys = Object.entries(flags).map(([name, flag]) => ({ key: `${name}_key`, value: flag?.['key'] ?? null }));
  return {
    ...written,
    linked_flag_id: flags.linked_flag?.['id'] ?? null,
    linked_insight_id: null,
    feature_flag_keys: [...keys, { key: 'internal_response_sampling_flag_key', value: null }],
    user_access_level: 'editor',
  };
}
