/** Filters that current rules refuse: each is exported so that it loads to what is live. */

import { describe, expect, test } from 'vitest';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { evaluations, storedFlags } from './evaluations.ts';
import { LEGACY_SHAPES, type LegacyShape } from './legacy-shapes.ts';
import { loadedBack } from './loaded-back.ts';

const OTHER = { id: 1, key: 'other', active: true, filters: { groups: [{}] } } as Flag;

function liveFlag({ filters }: Pick<LegacyShape, 'filters'>, index = 0): Flag {
  return { id: 10 + index, key: `legacy-${index}`, name: '', active: true, tags: [], filters } as Flag;
}

describe('filters of live services can be exported', () => {
  test('the catalogue is large', () => expect(LEGACY_SHAPES.length).toBeGreaterThanOrEqual(88));

  test.each(LEGACY_SHAPES)('$what ($form)', (shape) => {
    const live = [OTHER, liveFlag(shape)];
    const { exported, errors, changes, desired } = loadedBack(live);
    expect({ errors, changes, notExported: exported.notExported }).toEqual({
      errors: [],
      changes: [],
      notExported: [],
    });
    const form = exported.unchecked.length > 0 ? 'unchecked' : 'checked';
    expect([form, 'either']).toContain(shape.form);
    expect(evaluations(storedFlags(desired, live))).toEqual(evaluations(live));
  });

  test('all in one project', () => {
    const live = [OTHER, ...LEGACY_SHAPES.map(liveFlag)];
    const { exported, errors, changes, unmanaged } = loadedBack(live);
    expect({ errors, changes, unmanaged, notExported: exported.notExported }).toEqual({
      errors: [],
      changes: [],
      unmanaged: [],
      notExported: [],
    });
    const formOf = (key: string): LegacyShape['form'] | undefined =>
      LEGACY_SHAPES[Number(key.replace('legacy-', ''))]?.form;
    expect(exported.unchecked.map(({ key }) => formOf(key))).not.toContain('checked');
    expect(exported.unchecked.filter(({ key }) => formOf(key) === 'unchecked')).toHaveLength(
      LEGACY_SHAPES.filter(({ form }) => form === 'unchecked').length,
    );
  });
});
