/**
 * posthog-node (with the definitions of the embedded service), that service itself, and our evaluation compute the same
 * value and payload for thousands of random flags and subjects.
 */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { JsonValue } from '../../../src/base/json.ts';
import { evaluateFlags } from '../../../src/evaluation/evaluate.ts';
import type { KnownCohort, EvaluationContext, Subject } from '../../../src/evaluation/input.ts';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { contextWith } from '../support.ts';
import { cohortTree, COHORT_IDS, flag, subject } from './arbitraries.ts';
import { startLocalClient, type LocalClient } from './local-client.ts';

const SEED = 20_260_331;
const FLAGS = 400;
const SUBJECTS = 50;

function sample<Value>(arbitrary: fc.Arbitrary<Value>, numRuns: number, seed: number): Value[] {
  return fc.sample(arbitrary, { numRuns, seed });
}

function sampleFlags(): Flag[] {
  const flags: Flag[] = [];
  for (let id = 1; id <= FLAGS; id += 1) {
    const earlier = flags.slice(-5).map(({ key }) => key);
    flags.push(...sample(flag(id, id % 10 === 1 ? [] : earlier), 1, SEED + id));
  }
  return flags;
}

function sampleCohorts(): Record<string, KnownCohort> {
  const entries = COHORT_IDS.map((id) => [String(id), sample(cohortTree(id), 1, SEED - id)] as const);
  return Object.fromEntries(entries.map(([id, [properties = {}]]) => [id, { kind: 'dynamic', properties }]));
}

function parsed(payload: JsonValue | undefined): unknown {
  return typeof payload === 'string' ? JSON.parse(payload) : payload;
}

describe('posthog-node and our evaluation', () => {
  const flags = sampleFlags();
  const context: EvaluationContext = contextWith({ now: new Date(), cohorts: sampleCohorts() });
  const subjects: readonly Subject[] = sample(subject, SUBJECTS, SEED);
  let client: LocalClient;

  beforeAll(async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => undefined);
    client = await startLocalClient({ flags, context });
  });
  afterAll(async () => {
    await client.close();
    vi.restoreAllMocks();
  });

  it(`agree on ${FLAGS} random flags for ${SUBJECTS} random subjects`, async () => {
    const seen = new Map<unknown, number>();
    const differences: unknown[] = [];
    for (const each of subjects) {
      const theirs = await client.evaluate(each);
      const service = await client.ask(each);
      for (const [key, ours] of evaluateFlags({ flags, context, subject: each })) {
        seen.set(ours.value, (seen.get(ours.value) ?? 0) + 1);
        const found = [
          { value: ours.value, payload: parsed(ours.payload) },
          { value: theirs.values[key], payload: theirs.payloads[key] },
          { value: service.values[key], payload: service.payloads[key] },
        ];
        // The service answers nothing for a disabled flag.
        if (ours.reason === 'flag_disabled' && service.values[key] === undefined) found.pop();
        if (new Set(found.map((answer) => JSON.stringify(answer))).size > 1) {
          differences.push({ flag: flags.find((candidate) => candidate.key === key), each, found });
        }
      }
    }
    expect(differences.slice(0, 3)).toEqual([]);
    // The comparison is weak if nearly all flags are off.
    for (const value of [false, true, 'a', 'b', 'c', 'holdout-7']) expect(seen.get(value)).toBeGreaterThan(100);
  });
});
