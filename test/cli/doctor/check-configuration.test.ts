/** What `doctor` says of a configuration: where it is, what is wrong with it, and no more of it than a reader fixes at once. */

import { expect, test } from 'vitest';
import type { Diagnostic } from '../../../src/base/diagnostic.ts';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { checkConfiguration, checkManifests, errorResults } from '../../../src/cli/actions/doctor.ts';
import type { Configuration, Surroundings } from '../../../src/cli/doctor/surroundings.ts';

const told = (results: readonly object[]): unknown[] =>
  results.map((result) => JSON.parse(JSON.stringify(result)) as unknown);
const diagnostic = (severity: 'error' | 'warning', line: number): Diagnostic =>
  ({ code: 'x', severity, place: { file: 'a', line, column: 1 }, args: {} }) as unknown as Diagnostic;
const many = (severity: 'error' | 'warning', amount: number): Diagnostic[] =>
  Array.from({ length: amount }, (_, index) => diagnostic(severity, index + 1));
const usable = (file: string | undefined, services: string[], warnings: Diagnostic[] = []): Configuration =>
  ({
    kind: 'usable',
    config: { file },
    projects: services.map((service, index) => ({ name: `p${index}`, service })),
    warnings,
  }) as unknown as Configuration;

test('a configuration file is named, with its projects', () => {
  const [found] = told(checkConfiguration(usable('flagwright.yaml', ['remote', 'embedded'])));
  expect(JSON.stringify(found)).toContain('"file":"flagwright.yaml","projects":["p0","p1"]');
});

test('without a file, all from the environment is fine, and an embedded service is easily mistaken for a project', () => {
  const stateOf = (...services: string[]): unknown => {
    const [result] = checkConfiguration(usable(undefined, services));
    return [result?.status, JSON.stringify(result).includes('"environment":true')];
  };
  expect(stateOf('remote')).toEqual(['ok', true]);
  expect(stateOf('embedded')).toEqual(['warning', false]);
  expect(stateOf('remote', 'embedded')).toEqual(['warning', false]);
});

test('an error without places is told with its remedy, and one with places by these', () => {
  const subject = { section: 'configuration' } as const;
  const [plain] = told(errorResults(subject, new FlagwrightError('usage', 'Wrong.', { remedy: 'Right.' })));
  expect(plain).toMatchObject({ section: 'configuration', status: 'problem' });
  expect(JSON.stringify(plain)).toContain('"error":"usage","message":"Wrong.","remedy":"Right."');
  expect(JSON.stringify(errorResults(subject, new FlagwrightError('usage', 'Wrong.'))[0])).not.toContain('remedy');
  const diagnostics = [diagnostic('warning', 1), diagnostic('error', 2)];
  const placed = errorResults(subject, new FlagwrightError('config_invalid', 'x', { diagnostics }));
  expect(placed.map(({ status, place }) => [status, place?.line])).toEqual([
    ['problem', 2],
    ['warning', 1],
  ]);
  expect(checkConfiguration({ kind: 'unusable', error: new FlagwrightError('usage', 'Wrong.') })).toMatchObject([
    { section: 'configuration', status: 'problem' },
  ]);
});

test('ten diagnostics are told, errors first, and the number of the others with the gravest of them', async () => {
  const manifests = async (...diagnostics: Diagnostic[]): Promise<readonly object[]> =>
    checkManifests({
      manifests: async () => Promise.resolve({ files: 2, flags: 3, diagnostics }),
    } as unknown as Surroundings);
  const sound = await manifests(...many('warning', 10));
  expect(sound).toHaveLength(11);
  expect(JSON.stringify(sound[0])).toContain('"files":2,"flags":3');
  const warned = await manifests(...many('warning', 12));
  expect(warned).toHaveLength(12);
  expect(warned.at(-1)).toMatchObject({ status: 'warning' });
  expect(JSON.stringify(warned.at(-1))).toContain('"count":2');
  const mixed = await manifests(...many('warning', 5), ...many('error', 11));
  expect(mixed.map((one) => (one as { status: string }).status)).toEqual(Array.from({ length: 11 }, () => 'problem'));
  expect(JSON.stringify(mixed.at(-1))).toContain('"count":6');
});
