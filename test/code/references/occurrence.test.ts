/** What a word is where it stands: in each case, the word is between « and ». What is taken for a string reads a flag. */

import { expect, test } from 'vitest';
import {
  bindingOf,
  isListed,
  isMemberName,
  isName,
  isNearFlags,
  isOfFlags,
  isOtherString,
  isQuoted,
  isUnquotedString,
  isWholeRun,
  ownerOf,
  type Occurrence,
} from '../../../src/code/references/occurrence.ts';
import { sourceText } from '../../../src/code/references/source-text.ts';

function at(marked: string, file = 'a.ts'): Occurrence {
  const start = marked.indexOf('«');
  const end = marked.indexOf('»') - 1;
  const text = marked.replace('«', '').replace('»', '');
  return { source: sourceText({ file, bytes: Buffer.from(text, 'latin1') }), word: text.slice(start, end), start, end };
}

test.each<[string, boolean]>([
  ['"«x»"', true],
  ["'«x»'", true],
  ['`«x»`', true],
  ['"«x»\'', false],
  ['"«x» "', false],
  ['" «x»"', false],
  ['(«x»)', false],
  [String.raw`\"«x»\"`, true],
  [String.raw`"«x»\"`, false],
  [String.raw`\"«x»\'`, false],
  [String.raw`\"«x»`, false],
])('%s is all between two quotes: %s', (marked, expected) => {
  expect(isQuoted(at(marked))).toBe(expected);
});

test.each<[string, boolean]>([
  ['«x»', true],
  [' «x».', true],
  ['a-«x»', false],
  ['a«x»', false],
  ['_«x»', false],
  ['«x»-b', false],
  ['«x»9', false],
  ['"«x»"', true],
])('%s is a whole word: %s', (marked, expected) => {
  expect(isWholeRun(at(marked))).toBe(expected);
});

test.each<[string, boolean]>([
  ['«x»', true],
  ['«x»()', true],
  ['-«x»', false],
  ['/«x»', false],
  ['«x»/', false],
  ['«x»-y', false],
  ['«x»->y', true],
  ['«x»$', false],
])('%s is a name of a program: %s', (marked, expected) => {
  expect(isName(at(marked))).toBe(expected);
});

test.each<[file: string, marked: string, expected: boolean]>([
  // Symbols.
  ['a.rb', 'on(:«x»)', true],
  ['a.rb', ':«x»', true],
  ['a.exs', '[:«x»]', true],
  ['a.clj', '(on :«x»)', true],
  ['a.rb', 'A::«x»', false],
  ['a.rb', 'a:«x»', false],
  ['a.rb', '":«x»', false],
  ['a.rb', ':«x»-y', false],
  ['a.ts', 'on(:«x»)', false],
  // Content of elements.
  ['a.xml', '<a>«x»</a>', true],
  ['a.html', '<a>«x»</a>', false],
  ['a.xml', '<a>«x» b</a>', false],
  ['a.xml', '<a> «x»</a>', false],
  ['a.ts', '<a>«x»</a>', false],
  // Variables of a shell.
  ['a.sh', 'FLAG=«x»', true],
  ['a.sh', 'export FLAG=«x»', true],
  ['a.sh', 'export  FLAG=«x»;', true],
  ['a.sh', 'run; FLAG=«x» go', true],
  ['a.bash', '  FLAG=«x»', true],
  ['Dockerfile', 'ENV FLAG=«x»', true],
  ['ops/Makefile', 'FLAG=«x»', true],
  ['a.sh', 'FLAG=«x»/y', false],
  ['a.sh', 'FLAG=«x».y', false],
  ['a.sh', 'FLAG= «x»', false],
  ['a.sh', '--flag=«x»', false],
  ['a.sh', 'a.b=«x»', false],
  ['a.sh', 'run «x»', false],
  ['a.sh', 'export «x»', false],
  ['a.sh', '«x»', false],
  ['a.ts', 'FLAG=«x»', false],
  // Scalars of data.
  ['a.yaml', 'flag: «x»', true],
  ['a.yaml', 'flag: «x» # on', true],
  ['a.yaml', 'flag: «x» on', false],
  ['a.yaml', '- «x»', true],
  ['a.yaml', '  -  «x»', true],
  ['a.yaml', '  - flag: «x»', true],
  ['a.yaml', '«x»: true', true],
  ['a.yaml', '«x» : true', true],
  ['a.toml', '«x» = true', true],
  ['a.ini', 'a.b=«x»', true],
  ['a.toml', '"a" = «x»', true],
  ['a.yaml', 'text: a «x»', false],
  ['a.yaml', 'run -«x»', false],
  ['.env', 'FLAG=«x»', true],
  // Lists and objects of data.
  ['a.yaml', 'flags: [«x»]', true],
  ['a.yaml', 'flags: [a, «x», b]', true],
  ['a.yaml', 'flags: [ «x» ]', true],
  ['a.yaml', 'flags: { «x»: true }', true],
  ['a.yaml', 'flags: { a: 1, «x»: true }', true],
  ['a.yaml', '- [«x»]', true],
  ['a.yaml', '[«x»]', true],
  ['a.toml', '[[«x»]]', true],
  ['a.toml', 'a = [«x»,', true],
  ['a.yaml', 'flags: [a] , «x»]', false],
  ['a.yaml', 'text: some, «x»]', false],
  ['a.yaml', 'text (see [«x»] for more)', false],
  ['a.yaml', 'flags: [a «x»]', false],
  ['a.yaml', 'flags: [«x» b]', false],
  ['a.yaml', 'flags: { «x»:1 }', false],
  ['a.ts', 'flags: [«x»]', false],
])('in %s, %s is a string without quotes: %s', (file, marked, expected) => {
  expect(isUnquotedString(at(marked, file))).toBe(expected);
});

test.each<[file: string, marked: string, expected: boolean]>([
  ['a.rb', '%w[«x» y]', true],
  ['a.rb', '%w[y «x»]', true],
  ['a.rb', '%W(«x»)', true],
  ['a.rb', '%i{«x»}', true],
  ['a.rb', '%I<«x»>', true],
  ['a.rb', 'all = %w [y «x»]', true],
  ['a.pl', 'qw(y «x»)', true],
  ['a.pl', 'qw («x»)', true],
  ['a.ex', '~w(y «x»)a', true],
  ['a.rb', '%w[a] + [«x»]', false],
  ['a.rb', '%w[«x».y]', false],
  ['a.rb', '%x[«x»]', false],
  ['a.pl', 'aqw(«x»)', false],
  ['a.ts', '%w[«x» y]', false],
])('in %s, %s is one of a list of words: %s', (file, marked, expected) => {
  expect(isListed(at(marked, file))).toBe(expected);
});

test.each<[string, string | undefined]>([
  ['flags.«x»', 'flags'],
  ['a.flags.«x»', 'flags'],
  ['flags?.«x»', 'flags'],
  ['flags!.«x»', 'flags'],
  ['Flags::«x»', 'Flags'],
  ['flags->«x»', 'flags'],
  ["flags['«x»']", 'flags'],
  ['flags["«x»"]', 'flags'],
  ["flags?.['«x»']", 'flags'],
  ['$flags->«x»', '$flags'],
  ['flags().«x»', 'flags'],
  ['list[flags].«x»', 'flags'],
  ['(await flags).«x»', 'flags'],
  ['flags\n  .«x»', 'flags'],
  ['flags.a(1).«x»', undefined],
  ['flags «x»', undefined],
  ['«x»', undefined],
  ['3.«x»', undefined],
])('the owner in %s is %s', (marked, owner) => {
  expect(ownerOf(at(marked))).toBe(owner);
});

test.each<[string, boolean]>([
  ['FeatureFlags.«x»', true],
  ['toggles.«x»', true],
  ['experiments.«x»', true],
  ['posthog.«x»', true],
  ['theme.«x»', false],
  ['«x»', false],
])('%s is of flags: %s', (marked, expected) => {
  expect(isOfFlags(at(marked))).toBe(expected);
});

test.each<[file: string, marked: string, expected: boolean]>([
  ['a.ts', 'const flag = "«x»"', true],
  ['a.ts', 'on("«x»") // a feature gate', true],
  ['a.ts', 'feature_enabled("«x»")', true],
  ['a.ts', 'featureToggle("«x»")', true],
  ['a.ts', 'posthog.on("«x»")', true],
  ['a.ts', 'on("«x»")', false],
  ['a.ts', 'flag\non("«x»")\nflag', false],
  ['src/flags.ts', 'on("«x»")', true],
  ['flags/a.ts', 'on("«x»")', false],
  ['a.ts', 'our feature «x»', false],
])('in %s, %s is near flags: %s', (file, marked, expected) => {
  expect(isNearFlags(at(marked, file))).toBe(expected);
});

test.each<[string, boolean]>([
  ['<a className="«x»">', true],
  ['<a className={"«x»"}>', true],
  ['<a data-test-id="«x»">', true],
  ['<a aria-label="«x»">', true],
  ['<a href="«x»">', true],
  ['<a flag="«x»">', false],
  ['import "«x»"', true],
  ['from "«x»"', true],
  ['require("«x»")', true],
  ['describe("«x»", ', true],
  ['posthog.capture("«x»")', true],
  ['document.getElementById("«x»")', true],
  ['isOn("«x»")', false],
  ['recapture("«x»")', false],
  ['subclass="«x»"', false],
])('the string in %s has a meaning of its own: %s', (marked, expected) => {
  expect(isOtherString(at(marked))).toBe(expected);
});

test.each<[file: string, marked: string, binding: string | undefined]>([
  ['a.ts', 'const CHECKOUT_FLAG = "«x»"', 'CHECKOUT_FLAG shared'],
  ['a.ts', 'const checkoutFlag = "«x»"', 'checkoutFlag'],
  ['a.ts', 'export const checkoutFlag = "«x»"', 'checkoutFlag shared'],
  ['a.ts', 'const checkoutFlag: Key<string> = "«x»"', 'checkoutFlag'],
  ['a.ts', 'let CheckoutFlag = `«x»`', 'CheckoutFlag shared'],
  ['a.ts', '  NewCheckout = "«x»",', 'NewCheckout shared member'],
  ['a.ts', '  newCheckout: "«x»",', 'newCheckout member'],
  ['a.ts', '  "newCheckout": "«x»",', 'newCheckout member'],
  ['a.ts', '  ["NEW_CHECKOUT"]: "«x»",', 'NEW_CHECKOUT shared member'],
  ['a.php', "  'new_checkout' => '«x»',", 'new_checkout member'],
  ['a.php', "const CHECKOUT = '«x»';", 'CHECKOUT'],
  ['a.py', 'CHECKOUT = "«x»"', 'CHECKOUT'],
  ['a.py', 'checkout_flag = f"«x»"', 'checkout_flag'],
  ['a.cs', 'var text = @"«x»"', 'text'],
  ['a.go', 'const CheckoutFlag Key = "«x»"', 'CheckoutFlag shared'],
  ['a.go', '\tNewCheckout Key = "«x»"', 'NewCheckout shared'],
  ['a.go', 'var CheckoutFlag flags.Key = "«x»"', 'CheckoutFlag shared'],
  ['a.go', 'const CheckoutFlag = "«x»"', 'CheckoutFlag shared'],
  ['a.go', 'var checkout = "«x»"', 'checkout'],
  ['a.go', 'checkout := "«x»"', 'checkout'],
  ['a.java', '  NEW_CHECKOUT("«x»"),', 'NEW_CHECKOUT shared member'],
  ['a.rs', 'pub const CHECKOUT: &\'static str = "«x»"', 'CHECKOUT shared'],
  ['a.swift', 'case newCheckout = "«x»"', 'newCheckout member'],
  ['a.java', 'public static final String Checkout = "«x»"', 'Checkout shared'],
  ['a.ts', 'const key = "«x»"', undefined],
  ['a.ts', '{ flag: "«x»" }', undefined],
  ['a.ts', 'isOn("«x»")', undefined],
  ['a.ts', 'a == "«x»"', undefined],
])('in %s, %s gives the string a name: %s', (file, marked, binding) => {
  const found = bindingOf(at(marked, file));
  const told = found && [found.name, ...(found.isShared ? ['shared'] : []), ...(found.isMember ? ['member'] : [])];
  expect(told?.join(' ')).toBe(binding);
});

test.each<[string, boolean]>([
  ['Flags.«x»', true],
  ['Flags::«x»', true],
  ['flags->«x»', true],
  ['flags["«x»"]', true],
  ["flags['«x»']", true],
  ['«x»', false],
  ['Flags «x»', false],
  ['("«x»")', false],
])('%s follows the name of an object or a type: %s', (marked, expected) => {
  expect(isMemberName(at(marked))).toBe(expected);
});
