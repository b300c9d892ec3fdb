/** The table of paths of change requests and approval policies, which the service of 2023 did not have. */

import { approveRequest, cancelRequest, rejectRequest } from '../change-requests/decide.ts';
import {
  createPolicy,
  deletePolicy,
  getPolicy,
  listPolicies,
  replacePolicy,
  updatePolicy,
} from '../change-requests/policies.ts';
import { getRequest, listRequests } from '../change-requests/read.ts';
import { today, type Methods } from '../handler/operation.ts';

export const APPROVAL_ROUTES: readonly (readonly [path: string, methods: Methods])[] = [
  ['change_requests', { GET: today('change_requests_list', listRequests) }],
  ['change_requests/:id', { GET: today('change_requests_get', getRequest) }],
  ['change_requests/:id/approve', { POST: today('change_requests_approve', approveRequest) }],
  ['change_requests/:id/reject', { POST: today('change_requests_reject', rejectRequest) }],
  ['change_requests/:id/cancel', { POST: today('change_requests_cancel', cancelRequest) }],
  [
    'approval_policies',
    { GET: today('approval_policies_list', listPolicies), POST: today('approval_policies_create', createPolicy) },
  ],
  [
    'approval_policies/:id',
    {
      GET: today('approval_policies_get', getPolicy),
      PUT: today('approval_policies_replace', replacePolicy),
      PATCH: today('approval_policies_update', updatePolicy),
      DELETE: today('approval_policies_delete', deletePolicy),
    },
  ],
];
