/** Each function of an SDK that the table names is found in code: one that is missed hides whoever reads the flag. */

import { expect, test } from 'vitest';
import { SDK_CALLS, SDK_COMPONENTS, SDK_NAMES } from '../../../src/code/references/sdk-calls.ts';
import { formsIn, search } from './support.ts';

const KEYS = ['new-checkout'];
const OPEN_FEATURE = '// OpenFeature\n';
const found = (code: string, file = 'a.ts') => search({ [file]: code }, { keys: KEYS });

const WITH_KEY = SDK_CALLS.filter(({ argument }) => argument === 0 || argument === 1);

test.each(WITH_KEY.map(({ name, argument, of }) => ({ name, argument, of })))(
  '$name reads a key',
  ({ name, argument, of }) => {
    const head = of === 'openfeature' ? OPEN_FEATURE : '';
    const args = argument === 0 ? "'new-checkout', x" : "x, 'new-checkout'";
    expect(name).toMatch(/^[A-Za-z_]{5,}$/);
    const { references, indirectReads } = found(`${head}flags.${name}(${args})`);
    expect([references.map(({ form, certain }) => `${form} ${certain}`), indirectReads]).toEqual([['call true'], []]);
    expect(found(`${head}flags.${name}(${argument === 0 ? 'name(), x' : 'x, name()'})`).indirectReads).toHaveLength(1);
  },
);

const OF_ALL = SDK_CALLS.filter(({ argument }) => argument === 'none').map(({ name }) => name);

test.each(OF_ALL)('%s reads all flags', (name) => {
  expect(name).toMatch(/^[A-Za-z_]{5,}$/);
  expect(found(`all = flags.${name}()[name]`).indirectReads).toHaveLength(1);
});

test('the functions are those of each SDK, and each is named once', () => {
  const names = SDK_CALLS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(
    expect.arrayContaining([
      'getBooleanValue',
      'useStringFlagDetails',
      'GetObjectDetailsAsync',
      'getNumberValueAsync',
      'GetIntegerValueAsync',
      'get_float_details',
      'fetch_integer_value',
      'DoubleValueDetails',
      'IntValue',
      'useSuspenseFlag',
    ]),
  );
});

test.each(SDK_NAMES.filter(([, sdk]) => sdk === 'evaluated').map(([name]) => name))(
  'where code calls %s, any object may hand on evaluated flags',
  (name) => {
    const use = { 'b.ts': 'show(all.getFlag(name)); // flags' };
    expect(search({ 'a.ts': `run(${name}(id))`, ...use }, { keys: KEYS }).indirectReads).toHaveLength(1);
    expect(search({ 'a.ts': 'run(other(id))', ...use }, { keys: KEYS }).indirectReads).toEqual([]);
  },
);

test.each(SDK_NAMES.filter(([, sdk]) => sdk === 'openfeature').map(([name]) => name))(
  'where a package is named %s, any client may read flags',
  (name) => {
    const files = { 'go.mod': `require example.test/${name}/sdk v1`, 'b.ts': 'client.getStringValue(name)' };
    expect(search(files, { keys: KEYS }).indirectReads).toHaveLength(1);
  },
);

test.each([...SDK_COMPONENTS])('the component %s reads the key in its attribute %s', (component, attribute) => {
  expect(formsIn(`<${component} match={1} ${attribute}="new-checkout">`, { keys: KEYS, file: 'a.tsx' })).toEqual([
    `1:${component.length + attribute.length + 15} new-checkout call`,
  ]);
  expect(formsIn(`<${component} other="new-checkout">`, { keys: KEYS, file: 'a.tsx' })[0]).toContain('string');
});
