/** The names of flags in code: camel case, unique in a module, and never a word of the language. */

import { lowerFirst, upperFirst } from '../../base/text.ts';
import { compareStrings } from '../../base/compare-strings.ts';

export interface Identifiers {
  readonly byKey: ReadonlyMap<string, string>;
  /** The keys that one name in camel case would stand for; each has a name of its own instead. */
  readonly collisions: readonly Collision[];
}

export interface Collision {
  readonly identifier: string;
  /** Sorted. */
  readonly keys: readonly string[];
}

/** The names depend on nothing but the keys. `reserved`: names that the module itself has. */
export function nameFlags(keys: readonly string[], reserved: readonly string[]): Identifiers {
  const taken = new Set([...WORDS, ...reserved]);
  const byName = new Map<string, string[]>();
  for (const key of keys.toSorted(compareStrings)) {
    const name = avoid(camelCase(key), taken);
    byName.set(name, [...(byName.get(name) ?? []), key]);
  }
  const byKey = new Map<string, string>();
  const collisions: Collision[] = [];
  for (const [identifier, [first = '', ...others]] of byName) {
    if (others.length === 0) byKey.set(first, identifier);
    else collisions.push({ identifier, keys: [first, ...others] });
  }
  const used = new Set([...taken, ...byKey.values()]);
  for (const key of collisions.flatMap((collision) => collision.keys)) {
    const name = numbered(exactName(key), used);
    used.add(name);
    byKey.set(key, name);
  }
  return { byKey, collisions };
}

/** What each is named where it is the only one. */
export function nameApart(keys: readonly string[], reserved: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set([...WORDS, ...reserved]);
  return new Map(keys.map((key) => [key, avoid(camelCase(key), taken)]));
}

function camelCase(key: string): string {
  const parts = key.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  const words = parts.map((part) => (/[a-z]/.test(part) ? part : part.toLowerCase()));
  const name = words.map((word, index) => (index === 0 ? lowerFirst(word) : upperFirst(word))).join('');
  return /^[a-z]/.test(name) ? name : `flag${name}`;
}

function avoid(name: string, taken: ReadonlySet<string>): string {
  return taken.has(name) ? `${name}Flag` : name;
}

/** Keeps what camel case drops: `new-checkout` and `new_checkout` become `new$checkout` and `new_checkout`. */
function exactName(key: string): string {
  const name = key.replace(/[^A-Za-z0-9_]/g, '$');
  return /^\d/.test(name) ? `$${name}` : name;
}

function numbered(name: string, used: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; used.has(free); number += 1) free = `${name}$${number}`;
  return free;
}

/** Names that no constant of a module in strict mode may have, in any module system. */
const WORDS: readonly string[] = [
  ...['arguments', 'await', 'break', 'case', 'catch', 'class', 'const', 'continue', 'debugger', 'default', 'delete'],
  ...['do', 'else', 'enum', 'eval', 'export', 'exports', 'extends', 'false', 'finally', 'for', 'function'],
  ...['globalThis', 'if', 'implements', 'import', 'in', 'instanceof', 'interface', 'let', 'module', 'new', 'null'],
  ...['package', 'private', 'protected', 'public', 'require', 'return', 'static', 'super', 'switch', 'this', 'throw'],
  ...['true', 'try', 'typeof', 'undefined', 'var', 'void', 'while', 'with', 'yield'],
];
