/** A script of what goes wrong in the embedded service. */

import { array, count, define, integer, object, ref, string } from '../../src/base/schema.ts';
import { document } from '../join.ts';

const match = define(
  'match',
  object(
    {
      'operation?': string({
        title: 'Operation',
        enum: [
          'listFlags',
          'getFlag',
          'createFlag',
          'updateFlag',
          'disableFlag',
          'deleteFlag',
          'listRoleAccess',
          'createRoleAccess',
          'getRoleAccess',
          'deleteRoleAccess',
          'getAccess',
          'setAccess',
          'getAccessSettings',
          'listDefaultAccess',
          'listAccessOfRole',
          'listAccessOfMember',
          'getCurrentKey',
          'getProject',
          'getOrganization',
          'listRoles',
          'listMembers',
          'listCohorts',
          'getCohort',
          'createCohort',
          'updateCohort',
          'listEarlyAccessFeatures',
          'getEarlyAccessFeature',
          'createEarlyAccessFeature',
          'updateEarlyAccessFeature',
          'deleteEarlyAccessFeature',
          'listChangeRequests',
          'listScheduledChanges',
          'listAlerts',
          'readAlert',
          'createAlert',
          'updateAlert',
          'deleteAlert',
          'evaluateFlag',
          'evaluateFlags',
        ],
      }),
      'access?': string({
        title: 'Access',
        description: 'read: GET and HEAD; write: every other method.',
        enum: ['read', 'write'],
      }),
      'method?': string({ title: 'Method', enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] }),
      'path?': string({
        title: 'Path',
        description: 'A glob for the whole path without query and trailing slash; ** spans segments.',
        minLength: 1,
        examples: ['/api/projects/1/feature_flags/*', '**/role_access/**'],
      }),
    },
    {
      title: 'Match',
      description:
        'The requests that the rule applies to. All members must match; without members every request matches.',
    },
  ),
);

const when = define(
  'when',
  string({
    title: 'When',
    description: 'before: before the request is handled; an ending then discards it. after: once it is handled.',
    enum: ['before', 'after'],
  }),
);

const answer = define(
  'answer',
  object(
    {
      'when?': ref(when, { default: 'before' }),
      status: integer({ title: 'Status', minimum: 200, maximum: 599 }),
      'body?': string({
        title: 'Body',
        description:
          "envelope: the service's error in JSON; html: a proxy's error page; text: not JSON; nothing: no body.",
        enum: ['envelope', 'html', 'text', 'nothing'],
        default: 'envelope',
      }),
      'code?': string({ title: 'Code', description: 'In the envelope.' }),
      'detail?': string({ title: 'Detail', description: 'In the envelope.' }),
      'extra?': { title: 'Extra', description: 'Further members of the envelope.', type: 'object' },
      'retry_after?': count({ title: 'Retry-After', description: 'Seconds.' }),
      'retry_after_as?': string({
        title: 'How Retry-After is said',
        enum: ['seconds', 'date', 'detail'],
        default: 'seconds',
      }),
      'location?': string({ title: 'Location', description: 'Of a redirect.' }),
    },
    { title: 'Answer', description: "Replaces the service's own answer." },
  ),
);

const rule = define(
  'rule',
  object(
    {
      'match?': match,
      'from?': integer({
        title: 'From',
        description: 'The rule is active from this matching request on, counted from 1.',
        minimum: 1,
        default: 1,
      }),
      'count?': integer({
        title: 'Count',
        description: 'The number of matching requests for which the rule is active. Without count and for_ms: one.',
        minimum: 1,
        maximum: 1000000000,
      }),
      'for_ms?': integer({
        title: 'For',
        description: 'Instead of count: the time in milliseconds for which the rule is active, from its first request.',
        minimum: 1,
        maximum: 86400000,
      }),
      'latency?': object(
        { ms: count({ title: 'Milliseconds', maximum: 600000 }), 'when?': ref(when, { default: 'after' }) },
        { title: 'Latency', description: 'Waits before the request is handled, or between handling and answering it.' },
      ),
      'edit?': object(
        {
          'when?': ref(when, { default: 'before' }),
          method: string({ title: 'Method', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] }),
          path: string({
            title: 'Path',
            description:
              'Relative to the project. {id} is the id of the flag in the matched request, {flag:KEY} the id of the flag with that key.',
            minLength: 1,
            examples: ['feature_flags/{id}/', 'feature_flags/{flag:new-checkout}/role_access/'],
          }),
          'body?': { title: 'Body', description: 'Any JSON value.' },
        },
        {
          title: "Somebody else's edit",
          description: 'Another user sends this request right before or right after the matched one is handled.',
        },
      ),
      'answer?': answer,
      'reset?': object(
        { 'when?': ref(when, { default: 'before' }) },
        { title: 'Reset', description: 'Cuts the connection instead of answering.' },
      ),
      'hang?': object(
        { 'when?': ref(when, { default: 'before' }) },
        { title: 'Hang', description: 'Never answers; the connection stays open.' },
      ),
      'truncate?': object(
        {
          'bytes?': count({
            title: 'Bytes',
            description: 'The number of bytes of the body to send. Default: half of it.',
          }),
        },
        {
          title: 'Truncate',
          description: 'Handles the request, sends the beginning of the answer and cuts the connection.',
        },
      ),
      'endless?': object(
        {},
        {
          title: 'Endless',
          description: 'Handles the request and sends the answer, followed by spaces until the client disconnects.',
        },
      ),
      'drip?': object(
        {
          'bytes?': integer({ title: 'Bytes at a time', minimum: 1, default: 1 }),
          'every_ms?': integer({ title: 'Every', minimum: 1, maximum: 60000, default: 100 }),
        },
        { title: 'Drip', description: 'Handles the request and sends the answer a few bytes at a time.' },
      ),
      'content_type?': string({
        title: 'Content type',
        description: 'Sends the answer unchanged with this content type.',
        minLength: 1,
        examples: ['text/html'],
      }),
      'unknown_fields?': {
        title: 'Unknown fields',
        description: 'Members to add to the answer and to each of its results.',
        type: 'object',
      },
      'next?': string({
        title: 'Next',
        description: 'Replaces the origin of links to other pages.',
        minLength: 1,
        examples: ['https://elsewhere.example.com'],
      }),
      'shrink?': object(
        { 'by?': integer({ title: 'By', minimum: 1, default: 1 }) },
        {
          title: 'Shrink',
          description: 'Removes the last entries of a page, as if they had been deleted while the list was read.',
        },
      ),
    },
    { title: 'Rule' },
  ),
);

export const faultsDocument = document(
  'faults',
  object(
    {
      '$schema?': string({ title: 'Schema', description: 'For editors.' }),
      faults: array(rule, {
        title: 'Rules',
        description:
          'All rules that are active for a request apply. Of the endings (answer, reset, hang, truncate, endless, drip) only the first applies.',
      }),
    },
    {
      title: 'Script of faults',
      description:
        'A list of rules: which faults the embedded service injects, and when. https://flagwright.dev/faults explains each part.',
      examples: [
        {
          faults: [
            { match: { operation: 'createFlag' }, from: 2, reset: { when: 'after' } },
            { match: { access: 'write' }, for_ms: 3000, answer: { status: 429, retry_after: 2 } },
          ],
        },
      ],
    },
  ),
);
