import { describe, expect, it } from 'vitest';
import { isRefusal, type Finding } from '../../../src/review/policy/finding.ts';
import { liftFindings, type Grants, type Waiver } from '../../../src/review/policy/exemptions.ts';

const PLACE = { file: 'waivers.yaml', line: 2, column: 5 };

function finding(level: Finding['level'], more: Partial<Finding> = {}): Finding {
  const facts = { what: 'naming', patterns: [] } as const;
  return { rule: 'naming', level, resource: 'flag', key: 'shop', ref: 'flag:shop', facts, policy: PLACE, ...more };
}

function waiver(more: Partial<Waiver> = {}): Waiver {
  return {
    rule: 'naming',
    key: 'sh*',
    reason: 'an old name',
    expires: '2026-12-31',
    isExpired: false,
    grantedBy: 'ann',
    isInBase: false,
    source: PLACE,
    ...more,
  };
}

const grants = (more: Partial<Grants> = {}): Grants => ({
  approvedBy: [],
  waivers: [],
  judgedBy: new Set(['naming', 'freeze']),
  ...more,
});

describe('liftFindings', () => {
  it.each<[string, Finding, Partial<Grants>, readonly string[] | undefined]>([
    ['one that asks for an approval', finding('approve'), { approvers: ['ann', 'bob'] }, ['ann', 'bob']],
    ['one that somebody else approves', finding('approve'), { approvers: ['ann'], approvedBy: ['eve'] }, ['ann']],
    ['one that anybody may approve', finding('approve'), {}, undefined],
    ['one that is approved', finding('approve'), { approvers: ['ann'], approvedBy: ['ann'] }, undefined],
    ['an error', finding('error'), { approvers: ['ann'] }, undefined],
  ])('names who may approve: %s', (_, found, given, approvers) => {
    expect(liftFindings([found], grants(given)).findings.map((one) => one.approvers)).toEqual([approvers]);
  });

  it.each<[string, Finding, Partial<Grants>, boolean]>([
    ['an error without anything', finding('error'), {}, true],
    ['an error that is approved', finding('error'), { approvedBy: ['ann'] }, true],
    ['a finding that asks for approval', finding('approve'), {}, true],
    ['one that is approved', finding('approve'), { approvedBy: ['ann'] }, false],
    ['one that somebody else approves', finding('approve'), { approvedBy: ['eve'], approvers: ['ann'] }, true],
    ['a waiver', finding('error'), { approvedBy: ['ann'], waivers: [waiver()] }, false],
    ['a waiver that nobody granted', finding('error'), { waivers: [waiver()] }, true],
    ['a waiver that the base has', finding('error'), { waivers: [waiver({ isInBase: true })] }, false],
    [
      'a waiver of no approver that the base has',
      finding('error'),
      { approvers: ['bob'], waivers: [waiver({ isInBase: true })] },
      true,
    ],
    [
      'an expired waiver that the base has',
      finding('error'),
      { waivers: [waiver({ isInBase: true, isExpired: true })] },
      true,
    ],
    ['a waiver of another person', finding('error'), { approvedBy: ['eve'], waivers: [waiver()] }, true],
    [
      'a waiver of no approver',
      finding('error'),
      { approvedBy: ['ann'], approvers: ['bob'], waivers: [waiver()] },
      true,
    ],
    ['an expired waiver', finding('error'), { approvedBy: ['ann'], waivers: [waiver({ isExpired: true })] }, true],
    [
      'a waiver of another rule',
      finding('error'),
      { approvedBy: ['ann'], waivers: [waiver({ rule: 'freeze' })] },
      true,
    ],
    ['a waiver of another flag', finding('error'), { approvedBy: ['ann'], waivers: [waiver({ key: 'x' })] }, true],
    ['a warning', finding('warning'), {}, false],
  ])('%s', (_, one, given, refused) => {
    expect(liftFindings([one], grants(given)).findings.map(isRefusal)).toEqual([refused]);
  });

  it('lifts nothing of a rule that ended early, since nobody knows what it would have found', () => {
    const one = finding('error', { facts: { what: 'own_exhausted', judged: 1, changes: 2 } });
    const given = grants({ approvedBy: ['ann'], waivers: [waiver({ key: '*' })] });
    expect(liftFindings([one], given).findings).toEqual([one]);
  });

  it('says who lifted it, why and until when', () => {
    const given = grants({ approvedBy: ['ann'], waivers: [waiver()] });
    expect(liftFindings([finding('error')], given).findings[0]?.lifted).toEqual({
      by: 'waiver',
      approver: 'ann',
      proof: 'approval',
      reason: 'an old name',
      expires: '2026-12-31',
      source: PLACE,
    });
    expect(
      liftFindings([finding('approve')], grants({ approvedBy: ['eve', 'ann'], approvers: ['ann'] })).findings[0]
        ?.lifted,
    ).toEqual({
      by: 'approval',
      approver: 'ann',
    });
  });

  it('names the waivers of cohorts as options do', () => {
    const one = finding('error', { resource: 'cohort', key: 'beta', ref: 'cohort:beta' });
    const keys = ['beta', 'cohort:beta'].map((key) => grants({ approvedBy: ['ann'], waivers: [waiver({ key })] }));
    expect(keys.map((given) => liftFindings([one], given).findings.some(isRefusal))).toEqual([true, false]);
  });

  it('tells why waivers lift nothing', () => {
    const waivers = [
      waiver(),
      waiver({ key: 'x' }),
      waiver({ isExpired: true }),
      waiver({ grantedBy: 'bob' }),
      waiver({ grantedBy: 'eve' }),
    ];
    const { idle } = liftFindings(
      [finding('error')],
      grants({ approvedBy: ['ann'], approvers: ['ann', 'bob'], waivers }),
    );
    expect(idle.map(({ why }) => why)).toEqual(['unused', 'expired', 'not_approved', 'not_approver']);
  });

  it('says that nothing proves a waiver which the base has, unless the run names who granted it', () => {
    const given = (approvedBy: readonly string[]): Grants =>
      grants({ approvedBy, waivers: [waiver({ isInBase: true })] });
    const proofs = [[], ['eve'], ['ann']].map((approvedBy) => {
      const [one] = liftFindings([finding('error')], given(approvedBy)).findings;
      return one?.lifted?.by === 'waiver' ? one.lifted.proof : undefined;
    });
    expect(proofs).toEqual(['none', 'none', 'approval']);
  });

  it('says of no waiver that it lifts nothing where its rule judges nothing', () => {
    const given = grants({ approvedBy: ['ann'], waivers: [waiver()], judgedBy: new Set(['freeze']) });
    expect(liftFindings([], given).idle).toEqual([]);
  });

  it('brings no other flag under a waiver by a rename', () => {
    const renamed = finding('error', { rule: 'freeze', key: 'exp-pay', live_name: 'pay' });
    const refuses = (more: Partial<Waiver>, one = renamed): boolean =>
      liftFindings(
        [one],
        grants({ approvedBy: ['ann'], waivers: [waiver({ rule: 'freeze', ...more })] }),
      ).findings.some(isRefusal);
    expect(refuses({ key: 'exp-*', isInBase: true })).toBe(true);
    expect(refuses({ key: 'pay', isInBase: true })).toBe(false);
    // What the change adds is about what the change makes, and `naming` judges the new name.
    expect(refuses({ key: 'exp-pay' })).toBe(false);
    const named = { ...renamed, rule: 'naming' };
    expect(refuses({ rule: 'naming', key: 'exp-pay', isInBase: true }, named)).toBe(false);
  });
});
