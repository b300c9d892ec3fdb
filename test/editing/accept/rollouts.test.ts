/** Values that change over time keep their steps in every edit; a value that somebody set becomes a step that is made. */

import { expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { acceptLive } from '../../../src/editing/actions/accept.ts';
import { readTexts } from '../../../src/editing/texts.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import type { Project } from '../../../src/posthog/project.ts';
import type { Moment } from '../../../src/core/rollout/rollout.ts';
import { liveFlag } from '../../helpers/states.ts';

const MOMENT: Moment = { now: Date.parse('2026-12-01T12:00:00Z'), progress: [], reach: 'planned', every: 60_000 };

interface Run {
  readonly text: string;
  readonly live: Flag;
  readonly moment?: Moment;
  readonly others?: readonly string[];
}

/** The text after `accept`, or the codes of what is left. */
function accept({ text, live, moment = MOMENT, others = [] }: Run): string | readonly string[] {
  const project: Project = { name: 'production', roles: {}, cohorts: {}, moment };
  const projects = [project, ...others.map((name): Project => ({ ...project, name }))];
  const manifests = [{ file: 'a.yaml', text }];
  const names = projects.map(({ name }) => name);
  const { desired, diagnostics } = readTexts(manifests, names, moment).resolve(project);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const state = { flags: [live], roleAccess: {} };
  const editing = { live: state, project, projects, manifests, plan: buildPlan(desired, state) };
  const { edited, left } = acceptLive({ ...editing, selection: { pending: false }, layer: 'auto' });
  return left.length > 0 ? left.map(({ reason }) => reason.code) : (edited[0]?.text ?? text);
}

const FIRST = '{ at: 2026-12-01T10:00:00Z, to: 10 }';
const SECOND = '{ at: 2026-12-02T10:00:00Z, to: 50 }';
const made = (at: string): string => `{ at: "${at}", to: 33, done: true }`;
const steps = (...all: readonly string[]): string => `{ steps: [${all.join(', ')}] }`;
const PLAN = steps(FIRST, SECOND);

const conditions = (...groups: readonly JsonObject[]): JsonObject => ({
  filters: { groups: groups.map((one) => ({ properties: [], ...one })) },
});
const share = (rollout_percentage: number): JsonObject => ({ rollout_percentage });
const STAFF = { description: 'staff', ...share(100) };
const BETA = { description: 'beta', ...share(10) };
const PRO = { properties: [{ key: 'plan', type: 'person', operator: 'exact', value: ['pro'] }] };
const CHANGES_OVER_TIME = ['changes-over-time'];

const inCondition = (...groups: readonly string[]): string => `flags:
  checkout:
    active: true
    filters:
      groups:
${groups.map((one) => `        - { ${one} }\n`).join('')}`;
const OF_STAFF = 'description: staff, rollout_percentage: 100';
const OF_BETA = `description: beta, rollout_percentage: ${PLAN}`;

test.each<[what: string, live: readonly JsonObject[], after: readonly string[]]>([
  ['stay', [STAFF, BETA], [OF_STAFF, OF_BETA]],
  ['change places', [BETA, STAFF], [OF_BETA, OF_STAFF]],
  ['get another between them', [STAFF, share(5), BETA], [OF_STAFF, 'rollout_percentage: 5', OF_BETA]],
  [
    'get another share in the one without steps',
    [{ ...STAFF, ...share(80) }, BETA],
    [OF_STAFF.replace('100', '80'), OF_BETA],
  ],
  [
    'get a filter in the one with steps',
    [STAFF, { ...BETA, ...PRO }],
    [
      OF_STAFF,
      `description: beta, properties: [{ key: plan, type: person, operator: exact, value: [pro] }], rollout_percentage: ${PLAN}`,
    ],
  ],
  [
    'get another share in the one with steps',
    [STAFF, { ...BETA, ...share(33) }],
    [OF_STAFF, `description: beta, rollout_percentage: ${steps(FIRST, made('2026-12-01T12:00:00Z'))}`],
  ],
])('the steps of one of two conditions are kept where they %s', (_what, live, after) => {
  const text = inCondition(OF_STAFF, OF_BETA);
  const flag = liveFlag(1, 'checkout', conditions(...live));
  expect(accept({ text, live: flag })).toBe(inCondition(...after));
});

test.each<[what: string, live: readonly JsonObject[]]>([
  ['is gone', [STAFF]],
  ['is gone, and the other one is like none', [{ ...BETA, ...PRO }]],
  ['may be one of two', [BETA, STAFF, BETA]],
  ['has no share of its own any more', [STAFF, { description: 'beta' }]],
])('nothing is written where the condition with the steps %s', (_what, live) => {
  const flag = liveFlag(1, 'checkout', conditions(...live));
  expect(accept({ text: inCondition(OF_STAFF, OF_BETA), live: flag })).toEqual(CHANGES_OVER_TIME);
});

const short = (rollout: string, more = ''): string =>
  `flags:\n  checkout: { active: true, rollout_percentage: ${rollout}${more} }\n`;
const active = (...all: readonly string[]): string =>
  `flags:\n  checkout: { active: { from: true, steps: [${all.join(', ')}] } }\n`;
const described = (text: string, description: string): string =>
  text.replace('{ active', `{ description: ${description}, active`);
const OFF = '{ at: 2026-12-03T10:00:00Z, to: false }';

test.each<[what: string, text: string, fields: JsonObject, after: string | readonly string[]]>([
  ['of a flag that gets conditions', short(PLAN), conditions({ ...share(10), ...PRO }), CHANGES_OVER_TIME],
  [
    'of a flag that gets another field',
    described(short(PLAN), 'Old'),
    { ...conditions(share(10)), name: 'New' },
    described(short(PLAN), 'New'),
  ],
  [
    'of a flag that somebody switches off',
    active(OFF),
    { active: false },
    active('{ at: "2026-12-01T12:00:00Z", to: false, done: true }'),
  ],
  [
    'of a flag that gets another field while it is on',
    described(active(OFF), 'Old'),
    { name: 'New' },
    described(active(OFF), 'New'),
  ],
  ['of a deleted flag, which has none', short(PLAN), { deleted: true }, short('10', ', deleted: true')],
])('the steps %s', (_what, text, fields, after) => {
  expect(accept({ text, live: liveFlag(1, 'checkout', fields) })).toEqual(after);
});

test('the steps that other projects share stay, and the value goes into the overlay', () => {
  const live = liveFlag(1, 'checkout', conditions(share(33)));
  expect(accept({ text: short(PLAN), live, others: ['staging'] })).toBe(
    short(PLAN, ', projects: { production: { rollout_percentage: 33 } }'),
  );
});

test.each<[step: number, now: string, after: string | readonly string[]]>([
  [-1, '2026-12-03T00:00:00Z', short(steps(made('2026-12-03T00:00:00Z')))],
  [0, '2026-12-03T00:00:00Z', short(steps(FIRST, made('2026-12-03T00:00:00Z')))],
  [1, '2026-12-02T10:00:01Z', short(steps(FIRST, SECOND, made('2026-12-02T10:00:01Z')))],
  [1, '2026-12-02T10:00:00Z', CHANGES_OVER_TIME],
  [1, '2026-12-01T12:00:00Z', CHANGES_OVER_TIME],
])(
  'a value that somebody set comes after step %s, which was applied last, and later than it: %s',
  (step, now, after) => {
    const utc = (time: string): string => new Date(time).toISOString();
    const all = [
      { at: utc('2026-12-01T10:00:00Z'), to: 10 },
      { at: utc('2026-12-02T10:00:00Z'), to: 50 },
    ];
    const applied = {
      key: 'checkout',
      pointer: '/rollout_percentage',
      from: 0,
      steps: all,
      step,
      at: utc('2026-12-01T10:00:00Z'),
    };
    const moment: Moment = { ...MOMENT, reach: 'applied', now: Date.parse(now), progress: [applied] };
    const live = liveFlag(1, 'checkout', conditions(share(33)));
    expect(accept({ text: short(PLAN), moment, live })).toEqual(after);
  },
);
