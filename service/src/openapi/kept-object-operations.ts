/** Describes the operations on objects that the service stores and does not use; only today's service has them. */

import type { OperationDescription } from './operation-description.ts';

const PAGE = ['limit', 'offset'];

export const KEPT_OBJECT_OPERATIONS: Readonly<Record<string, OperationDescription>> = {
  actions_list: { summary: 'The actions that are not deleted, without pages.', answers: { 200: 'EventActionList' } },
  ...describeObjects('actions', 'an action', 'EventAction'),
  actions_get: { summary: 'One action, including deleted ones.', answers: { 200: 'EventAction' } },
  actions_delete: { summary: 'Refused: actions are deleted by a PATCH.', answers: { 405: null } },
  hog_functions_list: {
    summary: 'The hog functions that are not deleted.',
    query: [...PAGE, 'type', 'enabled', 'full'],
    answers: { 200: 'HogFunctionPage' },
  },
  ...describeObjects('hog_functions', 'a hog function', 'HogFunction'),
  hog_functions_get: { summary: 'One hog function.', answers: { 200: 'HogFunction' } },
  hog_functions_delete: { summary: 'Refused: hog functions are deleted by a PATCH.', answers: { 405: null } },
  surveys_list: {
    summary: 'The surveys, newest first.',
    query: [...PAGE, 'archived', 'type'],
    answers: { 200: 'SurveyPage' },
  },
  ...describeObjects('surveys', 'a survey and its flags', 'Survey'),
  surveys_get: { summary: 'One survey.', answers: { 200: 'Survey' } },
  surveys_delete: { summary: 'Deletes a survey for good, with its flags.', answers: { 204: null } },
  project_settings_get: { summary: 'One project with its settings.', answers: { 200: 'ProjectSettings' } },
  project_settings_update: {
    summary: 'Changes settings of a project.',
    body: 'ProjectSettingsWrite',
    isBodyOptional: true,
    answers: { 200: 'ProjectSettings' },
  },
  proxy_records_list: { summary: 'The proxy records of the organization.', answers: { 200: 'ProxyRecordList' } },
  proxy_records_create: {
    summary: 'Creates a proxy record, which waits for its DNS.',
    body: 'ProxyRecordWrite',
    answers: { 200: 'ProxyRecord', 400: 'ProxyRecordRefusal' },
  },
  proxy_records_get: { summary: 'One proxy record.', answers: { 200: 'ProxyRecord' } },
  proxy_records_delete: { summary: 'Deletes a proxy record.', answers: { 200: 'Success' } },
};

function describeObjects(path: string, what: string, schema: string): Record<string, OperationDescription> {
  return {
    [`${path}_create`]: {
      summary: `Creates ${what}.`,
      body: schema === 'Survey' ? 'SurveyCreate' : `${schema}Write`,
      ...(schema === 'EventAction' && { isBodyOptional: true }),
      answers: { 201: schema },
    },
    [`${path}_update`]: {
      summary: `Changes ${what}.`,
      body: `${schema}Write`,
      isBodyOptional: true,
      answers: { 200: schema },
    },
  };
}
