/** A report of flags that may go, with a flag for each next step and strings of others in every place where there may be some. */

import { HOLDERS, STEPS, type Signals, type StaleFlag } from '../../src/code/references/staleness.ts';
import type { ReportOf } from '../../src/report/report.ts';
import { referencesSample } from './samples-of-references.ts';

const SIGNALS: readonly Signals[] = [
  { code: 'for', calls: 'for', answer: 'for', age: 'for', expiry: 'for' },
  { code: 'against', calls: 'against', answer: 'against', age: 'against', expiry: 'against' },
  { code: 'unknown', calls: 'unknown', answer: 'unknown', age: 'unknown', expiry: 'unknown' },
];
const STATES = ['on', 'off', 'unarchived', 'archived', 'absent'] as const;

export function staleSample(text: string): ReportOf<'stale'> {
  const { code, flags } = referencesSample(text);
  const place = { file: text, line: 2, column: 3 };
  const full = {
    place,
    description: text,
    expires: text,
    holders: HOLDERS.map((what) => ({ project: text, what, names: [text] })),
  };
  return {
    kind: 'stale',
    code,
    flags: STEPS.map((step, index): StaleFlag => ({
      key: index === 1 ? 'plain' : text,
      step,
      signals: SIGNALS[index % SIGNALS.length] as Signals,
      state: STATES[index % STATES.length] as StaleFlag['state'],
      use: (flags[index % flags.length] as (typeof flags)[number]).use,
      live: [
        { project: text, id: 1, active: false },
        {
          project: text,
          id: 2,
          active: true,
          archived: false,
          status: text,
          reason: text,
          last_called_at: index === 0 ? null : text,
          created_at: text,
        },
      ],
      holders: [],
      ...(index === 0 ? {} : full),
      ...(index === 0 ? {} : { answer: [true, false, text][index % 3] as boolean | string }),
      ...(index === 0 ? {} : { changed: { at: text, by: index % 2 === 0 ? 'git' : 'service' } as const }),
      ...(index === 0 ? {} : { owner: { name: text, by: (['tag', 'git', 'service'] as const)[index % 3] as 'tag' } }),
    })),
    listed: true,
    judged: 12,
    days: 30,
    asked: [text],
    unasked: [{ name: text }, { name: text, isForbidden: true }],
    requests: 3,
    unexplained: 1,
    tasks: false,
  };
}
