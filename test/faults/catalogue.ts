/** The faults of the matrix: what happens to one write, and the outcome that it must have. */

import type { Outcome } from '../../src/loop/apply/result.ts';
import type { Effects } from '../../service/src/index.ts';

export interface Fault {
  readonly name: string;
  readonly effects: Effects;
  /** Number of attempts in a row; default 1. */
  readonly attempts?: number;
  readonly forMs?: number;
  /** Every read after the first write fails. */
  readonly blind?: boolean;
  /** The outcome of the change. Absent: any true outcome. */
  readonly outcome?: Outcome['outcome'];
  /** The outcome of a revoke, which the client repeats itself since a second one does no harm. */
  readonly ofRevoke?: Outcome['outcome'];
}

/** Timeout of an attempt, in the time of the rig. */
export const TIMEOUT_MS = 250;
const TOO_LONG_MS = 400;

const WHENS = ['before', 'after'] as const;

const throttles: readonly Fault[] = [
  { name: '429, seconds', effects: { answer: { status: 429, retry_after: 2 } } },
  { name: '429, date', effects: { answer: { status: 429, retry_after: 2, retry_after_as: 'date' } } },
  { name: '429, in the detail', effects: { answer: { status: 429, retry_after: 2, retry_after_as: 'detail' } } },
  { name: '429, without a time', effects: { answer: { status: 429, body: 'nothing' } }, attempts: 4 },
  { name: '429, a window', effects: { answer: { status: 429, retry_after: 1 } }, forMs: 3000 },
];

const refused: readonly Fault[] = [400, 401, 403, 404, 409, 413].map((status) => ({
  name: `${status}`,
  effects: { answer: { status } },
  // A conflict is looked up, and the write of a flag is repeated when nothing has moved.
  ...(status === 409 ? {} : { outcome: 'failed' as const }),
  // So is a 404 for an entry.
  ...(status === 404 ? { ofRevoke: 'applied' as const } : {}),
}));

const pending: readonly Fault[] = ['approval_required', 'change_request_pending'].map((code) => ({
  name: code,
  effects: { answer: { status: 409, code, extra: { change_request_id: 'cr-1' } } },
  outcome: 'pending',
}));

const serverErrors: readonly Fault[] = WHENS.flatMap((when) =>
  (['envelope', 'html', 'nothing', 'text'] as const).map((body, index) => ({
    name: `${500 + index}, ${body}, ${when}`,
    effects: { answer: { status: 500 + index, body, when } },
    outcome: 'applied' as const,
  })),
);

const garbage: readonly Fault[] = WHENS.flatMap((when) => [
  { name: `408, ${when}`, effects: { answer: { status: 408, when } }, outcome: 'applied' },
  {
    name: `200, html, ${when}`,
    effects: { answer: { status: 200, body: 'html', when } },
    outcome: 'applied',
  },
  {
    name: `200, text, ${when}`,
    effects: { answer: { status: 200, body: 'text', when } },
    outcome: 'applied',
  },
  {
    name: `200, empty, ${when}`,
    effects: { answer: { status: 200, body: 'nothing', when } },
    outcome: 'applied',
  },
  { name: `201, another shape, ${when}`, effects: { answer: { status: 201, when } }, outcome: 'applied' },
  {
    name: `302 to another host, ${when}`,
    effects: { answer: { status: 302, location: 'https://x.example.com/', body: 'nothing', when } },
    outcome: 'applied',
  },
  { name: `reset, ${when}`, effects: { reset: { when } }, outcome: 'applied' },
  { name: `hang, ${when}`, effects: { hang: { when } }, outcome: 'applied' },
  { name: `late, ${when}`, effects: { latency: { ms: TOO_LONG_MS, when } }, outcome: 'applied' },
]);

const connection: readonly Fault[] = [
  {
    name: '307 to another host',
    effects: { answer: { status: 307, location: 'https://x.example.com/', body: 'nothing' } },
    outcome: 'failed',
  },
  { name: 'slow', effects: { latency: { ms: 30 } }, outcome: 'applied' },
  { name: 'truncated', effects: { truncate: {} }, outcome: 'applied' },
  { name: 'truncated at once', effects: { truncate: { bytes: 0 } }, outcome: 'applied' },
  { name: 'endless', effects: { endless: {} }, outcome: 'applied' },
  { name: 'a slow drip', effects: { drip: { bytes: 1, every_ms: 10 } }, outcome: 'applied' },
  { name: 'a quick drip', effects: { drip: { bytes: 400, every_ms: 1 } }, outcome: 'applied' },
  { name: 'content type html', effects: { content_type: 'text/html' }, outcome: 'applied' },
  { name: 'unknown fields', effects: { unknown_fields: { brand_new: { a: [1] } } }, outcome: 'applied' },
];

const lasting: readonly Fault[] = [
  {
    name: '500, every time',
    effects: { answer: { status: 500 } },
    attempts: 3,
    outcome: 'failed',
    ofRevoke: 'applied',
  },
  {
    name: '500 after, every time',
    effects: { answer: { status: 500, when: 'after' } },
    attempts: 3,
    outcome: 'applied',
  },
  // More attempts follow for as long as an outage may last (`loop/apply/attempt-write.test.ts`).
  { name: 'reset before, three times', effects: { reset: {} }, attempts: 3, outcome: 'applied' },
  { name: 'hang, every time', effects: { hang: {} }, attempts: 3, outcome: 'unknown', ofRevoke: 'applied' },
  { name: 'reset after, every time', effects: { reset: { when: 'after' } }, attempts: 3, outcome: 'applied' },
];

/** The answer is lost, and every later read fails. */
const blind: readonly Fault[] = WHENS.map((when) => ({
  name: `reset ${when}, then no more reads`,
  effects: { reset: { when } },
  blind: true,
  outcome: 'unknown',
  ofRevoke: 'applied',
}));

export const FAULTS: readonly Fault[] = [
  ...throttles.map((fault) => ({ ...fault, outcome: 'applied' as const })),
  ...refused,
  ...pending,
  ...serverErrors,
  ...garbage,
  ...connection,
  ...lasting,
  ...blind,
];
