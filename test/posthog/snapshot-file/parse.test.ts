import { describe, expect, it } from 'vitest';
import { FlagwrightError } from '../../../src/base/errors.ts';
import { stringifyJson } from '../../../src/base/json-text.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json.ts';
import { fingerprintOf } from '../../../src/core/engine/plan-document.ts';
import { planDocument, parseSavedPlan } from '../../../src/posthog/planning/plan-document.ts';
import { snapshotDocument } from '../../../src/posthog/snapshot-file/document.ts';
import { parseSnapshot } from '../../../src/posthog/snapshot-file/parse.ts';
import type { SavedSnapshot } from '../../../src/posthog/snapshot-file/snapshot-file.ts';
import { jsonText } from '../../../src/report/formats/json/seal.ts';
import { declared, desiredState, entry, liveFlag, liveState, planFor } from '../../helpers/states.ts';
import { cohort } from '../../helpers/cohorts.ts';
import { schemaErrors } from '../../helpers/schemas.ts';

const SNAPSHOT: SavedSnapshot = {
  project: { name: 'production', host: 'https://eu.posthog.com', project_id: '5678' },
  takenAt: '2026-01-31T12:00:00.000Z',
  base: 'a'.repeat(40),
  roles: { growth: 'r1' },
  live: {
    hasPayloadDigests: true,
    ...liveState([liveFlag(1, 'a', { name: 'ünï\u2028\u001b' }), liveFlag(2, 'b')], {
      1: [entry(5, 'r1')],
      2: { access_controls: [{ access_level: 'viewer', role: null, organization_member: 'member' }] },
    }),
    cohorts: [{ id: 4, name: 'Beta', filters: { properties: { type: 'AND', values: [] } } }],
    schedules: [{ id: 3, record_id: '1', scheduled_at: '2026-02-01T00:00:00Z', payload: { operation: 'x' } }],
    organization: { roleNames: { r1: 'growth' }, lacksRoleAccess: false },
    traces: {
      flags: [{ kind: 'former', key: 'gone', id: 9, evidence: 'logged' }],
      cohorts: [{ kind: 'unknown', key: 'lost', why: 'too_long' }],
    },
  },
};
const document = snapshotDocument(SNAPSHOT);
const text = jsonText(document);

/** The content with a valid fingerprint. */
function sealed(document: JsonObject): string {
  const { fingerprint: _, ...content } = document;
  return stringifyJson({ ...content, fingerprint: fingerprintOf(content) });
}

function refusalOf(edited: string): FlagwrightError {
  try {
    parseSnapshot(edited);
  } catch (error) {
    if (error instanceof FlagwrightError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

const plan = stringifyJson(planDocument(planFor(desiredState(declared('a')), liveState([]))));
const nested = (levels: number): JsonValue => Array.from({ length: levels }).reduce<JsonValue>((value) => [value], 'x');

describe('a snapshot', () => {
  it('is read as it was taken', () => {
    const { fingerprint, ...read } = parseSnapshot(text);
    expect(read).toEqual(SNAPSHOT);
    expect(fingerprint).toBe(document['fingerprint']);
  });

  it('is read without what the key could not read', () => {
    const bare: SavedSnapshot = { ...SNAPSHOT, live: { ...liveState([]), hasPayloadDigests: true }, roles: {} };
    const { fingerprint: _, ...read } = parseSnapshot(jsonText(snapshotDocument(bare)));
    expect(read).toEqual(bare);
  });

  it('fits its schema', () => expect(schemaErrors('snapshot', JSON.parse(text))).toEqual([]));

  it.each<[string, string, string]>([
    ['cut', text.slice(0, -20), 'The file is not complete JSON.'],
    ['empty', ' \n', 'It is an empty file.'],
    ['a manifest', 'flags:\n  a: {}\n', 'The file is not complete JSON.'],
    ['a plan', plan, 'It is a plan.'],
    ['another document', '{"format_version":"1.0"}', 'It is not a flagwright snapshot.'],
    ['a list', '[]', 'It is not a flagwright snapshot.'],
    ['nested too deeply', sealed({ ...document, flags: nested(700) }), 'It is not a flagwright snapshot.'],
    ['nested without an end', '['.repeat(1_000_000), 'The file is not complete JSON.'],
    [
      'from a newer version',
      sealed({ ...document, format_version: '2.0', people: [] }),
      'It has format version "2.0", and this flagwright reads 1.0.',
    ],
    [
      'edited',
      text.replace('"active": true', '"active": false'),
      'Its content does not match its fingerprint: the file was edited or truncated.',
    ],
    [
      'made younger',
      text.replace('2026-01-31', '2026-02-28'),
      'Its content does not match its fingerprint: the file was edited or truncated.',
    ],
    ['written by hand without flags', sealed({ ...document, flags: null }), 'It is not a flagwright snapshot.'],
    [
      'written by hand with odd filters',
      sealed({ ...document, flags: [{ id: 1, key: 'a', filters: 'all' }] }),
      'It is not a flagwright snapshot.',
    ],
    [
      'written by hand with a flag twice',
      sealed({ ...document, flags: [liveFlag(1, 'a'), liveFlag(1, 'b')] }),
      'It is not a flagwright snapshot.',
    ],
    ['of an impossible time', sealed({ ...document, taken_at: 'yesterday' }), 'It is not a flagwright snapshot.'],
  ])('is refused when it is %s', (_name, edited, why) => {
    expect(refusalOf(edited)).toMatchObject({
      code: 'snapshot_invalid',
      message: `The snapshot cannot be used. ${why}`,
      remedy: 'Take a new one with `flagwright snapshot --out FILE`.',
    });
  });

  it('is read with a mark of the byte order, and with all that a later run needs', () => {
    const rollouts = [{ flag: 'a', path: '/rollout_percentage', step: 1 }] as never;
    const { fingerprint: _, ...read } = parseSnapshot(`\u{feff}${text}`);
    expect(read).toEqual(SNAPSHOT);
    expect(() => snapshotDocument({ ...SNAPSHOT, rollouts })).toThrow('A snapshot cannot hold');
    const features = [{ id: 7, feature_id: 'f1', name: 'New', description: '', stage: 'beta', documentation_url: '' }];
    const live = { ...SNAPSHOT.live, early_access: features as never };
    const { fingerprint: __, ...again } = parseSnapshot(jsonText(snapshotDocument({ ...SNAPSHOT, live })));
    expect(again).toEqual({ ...SNAPSHOT, live });
  });

  it.each([
    [7, 'null'],
    [null, 'null'],
    ['1.0\u001b'.padEnd(30, 'x'), JSON.stringify('1.0\u001b'.padEnd(20, 'x'))],
  ])('says which version %j is', (version, quoted) => {
    expect(refusalOf(sealed({ ...document, format_version: version })).message).toContain(
      `It has format version ${quoted}, and`,
    );
  });

  it('has each resource of every family once', () => {
    const twice = sealed({ ...document, cohorts: [cohort(4, 'One'), cohort(4, 'Two')] });
    expect(refusalOf(twice).message).toContain('It is not a flagwright snapshot.');
    const thrice = sealed({ ...document, changes: [], kind: 'other' });
    expect(refusalOf(thrice).message).toContain('It is not a flagwright snapshot.');
    expect(refusalOf('{').cause).toBeInstanceOf(Error);
  });

  it.each<[string, SavedSnapshot['live'], string]>([
    [
      'a flag that is neither enabled nor disabled',
      liveState([liveFlag(1, 'a', { active: 'perhaps' })]),
      '/flags/0/active',
    ],
    [
      'a cohort whose name is a number',
      { ...liveState([]), cohorts: [{ id: 4, name: 7 as never }] },
      '/cohorts/0/name',
    ],
  ])('is not written of %s, which could not be read again', (_, live, place) => {
    expect(() => snapshotDocument({ ...SNAPSHOT, live })).toThrow(
      `A snapshot cannot hold what the service returned at ${place}.`,
    );
  });

  it('is no plan that could be applied', () =>
    expect(() => parseSavedPlan(text)).toThrow('The saved plan cannot be used. It is a snapshot of a project.'));
});
