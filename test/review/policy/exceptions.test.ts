/** What lifts findings, and what each exception is told to do. */

import { describe, expect, it } from 'vitest';
import type { Exception } from '../../../src/core/engine/exceptions.ts';
import { type Grants, liftFindings, reportExceptions } from '../../../src/review/policy/exceptions.ts';
import { isRefusal, type Finding } from '../../../src/review/policy/finding.ts';
import { buildPlan } from '../../../src/posthog/planning/build-plan.ts';
import type { Plan } from '../../../src/posthog/plan.ts';
import { desiredState, liveFlag, liveState, planOptions, retired } from '../../helpers/states.ts';

const PLACE = { file: 'exceptions.yaml', line: 2, column: 5 };
const NOON = Date.parse('2026-06-15T12:00:00Z');

function finding(level: Finding['level'], more: Partial<Finding> = {}): Finding {
  const facts = { what: 'naming', patterns: [] } as const;
  return { rule: 'naming', level, resource: 'flag', key: 'shop', ref: 'flag:shop', facts, policy: PLACE, ...more };
}

type Origin = Extract<Exception['origin'], { readonly from: 'file' }>;

interface Written extends Partial<Origin> {
  readonly rule?: string;
  readonly key?: string;
}

function exception({ rule = 'naming', key = 'sh*', ...origin }: Written = {}): Exception {
  const facts = { place: PLACE, reason: 'an old name', until: '2026-12-31', grantedBy: 'ann' };
  const own = { ...facts, isInBase: false, isApproved: false };
  return { rules: [rule], keys: [key], origin: { from: 'file', ...own, ...origin } };
}

const approved = (more: Written = {}): Exception => exception({ isApproved: true, ...more });
const grants = (more: Partial<Grants> = {}): Grants => ({ approvedBy: [], exceptions: [], now: NOON, ...more });
const lift = (one: Finding, more: Partial<Grants>): Finding | undefined => liftFindings([one], grants(more))[0];

describe('liftFindings', () => {
  it.each<[string, Finding, Partial<Grants>, readonly string[] | undefined]>([
    ['one that asks for an approval', finding('approve'), { approvers: ['ann', 'bob'] }, ['ann', 'bob']],
    ['one that somebody else approves', finding('approve'), { approvers: ['ann'], approvedBy: ['eve'] }, ['ann']],
    ['one that anybody may approve', finding('approve'), {}, undefined],
    ['one that is approved', finding('approve'), { approvers: ['ann'], approvedBy: ['ann'] }, undefined],
    ['an error', finding('error'), { approvers: ['ann'] }, ['ann']],
  ])('names who may approve or grant: %s', (_, found, given, approvers) => {
    expect(lift(found, given)?.approvers).toEqual(approvers);
  });

  it.each<[string, Finding, Partial<Grants>, boolean]>([
    ['an error without anything', finding('error'), {}, true],
    ['an error that is approved', finding('error'), { approvedBy: ['ann'] }, true],
    ['a finding that asks for approval', finding('approve'), {}, true],
    ['one that is approved', finding('approve'), { approvedBy: ['ann'] }, false],
    ['one that somebody else approves', finding('approve'), { approvedBy: ['eve'], approvers: ['ann'] }, true],
    ['an exception whose grantor approves', finding('error'), { exceptions: [approved()] }, false],
    ['an exception that nobody granted', finding('error'), { exceptions: [exception()] }, true],
    ['an exception that the base has', finding('error'), { exceptions: [exception({ isInBase: true })] }, false],
    [
      'an exception of no approver that the base has',
      finding('error'),
      { approvers: ['bob'], exceptions: [exception({ isInBase: true })] },
      true,
    ],
    [
      'an expired exception that the base has',
      finding('error'),
      { exceptions: [exception({ isInBase: true, until: '2026-06-14' })] },
      true,
    ],
    ['an exception of no approver', finding('error'), { approvers: ['bob'], exceptions: [approved()] }, true],
    ['an exception on its last day', finding('error'), { exceptions: [approved({ until: '2026-06-15' })] }, false],
    ['an expired exception', finding('error'), { exceptions: [approved({ until: '2026-06-14' })] }, true],
    ['an exception from another rule', finding('error'), { exceptions: [approved({ rule: 'freeze' })] }, true],
    ['an exception for another flag', finding('error'), { exceptions: [approved({ key: 'x' })] }, true],
    ['a warning', finding('warning'), {}, false],
  ])('%s', (_, one, given, refused) => {
    expect(liftFindings([one], grants(given)).map(isRefusal)).toEqual([refused]);
  });

  it('lifts nothing of a rule that ended early, since nobody knows what it would have found', () => {
    const one = finding('error', { facts: { what: 'own_exhausted', judged: 1, changes: 2 } });
    expect(lift(one, { exceptions: [approved({ key: '*' })] })).toEqual(one);
  });

  it('lifts what a step breaks by what counts when the step is made, or now if that is later', () => {
    const until = { exceptions: [approved({ until: '2026-06-20' })] };
    const at = (step: string): Finding => finding('error', { step });
    const refused = ['2026-06-20T23:00:00Z', '2026-06-21T00:00:00Z'].map((step) => lift(at(step), until));
    expect(refused.map((one) => one && isRefusal(one))).toEqual([false, true]);
    const delayed = lift(finding('error', { step: '2026-06-20T23:00:00Z', due: '2026-06-21T00:00:00Z' }), until);
    expect(delayed && isRefusal(delayed)).toBe(true);
    const late = lift(at('2026-06-14T00:00:00Z'), { exceptions: [approved({ until: '2026-06-14' })] });
    expect(late && isRefusal(late)).toBe(true);
  });

  it('says who lifted it, why and until when', () => {
    expect(lift(finding('error'), { exceptions: [approved()] })?.lifted).toEqual({
      by: 'exception',
      granted_by: 'ann',
      proof: 'approval',
      reason: 'an old name',
      until: '2026-12-31',
      source: PLACE,
    });
    expect(lift(finding('approve'), { approvedBy: ['eve', 'ann'], approvers: ['ann'] })?.lifted).toEqual({
      by: 'approval',
      approver: 'ann',
    });
  });

  it('names cohorts as options do', () => {
    const one = finding('error', { resource: 'cohort', key: 'beta', ref: 'cohort:beta' });
    const refused = ['beta', 'cohort:beta'].map((key) => lift(one, { exceptions: [approved({ key })] }));
    expect(refused.map((found) => found && isRefusal(found))).toEqual([true, false]);
  });

  it('says that nothing proves an exception which the base has, unless the run names who granted it', () => {
    const proofs = [false, true].map((isApproved) => {
      const lifted = lift(finding('error'), { exceptions: [exception({ isInBase: true, isApproved })] })?.lifted;
      return lifted?.by === 'exception' ? lifted.proof : undefined;
    });
    expect(proofs).toEqual(['none', 'approval']);
  });

  it('brings no other flag under an exception by a rename', () => {
    const renamed = finding('error', { rule: 'freeze', key: 'exp-pay', live_name: 'pay' });
    const refuses = (more: Written, one = renamed): boolean =>
      liftFindings([one], grants({ exceptions: [approved({ rule: 'freeze', ...more })] })).some(isRefusal);
    expect(refuses({ key: 'exp-*', isInBase: true })).toBe(true);
    expect(refuses({ key: 'exp-pay', isInBase: true })).toBe(true);
    expect(refuses({ key: 'pay', isInBase: true })).toBe(false);
    // What the change adds may name the name that it gives, but no glob does, and `naming` judges the new name.
    expect(refuses({ key: 'exp-pay' })).toBe(false);
    expect(refuses({ key: 'exp-*' })).toBe(true);
    const named = { ...renamed, rule: 'naming' };
    expect(refuses({ rule: 'naming', key: 'exp-*', isInBase: true }, named)).toBe(false);
  });
});

describe('reportExceptions', () => {
  const counted = (most: number): Exception => {
    const { origin } = exception({ isInBase: true });
    return { rules: ['deletes'], keys: [], most, origin };
  };
  const planWith = (exceptions: readonly Exception[]): Plan =>
    buildPlan(desiredState(retired('a'), retired('b')), liveState([liveFlag(1, 'a'), liveFlag(2, 'b')]), {
      ...planOptions({ protected: ['a'], limits: { deletes: 1, deletes_percent: 100, updates_percent: 100 } }),
      exceptions,
    });
  const codeOf = (
    one: Exception,
    more: { approvers?: readonly string[]; findings?: readonly Finding[] } = {},
  ): unknown => {
    const { findings = [], ...given } = more;
    const judged = { plan: planWith([one]), findings, judgedBy: () => true, known: ['a', 'b'] };
    const [found] = reportExceptions({ exceptions: [one], now: NOON, ...given }, judged);
    return found;
  };

  it.each<[string, Exception, object]>([
    [
      'lifts a rule',
      exception({ rule: 'protected', key: 'a', isInBase: true }),
      { code: 'exception_used', lifts: [{ rule: 'protected', key: 'a' }] },
    ],
    ['lifts a number', counted(2), { code: 'exception_used', most: 2, lifts: [{ rule: 'deletes' }] }],
    ['allows too few', counted(1), { code: 'exception_unused', most: 1, needed: 2 }],
    ['is not needed', exception({ rule: 'lockout', key: 'a', isInBase: true }), { code: 'exception_unused' }],
    ['names no flag', exception({ rule: 'protected', key: 'c', isInBase: true }), { code: 'exception_unmatched' }],
    ['has expired', exception({ until: '2026-01-01', isInBase: true }), { code: 'exception_expired' }],
    ['nobody granted', exception(), { code: 'exception_not_approved', granted_by: 'ann' }],
  ])('tells of one that %s', (_, one, expected) => {
    expect(codeOf(one)).toMatchObject({ reason: 'an old name', source: PLACE, ...expected });
  });

  it('tells of one whose grantor may not grant, and of none whose rule judges nothing', () => {
    expect(codeOf(approved(), { approvers: ['bob'] })).toMatchObject({ code: 'exception_not_approver' });
    const unjudged = { plan: planWith([]), findings: [], judgedBy: () => false, known: [] };
    expect(reportExceptions({ exceptions: [approved()], now: NOON }, unjudged)).toEqual([]);
  });
});
