/** Describes the operations of SDKs, which are outside of projects. */

import type { OperationDescription } from './operation-description.ts';

export const SDK_OPERATIONS: Readonly<Record<string, OperationDescription>> = {
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
    answers: { 200: 'RemoteEvaluation' },
  },
  sdk_decide: {
    summary: 'The same, for older SDKs.',
    query: ['v'],
    body: 'EvaluationQuestion',
    answers: { 200: 'RemoteEvaluation' },
  },
  ofrep_evaluate_flag: {
    summary: 'OFREP: the value of one flag. The token of the project is a bearer token, or in `X-API-Key`.',
    body: 'OfrepQuestion',
    answers: { 200: 'OfrepValue' },
    refusal: 'OfrepFailure',
  },
  ofrep_evaluate_flags: {
    summary: 'OFREP: the values of all flags, with an `ETag`.',
    body: 'OfrepQuestion',
    answers: { 200: 'OfrepValues', 304: null },
    refusal: 'OfrepFailure',
  },
  sdk_capture: { summary: 'Stores events.', body: 'Events', answers: { 200: 'Captured' } },
  sdk_preflight: { summary: 'A CORS preflight.', answers: { 204: null } },
};
