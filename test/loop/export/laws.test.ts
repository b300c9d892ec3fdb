/** Laws of every export, whatever shapes the live flags have. */

import { expect, test } from 'vitest';
import type { Flag } from '../../../src/posthog/flag/model/flag.ts';
import { holds } from '../../helpers/runs.ts';
import { legacyFlags, soundFilters } from './broken-filters.ts';
import { evaluations, storedFlags } from './evaluations.ts';
import { loadedBack } from './loaded-back.ts';

test('it loads without errors, plans no change, evaluates the same, and lists what it leaves out', () => {
  holds(60, [legacyFlags({ minLength: 1, maxLength: 8 })], (live) => {
    const { exported, errors, changes, desired } = loadedBack(live);
    const notExported = exported.notExported.map(({ key }) => key);
    expect({ errors, changes }).toEqual({ errors: [], changes: [] });
    const written = live.filter(({ key }) => !notExported.includes(key));
    expect(desired.flags.map(({ key }) => key)).toEqual(written.map(({ key }) => key).sort());
    expect(evaluations(storedFlags(desired, live))).toEqual(evaluations(written));
  });
});

test('filters are unchecked only if they break a rule', () => {
  holds(80, [soundFilters], (filters) => {
    const live = [{ id: 11, key: 'f', active: true, filters } as Flag];
    const { exported } = loadedBack(live);
    const known = exported.unchecked.filter(({ reasons }) => reasons.join() !== 'flag-depends-on-itself');
    expect({ unchecked: known, notExported: exported.notExported }).toEqual({ unchecked: [], notExported: [] });
  });
});
