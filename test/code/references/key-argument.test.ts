/** The argument of a call that is the key: what is read of it, and what is not. The text begins where the name of the function ends. */

import { expect, test } from 'vitest';
import { readKey, readKeyArgument, type KeyArgument } from '../../../src/code/references/occurrence.ts';

/** `literal KEY at 3`, `built new-…-x at 3`. */
function told(argument: KeyArgument, text: string): string {
  switch (argument.kind) {
    case 'literal':
      return `${argument.text}${text.startsWith(argument.text, argument.at) ? '' : ' elsewhere'}`;
    case 'built':
      return `${argument.prefix}…${argument.suffix}`;
    case 'name':
      return `name ${argument.name}${text.startsWith(argument.name, argument.at) ? '' : ' elsewhere'}`;
    case 'expression':
    case 'none':
      return argument.kind;
  }
}

test.each<[text: string, found: string]>([
  // The call.
  [`('a')`, 'a'],
  [` ("a")`, 'a'],
  [`?.('a')`, 'a'],
  [`!('a')`, 'a'],
  [`<string>('a')`, 'a'],
  [`<Key<'b'>>('a')`, 'a'],
  [`']('a')`, 'a'],
  [`"]("a")`, 'a'],
  [`?('a')`, 'a'],
  [` 'a', id`, 'a'],
  [` "a"`, 'a'],
  [`? 'a'`, 'a'],
  [` :a`, 'name a'],
  [` = 'a'`, 'none'],
  [`, 'a'`, 'none'],
  [``, 'none'],
  [`()`, 'none'],
  [`(  )`, 'none'],
  // Strings.
  [`('a', 'b')`, 'a'],
  [`(\n  'a',\n)`, 'a'],
  [`(f'a')`, 'a'],
  [`(@"a")`, 'a'],
  [`('a`, 'expression'],
  [`('a\n')`, 'expression'],
  ['(`a\n`)', 'a\n'],
  [String.raw`('a\'b')`, String.raw`a\'b`],
  [`('a' as Key)`, 'a'],
  // Strings that are made.
  ['(`a-${b}`)', 'a-…'],
  ['(`${a}-b`)', '…-b'],
  ['(`a-${b}-${c}-d`)', 'a-…-d'],
  ['(`a-$b`)', 'a-$b'],
  [`('a-\${b}')`, 'a-${b}'],
  [`('a-%s')`, 'a-…'],
  [`('a-%d-b')`, 'a-…-b'],
  [`('a-{}')`, 'a-…'],
  [`('a-{b}')`, 'a-{b}'],
  [`(f'a-{b}')`, 'a-…'],
  [`(F'a-{b}-c')`, 'a-…-c'],
  [`(f"a-{b}")`, 'a-…'],
  [`($"a-{b}")`, 'a-…'],
  [`($@"a-{b}")`, 'a-…'],
  [`("a-#{b}")`, 'a-…'],
  [`("a-\${b}")`, 'a-…'],
  [`("a-$b-c")`, 'a-…-c'],
  [String.raw`("a-\(b)-c")`, 'a-…-c'],
  [`("a-%s")`, 'a-…'],
  [`("a-%v")`, 'a-…'],
  [`("a-{}")`, 'a-…'],
  [`("a-{0}")`, 'a-…'],
  [`("a-{b}")`, 'a-{b}'],
  // Strings that are joined.
  [`('a-' + b)`, 'a-…'],
  [`('a-' . $b)`, 'a-…'],
  [`('a-' .$b)`, 'a-…'],
  [`('a-' .. b)`, 'a-…'],
  [`("a-" <> b)`, 'a-…'],
  [`('a-' || b)`, 'a-…'],
  [`('a-%x' % b)`, 'a-%x…'],
  [`('a-'.concat(b))`, 'a-…'],
  // Strings that may not be the key.
  [`('a'.trim())`, 'expression'],
  [`('a'?.trim())`, 'expression'],
  [`('a' if b else c)`, 'expression'],
  [`('a' if b else 'c')`, 'a'],
  [`('a' or b)`, 'expression'],
  [`('a' and b)`, 'expression'],
  [`('a' ?? b)`, 'expression'],
  [`('a' && b)`, 'expression'],
  [`('a' ? b : c)`, 'expression'],
  [`('a' ?? 'b')`, 'a'],
  [`('a') or b`, 'a'],
  [`('a', b ?? c)`, 'a'],
  [`('a' /* iffy */)`, 'a'],
  // Names.
  [`(KEY)`, 'name KEY'],
  [`(Flags.KEY)`, 'name KEY'],
  [`(Flags.KEY, id)`, 'name KEY'],
  [`(Flags.KEY.value)`, 'name KEY'],
  [`(Flags.KEY.rawValue)`, 'name KEY'],
  [`(Flags.KEY.toString())`, 'name KEY'],
  [`(Flags::KEY)`, 'name KEY'],
  [`(KEY!)`, 'name KEY'],
  [`(KEY as string)`, 'name KEY'],
  [`(KEY as flags.Key)`, 'name KEY'],
  [`($key)`, 'name $key'],
  [`(keys[0])`, 'expression'],
  [`(keyOf(b))`, 'expression'],
  [`(await key)`, 'name key'],
  [`(new Key)`, 'name Key'],
  // Expressions.
  [`(a + '-b')`, '…-b'],
  [`(a ? 'b' : 'c')`, 'none'],
  [`(a ? 'b' : c ? 'd' : 'e')`, 'none'],
  [`((a ? 'b' : 'c'))`, 'none'],
  [`(a ? 'b' : c)`, 'expression'],
  [`(a ?? 'b')`, 'expression'],
  [`(a || 'b')`, 'expression'],
  [`(a or 'b')`, 'expression'],
  [`(keys['a'])`, 'expression'],
  // Declarations.
  [`(key: string)`, 'none'],
  [`(key?: Key)`, 'none'],
  [`(readonly key: Key)`, 'none'],
  [`(_ key: String)`, 'none'],
  [`(String key)`, 'none'],
  [`(final String key)`, 'none'],
  [`(const std::string& key, int b)`, 'name key'],
  [`(List<String> keys)`, 'none'],
  [`(string $key)`, 'none'],
  [`(flagKey: string)`, 'none'],
  [`(key: keyof Flags)`, 'none'],
  // Named arguments, and structures around the key.
  [`(key='a')`, 'a'],
  [`(key = 'a', id=b)`, 'a'],
  [`(distinct_id="x", key="a")`, 'a'],
  [`(key: 'a')`, 'a'],
  [`(flag: "a")`, 'a'],
  [`(flagKey: 'a')`, 'a'],
  [`({ key: 'a', id: b })`, 'a'],
  [`({ id: 'b', flag_key: 'a' })`, 'a'],
  [`(Payload{Id: id, Key: "a"})`, 'a'],
  [`(&posthog.Payload{Key: "a"})`, 'a'],
  [`({ key })`, 'expression'],
  [`(monkey='a')`, '…a'],
])('%s: %s', (text, found) => {
  const name = 'isFeatureEnabled';
  expect(told(readKeyArgument(`${name}${text}`, name.length, 0), `${name}${text}`)).toBe(found);
});

test.each<[text: string, found: string]>([
  [`(ctx, 'a')`, 'a'],
  [`(ctx, KEY, false)`, 'name KEY'],
  [`(f(b, c), 'a')`, 'a'],
  [`({ b: 1, c: [2, 3] }, "a")`, 'a'],
  [`('b')`, 'none'],
  [`(\n  ctx,\n  \`a-\${b}\`,\n)`, 'a-…'],
  [` 'b', 'a'`, 'a'],
])('as a second argument, %s: %s', (text, found) => {
  expect(told(readKeyArgument(`get${text}`, 3, 1), `get${text}`)).toBe(found);
});

test('a key that begins far behind its function is not read', () => {
  expect(readKeyArgument(`get(${' '.repeat(700)}'a')`, 3, 0).kind).not.toBe('literal');
});

test.each<[text: string, found: string]>([
  [`'a'>`, 'a'],
  [`"a" on>`, 'a'],
  [`KEY}`, 'name KEY'],
])('the attribute of a component, %s: %s', (text, found) => {
  expect(told(readKey(text), text)).toBe(found);
});
