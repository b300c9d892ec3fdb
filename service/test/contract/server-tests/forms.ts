/** PostHog's tests of bodies that are forms, and of the values of persons' properties. */

import { ok, refusal } from '../behaviour.ts';
import { flagsSeed, type ServerTest } from './case.ts';

const EVERYBODY = { groups: [{ properties: [], rollout_percentage: 100 }], multivariate: null };
const seed = flagsSeed({ key: 'some-feature', name: 'some feature', filters: EVERYBODY });
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const MULTIPART = { 'content-type': 'multipart/form-data; boundary=edge' };

function part(name: string, value: string): string {
  return `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
}

export const FORMS: readonly ServerTest[] = [
  {
    name: 'test_patch_api_as_form_data',
    seed,
    steps: [
      {
        ask: 'PATCH /feature_flags/1/',
        raw: 'active=False&name=replaced&tags=b&tags=a&filters=ignored',
        headers: FORM,
        expect: ok({ active: false, name: 'replaced', tags: ['b', 'a'], filters: EVERYBODY }),
      },
      {
        ask: 'PATCH /feature_flags/1/',
        raw: `${part('name', 'two\r\nlines')}${part('active', 'true')}--edge--\r\n`,
        headers: MULTIPART,
        expect: ok({ active: true, name: 'two\r\nlines', filters: EVERYBODY }),
      },
      {
        ask: 'PATCH /feature_flags/1/',
        raw: 'active=perhaps',
        headers: FORM,
        expect: refusal(400, 'invalid_input', 'active'),
      },
      { ask: 'PATCH /feature_flags/1/', raw: 'no edge', headers: MULTIPART, expect: refusal(400, 'parse_error') },
      {
        ask: 'PATCH /feature_flags/1/',
        raw: 'name=x',
        headers: { 'content-type': 'text/plain' },
        expect: refusal(415, 'unsupported_media_type'),
      },
    ],
  },
  {
    name: 'test_create_api_as_form_data',
    steps: [
      {
        ask: 'POST /feature_flags/',
        raw: 'key=by-form&name=By+form',
        headers: FORM,
        expect: {
          // A missing checkbox is off.
          documented: { status: 201, body: { key: 'by-form', name: 'By form', active: false } },
          posthog: refusal(400, 'invalid_input', 'filters'),
        },
      },
    ],
  },
  {
    name: 'test_person_property_values',
    seed: {
      persons: [
        ...['asdf', 'asdf', 'qwerty', null, '', 5, '5', true, [2, { b: 1, a: 'x' }], { b: 1, a: [] }].map(
          (value, index) => ({ distinct_ids: [`person_${index}`], properties: { random_prop: value } }),
        ),
        { distinct_ids: ['other'], properties: { something_else: 'qwerty' } },
        ...Array.from({ length: 25 }, (_none, index) => ({
          distinct_ids: [`many_${index}`],
          properties: { many: `value ${index}` },
        })),
      ],
    },
    steps: [
      {
        ask: 'GET /persons/values/?key=random_prop',
        expect: ok([
          { name: '5', count: 2 },
          { name: 'asdf', count: 2 },
          { name: '[2, {"a": "x", "b": 1}]', count: 1 },
          { name: 'qwerty', count: 1 },
          { name: 'true', count: 1 },
          { name: '{"a": [], "b": 1}', count: 1 },
        ]),
      },
      { ask: 'GET /persons/values/?key=random_prop&value=QW', expect: ok([{ name: 'qwerty', count: 1 }]) },
      {
        ask: 'GET /persons/values/?key=many',
        expect: ok(Array.from({ length: 20 }, () => ({ count: 1 }))),
      },
    ],
  },
  {
    name: 'test_pagination_limit (persons)',
    seed: {
      persons: Array.from({ length: 5 }, (_none, index) => ({ distinct_ids: [`p${index}`], properties: { a: 1 } })),
    },
    steps: [
      {
        ask: 'GET /persons/?z=1&limit=2&offset=2&a=1',
        expect: ok({
          next: 'http://{host}/api/projects/1/persons/?z=1&limit=2&offset=4&a=1',
          previous: 'http://{host}/api/projects/1/persons/?z=1&limit=2&offset=0&a=1',
        }),
      },
      { ask: 'GET /persons/?limit=2', expect: ok({ next: 'http://{host}/api/projects/1/persons/?limit=2&offset=2' }) },
    ],
  },
];
