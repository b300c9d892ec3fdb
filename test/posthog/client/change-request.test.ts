/** The change request in answers of the approval gate, in the shapes of its releases. */

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { readChangeRequest } from '../../../src/posthog/client/answer.ts';
import { createRedactor } from '../../../src/posthog/client/answer.ts';
import { KEY } from './support/client.ts';

const WHOLE: JsonObject = {
  id: 'cr-1',
  action_key: 'feature_flag.enable',
  intent: { flag_key: 'checkout', preconditions: { version: 7 }, full_request_data: { active: true } },
};
const DETAILS = { action: 'feature_flag.enable', key: 'checkout', version: 7 };

const read = (body: JsonObject) => readChangeRequest(body, createRedactor(KEY));

describe('the change request of an answer', () => {
  test.each<[string, JsonObject, object]>([
    ['with its description', { change_request_id: 'cr-1', change_request: WHOLE }, DETAILS],
    ['that was open before', { change_request_id: 'cr-1', existing_change_request: WHOLE }, DETAILS],
    ['in the extra member', { extra: { change_request_id: 'cr-1', change_request: WHOLE } }, DETAILS],
    [
      'of a creation, which has no version',
      { change_request_id: 'cr-1', change_request: { intent: { preconditions: { version: null } } } },
      {},
    ],
    ['with members of other types', { change_request_id: 'cr-1', change_request: { action_key: 7, intent: [] } }, {}],
  ])('%s', (_name, body, details) => {
    const { asked, ...request } = read(body) ?? { id: '' };
    expect(request).toEqual({ id: 'cr-1', ...details });
    expect(asked?.()).toEqual('action' in details ? { active: true } : undefined);
  });

  test('without an id there is none', () => {
    expect(read({ change_request: WHOLE })).toBeUndefined();
    expect(read({ change_request_id: null })).toBeUndefined();
  });

  test('printing it shows no requested value, and the API key is redacted', () => {
    const asked = { filters: { payloads: { true: 'secret-payload' } } };
    const body = { change_request_id: KEY, change_request: { action_key: KEY, intent: { full_request_data: asked } } };
    const request = read(body);
    const printed = `${inspect(request, { depth: 9 })}${JSON.stringify(request)}`;
    expect(printed).not.toContain('secret-payload');
    expect(printed).not.toContain(KEY);
  });
});
