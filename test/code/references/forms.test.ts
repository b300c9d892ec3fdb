/** The forms of references in code, one by one, and the encodings of files. */

import { expect, it } from 'vitest';
import { formsIn, search } from './support.ts';

const KEYS = ['new-checkout', 'search_v2', 'beta', 'darkMode'];

const FORMS: readonly (readonly [name: string, line: string, found: readonly string[], file?: string])[] = [
  ['a call of posthog-js', `posthog.isFeatureEnabled('new-checkout')`, ['1:27 new-checkout call']],
  ['a call with a type', `getFeatureFlag<string>("new-checkout")`, ['1:25 new-checkout call']],
  ['a call over two lines', `useFeatureFlagEnabled(\n  'new-checkout',\n)`, ['2:4 new-checkout call']],
  ['a call with a key of one word', `posthog.isFeatureEnabled('beta')`, ['1:27 beta call']],
  ['a named argument of Python', `posthog.feature_enabled(distinct_id="a", key="beta")`, ['1:47 beta call'], 'a.py'],
  ['a call of Ruby without parentheses', `posthog.is_feature_enabled 'beta', id`, ['1:29 beta call'], 'a.rb'],
  [
    'a structure of Go',
    `client.IsFeatureEnabled(posthog.FeatureFlagPayload{Key: "beta", DistinctId: id})`,
    ['1:58 beta call'],
    'a.go',
  ],
  [
    'a second argument of Go',
    `openfeature.NewClient("a"); client.BooleanValue(ctx, "beta", false, e)`,
    ['1:55 beta call'],
    'a.go',
  ],
  ['a component', `<PostHogFeature match={true} flag="beta">`, ['1:36 beta call'], 'a.tsx'],
  ['flags that were evaluated', `flags.isEnabled('beta')`, ['1:18 beta call']],
  ['the function getFlag of flags that were evaluated', `flags.getFlag('beta')`, ['1:16 beta call']],
  ['the function getFlagPayload of flags that were evaluated', `flags.getFlagPayload('beta')`, ['1:23 beta call']],
  ['the function is_enabled of flags that were evaluated', `flags.is_enabled('beta')`, ['1:19 beta call']],
  ['the function get_flag of flags that were evaluated', `flags.get_flag('beta')`, ['1:17 beta call']],
  ['the function get_flag_payload of flags that were evaluated', `flags.get_flag_payload('beta')`, ['1:25 beta call']],
  ['a component that is only named', `PostHogFeature match={true} flag="beta"`, ['1:35 beta string'], 'a.tsx'],
  ['a method of the same name', `checkbox.isEnabled('beta')`, ['1:21 beta string?']],
  ['a string', `const enabled = on("new-checkout")`, ['1:21 new-checkout string']],
  ['a string with escaped quotes', String.raw`'{"key": \"new-checkout\"}'`, ['1:12 new-checkout string']],
  ['a string with an escaped quote behind it alone', String.raw`"new-checkout\"`, ['1:2 new-checkout text?']],
  ['a string with another quote behind it', `"new-checkout'`, ['1:2 new-checkout text?']],
  ['a symbol at the start', ':search_v2', ['1:2 search_v2 string'], 'a.rb'],
  ['a symbol in a language that has none', 'on(:search_v2)', ['1:5 search_v2 constant?']],
  ['a name of a namespace of Ruby', 'Features::search_v2', ['1:11 search_v2 constant'], 'a.rb'],
  ['a symbol of Ruby', 'Features.on?(:search_v2)', ['1:15 search_v2 string'], 'a.rb'],
  ['a scalar of YAML', 'flag: new-checkout # on', ['1:7 new-checkout string'], 'a.yaml'],
  ['an element of XML', '<string name="flag">new-checkout</string>', ['1:21 new-checkout string'], 'a.xml'],
  ['a class of CSS', `<div className="new-checkout">`, ['1:17 new-checkout string?'], 'a.tsx'],
  ['a module', `import x from 'new-checkout';`, ['1:16 new-checkout string?']],
  ['a comment', `// isFeatureEnabled('new-checkout')`, ['1:22 new-checkout text?']],
  ['a comment behind code', `run(); // 'new-checkout'`, ['1:12 new-checkout text?']],
  ['a mark of comments in a string of each quote', `a("http: //x"); on('new-checkout')`, ['1:21 new-checkout string']],
  ['a mark of comments in single quotes', `a('x //y'); on('new-checkout')`, ['1:17 new-checkout string']],
  ['a mark of comments in a template', 'a(`x //y`); on("new-checkout")', ['1:17 new-checkout string']],
  ['an address', `get('https://x.test'); on('new-checkout')`, ['1:28 new-checkout string']],
  ['documentation', `Call isFeatureEnabled('new-checkout')`, ['1:24 new-checkout text?'], 'README.md'],
  ['a part of a path', `'./new-checkout/page'`, ['1:4 new-checkout text?']],
  ['a constant of flags', 'if (FLAGS.NEW_CHECKOUT) {}', ['1:11 new-checkout constant']],
  ['a constant of flags in brackets', `FEATURE_FLAGS['NEW_CHECKOUT']`, ['1:16 new-checkout constant']],
  ['a constant of one word', 'FeatureFlag.Beta', ['1:13 beta constant']],
  ['a constant of PHP', 'FeatureFlag::NEW_CHECKOUT', ['1:14 new-checkout constant'], 'a.php'],
  ['a name in another casing', 'newCheckout();', ['1:1 new-checkout constant?']],
  ['a key that is a name', 'flags.darkMode && flags.search_v2', ['1:7 darkMode constant', '1:25 search_v2 constant']],
  ['an accessor', 'newCheckout.isOn(flags)', ['1:1 new-checkout accessor']],
  ['an accessor in a comment', '// newCheckout.isOn(flags)', ['1:4 new-checkout text?']],
  ['an accessor of another name', '$newCheckout.isOn(flags)', ['1:2 new-checkout constant?']],
  [
    'a call with a name that the file gives to a key',
    "const KEY_OF_IT = 'new-checkout';\nisFeatureEnabled(KEY_OF_IT)",
    ['1:7 new-checkout constant', '1:20 new-checkout string', '2:18 new-checkout constant'],
  ],
  ['a name in capitals with -', "'NEW-CHECKOUT'", ['1:2 new-checkout text?']],
  ['a name of a header', 'New-Checkout: on', ['1:1 new-checkout text?'], 'a.http'],
  ['a name of Ada', 'New_Checkout', ['1:1 new-checkout constant?'], 'a.adb'],
  [
    'words without separators',
    'newcheckout(NEWCHECKOUT)',
    ['1:1 new-checkout constant?', '1:13 new-checkout constant?'],
  ],
  ['a title', '"New checkout"', ['1:2 new-checkout text?']],
  ['a path of properties', "'search.v2'", ['1:2 search_v2 text?']],
  ['a mixed casing', "'new_Checkout'", ['1:2 new-checkout text?']],
  [
    'an escaped separator',
    String.raw`'new\u002dcheckout' + "new%2Dcheckout"`,
    ['1:2 new-checkout text?', '1:24 new-checkout text?'],
  ],
  ['a title of more words', '"New checkout page"', []],
  ['the name of a file', 'run();', ['1:1 new-checkout text?'], 'pages/new-checkout/index.ts'],
  ['the name of a file in another casing', 'run();', ['1:1 new-checkout text?'], 'pages/NewCheckout.tsx'],
  ['the name of a file with a longer key', 'run();', [], 'pages/new-checkout-2.ts'],
  ['a casing that no language has', "'nEw-cHeckout'", ['1:2 new-checkout text?']],
  ['a casing that no language has, without quotes', 'a nEw-cHeckout b', ['1:3 new-checkout text?']],
  ['a word of a list of Ruby', 'on(%w[new-checkout beta])', ['1:20 beta string?', '1:7 new-checkout string'], 'a.rb'],
  ['a word of a list of Perl', 'my @all = qw(other new-checkout);', ['1:20 new-checkout string'], 'a.pl'],
  ['a word of a list of Elixir', '~w(other new-checkout)a', ['1:10 new-checkout string'], 'a.ex'],
  ['an element of a list of YAML', 'flags: [other, new-checkout]', ['1:16 new-checkout string'], 'a.yaml'],
  ['a member of an object of YAML', 'flags: { new-checkout: true }', ['1:10 new-checkout string'], 'a.yaml'],
  ['a section of TOML', '[new-checkout]', ['1:2 new-checkout string'], 'flags.toml'],
  ['a variable of a shell', 'export FLAG=new-checkout', ['1:13 new-checkout string'], 'a.sh'],
  ['an escaped letter', String.raw`'\u006eew-checkout'`, ['1:2 new-checkout text?']],
  ['an escape with braces', String.raw`'new\u{2d}checkout'`, ['1:2 new-checkout text?']],
  ['an octal escape', String.raw`"new\055checkout"`, ['1:2 new-checkout text?'], 'a.c'],
  ['an escape with a name', String.raw`"new\N{HYPHEN-MINUS}checkout"`, ['1:2 new-checkout text?'], 'a.py'],
  ['an escape of HTML', '<x flag="new&#045;checkout">', ['1:10 new-checkout text?'], 'a.html'],
  ['a string over two lines', "  on('new-\\\ncheckout')", ['1:7 new-checkout text?'], 'a.c'],
  ['a word over two lines', "on('new-che\\\r\nckout')", ['1:5 new-checkout text?'], 'a.js'],
  ['what stands behind an escape', String.raw`f('\u002d'); g('new-checkout')`, ['1:17 new-checkout string']],
  ['a function that is taken by its name', "posthog['isFeatureEnabled']('beta')", ['1:30 beta call']],
  ['a longer key', `'new-checkout-2' + my-new-checkout`, []],
  ['an ordinary word', 'beta = new Test();', []],
];

it.each(FORMS.map(([name, line, found, file]) => ({ name, line, found, file })))(
  '$name',
  ({ line, found, file = 'a.ts' }) => {
    expect(formsIn(line, { keys: KEYS, file })).toEqual(found);
  },
);

it('of two keys that differ in their separators alone, a text in another casing may mean both', () => {
  const keys = ['dark-mode', 'dark_mode'];
  expect(formsIn('a DARK-Mode b', { keys })).toEqual(['1:3 dark-mode text?', '1:3 dark_mode text?']);
});

it('finds the uses of a constant that another file names, and only where it has one key', () => {
  const { references } = search(
    {
      'flags.ts': `export const CHECKOUT_FLAG = 'new-checkout';\nexport const TWICE_BOUND = 'new-checkout';`,
      'other.ts': `const TWICE_BOUND = 'search_v2';`,
      'use.ts': 'isFeatureEnabled(CHECKOUT_FLAG); show(TWICE_BOUND);',
    },
    { keys: KEYS },
  );
  expect(references.filter(({ place }) => place.file === 'use.ts')).toEqual([
    { key: 'new-checkout', form: 'constant', certain: true, place: { file: 'use.ts', line: 1, column: 18 } },
    { key: 'new-checkout', form: 'constant', certain: false, place: { file: 'use.ts', line: 1, column: 39 } },
    { key: 'search_v2', form: 'constant', certain: false, place: { file: 'use.ts', line: 1, column: 39 } },
  ]);
});

it('a name of one file has its key there only', () => {
  const files = {
    'a.ts': `const checkoutFlag = 'new-checkout';\nread(checkoutFlag);`,
    'b.ts': 'read(checkoutFlag);',
  };
  expect(search(files, { keys: KEYS }).references.map(({ place }) => `${place.file}:${place.line}`)).toEqual([
    'a.ts:1',
    'a.ts:1',
    'a.ts:2',
  ]);
});

it.each([
  [`isFeatureEnabled('new-chekout')`, ['new-chekout']],
  [`const KEY = 'new-chekout';\nisFeatureEnabled(KEY)`, ['new-chekout']],
  [`function isFeatureEnabled(key: string): boolean;`, []],
  [`// isFeatureEnabled('new-chekout')`, []],
  [`getBooleanValue('max.connections')`, []],
])('%s reads keys that are not declared', (code, keys) => {
  expect(search({ 'a.ts': code }, { keys: KEYS }).unknownReads.map(({ key }) => key)).toEqual(keys);
});

const MADE: readonly (readonly [code: string, found: readonly object[], file?: string])[] = [
  ['isFeatureEnabled(`new-${name}`)', [{ prefix: 'new-' }]],
  ['isFeatureEnabled("che" + rest)', [{ prefix: 'che' }]],
  ['isFeatureEnabled(name + "-flag")', [{ suffix: '-flag' }]],
  ['isFeatureEnabled(name)', [{}]],
  ['isFeatureEnabled(names[0])', [{}]],
  ['isFeatureEnabled(isOld ? "new-checkout" : "beta")', []],
  ['isFeatureEnabled(isOld ? "new-checkout" : isNew ? "beta" : "search_v2")', []],
  ['isFeatureEnabled(isOld ? "new-checkout" : name)', [{}]],
  ['isFeatureEnabled(name ?? "beta")', [{}]],
  ['isFeatureEnabled(name || "beta")', [{}]],
  ['isFeatureEnabled("other" as FlagKey)', []],
  ['isFeatureEnabled("NEW".toLowerCase())', [{}]],
  ['feature_enabled("beta" if old else name, id)', [{}], 'a.py'],
  ['feature_enabled("beta" if old else "search_v2", id)', [], 'a.py'],
  ['const key = `new-${name}`', [{ prefix: 'new-' }]],
  ["const key = name + '-checkout'", [{ suffix: '-checkout' }]],
  ["const key = 'new-' + name", [{ prefix: 'new-' }]],
  ['feature_enabled(f"new-{name}", id)', [{ prefix: 'new-' }], 'a.py'],
  ['key = "new-%s" % name', [{ prefix: 'new-' }], 'a.py'],
  ['key = "%s-checkout" % name', [{ suffix: '-checkout' }], 'a.py'],
  ['key = "%(name)s-checkout" % names', [{ suffix: '-checkout' }], 'a.py'],
  ['key = fmt.Sprintf("%05d-checkout", id)', [{ suffix: '-checkout' }], 'a.go'],
  ["$key = 'new-' . $name;", [{ prefix: 'new-' }], 'a.php'],
  ['"new-#{name}"', [{ prefix: 'new-' }], 'a.rb'],
  ['isFeatureEnabled("new-\\(name)")', [{ prefix: 'new-' }], 'a.swift'],
  ['class="new-"', []],
  ['posthog.getAllFlags(id)[name]', [{}]],
  ['all = client.get_all_flags(id)', [{}], 'a.py'],
  ['const all = getAllFlags()', [{}]],
  ['posthog.onFeatureFlags((all) => show(all[name]))', [{}]],
  ['posthog.onFeatureFlags(setFlags)', [{}]],
  ['posthog.onFeatureFlags(() => render())', []],
  ['posthog.onFeatureFlags(function () { render(); })', []],
  ['posthog.featureFlags.getFlagVariants()[name]', [{}]],
  ['posthog.featureFlags.getFlags().includes(name)', [{}]],
  ['client.getAllFeatureFlags().find(byName)', [{}]],
  ["fetch('https://eu.i.posthog.com/flags/?v=2')", [{}]],
  ['fetch(`${host}/decide?v=3`)', [{}]],
  ["post('/ofrep/v1/evaluate/flags')", [{}]],
  ["get('/flags/list')", []],
  ['PostHog.FeatureFlags.check(name, id)', [{}], 'a.ex'],
  ['linter.check(name)', []],
  ['const on = posthog.isFeatureEnabled;', [{}]],
  ['const on = posthog.isFeatureEnabled.bind(posthog);', [{}]],
  ['const on = posthog.isFeatureEnabled\n  . bind(posthog);', [{}]],
  ['// isFeatureEnabled is like other.bind(x)', []],
  ['const on = (posthog.isFeatureEnabled  as  Check);', [{}]],
  ['// isFeatureEnabled is known as a check', []],
  ['const spy = (isFeatureEnabled as vi.Mock);', []],
  ['names.filter(posthog.isFeatureEnabled)', [{}]],
  ['on = partial(posthog.feature_enabled, distinct_id=id)', [{}], 'a.py'],
  ["export { useFeatureFlagEnabled as useFlag } from 'posthog-js/react';", [{}]],
  ['const { isFeatureEnabled: on } = posthog;', [{}]],
  ["export { useFeatureFlagEnabled } from 'posthog-js/react';", []],
  ["import {\n  isFeatureEnabled,\n  other,\n} from 'x';", []],
  ['const mock = { isFeatureEnabled: vi.fn() };', []],
  ['expect(posthog.isFeatureEnabled).toHaveBeenCalled()', []],
  ['vi.mocked(posthog.isFeatureEnabled).mockReturnValue(true)', []],
  ["posthog['isFeatureEnabled'](name)", [{}]],
  ['import { getAllFlags } from "posthog-node";', []],
  ['getAllFlags(distinctId: string): Promise<Flags>;', []],
  ['getAllFlags(): Flags { return this.all; }', []],
  ["['new', 'checkout'].join('-')", [{ prefix: 'new', suffix: '-checkout' }]],
  ["'_'.join(['SEARCH', 'V2']).lower()", [{ prefix: 'search', suffix: '_v2' }], 'a.py'],
  ["['new', 'other', 'checkout']", [{ prefix: 'new', suffix: '-checkout' }]],
  ["['checkout', 'new']", []],
  [`['new', ${' '.repeat(80)}'checkout']`, []],
  ['{"search": {"v2": true}}', [{ prefix: 'search', suffix: '_v2' }], 'a.json'],
  ["// ['new', 'checkout'].join('-')", []],
  ["%w[new checkout].join('-')", [{ prefix: 'new', suffix: '-checkout' }], 'a.rb'],
  ['new:\n  checkout: true', [{ prefix: 'new', suffix: '-checkout' }], 'a.yaml'],
  ['new.checkout=true', [{ prefix: 'new', suffix: '-checkout' }], 'a.properties'],
  ['about: new checkout', [], 'a.yaml'],
  ['/^(new|old)-checkout$/', [{ suffix: '-checkout' }]],
  [String.raw`'new\u002d' + name`, [{ prefix: 'new-' }]],
  ["'dark' + 'Mode'", [{ prefix: 'dark' }, { prefix: 'dark', suffix: 'Mode' }, { suffix: 'Mode' }]],
  ['`ab-test${n}`', [{ prefix: 'ab-test' }]],
  ['`promo${n}`', [{ prefix: 'promo' }]],
  ["'promo' + 2", [{ prefix: 'promo' }]],
  ["'new' + '-checkout'", [{ suffix: '-checkout' }]],
  ['"new-" "checkout"', [{ prefix: 'new-' }], 'a.py'],
  ["const SUFFIX = '-checkout';", [{ suffix: '-checkout' }]],
  ["name.startsWith('new-')", [{ prefix: 'new-' }]],
  ['/^new-/.test(name)', [{ prefix: 'new-' }]],
  ["k LIKE 'new-%'", [{ prefix: 'new-' }], 'a.sql'],
  ['FLAG=new-$NAME', [{ prefix: 'new-' }], 'a.sh'],
  ['"$NAME-checkout"', [{ suffix: '-checkout' }], 'a.sh'],
  ['"{}-checkout".format(name)', [{ suffix: '-checkout' }], 'a.py'],
  ['"%s_v2" % name', [{ suffix: '_v2' }], 'a.py'],
  ['"%03d-checkout"', [{ suffix: '-checkout' }], 'a.c'],
  ['"<%= name %>-checkout"', [{ suffix: '-checkout' }], 'a.erb'],
  ['"\\(name)-checkout"', [{ suffix: '-checkout' }], 'a.swift'],
  ['prefix: new- # ours', [{ prefix: 'new-' }], 'a.yaml'],
  ['  - new-', [{ prefix: 'new-' }], 'a.yaml'],
  ['PREFIX=new-', [{ prefix: 'new-' }], '.env'],
  ['suffix:   -checkout', [{ suffix: '-checkout' }], 'a.yaml'],
  ['text: a new- one', [], 'a.yaml'],
  ['text: new- one', [], 'a.yaml'],
  ['a - new-', [], 'a.yaml'],
  ['prefix: new-', [], 'a.txt'],
  ['isFeatureEnabled(`n${middle}t`)', [{ prefix: 'n', suffix: 't' }]],
  ['`search_v${n}`', [{ prefix: 'search_v' }]],
  ['`new-check${rest}`', [{ prefix: 'new-check' }]],
  ['`${a}-fast-${b}`', [{ part: '-fast-' }]],
  ['`${a}-fast-`', []],
  ['`dark${mode}`', [{ prefix: 'dark' }]],
  ["name + 'Mode'", [{ suffix: 'Mode' }]],
  ['`new${name}`', []],
  ['prefix: new-', [{ prefix: 'new-' }], 'a.yaml'],
  ['prefix: new- # of all', [{ prefix: 'new-' }], 'a.yaml'],
  ['- -checkout', [{ suffix: '-checkout' }], 'a.yaml'],
  ['run --new- x', [], 'a.yaml'],
  ['`${a}w-checkout`', [{ suffix: 'w-checkout' }]],
  ['"%sw-checkout" % a', [{ suffix: 'w-checkout' }], 'a.py'],
  ['"%-5.2fw-checkout"', [{ suffix: 'w-checkout' }], 'a.c'],
  ['"%(a)sw-checkout" % a', [{ suffix: 'w-checkout' }], 'a.py'],
  ['"%@w-checkout"', [{ suffix: 'w-checkout' }], 'a.m'],
  ['"<%= a %>w-checkout"', [{ suffix: 'w-checkout' }], 'a.erb'],
  ['"100% of (a) new-checkout2"', []],
  ['"a%b (x)w-checkout"', [{ suffix: 'w-checkout' }]],
  ['f(x)-checkout', []],
  ['`other-${name}` + "-other"', []],
];

it.each(MADE.map(([code, found, file]) => ({ code, found, file })))(
  '$code makes keys at run time',
  ({ code, found, file = 'a.ts' }) => {
    const { indirectReads } = search({ [file]: code }, { keys: [...KEYS, 'try-fast-mode', 'ab-test2', 'promo2'] });
    expect(indirectReads.map(({ prefix, part, suffix }) => ({ prefix, part, suffix }))).toEqual(found);
  },
);

/** An object that is passed on to other files has any name there. */
const PASSED_ON: readonly (readonly [name: string, files: Readonly<Record<string, string>>, found: number])[] = [
  [
    'the flags of a person',
    { 'a.ts': 'run(await posthog.evaluateFlags(id))', 'b.ts': 'all.getFlag(name); all.isEnabled(name)' },
    2,
  ],
  [
    'those of Go',
    { 'a.go': 'all, _ := client.EvaluateFlags(p)', 'b.go': 'func on(all posthog.Flags) { all.IsEnabled(name) }' },
    1,
  ],
  [
    'methods of these names in a file that is about something else, where another evaluates flags',
    { 'a.ts': 'run(await posthog.evaluateFlags(id))', 'b.ts': 'log.isEnabled(level); button.enabled(x)' },
    0,
  ],
  ['methods of these names where nothing evaluates flags', { 'b.ts': 'all.getFlag(name); log.isEnabled(level)' }, 0],
  [
    'a client of OpenFeature',
    { 'package.json': '{ "@openfeature/server-sdk": "1" }', 'b.ts': 'client.getBooleanValue(name, false)' },
    1,
  ],
  ['a method of such a name without OpenFeature', { 'b.ts': 'field.getStringValue(name)' }, 0],
  ['a page about OpenFeature', { 'README.md': 'OpenFeature', 'b.ts': 'field.getStringValue(name)' }, 0],
  ['a client of OpenFeature with a key', { 'a.ts': 'OpenFeature', 'b.ts': `client.getBooleanValue('beta', false)` }, 0],
];

it.each(PASSED_ON.map(([name, files, found]) => ({ name, files, found })))(
  '$name may read any flag: $found times',
  ({ files, found }) => {
    expect(search(files, { keys: KEYS }).indirectReads).toHaveLength(found);
  },
);

it('a file of wrappers passes on keys that are found where they are written', () => {
  const code = 'const on = (key) => isFeatureEnabled(key);';
  expect(search({ 'a.ts': code }, { keys: KEYS, wrappers: ['a.ts'] }).indirectReads).toEqual([]);
});

it.each([
  ['isOn(Flag.{PascalCase})', 'isOn(Flag.NewCheckout)', ['1:11 new-checkout pattern']],
  ['data-flag={key}', '<a data-flag=beta>', ['1:14 beta pattern']],
  ['FLAG_{UPPER_CASE}', 'env.FLAG_NEW_CHECKOUT', ['1:5 new-checkout pattern']],
  ['FLAG_{UPPER_CASE}', 'env.MY_FLAG_NEW_CHECKOUT', []],
])('the pattern %s in %s', (pattern, line, found) => {
  const forms = formsIn(line, { keys: KEYS, patterns: [pattern], file: 'a.html' });
  expect(forms.filter((form) => form.endsWith('pattern'))).toEqual(found);
});

it('names of accessors with $ are found', () => {
  const keys = ['new-checkout', 'new_checkout'];
  expect(
    formsIn('new$checkout.isOn(f); new_checkout.value(f)', { keys }).filter((form) => form.endsWith('accessor')),
  ).toEqual(['1:5 new-checkout accessor', '1:23 new_checkout accessor']);
});

it.each<readonly [name: string, bytes: (text: string) => Uint8Array, column: number]>([
  ['UTF-8', (text) => new TextEncoder().encode(text), 11],
  ['Latin-1', (text) => Buffer.from(text, 'latin1'), 11],
  ['UTF-16', (text) => Buffer.from(`\ufeff${text}`, 'utf16le'), 11],
  ['UTF-16 without a mark', (text) => Buffer.from(text, 'utf16le'), 11],
  ['UTF-16 with the other order', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(), 11],
])('%s is read, with columns in characters', (_, bytes, column) => {
  const { references } = search({ 'a.ts': bytes(`/* é */ f('new-checkout')`) }, { keys: KEYS });
  expect(references.map(({ place }) => place.column)).toEqual([column + 1]);
});
