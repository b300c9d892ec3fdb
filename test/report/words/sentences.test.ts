/**
 * Sentences that rare situations need, each with the facts that it is made of, as they are stored in `sentences/`. They are stored again
 * by `npx vitest run test/report/words/sentences.test.ts -u`.
 */

import { expect, test } from 'vitest';
import { generationNoteText, manifestNoteText } from '../../../src/report/words/code.ts';
import { leftPromotionText, leftText } from '../../../src/report/words/editing.ts';
import {
  answerText,
  attemptText,
  expectedText,
  undecidedRemedy,
  undecidedText,
} from '../../../src/report/words/answers.ts';
import {
  noBaseNote,
  notRecordedRemedy,
  notRecordedText,
  recordedText,
  unreadableBaseRemedy,
  unreadableBaseText,
} from '../../../src/report/words/base.ts';
import { rolloutText, scheduledTexts } from '../../../src/report/words/rollouts.ts';
import { hazardText } from '../../../src/report/words/rules.ts';
import { notKnownText, warningText } from '../../../src/report/words/warnings.ts';

const quote = (text: string): string => `«${text}»`;
const COMMIT = '1a2b3c4d5e6f7890'.padEnd(40, '0');
const NEXT = '2026-12-03T08:00:00.000Z';
const REMOTE = { remote: 'origin', ref: 'refs/flagwright/x' };

const NO_BASE: readonly object[] = [
  ...['no_repository', 'git_missing', 'not_recorded'].map((code) => ({ code })),
  { code: 'git_refused', detail: 'unsafe' },
  { code: 'remote_unreachable', remote: 'origin', detail: 'denied' },
  { code: 'remote_unreachable', detail: 'denied', ...REMOTE },
  { code: 'not_fetched', ...REMOTE },
  { code: 'journal_unreadable', detail: 'cut' },
  { code: 'record_unknown', name: 'refs/x' },
  { code: 'records_moved', names: ['refs/x', 'refs/y'] },
  { code: 'not_a_commit', name: 'v1' },
  { code: 'commit_missing', commit: COMMIT, shallow: true },
  { code: 'commit_missing', commit: COMMIT, shallow: true, remote: 'origin' },
  { code: 'commit_missing', commit: COMMIT, shallow: false, remote: 'origin' },
  { code: 'commit_damaged', commit: COMMIT },
  { code: 'manifests_invalid', commit: COMMIT, errors: 1, message: 'It is wrong.' },
  { code: 'manifests_invalid', commit: COMMIT, errors: 3, message: 'It is wrong', place: { file: 'a.yaml', line: 2 } },
  { code: 'manifests_filtered', commit: COMMIT, file: 'a.yaml', filter: 'lfs' },
  { code: 'manifests_in_submodule', commit: COMMIT, folder: 'flags' },
];

const NOT_RECORDED: readonly object[] = [
  ...['modified', 'new', 'gone'].map((how) => ({ code: 'manifest_differs', file: 'a.yaml', how })),
  ...['branch_unborn', 'plan_without_commit'].map((code) => ({ code })),
  ...['commit_unknown', 'newer_applied', 'not_contained', 'history_missing', 'compared_otherwise'].map((code) => ({
    code,
    commit: COMMIT,
  })),
  { code: 'record_unreadable', name: 'refs/x' },
  { code: 'remote_unreachable', remote: 'origin', detail: 'denied' },
  { code: 'git_failed', detail: 'no space' },
];

const STEPS = [
  { at: '2026-12-01T08:00:00.000Z', to: 10 },
  { at: NEXT, to: 50 },
];
const rollout = (step: number, more: object = {}): object => ({ key: 'a', from: 0, steps: STEPS, step, ...more });
const applied = (step: number): object => ({ applied: { step, at: NEXT } });
const ROLLOUTS: readonly object[] = [
  rollout(-1),
  rollout(0),
  rollout(1),
  rollout(0, applied(-1)),
  rollout(1, { ...applied(0), due: NEXT, overdue: true }),
  rollout(0, { ...applied(-1), due: NEXT, then_due: '2026-12-04T08:00:00.000Z' }),
  rollout(0, { ...applied(0), due: NEXT }),
  rollout(0, { ...applied(0), due: NEXT, held: true }),
  rollout(0, { ...applied(0), due: NEXT, overdue: true }),
  rollout(0, { ...applied(0), held: true }),
  rollout(1, { ...applied(1), overdue: true, due: NEXT }),
  rollout(-1, { ...applied(-1), due: NEXT }),
  rollout(0, { ...applied(0), found_live: true }),
  { ...rollout(-1), from: false, steps: [{ at: NEXT, to: true }] },
];

const scheduled = (more: object): object => ({ key: 'a', outcome: 'not_approved', ...more });
const bound = (state: string): object => ({ approval: { request: 'r-1', state } });
const SCHEDULED: readonly object[] = [
  scheduled({}),
  ...['pending', 'approved', 'rejected'].map((state) => scheduled({ ...bound(state), by: 'ann' })),
  scheduled({ ...bound('expired'), repeats: 'daily' }),
  scheduled({ until: NEXT, dormant: true }),
  ...['made', 'refused', 'unknown'].map((outcome) => scheduled({ outcome })),
  scheduled({ outcome: 'made', effects: [] }),
];

const PRO = { properties: [{ key: 'plan', operator: 'exact', value: ['pro'] }], rollout_percentage: 30 };
const condition = (more: object = {}): object => ({ number: 2, condition: { ...PRO, ...more } });
const ANSWERS: readonly object[] = [
  { value: true, reason: 'condition_match', condition: condition() },
  { value: 'blue', reason: 'condition_match', condition: condition(), payload: { a: 1 } },
  { value: false, reason: 'out_of_rollout_bound' },
  { value: false, reason: 'out_of_rollout_bound', condition: condition() },
  { value: false, reason: 'no_condition_match', conditions: 0 },
  { value: false, reason: 'no_condition_match', conditions: 3 },
  { value: false, reason: 'no_condition_match', conditions: 3, condition: condition() },
  { value: false, reason: 'no_group_type', conditions: 0 },
  { value: false, reason: 'no_group_type', conditions: 1 },
  ...['super_condition_value', 'holdout_condition_value', 'flag_disabled', 'flag_deleted', 'flag_missing'].map(
    (reason) => ({ value: false, reason }),
  ),
];
const unmatched = (filter: object, found?: unknown): object => ({
  condition: condition({ properties: [filter] }),
  result: { kind: 'unmatched', filter: 0, ...(found === undefined ? {} : { found }) },
});
const ATTEMPTS: readonly object[] = [
  unmatched({ key: 'plan', value: 'pro' }),
  unmatched({ key: 'plan', value: 'pro' }, 'free'),
  unmatched({ key: 'size', type: 'group', group_type_index: 0, value: 5 }),
  unmatched({ key: 'size', type: 'group', group_type_index: 0, value: 5 }, 3),
  unmatched({ key: 'id', type: 'cohort', value: 7 }),
  unmatched({ key: 'id', type: 'cohort', operator: 'not_in', value: 7 }),
  unmatched({ key: 'b', type: 'flag', value: true }, 'blue'),
  unmatched({ key: 'b', type: 'flag', value: true }, false),
  unmatched({ key: 'b', type: 'flag', value: true }),
  ...[
    { kind: 'unreadable' },
    { kind: 'no_group', type: 1 },
    { kind: 'no_device' },
    { kind: 'left_out', identifier: 'ada', position: 30.001 },
    { kind: 'matched' },
    { kind: 'matched', identifier: 'ada', variant: { kind: 'forced' } },
    { kind: 'matched', identifier: 'ada', variant: { kind: 'hash', position: 49.999 } },
  ].map((result) => ({ condition: condition(), result })),
];
const UNDECIDED: readonly object[] = [
  ...['conditions_undeclared', 'unknown_format', 'payload_encrypted'].map((code) => ({ code })),
  { code: 'dependency_unknown', flags: ['b', 'c'] },
  { code: 'filter_unknown', condition: condition(), filter: { key: 'a', operator: 'sounds_like' } },
  { code: 'filter_unknown', condition: condition(), filter: { key: 'a', type: 'session' }, dependency: 'b' },
  { code: 'filter_unknown', condition: condition(), filter: { key: 'a' } },
];

const PLACE = { file: 'a.yaml', line: 2, column: 3 };
const LEFT: readonly object[] = [
  ...['unreadable', 'alias', 'merge-key', 'anchor', 'tag', 'no-mapping', 'overlapping', 'unwritable'].map((code) => ({
    code,
  })),
  ...['reads-differently', 'not-declared', 'not-expressible', 'changes-over-time', 'changes-others'].map((code) => ({
    code,
  })),
  ...['not-live', 'not-planned'].map((code) => ({ code })),
  { code: 'granted-by-pattern', role: 'r', pattern: 'a-*' },
  { code: 'granted-everywhere', role: 'r' },
  { code: 'not-exportable', reasons: ['key-shared'] },
  { code: 'cohort-moved', name: 'Beta', id: 7 },
  { code: 'cohort-unidentified', name: 'Beta', alias: 'beta', id: 7 },
  ...['static', 'behavioral'].map((reason) => ({ code: 'cohort-undeclarable', name: 'Beta', reason })),
  { code: 'renamed', key: 'b' },
  { code: 'key-in-use', key: 'a', renamed: 'b', use: { by: 'declaration' } },
  ...['flags', 'features', 'roles', 'projects'].map((by) => ({
    code: 'key-in-use',
    key: 'a',
    renamed: 'b',
    use: { by, names: ['x', 'y'] },
  })),
  { code: 'invalid', problem: { code: 'cohort-undefined', severity: 'error', args: { alias: 'a' } } },
  {
    code: 'invalid',
    problem: {
      code: 'ownership-value-outside',
      args: { path: '/x', value: 30, low: 0, high: 20, rule: PLACE },
    },
  },
];
const PROMOTED: readonly object[] = [
  { code: 'source-lacks', project: 'p' },
  { code: 'part-lacks', part: 'conditions', project: 'p' },
  { code: 'target-lacks', project: 'p' },
  ...['conditions-differ', 'payloads-secret', 'alias'].map((code) => ({ code })),
  { code: 'cohort-unnamed', cohort: 7, project: 'p' },
  { code: 'cohort-missing', alias: 'beta', project: 'p' },
  { code: 'cohort-renamed', project: 'p' },
  { code: 'role-unnamed', role: 'r', project: 'p' },
  { code: 'role-missing', role: 'r', project: 'p' },
  { code: 'dependency-missing', dependency: 'b', project: 'p' },
  { code: 'dependency-left', chain: ['b', 'c'] },
  { code: 'dependency-left', chain: ['b', 'c', 'd', 'e'] },
  { code: 'dependency-left', chain: ['b', 'c', 'd', 'e', 'f'] },
];
const GENERATED: readonly object[] = [
  { code: 'names_collide', identifier: 'a', keys: ['a', 'A'], names: ['a', 'a2'] },
  { code: 'answers_undecided', keys: ['a'] },
  { code: 'payloads_wider', keys: ['a'], keywords: ['not', 'if'] },
  ...['encrypted', 'large', 'of-others'].map((reason) => ({ code: 'payloads_untyped', keys: ['a'], reason })),
];
const UNSAID = ['variants_unsaid', 'answers_as_boolean', 'names_with_digit', 'names_alike', 'payloads_unsaid'];

const off = (more: object = {}): object => ({ run: 'run-1', at: NEXT, paths: ['/active'], ...more });
const TURNED_OFF: readonly object[] = [
  { key: 'a', off: off() },
  { key: 'a', off: off({ by: 'ann', reason: 'incident 7' }) },
  { key: 'a', deleted: true, off: off({ paths: ['/filters'] }) },
];
const OFF: readonly object[] = [
  { key: 'a', encrypted: true },
  { key: 'a', format: '2' },
];

const USED: readonly object[] = ['disable', 'delete', 'rename', 'shares'].flatMap((action) => [
  { key: 'a', action, experiments: [4], surveys: ['NPS'] },
  { key: 'a', action, experiments: [4, 5], linked: [6], surveys: ['NPS', 'Exit'], replay: true },
  { key: 'a', action, linked: [6, 7], replay: true, enrollment: true },
]);

const as = (code: string, facts: object): never => ({ ...facts, code }) as never;

type Describe = (facts: never) => string | undefined;
const GROUPS: readonly (readonly [name: string, facts: readonly object[], describe: Describe])[] = [
  ['no base', NO_BASE, noBaseNote],
  ['an unreadable base', NO_BASE, (reason) => `${unreadableBaseText(reason)} ${unreadableBaseRemedy(reason)}`],
  ['not recorded', NOT_RECORDED, (reason) => `${notRecordedText(reason)} | ${notRecordedRemedy(reason) ?? ''}`],
  [
    'recorded',
    [[], ['a'], ['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'd', 'e', 'f', 'g']].map((keys) => ({ keys })),
    ({ keys }: { readonly keys: readonly string[] }) => recordedText({ commit: COMMIT, project: 'p', keys }),
  ],
  ['rollouts', ROLLOUTS, rolloutText],
  ['scheduled', SCHEDULED, (one) => scheduledTexts(one, quote).join(' | ')],
  [
    'not known',
    (['schedules', 'change_requests'] as const).flatMap((key) =>
      (['forbidden', 'failed'] as const).map((why) => ({ key, why })),
    ),
    notKnownText,
  ],
  [
    'answers',
    ANSWERS,
    (answer) => `${answerText(answer, { value: true })} | ${answerText(answer, { value: true, payload: 1 })}`,
  ],
  ['expected', [{ value: true }, { value: 'b', payload: null }, { value: false, payload: { a: 1 } }], expectedText],
  ['attempts', ATTEMPTS, (one) => `${attemptText(one, undefined)} | ${attemptText(one, condition() as never)}`],
  ['undecided', UNDECIDED, (why) => `${undecidedText(why)}. ${undecidedRemedy(why)}`],
  ['left by accept', LEFT, (reason) => leftText({ key: 'a', reason }, quote)],
  ['left by promote', PROMOTED, (reason) => leftPromotionText({ key: 'a', reason, place: PLACE })],
  ['generated', GENERATED, generationNoteText],
  ['generated for OpenFeature', UNSAID.map((code) => ({ code, keys: ['a', 'b'] })), manifestNoteText],
  ['turned off', TURNED_OFF, (one) => hazardText(as('switched_off', one), quote).slice(0, -1)],
  ['affected by off', OFF, (one) => warningText(as('off_affects', one), quote)],
  ['affected by a change', USED, (one) => warningText(as('use_affected', one), quote)],
];

test.each(GROUPS)('what is said of %s is as before', async (name, facts, describe) => {
  const lines = facts.flatMap((one) => [JSON.stringify(one), `  ${describe(one as never) ?? '(nothing)'}`, '']);
  await expect(lines.join('\n')).toMatchFileSnapshot(`sentences/${name.replaceAll(' ', '-')}.txt`);
});
