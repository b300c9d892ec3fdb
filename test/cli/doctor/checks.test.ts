import { describe, expect, test } from 'vitest';
import { FlagwrightError, type ErrorCode } from '../../../src/base/errors.ts';
import { runChecks } from '../../../src/cli/actions/doctor.ts';
import { findConfiguration, type Configuration } from '../../../src/cli/doctor/surroundings.ts';
import type { Session } from '../../../src/cli/session/session.ts';

/** Every check fails as soon as it asks for anything of the session or of the configuration. */
function failing(error: Error): readonly [Session, Configuration] {
  const fail = (): never => {
    throw error;
  };
  const interrupts = { breathe: async () => Promise.resolve() };
  const session = Object.defineProperties({ interrupts }, { context: { get: fail }, places: { get: fail } });
  const configuration = Object.defineProperties({ kind: 'usable' }, { config: { get: fail }, projects: { get: fail } });
  return [session as unknown as Session, configuration as unknown as Configuration];
}

describe('a check that fails', () => {
  test('is a result of its section, and all others run', async () => {
    expect(await runChecks(...failing(new FlagwrightError('file', 'Gone.')), undefined)).toEqual(
      ['program', 'configuration', 'manifests', 'service', 'project', 'git', 'journal', 'ci', 'ci'].map((section) => ({
        section,
        status: 'problem',
        code: 'check_failed',
        facts: { error: 'file', message: 'Gone.' },
      })),
    );
  });

  test.each<ErrorCode>(['interrupted', 'deadline'])('because the run ends (%s) ends all', async (code) => {
    await expect(runChecks(...failing(new FlagwrightError(code, 'Over.')), undefined)).rejects.toThrow('Over.');
  });
});

test('a fault of the program is no fault of the configuration', async () => {
  const [session] = failing(new TypeError('x is undefined'));
  await expect(findConfiguration(session)).rejects.toThrow('x is undefined');
});
