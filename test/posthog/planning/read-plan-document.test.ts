import { describe, expect, it } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { fingerprintOf } from '../../../src/core/engine/plan-document.ts';
import {
  formatAttributions,
  parseAttributions,
  planDocument,
  parsePlanDocument,
  parsePlanFile,
  parseSavedPlan,
} from '../../../src/posthog/planning/plan-document.ts';
import { schemaErrors } from '../../helpers/schemas.ts';
import { declared, desiredState, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { readSchema } from '../../helpers/published-schema.ts';

const plan = planFor(
  desiredState(declared('a', { active: false }), declared('b', { name: 'ünï' })),
  liveState([liveFlag(1, 'a')]),
);
const text = JSON.stringify(planDocument(plan), null, 2);

describe('a saved plan', () => {
  it('is read as the plan that was saved', () => expect(parseSavedPlan(text)).toEqual(plan));

  it('is read from what plan prints, with everything that the fingerprint does not cover', () => {
    const beside: JsonObject = {
      forecast: { requests: 1, seconds: 1 },
      attributions: [],
      cohort_names: { 7: 'vips' },
      against: { taken_at: '2026-11-22T10:00:00.000Z', age_seconds: 1, fingerprint: `sha256:${'0'.repeat(64)}` },
      at: '2026-12-01T08:00:00.000Z',
      effects: [],
      live_effects: [],
      drift_effects: [],
      owners: [],
      unmanaged_edits: [],
      policy: { source: { from: 'checkout', why: 'no_base' }, findings: [] },
      exceptions: [],
      approvers: [],
      broken_rules: [],
      named_people: { people: 0, changed: 0, answers_changed: 0, answers: [] },
      impact: { flags: [] },
      approvals: [],
      readers: { flags: [], gaps: [] },
      scheduled: { changes: [] },
    };
    const { properties } = readSchema('plan') as { properties: object };
    const names = Object.keys(properties);
    expect(Object.keys(beside)).toEqual(names.slice(names.indexOf('fingerprint') + 1));
    for (const [name, value] of Object.entries(beside)) {
      const document = { ...planDocument(plan), [name]: value };
      expect(schemaErrors('plan', document), name).toEqual([]);
      expect(parsePlanFile(JSON.stringify(document)).plan, name).toEqual(plan);
    }
  });

  it('names its format version', () => expect(planDocument(plan)['format_version']).toBe('1.0'));

  it.each([
    ['cut', text.slice(0, -20)],
    ['empty', ''],
    ['another document', '{"format_version":"1.0"}'],
    ['a list', '[]'],
    ['of another format version', text.replace('"1.0"', '"2.0"')],
    ['edited', text.replace('"after": false', '"after": true')],
    ['without one of its changes', JSON.stringify({ ...planDocument(plan), changes: plan.changes.slice(1) })],
    ['of the release that had permits', JSON.stringify({ ...planDocument(plan), overridden: [] })],
    ['with an invalid hazard', JSON.stringify({ ...planDocument(plan), hazards: [1] })],
  ])('is refused when it is %s', (_name, edited) => {
    expect(() => parseSavedPlan(edited)).toThrow(FlagwrightError);
  });

  const refusalOf = (edited: string): FlagwrightError => {
    try {
      parseSavedPlan(edited);
    } catch (error) {
      if (error instanceof FlagwrightError) return error;
      throw error;
    }
    throw new Error('It was not refused.');
  };
  /** The content with a valid fingerprint. */
  const sealed = (content: JsonObject): string => {
    const { fingerprint: _, format_version: version, ...rest } = content;
    return stringifyJson({ format_version: version, ...rest, fingerprint: fingerprintOf(rest) });
  };
  const [createB, updateA] = plan.changes as unknown as [JsonObject, JsonObject];
  const withChanges = (...changes: JsonObject[]): string => sealed({ ...planDocument(plan), changes });
  const nested = (levels: number): JsonValue =>
    Array.from({ length: levels }).reduce<JsonValue>((value) => [value], 'x');

  it('is accepted with a valid fingerprint', () => {
    expect(parseSavedPlan(withChanges(createB, updateA))).toEqual(plan);
  });

  it.each<[string, string, string]>([
    ['cut', text.slice(0, -20), 'The file is not complete JSON.'],
    [
      'of another format version',
      text.replace('"1.0"', '"2.0"'),
      'format version "2.0", and this flagwright reads 1.0.',
    ],
    ['of a numeric format version', text.replace('"1.0"', '2'), 'format version null, and'],
    ['of an overlong format version', text.replace('"1.0"', `"${'9'.repeat(50)}"`), `version "${'9'.repeat(20)}",`],
    ['a list', '[]', 'It is not a flagwright plan.'],
    ['nested too deeply', sealed({ ...planDocument(plan), forecast: nested(601) }), 'It is not a flagwright plan.'],
    [
      'a document with two changes of the same ref',
      withChanges(createB, updateA, updateA),
      'It is not a flagwright plan.',
    ],
    [
      'a plan with a change before another that it needs',
      withChanges({ ...createB, needs: ['flag:a'] }, updateA),
      'It is not a flagwright plan.',
    ],
    [
      'a plan with a change that needs a missing one',
      withChanges(createB, { ...updateA, needs: ['flag:b', 'flag:x'] }),
      'It is not a flagwright plan.',
    ],
    ['edited', text.replace('"after": false', '"after": true'), 'the file was edited or truncated.'],
  ])('is refused with the reason when it is %s', (_name, edited, why) => {
    const { code, message, remedy } = refusalOf(edited);
    expect([code, remedy]).toEqual(['plan_invalid', 'Make a new one with `flagwright plan --out FILE`.']);
    expect(message).toMatch(/^The saved plan cannot be used\. /);
    expect(message).toContain(why);
  });

  it('is refused with the syntax error as its cause if it is not JSON', () => {
    expect(refusalOf('{').cause).toBeInstanceOf(SyntaxError);
  });

  it('may have changes that need earlier ones', () => {
    const needing = withChanges(createB, { ...updateA, needs: ['flag:b'] });
    expect(parseSavedPlan(needing).changes[1]).toMatchObject({ needs: ['flag:b'] });
  });

  it('may have a forecast, which the fingerprint does not cover', () => {
    const forecast = { requests: 3, seconds: 1.5 };
    const document = planDocument(plan, { forecast });
    expect(document['forecast']).toEqual(forecast);
    expect(parseSavedPlan(stringifyJson(document))).toEqual(plan);
    expect(Object.keys(planDocument(plan))).not.toContain('forecast');
  });

  it('may name who made the differences, which the fingerprint does not cover', () => {
    const attribution = { kind: 'known', by: 'ada', at: '2026-01-01T00:00:00Z', via: 'schedule' } as const;
    const attributions = new Map([['flag:a', new Map([['/active', attribution]])]]);
    const text = stringifyJson(planDocument(plan, { attributions }));
    expect(parsePlanFile(text)).toEqual({ plan, attributions });
    expect(parseSavedPlan(text)).toEqual(plan);
    const strange = stringifyJson({
      ...planDocument(plan),
      attributions: [{ ref: 'flag:a', path: '/active', kind: 'x' }],
    });
    expect(() => parsePlanFile(strange)).toThrow('It is not a flagwright plan.');
  });

  it.each<[string, JsonObject, string, string]>([
    [
      'against a snapshot',
      { against: { taken_at: '2026-11-22T10:00:00.000Z', age_seconds: 1, fingerprint: `sha256:${'0'.repeat(64)}` } },
      'It was made against a snapshot, not against the project',
      '--against',
    ],
    ['of another time', { at: '2026-12-01T08:00:00.000Z' }, 'It was made for another time (--at).', '--at'],
  ])('%s can be shown, and not applied', (_what, beside, why, option) => {
    const document = stringifyJson({ ...planDocument(plan), ...beside });
    expect(parsePlanFile(document)).toEqual({ plan, ...beside });
    const { code, message, remedy } = refusalOf(document);
    expect(code).toBe('plan_invalid');
    expect(message).toContain(why);
    expect(remedy).toBe(`Make a new one with \`flagwright plan --out FILE\`, without ${option}.`);
  });

  it('names the page of what differs, also of what is left, where the service has pages', () => {
    const attribution = { kind: 'known', by: 'ada', at: '2026-01-01T00:00:00Z', via: 'apply' } as const;
    const one = new Map([['/active', attribution]]);
    const attributions = new Map(['flag:a', 'flag:b', 'flag:left', 'flag:unknown'].map((ref) => [ref, one]));
    const left = { resource: 'flag', ref: 'flag:left', key: 'left', id: 7, action: 'update', fields: [] } as const;
    const urls = (of: typeof plan): unknown =>
      (planDocument(of, { attributions })['attributions'] as readonly JsonObject[]).map(({ ref, url }) => [ref, url]);
    const page = 'https://flags.example.com/project/1/feature_flags';
    expect(urls({ ...plan, left: [left] })).toEqual([
      ['flag:a', `${page}/1`],
      ['flag:b', undefined],
      ['flag:left', `${page}/7`],
      ['flag:unknown', undefined],
    ]);
    const embedded = { ...plan, project: { ...plan.project, host: 'embedded' } };
    expect(urls(embedded)).toContainEqual(['flag:a', undefined]);
    expect(Object.keys(formatAttributions(new Map([['flag:b', one]]), plan)[0] as JsonObject)).not.toContain('url');
  });

  it('may have several attributions of one change, and no strange items count', () => {
    const item = (ref: string, path: string, by: string): JsonObject => ({ ref, path, kind: 'known', by, url: 'x' });
    const read = parseAttributions([
      null,
      'x',
      item('flag:a', '/name', 'ada'),
      item('flag:b', '/name', 'ben'),
      item('flag:a', '/tags', 'cy'),
      { ref: 1, path: '/x' },
      { ref: 'flag:c' },
    ]);
    expect([...read].map(([ref, paths]) => [ref, [...paths]])).toEqual([
      [
        'flag:a',
        [
          ['/name', { kind: 'known', by: 'ada' }],
          ['/tags', { kind: 'known', by: 'cy' }],
        ],
      ],
      ['flag:b', [['/name', { kind: 'known', by: 'ben' }]]],
    ]);
    expect([parseAttributions(undefined).size, parseAttributions({ ref: 'a' }).size]).toEqual([0, 0]);
  });

  it('says which snapshot it was made against', () => {
    const against = { taken_at: '2026-11-22T10:00:00.000Z', age_seconds: 1, fingerprint: `sha256:${'0'.repeat(64)}` };
    expect(planDocument(plan, { against })['against']).toEqual(against);
    expect(planDocument(plan)).not.toHaveProperty('against');
  });

  it('has only the members that the document has', () => {
    expect(Object.keys(parsePlanFile(text))).toEqual(['plan']);
  });

  it('with changed encrypted payloads can be read, but not applied', () => {
    const flag = liveFlag(1, 'a', { has_encrypted_payloads: true, filters: { groups: [], payloads: { true: '"x"' } } });
    const secret = planFor(
      desiredState(declared('a', { filters: { groups: [], payloads: { true: '"y"' } } })),
      liveState([flag]),
    );
    const document = stringifyJson(planDocument(secret));
    expect(parsePlanDocument(document).fingerprint).toBe(secret.fingerprint);
    const { code, message, remedy } = refusalOf(document);
    expect([code, remedy]).toEqual(['plan_invalid', 'Apply without a saved plan, or leave the payloads as they are.']);
    expect(message).toContain('It changes the encrypted payloads of a, which must not be in files.');
  });
});
