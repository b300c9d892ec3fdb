/** Manifests know no kind: a made-up section is read, collected, layered and resolved like that of flags. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/json.ts';
import { toPointer } from '../../../src/base/json-pointer.ts';
import { checkShape, type ShapeError, type Validator } from '../../../src/base/shape/check.ts';
import { parseFile } from '../../../src/core/manifest/read.ts';
import { resolveSections } from '../../../src/core/manifest/resolve.ts';
import type { ManifestForm, ManifestSection, NamedProject } from '../../../src/core/manifest/section.ts';

interface Desired {
  readonly colours: readonly { readonly key: string; readonly value: JsonObject; readonly path: string }[];
  readonly retired: readonly string[];
  readonly palettes: readonly string[];
}

type Section = ManifestSection<Desired, NamedProject>;

const COLOURS: Section = {
  name: 'colours',
  duplicate: (key, first) => ({ code: 'colour-duplicate', severity: 'error', args: { key, first } }),
  keyProblem: (problem, key) =>
    problem.code === 'value-pattern' ? { ...problem, code: 'colour-invalid', args: { key } } : undefined,
  resolve: (scope, desired) => {
    const layered = scope.layered('colours');
    return {
      ...desired,
      colours: layered
        .filter(({ retired }) => !retired)
        .map(({ layer }) => ({ key: layer.key, value: layer.value, path: layer.pathOf('/hex') })),
      retired: layered.filter(({ retired }) => retired).map(({ layer }) => layer.key),
    };
  },
};

/** Several files may have entries of the same palette. */
const PALETTES: Section = {
  name: 'palettes',
  resolve: (scope, desired) => {
    const known = new Set(desired.colours.map(({ key }) => key));
    const listed = scope
      .declared('palettes')
      .flatMap(({ key, value }) => (typeof value === 'string' && known.has(value) ? [key] : []));
    return { ...desired, palettes: listed };
  },
};

const SECTIONS = [COLOURS, PALETTES];
const NOTHING: Desired = { colours: [], retired: [], palettes: [] };

function resolve(
  texts: Readonly<Record<string, string>>,
  project: string,
  errors: readonly ShapeError[] = [],
): { desired: Desired; problems: string[] } {
  const validator: Validator = Object.assign(() => errors.length === 0, { errors });
  const form: ManifestForm = {
    checkShape: (value, places) => checkShape(validator, value, places),
    sections: SECTIONS,
  };
  const parsed = Object.entries(texts).map(([name, text]) => parseFile(name, text, form));
  const files = parsed.map(({ file }) => file);
  const { desired, diagnostics } = resolveSections(SECTIONS, NOTHING, {
    files,
    project: { name: project },
    allProjects: ['staging', 'production'],
  });
  const all = [...parsed.flatMap((file) => file.diagnostics), ...diagnostics];
  return { desired, problems: all.map(({ code, place, path }) => `${code} ${place?.file} ${path}`) };
}

describe('a section of any kind', () => {
  const text = `
colours:
  red: { hex: f00, projects: { production: { hex: e00 } } }
  grey: { hex: '888', only_in: [staging] }
  old: { deleted: true }
`;

  it('is layered for each project', () => {
    expect(resolve({ 'a.yaml': text }, 'production').desired).toMatchObject({
      colours: [{ key: 'red', value: { hex: 'e00' }, path: '/colours/red/projects/production/hex' }],
      retired: ['old'],
    });
    expect(resolve({ 'a.yaml': text }, 'staging').desired.colours).toEqual([
      { key: 'grey', value: { hex: '888' }, path: '/colours/grey/hex' },
      { key: 'red', value: { hex: 'f00' }, path: '/colours/red/hex' },
    ]);
  });

  it('reports keys that are declared twice, in the order of the files', () => {
    const { problems } = resolve({ 'b.yaml': 'colours: { red: {} }', 'a.yaml': text }, 'staging');
    expect(problems).toEqual(['colour-duplicate b.yaml /colours/red']);
  });

  it('unites entries if keys may be declared twice, and builds on the sections before it', () => {
    const texts = {
      'a.yaml': text,
      'b.yaml': 'palettes: { warm: red }',
      'c.yaml': 'palettes: { warm: red, cold: blue }',
    };
    expect(resolve(texts, 'staging').desired.palettes).toEqual(['warm', 'warm']);
  });

  it('rewords a problem of a key, which leaves the content in no doubt', () => {
    const error = {
      keyword: 'pattern',
      instancePath: toPointer(['colours']),
      propertyName: 'red',
      params: {},
      data: 'red',
    };
    const { desired, problems } = resolve({ 'a.yaml': text }, 'staging', [error]);
    expect(problems).toEqual(['colour-invalid a.yaml /colours/red']);
    expect(desired.colours.map(({ key }) => key)).toEqual(['grey', 'red']);
  });
});
