/** The templates of hog functions that the service knows. The real service has hundreds; code and texts here are our own. */

import type { JsonObject } from '../../../src/base/json.ts';

const OPTIONAL = { required: false, secret: false, hidden: false };

export const HOG_TEMPLATES: readonly JsonObject[] = [
  {
    id: 'template-webhook',
    name: 'HTTP Webhook',
    description: 'Sends each event to an address.',
    code: "let answer := fetch (inputs.url, {'method': inputs.method, 'headers': inputs.headers, 'body': inputs.body})",
    code_language: 'hog',
    inputs_schema: [
      { ...OPTIONAL, key: 'url', type: 'string', label: 'Webhook URL', required: true },
      {
        ...OPTIONAL,
        key: 'method',
        type: 'choice',
        label: 'Method',
        choices: ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'].map((method) => ({ label: method, value: method })),
        default: 'POST',
      },
      { ...OPTIONAL, key: 'body', type: 'json', label: 'JSON body', default: { event: '{event}', person: '{person}' } },
      {
        ...OPTIONAL,
        key: 'headers',
        type: 'dictionary',
        label: 'Headers',
        default: { 'Content-Type': 'application/json' },
      },
      { ...OPTIONAL, key: 'debug', type: 'boolean', label: 'Log each answer', default: false },
    ],
    type: 'destination',
    status: 'stable',
    category: ['Custom'],
    free: false,
    icon_url: '/static/posthog-icon.svg',
    filters: null,
    masking: null,
    mapping_templates: null,
  },
];
