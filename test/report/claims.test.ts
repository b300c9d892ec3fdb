/** What reports claim of absence ("no problems", "in sync", "nothing to do"), held against the exit codes of their commands. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApplyResult, ChangeResult, Outcome } from '../../src/loop/apply/result.ts';
import { FlagwrightError } from '../../src/base/errors.ts';
import type { JsonObject } from '../../src/base/json.ts';
import {
  exitCodeOfDrift,
  exitCodeOfPlan,
  exitCodeOfResult,
  exitCodeOfValidation,
  type ExitCode,
} from '../../src/cli/line/exit.ts';
import { isRefusal } from '../../src/review/policy/finding.ts';
import { findUnwritable } from '../../src/posthog/planning/drift-groups.ts';
import type { Change, Plan } from '../../src/posthog/plan.ts';
import type { ReportOf } from '../../src/report/report.ts';
import { formatsOf, type Format } from '../../src/report/formats/render.ts';
import { countParity } from '../../src/report/report-facts.ts';
import { standingOfValidation } from '../../src/report/report-status.ts';
import { standingOfDrift } from '../../src/report/drift-standing.ts';
import { holdsAsync } from '../helpers/runs.ts';
import { FULL_PLAN, FULL_UNDO, FULL_VALIDATION } from './full-samples.ts';
import { renderWhole } from './render-whole.ts';
import { CHANGES, EMPTY_PLAN, PLAN, RESULT } from './samples.ts';
import { sampleOf } from './samples-of-kinds.ts';

/** Whatever a report says of the whole: that there is nothing. */
const CLAIM =
  /no problems|(?<!not )\bin sync:|no (other )?drift\b|nothing to (apply|do)\b|nothing left\b|no undeclared/i;

type Claiming = ReportOf<'plan' | 'drift' | 'result' | 'undo' | 'validation' | 'failure'>;

interface Sample {
  readonly report: Claiming;
  readonly exit: ExitCode;
  /** Whether there is nothing at all to say. */
  readonly isClean: boolean;
}

const DIVERGENCES = [undefined, 'pending', 'drifted', 'conflict'] as const;

function withDivergence(change: Change, divergence: (typeof DIVERGENCES)[number]): Change {
  if (divergence === undefined) return change;
  return 'fields' in change
    ? { ...change, fields: change.fields.map((field) => ({ ...field, divergence })) }
    : { ...change, divergence };
}

const changes: fc.Arbitrary<readonly Change[]> = fc
  .subarray([...CHANGES])
  .chain((some) =>
    fc
      .tuple(...some.map(() => fc.constantFrom(...DIVERGENCES)))
      .map((classes) => some.map((change, index) => withDivergence(change, classes[index]))),
  );
const some = <Item>(items: readonly Item[] = []): fc.Arbitrary<readonly Item[]> =>
  fc.oneof(fc.constant([]), fc.subarray([...items]));

const plans: fc.Arbitrary<Plan> = fc
  .record({
    changes,
    hazards: some(PLAN.hazards),
    warnings: some(PLAN.warnings),
    unmanaged: some(PLAN.unmanaged),
    left: some(FULL_PLAN.plan.left),
  })
  .map(({ left, ...parts }) => ({ ...EMPTY_PLAN, ...parts, ...(left.length === 0 ? {} : { left }) }));

const planned = fc.tuple(plans, some(FULL_PLAN.judgement?.findings)).map(([plan, findings]): Sample => {
  const refusals = plan.changes.length === 0 ? [] : findings;
  // What breaks a rule is a change.
  const sound = plan.changes.length === 0 ? { ...plan, hazards: [] } : plan;
  const judgement = { source: { from: 'checkout', why: 'no_base' } as const, findings: refusals, idle: [] };
  return {
    report: { kind: 'plan', plan: sound, judgement },
    exit: exitCodeOfPlan(sound, refusals.filter(isRefusal).length),
    isClean: sound.changes.length === 0,
  };
});

const drifts = fc.tuple(plans, fc.boolean(), fc.boolean()).map(([plan, pending, unmanaged]): Sample => {
  const counting = { pending, unmanaged };
  const exit = exitCodeOfDrift(standingOfDrift(plan, counting));
  return { report: { kind: 'drift', plan, counting }, exit, isClean: exit === 0 };
});

const OUTCOMES: readonly Outcome[] = [
  ...RESULT.changes.map(({ result }) => result),
  { outcome: 'applied', already: true },
  { outcome: 'applied' },
];
const results = fc
  .record({
    changes: changes.chain((made) =>
      fc
        .tuple(...made.map(() => fc.constantFrom(...OUTCOMES)))
        .map((outcomes) => made.map((change, index): ChangeResult => ({ change, result: outcomes[index] as Outcome }))),
    ),
    remainder: some(RESULT.remainder),
    verified: fc.boolean(),
    warnings: some(PLAN.warnings),
    undoes: fc.constantFrom(undefined, '20260131T120000123Z-8a3f'),
  })
  .map(({ changes: made, warnings, undoes, ...rest }): Sample => {
    const count = (kind: Outcome['outcome']): number => made.filter(({ result }) => result.outcome === kind).length;
    const unwritable = findUnwritable(warnings);
    const result: ApplyResult = {
      ...RESULT,
      ...rest,
      summary: EMPTY_PLAN.summary,
      changes: made,
      outcomes: {
        applied: count('applied'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: count('pending'),
        unknown: count('unknown'),
      },
      ...(unwritable.length === 0 ? {} : { unwritable }),
      ...(undoes === undefined ? {} : { undoes }),
    };
    return {
      report: { kind: 'result', result, durationMs: 1 },
      exit: exitCodeOfResult(result),
      isClean: made.length === 0,
    };
  });

/** `undo --partial --out`: otherwise what cannot be undone is a failure. */
const undone = fc.tuple(plans, some(FULL_UNDO.refused)).map(([plan, refused]): Sample => {
  const isClean = refused.length + plan.changes.length === 0;
  return { report: { ...FULL_UNDO, plan: isClean ? { ...plan, hazards: [] } : plan, refused }, exit: 0, isClean };
});

const failures = fc
  .record({
    hazards: some(PLAN.hazards),
    findings: some(FULL_PLAN.judgement?.findings.filter(isRefusal)),
    refused: some(FULL_UNDO.refused),
  })
  .map((reasons): Sample => {
    const error = new FlagwrightError('refused', 'Refused; nothing was applied.');
    return { report: { kind: 'failure', error, ...reasons }, exit: 4, isClean: false };
  });

const validations = fc
  .record({
    diagnostics: some(FULL_VALIDATION.diagnostics),
    findings: some(FULL_VALIDATION.policies?.[0]?.judgement.findings),
    excepted: some(FULL_VALIDATION.policies?.[0]?.excepted),
  })
  .map(({ diagnostics, findings, excepted }): Sample => {
    const judgement = { source: { from: 'checkout', why: 'no_base' } as const, findings };
    const report: ReportOf<'validation'> = {
      ...FULL_VALIDATION,
      diagnostics,
      policies: [{ project: 'production', judgement, excepted }],
    };
    const idle = excepted.filter(({ code }) => code !== 'exception_used');
    const isClean =
      diagnostics.length + idle.length + findings.filter(({ lifted }) => lifted === undefined).length === 0;
    return { report, exit: exitCodeOfValidation(standingOfValidation(report)), isClean };
  });

/** What JUnit and SARIF say is wrong. */
async function faultsOf(report: Claiming): Promise<{ readonly junit: number; readonly sarif: number }> {
  const junit = [...(await renderWhole(report, 'junit')).matchAll(/<(failure|error) /g)].length;
  const log = JSON.parse(await renderWhole(report, 'sarif')) as { runs: [{ results: readonly JsonObject[] }] };
  return { junit, sarif: log.runs[0].results.filter(({ level }) => level !== 'note').length };
}

const PEOPLE: readonly Format[] = ['text', 'markdown', 'html'];

it.each<readonly [string, fc.Arbitrary<Sample>]>([
  ['a plan', planned],
  ['a drift report', drifts],
  ['a result', results],
  ['an undo', undone],
  ['a validation', validations],
  ['a failure', failures],
])('%s claims that there is nothing only with exit 0, and says so where it is so, in every format', (_name, samples) =>
  holdsAsync(200, [samples], async ({ report, exit, isClean }) => {
    for (const format of PEOPLE) {
      const claims = CLAIM.test(await renderWhole(report, format));
      if (exit !== 0) expect({ format, claims }).toEqual({ format, claims: false });
      else if (isClean) expect({ format, claims }).toEqual({ format, claims: true });
    }
    const { junit, sarif } = await faultsOf(report);
    // What a plan would change is nothing wrong.
    if (report.kind === 'plan' && exit === 2) return;
    if (exit !== 0) expect([junit > 0, sarif > 0]).toEqual([true, true]);
    // An approval may still come, a saved plan is refused later, and a remainder is what the service decided.
    if (report.kind === 'drift' && exit === 0) expect(junit).toBe(0);
  }),
);

/** Each list of a report with its entries or without, and whether any has some. */
function someLists<Report extends object>(
  report: Report,
  names: readonly (keyof Report)[],
): fc.Arbitrary<readonly [Report, boolean]> {
  return fc.subarray([...names]).map((kept) => {
    const emptied = Object.fromEntries(names.filter((name) => !kept.includes(name)).map((name) => [name, []]));
    return [{ ...report, ...emptied }, kept.length > 0] as const;
  });
}

const accepts = sampleOf('accept');
const promotes = sampleOf('promote');

it.each([
  ['accept', /Nothing to accept/, someLists(accepts, ['accepted', 'added', 'left', 'pending'])],
  ['promote', /Nothing to promote/, someLists(promotes, ['promoted', 'kept', 'left'])],
] as const)('%s says that there is nothing only where it names nothing', (_name, claim, samples) =>
  holdsAsync(
    100,
    [samples as fc.Arbitrary<readonly [ReportOf<'accept' | 'promote'>, boolean]>],
    async ([report, isNamed]) => {
      for (const format of formatsOf([report.kind]).filter((one) => PEOPLE.includes(one))) {
        expect({ format, claims: claim.test(await renderWhole(report, format)) }).toEqual({
          format,
          claims: !isNamed,
        });
      }
    },
  ),
);

it('parity says that there is no undeclared difference only where it counts none', () => {
  const sample = sampleOf('parity');
  return holdsAsync(100, [fc.subarray([...sample.parity.rows])], async (rows) => {
    const report = { ...sample, parity: { ...sample.parity, rows } };
    const { undeclared } = countParity(report.parity);
    for (const format of formatsOf(['parity']).filter((one) => PEOPLE.includes(one))) {
      const claims = /no undeclared/.test(await renderWhole(report, format));
      expect({ format, claims }).toEqual({ format, claims: undeclared === 0 });
    }
  });
});
