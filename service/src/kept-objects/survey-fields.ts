/** The fields of surveys: what a request may write, and what answers show where nothing is stored. */

import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.ts';
import {
  anything,
  boolean,
  choice,
  dateTime,
  integer,
  wholeNumber,
  text,
  type FieldType,
} from '../flags/field-types.ts';
import type { BodyField } from '../flags/read-fields.ts';
import { invalid } from '../handler/envelope.ts';

const TYPES = ['popover', 'widget', 'external_survey', 'api'] as const;
const SCHEDULES: readonly string[] = ['once', 'recurring', 'always'];
const MOST_ITERATIONS = 500;
/** The service has no limit, and fails where the last iteration is beyond its calendar. */
const MOST_DAYS = 36_500;

export const SURVEY_FIELDS: readonly BodyField[] = [
  { name: 'name', type: text({ maxLength: 400 }), required: true },
  { name: 'description', type: text({ blank: true }) },
  { name: 'type', type: choice(TYPES), required: true },
  { name: 'schedule', type: schedule, null: 'store' },
  { name: 'linked_flag_id', type: integer, null: 'store' },
  { name: 'linked_insight_id', type: integer, null: 'store' },
  { name: 'targeting_flag_id', type: integer },
  { name: 'targeting_flag_filters', type: objectValue('targeting_flag_filters'), null: 'store' },
  { name: 'remove_targeting_flag', type: boolean, null: 'store' },
  { name: 'questions', type: questions, null: 'store' },
  { name: 'conditions', type: objectValue('Conditions'), null: 'store' },
  { name: 'appearance', type: objectValue('Appearance'), null: 'store' },
  { name: 'start_date', type: dateTime, null: 'store' },
  { name: 'end_date', type: dateTime, null: 'store' },
  { name: 'archived', type: boolean },
  { name: 'responses_limit', type: wholeNumber, null: 'store' },
  { name: 'iteration_count', type: integerUpTo(MOST_ITERATIONS), null: 'store' },
  { name: 'iteration_frequency_days', type: integerUpTo(MOST_DAYS), null: 'store' },
  { name: 'response_sampling_start_date', type: dateTime, null: 'store' },
  { name: 'response_sampling_interval_type', type: choice(['day', 'week', 'month']), null: 'store' },
  { name: 'response_sampling_interval', type: wholeNumber, null: 'store' },
  { name: 'response_sampling_limit', type: wholeNumber, null: 'store' },
  { name: 'response_sampling_daily_limits', type: anything, null: 'store' },
  { name: 'enable_partial_responses', type: boolean, null: 'store' },
  { name: 'enable_iframe_embedding', type: boolean, null: 'ignore' },
  { name: 'base_language', type: text({ maxLength: 20, blank: true }) },
  { name: 'translations', type: objectValue('Translations'), null: 'store' },
  { name: 'form_content', type: anything, null: 'store' },
];

export const SURVEY_DEFAULTS: JsonObject = {
  name: '',
  description: '',
  type: null,
  schedule: 'once',
  questions: null,
  conditions: null,
  appearance: null,
  created_at: null,
  created_by: null,
  start_date: null,
  end_date: null,
  archived: false,
  responses_limit: null,
  iteration_count: null,
  iteration_frequency_days: null,
  iteration_start_dates: [],
  current_iteration: null,
  current_iteration_start_date: null,
  response_sampling_start_date: null,
  response_sampling_interval_type: 'week',
  response_sampling_interval: null,
  response_sampling_limit: null,
  response_sampling_daily_limits: null,
  enable_partial_responses: false,
  enable_iframe_embedding: false,
  base_language: 'en',
  translations: null,
  form_content: null,
};

function schedule(sent: JsonValue, name: string): JsonValue {
  if (typeof sent === 'string' && SCHEDULES.includes(sent)) return sent;
  throw invalid('invalid_input', `Schedule must be one of: ${SCHEDULES.join(', ')}`, name);
}

function integerUpTo(maximum: number): FieldType {
  return (sent, name) => {
    const number = wholeNumber(sent, name);
    if (Number(number) <= maximum) return number;
    throw invalid('max_value', `Ensure this value is less than or equal to ${maximum}.`, name);
  };
}

function objectValue(what: string): FieldType {
  return (sent, name) => {
    if (isJsonObject(sent)) return sent;
    throw invalid('invalid_input', `${what} must be an object`, name);
  };
}

function questions(sent: JsonValue, name: string): JsonValue {
  const problem = (detail: string): Error => invalid('invalid_input', detail, name);
  if (!isJsonArray(sent)) throw problem('Questions must be a list of objects');
  for (const question of sent) {
    if (!isJsonObject(question)) throw problem('Questions must be a list of objects');
    const { question: asked = '', choices = [] } = question;
    if (asked === '' || asked === null) throw problem('Question text is required');
    if (typeof asked !== 'string') throw problem('Question text must be a string');
    const hasTexts = isJsonArray(choices) && choices.every((one) => typeof one === 'string' && one.trim() !== '');
    if (choices !== null && !hasTexts) throw problem('Question choices must be a list of strings that are not empty');
  }
  return sent;
}
