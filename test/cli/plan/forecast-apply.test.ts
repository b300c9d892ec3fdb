import { describe, expect, test } from 'vitest';
import { forecastApply } from '../../../src/cli/plan/forecast.ts';
import { ServiceError } from '../../../src/posthog/client/service-error.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { watchSession } from '../../helpers/watched-session.ts';

interface Given {
  readonly flags?: number;
  readonly changes?: boolean;
  readonly latencyMs?: Readonly<Record<string, number>>;
  readonly getFlag?: () => Promise<void>;
}

/** The ids that were probed, and the forecast. */
async function forecast({ flags = 50, changes = true, latencyMs = {}, getFlag }: Given): Promise<{
  readonly probed: readonly number[];
  readonly seconds: unknown;
}> {
  const probed: number[] = [];
  const live = liveState(Array.from({ length: flags }, (_, index) => liveFlag(index + 7, `f${index}`)));
  const plan = planFor(desiredState(declared('f0', { active: !changes })), live);
  const client = {
    stats: () => ({ latencyMs }),
    budget: { leastMs: () => 0, announce: () => undefined },
    getFlag: async (id: number) => {
      probed.push(id);
      await getFlag?.();
    },
  };
  const { session } = watchSession();
  const found = await forecastApply(session, plan, { live, opened: { client } as never });
  return { probed, seconds: found };
}

describe('one flag is read to measure a write', () => {
  test.each<[string, Given, readonly number[]]>([
    ['where a page of the list is long', { flags: 50 }, [7]],
    ['but not where it is short', { flags: 49 }, []],
    ['but not without flags', { flags: 0 }, []],
    ['but not for a plan without changes', { changes: false }, []],
    ['but not where one was read already', { latencyMs: { getFlag: 5 } }, []],
    ['also where other reads were measured', { latencyMs: { listFlags: 5 } }, [7]],
  ])('%s', async (_, given, expected) => {
    expect((await forecast(given)).probed).toEqual(expected);
  });

  test('and a service that refuses it fails nothing, other than an error of the program', async () => {
    const refused = new ServiceError({ failure: { kind: 'forbidden' }, operation: 'getFlag' } as never);
    const failing = (error: Error): Given => ({
      getFlag: async () => {
        throw error;
      },
    });
    expect((await forecast(failing(refused))).probed).toEqual([7]);
    await expect(forecast(failing(new TypeError('x')))).rejects.toThrow(TypeError);
  });
});

test('the forecast takes a write for as long as one flag took, and a page for no less', async () => {
  const of = async (latencyMs: Given['latencyMs']): Promise<unknown> =>
    (await forecast({ flags: 10, latencyMs: latencyMs ?? {} })).seconds;
  expect(await of({ listFlags: 900, getFlag: 100 })).not.toEqual(await of({ listFlags: 900 }));
  expect(await of({ listFlags: 10, getFlag: 100 })).toEqual(await of({ listFlags: 100, getFlag: 100 }));
  expect(await of({ listFlags: 300 })).toEqual(await of({ listFlags: 300, getFlag: 300 }));
  expect(await of({ getFlag: 300 })).not.toEqual(await of({}));
});
