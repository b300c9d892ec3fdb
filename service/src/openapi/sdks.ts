/** Describes the operations of SDKs, which are outside of projects. */

import type { JsonObject } from '../../../src/base/json.ts';
import {
  ANYTHING,
  BOOLEAN,
  ID,
  INTEGER,
  listOf,
  mapOf,
  OBJECT,
  objectOf,
  type Operations,
  ref,
  type Schemas,
  TEXT,
} from './schema.ts';

export const SDK_OPERATIONS: Operations = {
  sdk_definitions: {
    summary: 'Flag definitions for local evaluation.',
    query: ['token'],
    answers: { 200: 'Definitions', 304: null },
  },
  sdk_local_evaluation: {
    summary: 'The same, for older SDKs.',
    query: ['token', 'send_cohorts'],
    answers: { 200: 'LocalEvaluation', 304: null },
  },
  sdk_flags: {
    summary: 'The values of all flags for one person.',
    query: ['v'],
    body: 'EvaluationQuestion',
    answers: 'RemoteEvaluation',
  },
  sdk_decide: {
    summary: 'The same, for older SDKs.',
    query: ['v'],
    body: 'EvaluationQuestion',
    answers: 'RemoteEvaluation',
  },
  ofrep_evaluate_flag: {
    summary: 'OFREP: the value of one flag. The token of the project is a bearer token, or in `X-API-Key`.',
    body: 'OfrepQuestion',
    answers: 'OfrepValue',
    refusal: 'OfrepFailure',
  },
  ofrep_evaluate_flags: {
    summary: 'OFREP: the values of all flags, with an `ETag`.',
    body: 'OfrepQuestion',
    answers: { 200: 'OfrepValues', 304: null },
    refusal: 'OfrepFailure',
  },
  sdk_capture: { summary: 'Stores events.', body: 'Events', answers: 'Captured' },
  sdk_preflight: { summary: 'A CORS preflight.', answers: { 204: null } },
};

const TOKEN: JsonObject = { description: 'The token of the project; some SDKs send it as `api_key`.' };

function described(description: string): JsonObject {
  return { description };
}

const METADATA: JsonObject = objectOf({ id: ID, version: INTEGER, posthog_reason: TEXT, 'payload?': TEXT });

export const SDK_SCHEMAS: Schemas = {
  EvaluationQuestion: {
    type: 'object',
    required: ['distinct_id'],
    properties: {
      token: TOKEN,
      api_key: TOKEN,
      distinct_id: { anyOf: [{ ...TEXT, minLength: 1 }, { type: 'number' }] },
      groups: described('Group keys by the name of their type.'),
      person_properties: described('Properties that replace stored ones.'),
      group_properties: described('Properties of groups by the name of their type.'),
      flag_keys_to_evaluate: described('The keys of the wanted flags.'),
      evaluation_runtime: described('`server` or `client`.'),
      evaluation_contexts: described('The contexts of the application.'),
    },
  },
  OfrepQuestion: {
    type: 'object',
    required: ['context'],
    properties: {
      context: {
        description: 'Members other than these are properties of the person, which replace stored ones.',
        type: 'object',
        required: ['targetingKey'],
        properties: {
          targetingKey: { ...TEXT, minLength: 1, description: 'The distinct id of the person.' },
          groups: { ...mapOf({ type: ['string', 'number'] }), description: 'Group keys by the name of their type.' },
          group_properties: { ...mapOf(OBJECT), description: 'Properties of groups by the name of their type.' },
        },
      },
    },
  },
  OfrepValue: objectOf({
    key: TEXT,
    'value?': { anyOf: [BOOLEAN, TEXT, { type: 'number' }, OBJECT] },
    reason: { enum: ['TARGETING_MATCH', 'SPLIT', 'DISABLED', 'UNKNOWN'] },
    variant: TEXT,
    metadata: METADATA,
  }),
  OfrepValues: objectOf({ flags: listOf({ anyOf: [ref('OfrepValue'), ref('OfrepFailure')] }) }),
  OfrepFailure: objectOf({
    'key?': TEXT,
    errorCode: { enum: ['PARSE_ERROR', 'TARGETING_KEY_MISSING', 'INVALID_CONTEXT', 'FLAG_NOT_FOUND', 'GENERAL'] },
    errorDetails: TEXT,
    'metadata?': METADATA,
  }),
  Events: {
    description: 'One event, a list of events, or an object with a `batch`. Invalid events are skipped.',
    anyOf: [
      {
        type: 'object',
        properties: {
          token: TOKEN,
          api_key: TOKEN,
          batch: described('A list of events.'),
          event: described('The name of the event.'),
          distinct_id: described('A distinct id of the person.'),
          properties: described('The properties of the event.'),
          timestamp: described('ISO 8601; default: now.'),
        },
      },
      listOf(ANYTHING),
    ],
  },
};
