/** What stands between a plan and its apply: what is shown, what is refused, and what is asked. */

import { describe, expect, test } from 'vitest';
import { askFirst, checkIdentity, refusePlan, showPlan, type Refused } from '../../../src/cli/plan/confirmation.ts';
import { tellFailure, type Session } from '../../../src/cli/session/session.ts';
import type { ProjectIdentity } from '../../../src/core/engine/project.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import type { Report, ReportOf } from '../../../src/report/report.ts';

const PROJECT: ProjectIdentity = { name: 'main', host: 'https://x.example', project_id: '5' } as ProjectIdentity;
const PLAN = { project: PROJECT, changes: [], hazards: [], warnings: [], unmanaged: [] } as unknown as Plan;

interface Watched {
  readonly session: Session;
  /** What became text for people, and what was written as `print` or `note`. */
  readonly shown: Report[];
  readonly written: string[];
}

function watch({
  answer,
  terminals = [true, true],
}: { readonly answer?: string; readonly terminals?: boolean[] } = {}): Watched {
  const [shown, written]: [Report[], string[]] = [[], []];
  const [stdin, stderr] = terminals;
  const session = {
    context: {
      stdin: { isTerminal: stdin },
      stderr: { isTerminal: stderr },
    },
    options: { format: 'text' },
    interrupts: { stop: new AbortController().signal },
    ask: async (question: string) => {
      written.push(`ask ${question}`);
      return Promise.resolve(answer);
    },
    print: async (text: string) => void written.push(`print ${text}`),
    note: async (text: string) => void written.push(`note ${text}`),
    textOf: async (report: Report) => {
      shown.push(report);
      return Promise.resolve(report.kind);
    },
    publishFiles: async () => Promise.resolve(),
    async publishFailure(this: Session, report: ReportOf<'failure'>) {
      await tellFailure(this, report);
    },
  };
  return { session: session as unknown as Session, shown, written };
}

describe('a plan is shown', () => {
  const change = { ref: 'flag:a' };
  const rollout = (more: object): object => ({ rollouts: [{ step: 0 }, { step: 0, ...more }] });

  test.each<[string, object, boolean | undefined, readonly string[]]>([
    ['before a question, whatever is quiet', { changes: [change] }, undefined, ['print plan\n']],
    ['as a note where nobody is asked', { changes: [change] }, true, ['note plan\n']],
    ['with the step of a rollout that is held', rollout({ held: true }), undefined, ['print plan\n']],
    ['by its warnings alone where it changes nothing', { warnings: [{}] }, undefined, ['print warnings']],
    ['not at all where nothing is to be said', rollout({}), undefined, []],
  ])('%s', async (_, plan, yes, expected) => {
    const { session, written } = watch();
    await showPlan(session, { ...PLAN, ...plan }, yes === undefined ? {} : { yes });
    expect(written).toEqual(expected);
  });

  test('without what the refusal after it lists', async () => {
    const { session, shown } = watch();
    const plan = { ...PLAN, changes: [change], hazards: [{}] } as unknown as Plan;
    const [open, lifted, warning] = [{ level: 'refuse' }, { level: 'approve', lifted: {} }, { level: 'warning' }];
    const judgement = { findings: [open, lifted, warning] };
    await showPlan(session, plan, { judgement: judgement as never, requests: [] });
    await showPlan(session, plan, {});
    expect(shown).toMatchObject([
      { plan: { changes: [change], hazards: [] }, judgement: { findings: [lifted, warning] }, requests: [] },
      { plan: { hazards: [] } },
    ]);
    expect(shown[1]).not.toHaveProperty('judgement');
  });
});

const PAGE = 'What to do about each rule: https://flagwright.dev/exceptions';
const SURE = `after one of the ways above. ${PAGE}`;

test.each<[string, object, string | undefined, string, string]>([
  ['a policy', { findings: [{}] }, undefined, 'A policy refuses the plan', PAGE],
  [
    'safety rules with permits',
    { hazards: [{ permit: {} }, { permit: {} }] },
    undefined,
    'The plan breaks a safety rule',
    `Plan again ${SURE}`,
  ],
  [
    'the same in an undo',
    { hazards: [{ permit: {} }], findings: [{}] },
    'Undo again',
    'The plan breaks a safety rule',
    `Undo again ${SURE}`,
  ],
  [
    'one rule of two that nothing permits',
    { hazards: [{ permit: {} }, {}] },
    undefined,
    'The plan breaks a safety rule',
    'The service refuses a part of the plan, whatever is allowed here. Each rule above says what it accepts instead.',
  ],
])('%s: nothing is applied, and the report says what', async (_, given, again, message, remedy) => {
  const { session, shown } = watch();
  const refused = { hazards: [], changes: [{}], project: PROJECT, ...given } as unknown as Refused;
  expect(await (again === undefined ? refusePlan(session, refused) : refusePlan(session, refused, again))).toBe(4);
  expect(shown).toMatchObject([
    { kind: 'failure', error: { code: 'refused', message: `${message}; nothing was applied.`, remedy }, ...given },
  ]);
  expect(shown[0]).toMatchObject({ changes: [{}], project: PROJECT });
});

describe('the question before an apply', () => {
  test.each([
    ['yes', true],
    [' yes ', true],
    ['y', false],
    ['yes!', false],
    ['', false],
  ])('answered with %j confirms: %s', async (answer, confirms) => {
    const { session, written } = watch({ answer });
    const asking = askFirst(session, { project: PROJECT });
    if (confirms) await asking;
    else
      await expect(asking).rejects.toMatchObject({ code: 'refused', message: 'Not confirmed; nothing was applied.' });
    expect(written).toEqual(['ask Apply these changes to main? Only "yes" is accepted: ']);
  });

  test.each([
    ['plan', undefined, 'flagwright plan --out FILE'],
    ['undo', 'undo', 'flagwright undo --out FILE'],
    ['off', 'off', 'Confirm with --yes.'],
  ] as const)('of %s needs two terminals, or says what to do', async (_, command, remedy) => {
    for (const terminals of [
      [false, true],
      [true, false],
    ]) {
      const { session, written } = watch({ answer: 'yes', terminals });
      const asking = askFirst(session, { project: PROJECT }, ...(command === undefined ? [] : [command]));
      await expect(asking).rejects.toMatchObject({
        code: 'refused',
        message: 'Confirmation needs a terminal or --yes; nothing was applied.',
        remedy: expect.stringContaining(remedy) as string,
      });
      expect(written).toEqual([]);
    }
  });
});

test.each([
  ['name', 'other (https://x.example, project 5)'],
  ['host', 'main (other, project 5)'],
  ['project_id', 'main (https://x.example, project other)'],
])('a plan of another %s is refused', (member, made) => {
  checkIdentity({ project: PROJECT }, { ...PROJECT });
  const other = { ...PROJECT, [member]: 'other' };
  expect(() => checkIdentity({ project: other }, PROJECT)).toThrow(
    expect.objectContaining({
      code: 'plan_invalid',
      message: `The plan was made for ${made}, but this run is for main (https://x.example, project 5).`,
      remedy: 'Select its project with --project, or make a new plan.',
    }) as Error,
  );
});
