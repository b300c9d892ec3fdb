/** Which declarations of cohorts mean the same, and which may be the reason for an error elsewhere. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { COHORTS as FAMILY } from '../../../src/posthog/cohort/family.ts';
import type { DesiredCohort } from '../../../src/posthog/cohort/cohort.ts';
import type { ManifestDiagnostic } from '../../../src/posthog/manifests/problems.ts';
import { allOf, desiredOf } from '../../helpers/cohorts.ts';

const on = (value: string | number): JsonObject => ({ type: 'cohort', value });
const PRO = { key: 'plan', type: 'person', operator: 'exact', value: 'pro' };
const EVENTS = { type: 'behavioral', key: 'paid', value: 'performed_event', event_type: 'events' };

const COHORTS =
  desiredOf(
    {
      flags: {},
      cohorts: {
        top: allOf(on('middle'), on('plain')),
        middle: allOf(PRO, on('events')),
        events: allOf(PRO, EVENTS),
        plain: allOf(PRO),
        other: allOf(EVENTS),
        gone: { deleted: true },
      },
    },
    { events: 7, plain: 8 },
  ).cohorts ?? [];

const PLACE = { file: 'a.yaml', line: 1, column: 1 };
const problem = (code: string, args: object): ManifestDiagnostic =>
  ({ code, severity: 'error', place: PLACE, args }) as unknown as ManifestDiagnostic;

describe('the declarations that may be the reason for an error', () => {
  test.each<[string, ManifestDiagnostic, readonly string[]]>([
    ['are the deleted cohort', problem('cohort-deleted', { alias: 'plain' }), ['plain']],
    ['are the missing cohort', problem('cohort-unknown', { cohort: 'middle', project: 'test' }), ['middle']],
    ['are both with one name', problem('cohort-name-taken', { alias: 'a', other: 'b', name: 'N' }), ['a', 'b']],
    ['are all of a cycle', problem('cohort-depends-on-itself', { cycle: ['a', 'b', 'a'] }), ['a', 'b', 'a']],
    [
      'are, of a flag on events, those that depend on events first, and no others that do',
      problem('cohort-behavioral', { key: 'f', alias: 'top' }),
      ['events', 'top', 'plain', 'middle'],
    ],
    ['are none of a cohort that is not declared', problem('cohort-behavioral', { key: 'f', alias: 'x' }), ['x']],
    ['are none of an error of other kinds', problem('cohort-undefined', { alias: 'plain' }), []],
  ])('%s', (_what, error, expected) => {
    expect(FAMILY.form.causesOf?.(error, COHORTS)).toEqual(expected);
  });
});

describe('the meaning of a declaration', () => {
  const meaningOf = (alias: string, all: readonly DesiredCohort[] = COHORTS) => {
    const found = all.find(({ key }) => key === alias);
    return found && FAMILY.form.meaningOf(found);
  };

  test('has what tells the cohort apart, and what is declared of it', () => {
    expect(meaningOf('plain')).toEqual({ key: 'plain', id: 8, names: ['plain'], fields: allOf(PRO) });
    expect(meaningOf('gone')).toEqual({ key: 'gone', id: null, names: ['gone'], retired: true });
  });

  test('does not depend on the place', () => {
    const below = desiredOf({ flags: { a: {} }, cohorts: { x: allOf(PRO), plain: allOf(PRO) } }, { plain: 8 }).cohorts;
    expect(meaningOf('plain', below)).toEqual(meaningOf('plain'));
  });
});
