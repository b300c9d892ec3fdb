/** Role access: granting, reading, revoking, and failures. */

import { ok, refusal, type Behaviour } from '../behaviour.ts';
import { ROLE_ID } from '../seed.ts';

const PATH = '/feature_flags/1/role_access/';

export const ROLE_ACCESS: readonly Behaviour[] = [
  {
    only: 'documented',
    name: 'access is granted, read and revoked',
    steps: [
      {
        ask: `POST ${PATH}`,
        body: { role_id: ROLE_ID },
        expect: { status: 201, body: { role: { name: 'engineering' }, feature_flag: { key: 'everybody' } } },
        keep: { id: '/id' },
      },
      { ask: `GET ${PATH}`, expect: ok({ count: 1 }) },
      { ask: `GET ${PATH}{id}/`, expect: ok({ role: { id: ROLE_ID } }) },
      {
        ask: `POST ${PATH}`,
        body: { role_id: ROLE_ID },
        expect: refusal(400, 'unique', null),
      },
      {
        ask: `GET ${PATH}?limit=1`,
        expect: ok({ count: 1 }),
      },
      { ask: `DELETE ${PATH}{id}/`, expect: { status: 204, text: '' } },
      { ask: `DELETE ${PATH}{id}/`, expect: refusal(404, 'not_found') },
    ],
  },
  {
    only: 'documented',
    name: 'a role that does not exist',
    steps: [
      {
        ask: `POST ${PATH}`,
        body: { role_id: '00000000-0000-4000-8000-000000000000' },
        expect: refusal(400, 'does_not_exist', 'role_id'),
      },
      { ask: `POST ${PATH}`, body: {}, expect: refusal(400, 'required', 'role_id') },
    ],
  },
  {
    only: 'documented',
    name: 'an entry cannot be changed',
    steps: [{ ask: `PATCH ${PATH}1/`, body: {}, expect: refusal(405, 'method_not_allowed') }],
  },
];
